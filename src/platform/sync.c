/* SPDX-License-Identifier: MIT */
/* Requests that block: each starts its asynchronous counterpart and runs the
 * loop until that completes. */
#include "platform/sync.h"
#include "base/error.h"
#include "base/widen.h"
#include "client/client.h"
#include "platform/uv_loop.h"

#include <mcp/sync.h>

void mcpi_sync_on_done(mcp_client *client, const mcp_outcome *told,
                       void *userdata) {
  mcpi_sync *kept = userdata;
  (void)client;
  kept->is_done = 1;
  kept->status = told->status;
  if (kept->err != NULL) {
    *kept->err = *told->error;
  }
  if (told->status == 0 && kept->out != NULL) {
    *kept->out = mcp_result_ref(told->result);
  }
  if (kept->error_data != NULL) {
    *kept->error_data = mcp_json_to_text(told->error_data, NULL);
  }
}

char **mcpi_sync_error_data(const mcp_request_options *options) {
  mcp_request_options all;
  if (options == NULL || mcpi_widen(&all, sizeof(all), options,
                                    "mcp_request_options", NULL) != 0) {
    return NULL; /* starting the request reports the error */
  }
  if (all.error_data != NULL) {
    *all.error_data = NULL;
  }
  return all.error_data;
}

int mcpi_sync_check(mcp_client *client, mcp_error *err) {
  const mcpi_uv *uv = client != NULL ? mcpi_uv_of(client->loop) : NULL;
  if (err != NULL) {
    err->code = 0;
  }
  if (client == NULL) {
    return mcpi_error_null(err, "client");
  }
  if (uv == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the client's loop cannot wait: only a loop of "
                         "mcp_loop_new can");
  }
  if (uv->depth > 0) {
    return mcp_error_set(err, MCP_ERR_BUSY, "inside a callback of the loop");
  }
  return 0;
}

int mcpi_sync_await(mcpi_sync *kept, int rc) {
  if (rc != 0) {
    return rc;
  }
  while (!kept->is_done) {
    mcp_loop_wait(kept->loop, -1);
  }
  return kept->status;
}

/* --- connecting ---------------------------------------------------------- */

/* After a failed connect the program may try again at once, although the
 * failed connection is still closing. */
static int await_last_end(mcp_client *client, mcp_error *err) {
  mcp_loop *loop = client->loop;
  mcpi_guard guard; /* on_closed may free the client */
  mcpi_guard_enter(&client->life, &guard);
  while (!guard.is_gone && mcpi_client_is_ending(client)) {
    mcp_loop_wait(loop, -1);
  }
  if (guard.is_gone) {
    return mcp_error_set(err, MCP_ERR_GONE, "on_closed has freed the client");
  }
  mcpi_guard_leave(&client->life, &guard);
  return 0;
}

/* What each function that connects does first. */
static int sync_check_connect(mcp_client *client, mcp_error *err) {
  int rc = mcpi_sync_check(client, err);
  if (rc == 0) {
    rc = await_last_end(client, err);
  }
  return rc;
}

int mcp_sync_connect(mcp_client *client, mcp_transport *transport,
                     mcp_error *err) {
  mcpi_sync kept = {.err = err, .loop = mcp_client_loop(client)};
  int rc = sync_check_connect(client, err);
  if (rc != 0) {
    mcp_transport_free(transport);
    return rc;
  }
  return mcpi_sync_await(
      &kept,
      mcp_client_connect(client, transport, mcpi_sync_on_done, &kept, err));
}

int mcp_sync_connect_command(mcp_client *client, const char *const *argv,
                             mcp_error *err) {
  mcpi_sync kept = {.err = err, .loop = mcp_client_loop(client)};
  mcp_process_options options = {.size = sizeof(mcp_process_options),
                                 .argv = argv};
  int rc = sync_check_connect(client, err);
  if (rc != 0) {
    return rc;
  }
  rc = mcp_client_connect_command(client, &options, mcpi_sync_on_done, &kept,
                                  err);
  return mcpi_sync_await(&kept, rc);
}

