/* SPDX-License-Identifier: MIT */
/* Limits the bytes of unfinished messages and unread answers that all peers
 * together can make a listener keep. Each client has a share of them, and each
 * of its connections a share of that (core/account.h). Connections are counted
 * in the same tree. A quota of checks counts the checks of tokens instead. For
 * one thread. */
#ifndef MCPI_CORE_QUOTA_H
#define MCPI_CORE_QUOTA_H

#include "core/account.h"
#include <mcp/error.h>

/* Lives until the last reference is dropped; each share holds one. */
typedef struct mcpi_quota {
  /* The source of the memory that mcpi_share_allocator hands out. */
  mcp_allocator source;
  mcpi_accounts accounts;
  size_t max; /* bytes, or checks */
  size_t refs;
} mcpi_quota;

/* NULL when out of memory. */
MCP_API mcpi_quota *mcpi_quota_new(const mcp_allocator *source,
                                   const uint64_t seed[2], size_t max);
MCP_API mcpi_quota *mcpi_quota_ref(mcpi_quota *quota);
/* NULL is accepted. */
MCP_API void mcpi_quota_unref(mcpi_quota *quota);

static inline size_t mcpi_quota_used(const mcpi_quota *quota) {
  return quota->accounts.whole.used[MCPI_HELD_BYTES];
}

/* What one connection, or one answer, keeps. It must not be moved. */
typedef struct mcpi_share {
  mcpi_quota *quota;     /* a reference; NULL: not initialized */
  mcpi_account *account; /* a reference; NULL: its client is not known */
  mcpi_holder holder;
} mcpi_share;

/* Makes a share for a client, given as for mcpi_accounts_find. Returns 0, or
 * MCP_ERR_NOMEM with *share all zero. */
MCP_API int mcpi_share_init(mcpi_share *share, mcpi_quota *quota,
                            const char *principal, const char *peer);
/* Makes a share for the client of another share. */
MCP_API void mcpi_share_init_like(mcpi_share *share, const mcpi_share *like);
/* Subtracts what is left in it. All zero is accepted; the share is all zero
 * afterwards. */
MCP_API void mcpi_share_deinit(mcpi_share *share);
/* Moves it, without its connection, to a client that has become known. Returns
 * 0, or MCP_ERR_NOMEM: then nothing has changed. */
MCP_API int mcpi_share_move(mcpi_share *share, const char *principal,
                            const char *peer);

static inline size_t mcpi_share_used(const mcpi_share *share) {
  return share->holder.used[MCPI_HELD_BYTES];
}

/* Counts one thing more in the share: a connection or a check
 * (MCPI_HELD_CONNECTIONS, MCPI_HELD_CHECKS). All clients of the quota may have
 * `max`, and each of them has a share of that. mcpi_share_deinit subtracts it.
 * Returns 1; 0: the client already has all of its share, and nothing was
 * counted. */
MCP_API int mcpi_share_add_one(mcpi_share *share, int kind, size_t max);
/* Counts the share as a connection of its client, as mcpi_share_add_one does.
 * Call it once for a share. Returns 0; or MCP_ERR_LIMIT with err (may be NULL):
 * the client already has all of its share, and nothing was counted. */
MCP_API int mcpi_share_connect(mcpi_share *share, size_t max, mcp_error *err);
/* The connection has closed. Does nothing if the share counts no connection.
 * mcpi_share_deinit does it too. */
MCP_API void mcpi_share_disconnect(mcpi_share *share);

/* Counts that many more bytes. Returns 1; 0: the share has no room for them,
 * and nothing was counted. */
MCP_API int mcpi_share_count(mcpi_share *share, size_t size);
MCP_API void mcpi_share_discount(mcpi_share *share, size_t size);
/* Counts `now` bytes in place of `was`. Returns the same; always 1 if `now` is
 * not larger, even if others have taken much meanwhile. */
MCP_API int mcpi_share_change(mcpi_share *share, size_t was, size_t now);

/* Memory of the quota's source that counts in the share. */
MCP_API mcp_allocator mcpi_share_allocator(mcpi_share *share);

#endif
