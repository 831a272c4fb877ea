/* SPDX-License-Identifier: MIT */
/* The verb `generate`: writes source code that calls a server's tools. */
#ifndef CTL_GENERATE_H
#define CTL_GENERATE_H

#include <mcp/client.h>

struct ctl_session;

/* For ctl_verb. */
int ctl_generate_show(struct ctl_session *session, const mcp_result *result);

#endif
