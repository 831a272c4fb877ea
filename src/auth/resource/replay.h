/* SPDX-License-Identifier: MIT */
/* The DPoP proofs that were used (RFC 9449, 11.1). A proof is remembered until
 * its time is over, since it is refused from then on anyway. */
#ifndef MCPI_AUTH_RESOURCE_REPLAY_H
#define MCPI_AUTH_RESOURCE_REPLAY_H

#include "base/list.h"
#include "base/map.h"
#include <mcp/sys/crypto.h>

enum {
  /* 870 requests in each second of the usual window, and 30 MB. Only clients
   * with a valid token get this far. */
  MCPI_REPLAY_MAX = 262144
};

typedef struct mcpi_replay {
  const mcp_allocator *allocator;
  size_t max;
  mcpi_map map;
  mcpi_list entries; /* in the order in which they came */
} mcpi_replay;

/* `allocator` and `seed` are borrowed. */
void mcpi_replay_init(mcpi_replay *replay, const mcp_allocator *allocator,
                      const uint64_t seed[2], size_t max);
void mcpi_replay_deinit(mcpi_replay *replay);
/* Uses the proof with this hash, which is refused from `until_ms` on, by the
 * wall clock. Returns 0; MCP_ERR_REFUSED: that time is over; MCP_ERR_EXISTS: it
 * was used before; MCP_ERR_LIMIT: too many proofs are remembered;
 * MCP_ERR_NOMEM. */
int mcpi_replay_use(mcpi_replay *replay, const uint8_t hash[MCP_SHA256_SIZE],
                    int64_t until_ms, int64_t now_ms);

#endif
