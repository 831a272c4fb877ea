/* SPDX-License-Identifier: MIT */
/* The requests for a server's lists, as ctl_starter (session.h). */
#ifndef CTL_REQUESTS_H
#define CTL_REQUESTS_H

#include "connection/session.h"

int ctl_request_tools(ctl_session *session, const mcp_request_options *options);
int ctl_request_prompts(ctl_session *session,
                        const mcp_request_options *options);
int ctl_request_resources(ctl_session *session,
                          const mcp_request_options *options);
int ctl_request_templates(ctl_session *session,
                          const mcp_request_options *options);

#endif
