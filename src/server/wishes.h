/* SPDX-License-Identifier: MIT */
/* What a listen wants (MCP 2026-07-28, Subscriptions): the filters that its
 * client set, and the values that it named for them, such as URIs. */
#ifndef MCPI_SERVER_WISHES_H
#define MCPI_SERVER_WISHES_H

#include "server/call.h"
#include "server/listen_filters.h"

typedef struct mcpi_wish mcpi_wish;

/* The values of one filter. There is at least one. */
struct mcpi_wish {
  mcpi_wish *next;
  const mcpi_listen_filter *filter; /* NULL: resourceSubscriptions */
  mcpi_map values;                  /* value -> its own copy */
};

typedef struct mcpi_wishes {
  const mcp_allocator *allocator;
  uint32_t kinds;  /* a bit for each list-changed: 1 << MCPI_TOOLS ... */
  uint32_t flags;  /* filters of the program: mcpi_listen_filter.bit */
  mcpi_wish *list; /* the filters that have values */
  size_t value_count;
  size_t bytes; /* bytes that the values take */
} mcpi_wishes;

/* Reads what a call wants that the server honours. Before, the wishes are zero
 * except their allocator. `bytes`: what the listen takes besides. Returns 0;
 * or an error, recorded on the call. mcpi_wishes_clear is due in any case. */
int mcpi_wishes_read(mcpi_wishes *wishes, mcp_call *call, size_t bytes);
/* Afterwards the listen wants nothing. */
void mcpi_wishes_clear(mcpi_wishes *wishes);

/* Returns the values of a filter (NULL: resourceSubscriptions) for
 * mcpi_map_next; or NULL: there are none. */
const mcpi_map *mcpi_wishes_values(const mcpi_wishes *wishes,
                                   const mcpi_listen_filter *filter);
/* Whether this value is one of them. */
int mcpi_wishes_have(const mcpi_wishes *wishes,
                     const mcpi_listen_filter *filter, mcpi_str value);
/* Appends "notifications":{...}: the wishes as the acknowledgement has them. */
void mcpi_wishes_put(const mcpi_wishes *wishes, const mcp_server *server,
                     mcpi_buf *out);

#endif
