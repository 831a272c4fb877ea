/* SPDX-License-Identifier: MIT */
/* How each verb's answer looks. */
#ifndef CTL_SHOW_H
#define CTL_SHOW_H

#include "session.h"

/* Prints the session's result as its verb does, or as JSON. An exit code. */
int ctl_show(ctl_session *session);

/* One "Label  value" line; nothing when there is no value. A long one is
 * wrapped on a terminal, and one line elsewhere, for grep and its like. */
void ctl_show_field(const char *label, const char *value);

/* For ctl_verb.show. */
int ctl_show_info(ctl_session *session, const mcp_result *result);
int ctl_show_tools(ctl_session *session, const mcp_result *result);
/* The one that the command line names. */
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
