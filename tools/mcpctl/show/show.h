/* SPDX-License-Identifier: MIT */
/* Prints the answer of each verb. */
#ifndef CTL_SHOW_H
#define CTL_SHOW_H

#include "connection/session.h"

/* Prints the session's result in the form of its verb, or as JSON. Returns an
 * exit code. */
int ctl_show(ctl_session *session);

/* Prints a "Label  value" line; nothing when value is NULL. On a terminal a
 * long value is wrapped; elsewhere it is one line, so that grep finds it. */
void ctl_show_field(const char *label, const char *value);

/* For ctl_verb.show. */
int ctl_show_info(ctl_session *session, const mcp_result *result);
int ctl_show_tools(ctl_session *session, const mcp_result *result);
/* Shows the tool that the command line names. */
int ctl_show_tool(ctl_session *session, const mcp_result *result);
int ctl_show_call(ctl_session *session, const mcp_result *result);
int ctl_show_resources(ctl_session *session, const mcp_result *result);
int ctl_show_templates(ctl_session *session, const mcp_result *result);
int ctl_show_contents(ctl_session *session, const mcp_result *result);
int ctl_show_prompts(ctl_session *session, const mcp_result *result);
int ctl_show_messages(ctl_session *session, const mcp_result *result);
int ctl_show_completion(ctl_session *session, const mcp_result *result);
int ctl_show_ping(ctl_session *session, const mcp_result *result);
int ctl_show_raw(ctl_session *session, const mcp_result *result);

#endif
