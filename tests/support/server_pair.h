/* SPDX-License-Identifier: MIT */
/* A server and a client's end of a memory pair, on a manual loop: what the test
 * sends, and every byte that comes back. */
#ifndef MCP_TESTS_SERVER_PAIR_H
#define MCP_TESTS_SERVER_PAIR_H

#include "support/revisions.h"
#include <mcp/mcp.h>

typedef struct server_pair {
  mcp_loop *loop;
  mcp_server *server;
  mcp_transport *client;
  char *text; /* what came since the last request, a line for each message */
  size_t len;
  size_t cap;
  const char *revision; /* of the requests; NULL: 2026-07-28 */
  int next_id;
  int lost; /* a connection was lost: out of memory */
} server_pair;

/* What a request of 2026-07-28 says of itself. */
#define PAIR_META                                                              \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"" NEWEST_REVISION  \
  "\","                                                                        \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}"
/* What the server says of itself there. */
#define PAIR_INFO                                                              \
  "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"                         \
  "{\"name\":\"test\",\"version\":\"1\"}}"

/* A server called test, version 1. options may be NULL. 0, or MCP_ERR_NOMEM
 * with nothing left. */
int server_pair_init(server_pair *pair, const mcp_server_options *options,
                     const mcp_allocator *allocator);
/* Connects; with a legacy revision, also initialises, with capabilities for
 * elicitation by URL. 0 or MCP_ERR_NOMEM. */
int server_pair_connect(server_pair *pair, const char *revision);
void server_pair_deinit(server_pair *pair);

/* Sends one message and returns all that comes of it. Borrowed until the
 * next. */
const char *server_pair_send(server_pair *pair, const char *message);
/* The same for a request, whose id is one more than the last one's, from 1 on;
 * params are members without braces, "" for none. */
const char *server_pair_ask(server_pair *pair, const char *method,
                            const char *params);
/* Turns the loop until nothing more comes; forgets nothing. */
const char *server_pair_turn(server_pair *pair);

#endif
