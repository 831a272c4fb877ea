/* SPDX-License-Identifier: MIT */
#include "connection/requests.h"

int ctl_request_tools(ctl_session *session,
                      const mcp_request_options *options) {
  return mcp_client_list_tools(session->client, options, ctl_session_done,
                               session, &session->error);
}

int ctl_request_prompts(ctl_session *session,
                        const mcp_request_options *options) {
  return mcp_client_list_prompts(session->client, options, ctl_session_done,
                                 session, &session->error);
}

int ctl_request_resources(ctl_session *session,
                          const mcp_request_options *options) {
  return mcp_client_list_resources(session->client, options, ctl_session_done,
                                   session, &session->error);
}

int ctl_request_templates(ctl_session *session,
                          const mcp_request_options *options) {
  return mcp_client_list_resource_templates(
      session->client, options, ctl_session_done, session, &session->error);
}
