/* SPDX-License-Identifier: MIT */
/* A caller on an ordered transport. */
#ifndef MCPI_SERVER_CONNECTION_H
#define MCPI_SERVER_CONNECTION_H

#include "core/link.h"
#include "server/caller.h"
#include "server/server.h"
#include "server/sink.h"

struct mcp_connection {
  mcpi_caller caller;
  mcpi_link link;
  mcpi_sink sink;                 /* its calls are answered in order */
  mcp_connection_options options; /* without its strings */
  /* The number of progress and log messages dropped. */
  uint64_t dropped;
};

/* Returns the rules of a caller on a transport that the server itself
 * serves. */
mcpi_caller_rules mcpi_connection_rules(const mcp_server *server);
/* Serves a transport, which is taken, on the shard's loop. *out is borrowed
 * until on_closed. `err` may be NULL. Returns 0, or why not; then on_closed
 * does not run. */
int mcpi_connection_new(mcpi_shard *shard, mcp_transport *transport,
                        const mcp_connection_options *options,
                        const mcpi_caller_rules *rules, mcp_connection **out,
                        mcp_error *err);

#endif
