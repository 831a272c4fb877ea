/* SPDX-License-Identifier: MIT */
/* How many bytes peers can make us keep, all together: a count, and an allocator
 * for each of them that keeps to it. On one thread alone. */
#ifndef MCPI_BASE_QUOTA_H
#define MCPI_BASE_QUOTA_H

#include "base/alloc.h"

typedef struct mcpi_quota {
  mcp_allocator source; /* the shares' */
  size_t used;
  size_t max;
  size_t refs;
} mcpi_quota;

/* NULL when out of memory. */
MCP_API mcpi_quota *mcpi_quota_new(const mcp_allocator *source, size_t max);
MCP_API mcpi_quota *mcpi_quota_ref(mcpi_quota *quota);
/* NULL is accepted. */
MCP_API void mcpi_quota_unref(mcpi_quota *quota);

/* The most that one may have of `max`, where the others have so much: as much as
 * is left for them. One alone has half, and however many take all that they can,
 * as much again is left for the next. */
static inline size_t mcpi_quota_share(size_t max, size_t others) {
  return others < max ? (max - others) / 2 : 0;
}

/* Counts bytes, for a peer that has `mine` of them already, within its share. 1;
 * 0: that would be more than its share, and nothing was counted. */
static inline int mcpi_quota_count(mcpi_quota *quota, size_t mine,
                                   size_t size) {
  size_t share = mcpi_quota_share(quota->max, quota->used - mine);
  if (size > share || mine > share - size) {
    return 0;
  }
  quota->used += size;
  return 1;
}

static inline void mcpi_quota_discount(mcpi_quota *quota, size_t size) {
  quota->used -= size;
}

/* Where `was` bytes of the peer's become `now`. The same; who needs no more than
 * he has is never refused, however much others have taken since. */
static inline int mcpi_quota_change(mcpi_quota *quota, size_t mine, size_t was,
                                    size_t now) {
  if (now > was) {
    return mcpi_quota_count(quota, mine, now - was);
  }
  mcpi_quota_discount(quota, was - now);
  return 1;
}

/* A peer's memory, of the quota's source: no more than is left for the others. */
typedef struct mcpi_share {
  mcp_allocator allocator; /* what is to be used; points here */
  mcpi_quota *quota;       /* a reference */
  size_t used;
} mcpi_share;

MCP_API void mcpi_share_init(mcpi_share *share, mcpi_quota *quota);
/* Behind all that was taken of it. */
MCP_API void mcpi_share_deinit(mcpi_share *share);

#endif
