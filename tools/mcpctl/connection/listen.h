/* SPDX-License-Identifier: MIT */
/* Callbacks of the client and its transport that belong to no request. */
#ifndef CTL_LISTEN_H
#define CTL_LISTEN_H

#include "connection/session.h"

#include <mcp/log.h>

/* The lowest severity of log messages that --verbose shows. */
enum { CTL_LISTEN_LEVEL = MCP_LOG_INFO };

/* Policy and handlers, for mcp_client_new. */
void ctl_listen_options(ctl_session *session, mcp_client_options *options);

/* For mcp_request_options and mcp_process_options. */
void ctl_listen_progress(mcp_client *client, double progress, double total,
                         const char *message, void *userdata);
void ctl_listen_stderr(mcp_transport *transport, const char *bytes, size_t len,
                       void *userdata);
/* For mcp_http_client_options. */
void ctl_listen_answer(const mcp_http_answer *answer, void *userdata);
void ctl_listen_exit(mcp_transport *transport, int64_t status, int signal,
                     void *userdata);

/* Asks the server to report changes of its lists. In 2026-07-28 it does so only
 * on a stream, which this opens; servers of the legacy era report them anyway.
 * If the server refuses the stream, nothing is reported. */
void ctl_listen_changes(ctl_session *session);

#endif
