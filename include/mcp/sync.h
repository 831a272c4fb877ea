/* SPDX-License-Identifier: MIT */
/** @file
 * Functions that start a request and wait for its end (libmcp).
 *
 * While such a function waits, it runs the client's loop. So all callbacks on
 * this loop, of the client and of other objects, may run inside it.
 *
 * Common to all functions of this header:
 * - Inside a callback of the loop they return MCP_ERR_BUSY. If the client is
 *   NULL or on a manual loop, they return MCP_ERR_INVALID.
 * - `options`: as in the asynchronous function; NULL: the defaults. So a
 *   request can have a time limit, and the program can watch its progress. A
 *   callback can cancel the request with mcp_client_cancel
 *   (mcp_request_options.request gets its number).
 * - Results are checked as in the asynchronous function (mcp_client_call_tool).
 * - `out` may be NULL. It is set only on success, to a result that the program
 *   owns: free it with mcp_result_unref.
 * - They return 0, or the error that the asynchronous function returned, or
 *   mcp_outcome.status of the request.
 * - `err` may be NULL. It says why a function failed.
 * - mcp_request_options.error_data gets the detail of the error, as a text.
 * - These functions do not report mcp_outcome.was_sent. If a program must know
 *   whether the server may have carried out a failed request, it calls the
 *   function mcp_client_... of the same name, and then mcp_loop_wait until the
 *   completion has run. The completion gets the mcp_outcome.
 */
#ifndef MCP_SYNC_H
#define MCP_SYNC_H

#include <mcp/client.h>

MCP_BEGIN_DECLS

struct mcp_struct_type;

/**
 * Does what mcp_client_connect does, and waits.
 *
 * If the client's last connection is still closing, the function first waits
 * until that connection has ended, so a program may try again at once. The time
 * for this does not count for connect_timeout_ms. mcp_sync_connect_command and
 * mcp_sync_connect_url do the same.
 *
 * @param transport taken, on failure too
 * @return as described above; also MCP_ERR_GONE: on_closed of the last
 *         connection has freed the client, so the program must not use it
 */
MCP_API int mcp_sync_connect(mcp_client *client, mcp_transport *transport,
                             mcp_error *err);
/**
 * Starts a program and connects to it, as mcp_client_connect_command does with
 * options that set only mcp_process_options.argv, and waits.
 * @param argv the program and its arguments; the array ends with NULL
 * @return as mcp_sync_connect
 */
MCP_API int mcp_sync_connect_command(mcp_client *client,
                                     const char *const *argv, mcp_error *err);
/**
 * Closes the connection, and waits until it has ended and on_closed has been
 * called.
 * @return 0, also when the client is not connected; MCP_ERR_BUSY;
 *         MCP_ERR_INVALID
 */
MCP_API int mcp_sync_close(mcp_client *client);

/** Each of the following functions does what the function mcp_client_... with
 * the same name does, and waits. */
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
/** Does what mcp_client_call_struct of mcp/fields.h does, and waits. A failure
 * that the tool reports (`isError`) is MCP_ERR_REMOTE, as in mcp_result_check,
 * and then `out` is not set. Since 0.2. */
MCP_API int mcp_sync_call_struct(mcp_client *client, const char *name,
                                 const struct mcp_struct_type *type,
                                 const void *arguments,
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
/** Sends a request with any method, as mcp_client_request does, and waits. */
MCP_API int mcp_sync_request(mcp_client *client, const char *method,
                             const char *params,
                             const mcp_request_options *options,
                             mcp_result **out, mcp_error *err);

MCP_END_DECLS

#endif
