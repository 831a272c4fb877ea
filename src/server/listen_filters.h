/* SPDX-License-Identifier: MIT */
/* Filters of subscriptions/listen (MCP 2026-07-28, Subscriptions) that the
 * program adds. */
#ifndef MCPI_SERVER_LISTEN_FILTERS_H
#define MCPI_SERVER_LISTEN_FILTERS_H

#include "server/server.h"

/* Filters that a server may add: a listen keeps a bit for each. */
enum { MCPI_MAX_FILTERS = 32 };

/* It stays at its place until the server ends. */
struct mcpi_listen_filter {
  char *name;     /* of the member of params.notifications */
  uint32_t bit;   /* of mcpi_wishes.flags */
  int has_values; /* the member is an array of strings, else a boolean */
  /* "extensions." and the id of the extension that a client must have declared
   * to name the filter; or NULL. */
  char *extension;
};

/* Returns the filter of that name, or NULL. On any thread. */
const mcpi_listen_filter *mcpi_listen_filter_find(const mcp_server *server,
                                                  mcpi_str name);

#endif
