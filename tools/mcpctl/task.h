/* SPDX-License-Identifier: MIT */
/* The verbs `tasks` and `task`, and `call --detach`. */
#ifndef CTL_TASK_H
#define CTL_TASK_H

#include <mcp/client.h>

struct ctl_session;

/* For ctl_verb. */
int ctl_call_start(struct ctl_session *session,
                   const mcp_request_options *options);
int ctl_call_follow(struct ctl_session *session);
int ctl_call_show(struct ctl_session *session, const mcp_result *result);
int ctl_tasks_start(struct ctl_session *session,
                    const mcp_request_options *options);
int ctl_tasks_explain(struct ctl_session *session);
int ctl_tasks_show(struct ctl_session *session, const mcp_result *result);
int ctl_task_start(struct ctl_session *session,
                   const mcp_request_options *options);
int ctl_task_follow(struct ctl_session *session);
int ctl_task_explain(struct ctl_session *session);
int ctl_task_show(struct ctl_session *session, const mcp_result *result);

#endif
