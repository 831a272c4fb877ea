/* SPDX-License-Identifier: MIT */
/* The keys of one issuer: fetched when a token needs them, and kept.
 *
 *               a check needs keys
 *        IDLE ---------------------> METADATA --+
 *        ^  |                         |  ^      | no metadata here:
 *        |  | jwks_uri is known       |  +------+ the next place
 *        |  v                         |
 *        +-- KEYS <-------------------+ jwks_uri
 *        ^     |
 *        +-----+ new keys, or the old ones stay: all waiting checks go on
 */
#ifndef MCPI_AUTH_RESOURCE_KEYS_H
#define MCPI_AUTH_RESOURCE_KEYS_H

#include "auth/jwt.h"
#include "base/list.h"
#include <mcp/protect.h>

enum {
  /* How soon keys are fetched again for a token whose key is unknown: junk
   * tokens must not make us a burden to the issuer. A fetch for another reason
   * does not count: the issuer may have got its new key right after that. */
  MCPI_KEYS_PAUSE_MS = 30000,
  /* The same while there are no keys at all. */
  MCPI_KEYS_RETRY_MS = 2000,
  /* The longest metadata and sets of keys, in bytes. */
  MCPI_KEYS_MAX_ANSWER = 256 * 1024
};

typedef struct mcpi_keys mcpi_keys;

/* A check that waits for keys. It is part of the check. */
typedef struct mcpi_keys_wait mcpi_keys_wait;
struct mcpi_keys_wait {
  mcpi_list link;  /* empty: it does not wait; removing it ends the waiting */
  int has_fetched; /* 0 at first: the check has begun a fetch */
  /* After 0: how long the result may be used. An issuer takes a key away by
   * leaving it out of its set. */
  int64_t fresh_ms;
  /* The fetch is over: verify again. It may free the keys. */
  void (*on_ready)(mcpi_keys_wait *wait);
};

/* Makes the keys of an issuer, without fetching anything. options and issuer
 * are borrowed. NULL with err: MCP_ERR_INVALID (options.jwks has no key that
 * can be used), MCP_ERR_NOMEM, MCP_ERR_PLATFORM. */
mcpi_keys *mcpi_keys_new(mcp_loop *loop, const mcp_protect_options *options,
                         const char *issuer, mcp_error *err);
/* Ends a fetch. The waits must be over, or be removed from the list later. NULL
 * is accepted. */
void mcpi_keys_free(mcpi_keys *keys);
const char *mcpi_keys_issuer(const mcpi_keys *keys);
/* Returns a number that grows when the issuer has changed its set. */
uint64_t mcpi_keys_version(const mcpi_keys *keys);

/* Verifies the signature of a token of the issuer. Returns
 * - 0: it is right;
 * - MCP_PENDING: keys are fetched; wait->on_ready follows, never inside this
 *   call;
 * - MCP_ERR_REFUSED with err: it is wrong, or the issuer has no such key;
 * - MCP_ERR_IO with err: the keys cannot be had;
 * - MCP_ERR_NOMEM, MCP_ERR_PLATFORM. */
int mcpi_keys_verify(mcpi_keys *keys, const mcpi_jwt *jwt, mcpi_keys_wait *wait,
                     mcp_error *err);

#endif
