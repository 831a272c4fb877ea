/* SPDX-License-Identifier: MIT */
/* A loop of its own, in a thread of its own, that serves HTTP connections which
 * another loop has accepted: a relay, the endpoint behind it, and its
 * connections. Everything of it is made, used and closed in that thread; what
 * comes from the loop that accepts is posted. */
#ifndef MCPI_HTTP1_BRANCH_H
#define MCPI_HTTP1_BRANCH_H

#include "http1/http1.h"
#include "http1/relay.h"

typedef struct mcpi_http_branch mcpi_http_branch;

/* What all branches of an address have in common. Borrowed until return, but
 * for server, loop and homes. */
typedef struct mcpi_http_branch_setup {
  mcp_server *server;
  /* The one that accepts: its allocator, and as many threads for blocking
   * calls, serve the others too. */
  mcp_loop *loop;
  const mcp_http_options *options; /* of the whole; each has its share */
  mcpi_http1_limits limits;        /* likewise */
  uint32_t count;                  /* of branches */
  mcpi_http_homes *homes;
} mcpi_http_branch_setup;

/* Starts the thread, and waits until it serves. NULL with err, as mcp_http_new,
 * and MCP_ERR_IO (no thread, no loop). */
mcpi_http_branch *mcpi_http_branch_new(const mcpi_http_branch_setup *setup,
                                       mcp_error *err);
/* The following are called in the thread of the loop that accepts. */

/* As mcpi_http1_serve; without memory it is closed. */
void mcpi_http_branch_serve(mcpi_http_branch *branch, int fd, const char *peer);
/* As mcpi_http1_set_tls. 0 or MCP_ERR_NOMEM. */
int mcpi_http_branch_set_tls(mcpi_http_branch *branch, mcpi_tls *tls);
/* As mcpi_http1_drain, but on_drained is called in the branch's thread, never
 * before this returns, and perhaps never when the branch is freed. */
void mcpi_http_branch_drain(mcpi_http_branch *branch,
                            void (*on_drained)(void *userdata), void *userdata);
size_t mcpi_http_branch_connection_count(const mcpi_http_branch *branch);
/* Ends all branches of an address: closes their connections, ends their
 * threads, and only then frees what they have in common. Handlers that still
 * use their calls are waited for, but not for ever: past
 * MCPI_HTTP_BRANCH_GRACE_MS their loop is left behind, with what they use. */
void mcpi_http_branches_free(mcpi_http_branch **branches, size_t count);

enum { MCPI_HTTP_BRANCH_GRACE_MS = 1000 };

#endif
