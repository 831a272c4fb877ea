/* SPDX-License-Identifier: MIT */
/** @file
 * Requests that block until their answer is there (libmcp).
 *
 * Each runs the client's loop meanwhile, so handlers of the client, and of
 * whatever else lives on that loop, run inside. Inside a callback of the loop
 * they return MCP_ERR_BUSY.
 *
 * Common to all: `out` is owned (end it with mcp_result_unref), set only on
 * success, and may be NULL. They return 0, or what mcp_outcome.status tells, or
 * what starting the request returned; `err` (may be NULL) has the detail.
 */
#ifndef MCP_SYNC_H
#define MCP_SYNC_H

#include <mcp/client.h>

MCP_BEGIN_DECLS

MCP_API int mcp_sync_connect(mcp_client *client, mcp_transport *transport,
                             mcp_error *err);
/** Starts `argv[0]` with its arguments (NULL at the end) and connects. */
MCP_API int mcp_sync_connect_command(mcp_client *client,
                                     const char *const *argv, mcp_error *err);
/** Closes and waits until the transport is down. */
MCP_API int mcp_sync_close(mcp_client *client);

MCP_API int mcp_sync_list_tools(mcp_client *client, mcp_result **out,
                                mcp_error *err);
MCP_API int mcp_sync_list_resources(mcp_client *client, mcp_result **out,
                                    mcp_error *err);
MCP_API int mcp_sync_list_resource_templates(mcp_client *client,
                                             mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_list_prompts(mcp_client *client, mcp_result **out,
                                  mcp_error *err);
MCP_API int mcp_sync_call_tool(mcp_client *client, const char *name,
                               const char *arguments, mcp_result **out,
                               mcp_error *err);
MCP_API int mcp_sync_read_resource(mcp_client *client, const char *uri,
                                   mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_get_prompt(mcp_client *client, const char *name,
                                const char *arguments, mcp_result **out,
                                mcp_error *err);
MCP_API int mcp_sync_complete(mcp_client *client, const char *ref_type,
                              const char *ref, const char *argument,
                              const char *value, const char *arguments,
                              mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_subscribe(mcp_client *client, const char *uri,
                               mcp_error *err);
MCP_API int mcp_sync_unsubscribe(mcp_client *client, const char *uri,
                                 mcp_error *err);
MCP_API int mcp_sync_set_log_level(mcp_client *client, int level,
                                   mcp_error *err);
MCP_API int mcp_sync_ping(mcp_client *client, mcp_error *err);
/** Any method, with all options. */
MCP_API int mcp_sync_request(mcp_client *client, const char *method,
                             const char *params,
                             const mcp_request_options *options,
                             mcp_result **out, mcp_error *err);

MCP_END_DECLS

#endif