int mcp_sync_close(mcp_client *client) {
  int rc = mcpi_sync_check(client, NULL);
  if (rc != 0 || client->state == MCPI_CLIENT_IDLE) {
    return rc;
  }
  mcp_loop *loop = client->loop;
  mcpi_guard guard; /* on_closed may free the client */
  mcpi_guard_enter(&client->end, &guard);
  mcp_client_close(client);
  while (!guard.is_gone) {
    mcp_loop_wait(loop, -1);
  }
  return 0;
}

/* --- requests ------------------------------------------------------------ */

int mcp_sync_list_tools(mcp_client *client, const mcp_request_options *options,
                        mcp_result **out, mcp_error *err) {
  MCPI_SYNC_RUN(
      client, options, out, err,
      mcp_client_list_tools(client, options, mcpi_sync_on_done, &kept, err));
}

int mcp_sync_list_resources(mcp_client *client,
                            const mcp_request_options *options,
                            mcp_result **out, mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_list_resources(client, options, mcpi_sync_on_done,
                                          &kept, err));
}

int mcp_sync_list_resource_templates(mcp_client *client,
                                     const mcp_request_options *options,
                                     mcp_result **out, mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_list_resource_templates(
                    client, options, mcpi_sync_on_done, &kept, err));
}

int mcp_sync_list_prompts(mcp_client *client,
                          const mcp_request_options *options, mcp_result **out,
                          mcp_error *err) {
  MCPI_SYNC_RUN(
      client, options, out, err,
      mcp_client_list_prompts(client, options, mcpi_sync_on_done, &kept, err));
}

int mcp_sync_call_tool(mcp_client *client, const char *name,
                       const char *arguments,
                       const mcp_request_options *options, mcp_result **out,
                       mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_call_tool(client, name, arguments, options,
                                     mcpi_sync_on_done, &kept, err));
}

int mcp_sync_read_resource(mcp_client *client, const char *uri,
                           const mcp_request_options *options, mcp_result **out,
                           mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_read_resource(client, uri, options,
                                         mcpi_sync_on_done, &kept, err));
}

int mcp_sync_get_prompt(mcp_client *client, const char *name,
                        const char *arguments,
                        const mcp_request_options *options, mcp_result **out,
                        mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_get_prompt(client, name, arguments, options,
                                      mcpi_sync_on_done, &kept, err));
}

int mcp_sync_complete(mcp_client *client, const char *ref_type, const char *ref,
                      const char *argument, const char *value,
                      const char *arguments, const mcp_request_options *options,
                      mcp_result **out, mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_complete(client, ref_type, ref, argument, value,
                                    arguments, options, mcpi_sync_on_done,
                                    &kept, err));
}

int mcp_sync_subscribe(mcp_client *client, const char *uri,
                       const mcp_request_options *options, mcp_error *err) {
  MCPI_SYNC_RUN(client, options, NULL, err,
                mcp_client_subscribe(client, uri, options, mcpi_sync_on_done,
                                     &kept, err));
}

int mcp_sync_unsubscribe(mcp_client *client, const char *uri,
                         const mcp_request_options *options, mcp_error *err) {
  MCPI_SYNC_RUN(client, options, NULL, err,
                mcp_client_unsubscribe(client, uri, options, mcpi_sync_on_done,
                                       &kept, err));
}

int mcp_sync_set_log_level(mcp_client *client, int level,
                           const mcp_request_options *options, mcp_error *err) {
  MCPI_SYNC_RUN(client, options, NULL, err,
                mcp_client_set_log_level(client, level, options,
                                         mcpi_sync_on_done, &kept, err));
}

int mcp_sync_ping(mcp_client *client, const mcp_request_options *options,
                  mcp_error *err) {
  MCPI_SYNC_RUN(
      client, options, NULL, err,
      mcp_client_ping(client, options, mcpi_sync_on_done, &kept, err));
}

int mcp_sync_request(mcp_client *client, const char *method, const char *params,
                     const mcp_request_options *options, mcp_result **out,
                     mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_request(client, method, params, options,
                                   mcpi_sync_on_done, &kept, err));
}
