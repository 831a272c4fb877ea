/* SPDX-License-Identifier: MIT */
/* Bytes that are added at the end and taken from the front, in a block of a
 * loop's pool. Empty, it has no memory: a thousand connections that wait for
 * nothing hold nothing, and a busy one asks the allocator for nothing. */
#ifndef MCPI_TRANSPORT_BLOCKBUF_H
#define MCPI_TRANSPORT_BLOCKBUF_H

#include "base/block.h"

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
char *mcpi_blockbuf_reserve(mcpi_blockbuf *buf, mcpi_pool *pool, size_t len);
/* 0, or MCP_ERR_NOMEM: then nothing was added. */
int mcpi_blockbuf_put(mcpi_blockbuf *buf, mcpi_pool *pool, const void *bytes,
                      size_t len);
/* Takes bytes from the front; with the last one the memory goes back. */
void mcpi_blockbuf_take(mcpi_blockbuf *buf, size_t len);
/* Empty again, the memory back in its pool. */
void mcpi_blockbuf_clear(mcpi_blockbuf *buf);

#endif
