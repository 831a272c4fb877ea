/* SPDX-License-Identifier: MIT */
/* A loop in its own thread that serves HTTP connections which another loop has
 * accepted: a relay, the endpoint behind it, and its connections. Everything of
 * a branch is made, used and closed in that thread; the accepting loop posts to
 * it. */
#ifndef MCPI_HTTP1_BRANCH_H
#define MCPI_HTTP1_BRANCH_H

#include "http1/http1.h"
#include "http1/relay.h"

typedef struct mcpi_http1_branch mcpi_http1_branch;

/* What all branches of an address have in common. Borrowed until return, except
 * server, loop and homes. */
typedef struct mcpi_http1_branch_setup {
  mcp_server *server;
  /* The accepting loop. The branches use its allocator, and as many threads for
   * blocking calls as it has. */
  mcp_loop *loop;
  /* For the whole address; each branch has its share. */
  const mcp_http_options *options;
  mcpi_http1_limits limits; /* for the whole address, too */
  uint32_t count;           /* the number of branches */
  int is_secure;            /* they speak TLS */
  int has_address;          /* mcpi_http1_branch_set_address follows */
  mcpi_http1_homes *homes;
} mcpi_http1_branch_setup;

/* Starts the thread, and waits until it serves. Returns NULL with err: the
 * errors of mcp_http_new, and MCP_ERR_IO (no thread, no loop). */
mcpi_http1_branch *mcpi_http1_branch_new(const mcpi_http1_branch_setup *setup,
                                         mcp_error *err);
/* The following are called in the thread of the accepting loop. */

/* Call it before the first connection. */
void mcpi_http1_branch_set_address(mcpi_http1_branch *branch,
                                   const char *address);
/* As mcpi_http1_serve; without memory the connection is closed. */
void mcpi_http1_branch_serve(mcpi_http1_branch *branch, int fd,
                             const char *peer);
/* As mcpi_http1_set_tls. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_http1_branch_set_tls(mcpi_http1_branch *branch, mcpi_tls *tls);
/* As mcpi_http1_drain. But on_drained is called in the branch's thread, never
 * before this returns, and perhaps never if the branch is freed. */
void mcpi_http1_branch_drain(mcpi_http1_branch *branch,
                             void (*on_drained)(void *userdata),
                             void *userdata);
size_t mcpi_http1_branch_connection_count(const mcpi_http1_branch *branch);
/* Ends all branches of an address: closes their connections, ends their
 * threads, and only then frees what they share. It waits for handlers that
 * still use their calls, but not indefinitely: after MCPI_HTTP1_BRANCH_GRACE_MS
 * it abandons their loop, with the memory that they use. */
void mcpi_http1_branches_free(mcpi_http1_branch **branches, size_t count);

enum { MCPI_HTTP1_BRANCH_GRACE_MS = 1000 };

#endif
