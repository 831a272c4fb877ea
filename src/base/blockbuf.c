/* SPDX-License-Identifier: MIT */
/* A queue of bytes in a block of a loop's pool. */
#include "base/blockbuf.h"

/* Moving the bytes to the front pays when fewer stay than have been taken. */
static int can_compact(const mcpi_blockbuf *buf, size_t len) {
  return buf->block != NULL && buf->start >= buf->len &&
         buf->block->cap - buf->len >= len;
}

static void drop_block(mcpi_blockbuf *buf) {
  if (buf->is_secret && buf->block != NULL) {
    mcpi_wipe(mcpi_block_data(buf->block), buf->start + buf->len);
  }
  mcpi_block_unref(buf->block);
}

static void blockbuf_compact(mcpi_blockbuf *buf) {
  char *to = mcpi_block_data(buf->block);
  memmove(to, mcpi_blockbuf_data(buf), buf->len);
  if (buf->is_secret) {
    mcpi_wipe(to + buf->len, buf->start);
  }
  buf->start = 0;
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
  drop_block(buf);
  buf->block = block;
  buf->start = 0;
  return 0;
}

char *mcpi_blockbuf_grow(mcpi_blockbuf *buf, mcpi_pool *pool, size_t len) {
  if (can_compact(buf, len)) {
    blockbuf_compact(buf);
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
  drop_block(buf);
  *buf = (mcpi_blockbuf){.is_secret = buf->is_secret};
}
