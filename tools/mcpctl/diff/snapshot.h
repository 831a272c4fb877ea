/* SPDX-License-Identifier: MIT */
/* The verb `snapshot`: saves what a server lists. */
#ifndef CTL_SNAPSHOT_H
#define CTL_SNAPSHOT_H

#include <mcp/client.h>

struct ctl_session;

/* For ctl_verb. */
int ctl_snapshot_follow(struct ctl_session *session);
int ctl_snapshot_show(struct ctl_session *session, const mcp_result *result);

#endif
