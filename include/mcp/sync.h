/* SPDX-License-Identifier: MIT */
/** @file
 * Requests that block until their answer is there (libmcp).
 *
 * Each runs the client's loop meanwhile, so handlers of the client, and of
 * whatever else lives on that loop, run inside. Inside a callback of the loop
 * they return MCP_ERR_BUSY.
 *
 * Common to all:
 * - `options` (NULL: the defaults) is that of the asynchronous function. So a
 *   request can have a time limit, and the program can watch its progress. A
 *   callback that runs meanwhile cancels it by mcp_client_cancel.
 * - Results are checked as those of the asynchronous function are.
 * - `out` (may be NULL) is set only on success, and owned: end it with
 *   mcp_result_unref.
 * - They return 0, the mcp_outcome.status with which the request ended, or what
 *   starting it returned. `err` (may be NULL) says why.
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

MCP_API int mcp_sync_list_tools(mcp_client *client,
                                const mcp_request_options *options,
                                mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_list_resources(mcp_client *client,
                                    const mcp_request_options *options,
                                    mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_list_resource_templates(mcp_client *client,
                                             const mcp_request_options *options,
                                             mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_list_prompts(mcp_client *client,
                                  const mcp_request_options *options,
                                  mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_call_tool(mcp_client *client, const char *name,
                               const char *arguments,
                               const mcp_request_options *options,
                               mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_read_resource(mcp_client *client, const char *uri,
                                   const mcp_request_options *options,
                                   mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_get_prompt(mcp_client *client, const char *name,
                                const char *arguments,
                                const mcp_request_options *options,
                                mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_complete(mcp_client *client, const char *ref_type,
                              const char *ref, const char *argument,
                              const char *value, const char *arguments,
                              const mcp_request_options *options,
                              mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_subscribe(mcp_client *client, const char *uri,
                               const mcp_request_options *options,
                               mcp_error *err);
MCP_API int mcp_sync_unsubscribe(mcp_client *client, const char *uri,
                                 const mcp_request_options *options,
                                 mcp_error *err);
MCP_API int mcp_sync_set_log_level(mcp_client *client, int level,
                                   const mcp_request_options *options,
                                   mcp_error *err);
MCP_API int mcp_sync_ping(mcp_client *client,
                          const mcp_request_options *options, mcp_error *err);
/** Any method, with all options. */
MCP_API int mcp_sync_request(mcp_client *client, const char *method,
                             const char *params,
                             const mcp_request_options *options,
                             mcp_result **out, mcp_error *err);

MCP_END_DECLS

#endif
