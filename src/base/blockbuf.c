/* SPDX-License-Identifier: MIT */
/* A queue of bytes in a block of a loop's pool. */
#include "base/blockbuf.h"

/* Moving the bytes to the front pays when fewer stay than have been taken. */
static int can_compact(const mcpi_blockbuf *buf, size_t len) {
  return buf->block != NULL && buf->start >= buf->len &&
         buf->block->cap - buf->len >= len;
}

static int move_to_larger(mcpi_blockbuf *buf, mcpi_pool *pool, size_t len) {
  if (len > SIZE_MAX / 2 - buf->len) {
    return MCP_ERR_NOMEM;
  }
  /* Twice as much as there is, so that adding is cheap on average. */
  size_t wanted = len > buf->len ? buf->len + len : 2 * buf->len;
  mcpi_block *block = mcpi_block_take(pool, wanted);
  if (block == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (buf->len > 0) {
    memcpy(mcpi_block_data(block), mcpi_blockbuf_data(buf), buf->len);
  }
  mcpi_block_unref(buf->block);
  buf->block = block;
  buf->start = 0;
  return 0;
}

char *mcpi_blockbuf_grow(mcpi_blockbuf *buf, mcpi_pool *pool, size_t len) {
  if (can_compact(buf, len)) {
    memmove(mcpi_block_data(buf->block), mcpi_blockbuf_data(buf), buf->len);
    buf->start = 0;
  } else if (move_to_larger(buf, pool, len) != 0) {
    return NULL;
  }
  return mcpi_blockbuf_data(buf) + buf->len;
}

void mcpi_blockbuf_take(mcpi_blockbuf *buf, size_t len) {
  buf->start += len;
  buf->len -= len;
  if (buf->len == 0) {
    mcpi_blockbuf_clear(buf);
  }
}

void mcpi_blockbuf_clear(mcpi_blockbuf *buf) {
  mcpi_block_unref(buf->block);
  *buf = (mcpi_blockbuf){0};
}
