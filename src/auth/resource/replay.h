/* SPDX-License-Identifier: MIT */
/* The DPoP proofs that were used (RFC 9449, 11.1). A proof is remembered until
 * its time is over, since it is refused from then on anyway. Clients share the
 * places, as they share other limits (core/account.h).
 *
 * The proofs of clients whose clocks are right end in the order in which they
 * come. Proofs of clients whose clocks are ahead may end much later, so they
 * have a list of their own: in one list, the last of them would keep all that
 * came after it. */
#ifndef MCPI_AUTH_RESOURCE_REPLAY_H
#define MCPI_AUTH_RESOURCE_REPLAY_H

#include "base/list.h"
#include "base/map.h"
#include "core/account.h"
#include <mcp/sys/crypto.h>

enum {
  /* 770 requests in each second of the usual window, half of them by one
   * client; and 30 MB, with a third of a kilobyte more for each client. Only
   * clients with a valid token get this far. */
  MCPI_REPLAY_MAX = 262144
};

typedef struct mcpi_replay {
  const mcp_allocator *allocator;
  size_t max;
  mcpi_map map;
  int64_t window_ms;
  mcpi_list timely; /* each in the order in which they came */
  mcpi_list ahead;
  mcpi_accounts accounts; /* of principals with remembered proofs */
} mcpi_replay;

/* `allocator` and `seed` are borrowed. `window_ms`: how far the time of a proof
 * may be from now. */
void mcpi_replay_init(mcpi_replay *replay, const mcp_allocator *allocator,
                      const uint64_t seed[2], size_t max, int64_t window_ms);
void mcpi_replay_deinit(mcpi_replay *replay);
/* Uses the proof with this hash, which is refused from `until_ms` on, by the
 * wall clock. `principal` is that of the token. Returns 0; MCP_ERR_REFUSED:
 * that time is over; MCP_ERR_EXISTS: it was used before; MCP_ERR_LIMIT: too
 * many proofs of this principal, or of all, are remembered; MCP_ERR_NOMEM. */
int mcpi_replay_use(mcpi_replay *replay, const char *principal,
                    const uint8_t hash[MCP_SHA256_SIZE], int64_t until_ms,
                    int64_t now_ms);

#endif
