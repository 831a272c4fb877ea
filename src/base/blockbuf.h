/* SPDX-License-Identifier: MIT */
/* A queue of bytes, added at the end and taken from the front, in a block of a
 * loop's pool. An empty one has no memory, so a thousand idle connections cost
 * nothing. A busy one reuses the pool's blocks and does not call the
 * allocator. */
#ifndef MCPI_BASE_BLOCKBUF_H
#define MCPI_BASE_BLOCKBUF_H

#include "base/block.h"
#include <mcp/error.h>
#include <string.h>

/* All zero: empty. A secret one overwrites its bytes before the memory goes
 * back to the pool. */
typedef struct mcpi_blockbuf {
  mcpi_block *block;
  size_t start; /* in the block; bytes before it have been taken */
  size_t len;
  int is_secret; /* set it while the queue is empty */
} mcpi_blockbuf;

/* Returns the bytes, borrowed until some are added or taken. */
static inline char *mcpi_blockbuf_data(const mcpi_blockbuf *buf) {
  return buf->block != NULL ? (char *)mcpi_block_data(buf->block) + buf->start
                            : NULL;
}

/* Returns where to write `len` more bytes, or NULL when out of memory. Add the
 * number of bytes written to buf->len. */
static inline char *mcpi_blockbuf_reserve(mcpi_blockbuf *buf, mcpi_pool *pool,
                                          size_t len);
/* Appends bytes. 0, or MCP_ERR_NOMEM with nothing appended. */
static inline int mcpi_blockbuf_put(mcpi_blockbuf *buf, mcpi_pool *pool,
                                    const void *bytes, size_t len);
/* Removes bytes from the front. Frees the memory when none are left. */
MCP_API void mcpi_blockbuf_take(mcpi_blockbuf *buf, size_t len);
/* Empties the queue and frees its memory. */
MCP_API void mcpi_blockbuf_clear(mcpi_blockbuf *buf);

/* Does what mcpi_blockbuf_reserve does when there is not enough room. */
MCP_API char *mcpi_blockbuf_grow(mcpi_blockbuf *buf, mcpi_pool *pool,
                                 size_t len);

/* Inline, because the head of a request has dozens of pieces. */
static inline char *mcpi_blockbuf_reserve(mcpi_blockbuf *buf, mcpi_pool *pool,
                                          size_t len) {
  if (buf->block != NULL && len <= buf->block->cap - buf->start - buf->len) {
    return mcpi_blockbuf_data(buf) + buf->len;
  }
  return mcpi_blockbuf_grow(buf, pool, len);
}

static inline int mcpi_blockbuf_put(mcpi_blockbuf *buf, mcpi_pool *pool,
                                    const void *bytes, size_t len) {
  if (len > 0) {
    char *to = mcpi_blockbuf_reserve(buf, pool, len);
    if (to == NULL) {
      return MCP_ERR_NOMEM;
    }
    memcpy(to, bytes, len);
    buf->len += len;
  }
  return 0;
}

#endif
