/* SPDX-License-Identifier: MIT */
/* The verb `describe --registry`: writes server.json, with which a server is
 * published in an MCP registry. */
#ifndef CTL_DESCRIBE_H
#define CTL_DESCRIBE_H

#include <mcp/client.h>

struct ctl_session;

/* For ctl_verb. */
int ctl_describe_show(struct ctl_session *session, const mcp_result *result);

#endif
