/* SPDX-License-Identifier: MIT */
/* Bytes that are added at the end and taken from the front, in a block of a
 * loop's pool. Empty, it has no memory: a thousand connections that wait for
 * nothing hold nothing, and a busy one asks the allocator for nothing. */
#ifndef MCPI_BASE_BLOCKBUF_H
#define MCPI_BASE_BLOCKBUF_H

#include "base/block.h"
#include <mcp/error.h>
#include <string.h>

/* All zero: empty. */
typedef struct mcpi_blockbuf {
  mcpi_block *block;
  size_t start; /* in the block: what lies before has been taken */
  size_t len;
} mcpi_blockbuf;

/* The bytes; they stay where they are until more are added or some taken. */
static inline char *mcpi_blockbuf_data(const mcpi_blockbuf *buf) {
  return buf->block != NULL ? (char *)mcpi_block_data(buf->block) + buf->start
                            : NULL;
}

/* Room for `len` more bytes: where to write them, or NULL when out of memory.
 * Count those that were written in buf->len. */
static inline char *mcpi_blockbuf_reserve(mcpi_blockbuf *buf, mcpi_pool *pool,
                                          size_t len);
/* 0, or MCP_ERR_NOMEM: then nothing was added. */
static inline int mcpi_blockbuf_put(mcpi_blockbuf *buf, mcpi_pool *pool,
                                    const void *bytes, size_t len);
/* Takes bytes from the front; with the last one the memory goes back. */
MCP_API void mcpi_blockbuf_take(mcpi_blockbuf *buf, size_t len);
/* Empty again, the memory back in its pool. */
MCP_API void mcpi_blockbuf_clear(mcpi_blockbuf *buf);

/* What reserve does when there is not room to spare. */
MCP_API char *mcpi_blockbuf_grow(mcpi_blockbuf *buf, mcpi_pool *pool,
                                 size_t len);

/* Inline, because a request's head is put together from dozens of pieces. */
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
