/* SPDX-License-Identifier: MIT */
/* A set of strings that came from a server: keys of questions, names of
 * tools. */
#ifndef MCPI_CLIENT_KEY_SET_H
#define MCPI_CLIENT_KEY_SET_H

#include "base/map.h"

typedef struct mcpi_key_set {
  mcpi_map map;
} mcpi_key_set;

/* `allocator` and `seed` are borrowed. */
void mcpi_key_set_init(mcpi_key_set *set, const mcp_allocator *allocator,
                       const uint64_t seed[2]);
void mcpi_key_set_deinit(mcpi_key_set *set);
int mcpi_key_set_has(const mcpi_key_set *set, mcpi_str key);
/* Adds a copy. 0, MCP_ERR_EXISTS or MCP_ERR_NOMEM. */
int mcpi_key_set_add(mcpi_key_set *set, mcpi_str text);

#endif
