/* SPDX-License-Identifier: MIT */
/* Requests that block: they run the client's loop until the completion has
 * run. */
#ifndef MCPI_PLATFORM_SYNC_H
#define MCPI_PLATFORM_SYNC_H

#include <mcp/client.h>

/* Where a completion stores its result. */
typedef struct mcpi_sync {
  int is_done;
  int status;
  mcp_result **out;  /* may be NULL */
  mcp_error *err;    /* likewise */
  char **error_data; /* likewise */
  mcp_loop *loop;    /* the client may be freed meanwhile */
} mcpi_sync;

/* Called before anything is started: whether the function could wait for the
 * end. Returns 0, MCP_ERR_INVALID or MCP_ERR_BUSY. */
int mcpi_sync_check(mcp_client *client, mcp_error *err);
/* Returns where the options want the detail of an error, which is NULL until
 * there is one; NULL: they do not want it. */
char **mcpi_sync_error_data(const mcp_request_options *options);
/* The completion of a request; its userdata is an mcpi_sync. */
void mcpi_sync_on_done(mcp_client *client, const mcp_outcome *told,
                       void *userdata);
/* Waits for the completion. `rc` is what starting the request returned. */
int mcpi_sync_await(mcpi_sync *kept, int rc);

/* The body of each function: checks, starts `CALL`, in which `kept` is the
 * completion's userdata, and waits. */
#define MCPI_SYNC_RUN(client, options, result, error, CALL)                    \
  mcpi_sync kept = {.out = (result),                                           \
                    .err = (error),                                            \
                    .error_data = mcpi_sync_error_data(options),               \
                    .loop = mcp_client_loop(client)};                          \
  int rc = mcpi_sync_check((client), (error));                                 \
  return rc != 0 ? rc : mcpi_sync_await(&kept, CALL)

#endif
