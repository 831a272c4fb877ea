/* SPDX-License-Identifier: MIT */
/* A growing byte buffer that keeps its first error: after a series of appends,
 * one check of `error` is enough. */
#ifndef MCPI_BASE_BUF_H
#define MCPI_BASE_BUF_H

#include "base/alloc.h"
#include "base/str.h"
#include <assert.h>

typedef struct mcpi_buf {
  const mcp_allocator *allocator;
  char *data; /* NULL until the first append */
  size_t len;
  size_t cap;
  size_t max; /* bytes it may hold; one more is MCP_ERR_LIMIT */
  int error;  /* 0, MCP_ERR_NOMEM or MCP_ERR_LIMIT */
  /* Memory is overwritten before it is freed, also when the buffer grows. */
  int is_secret;
} mcpi_buf;

MCP_API void mcpi_buf_init(mcpi_buf *buf, const mcp_allocator *allocator,
                           size_t max);
/* The same for tokens, passwords and keys. */
MCP_API void mcpi_buf_init_secret(mcpi_buf *buf, const mcp_allocator *allocator,
                                  size_t max);
MCP_API void mcpi_buf_deinit(mcpi_buf *buf);
/* Deinitialises the buffer, and returns its contents as an owned string, which
 * mcpi_strfree frees. NULL: the buffer has an error, or there is no memory. */
MCP_API char *mcpi_buf_take_string(mcpi_buf *buf);
/* Empties the buffer and resets its error. Keeps the memory. */
static inline void mcpi_buf_clear(mcpi_buf *buf);
/* Empties the buffer, and frees its memory if that is more than `keep`. */
static inline void mcpi_buf_recycle(mcpi_buf *buf, size_t keep);

/* Returns where to write `len` more bytes; mcpi_buf_commit then appends them.
 * NULL after an error, and for 0 bytes in a buffer without memory. */
static inline char *mcpi_buf_reserve(mcpi_buf *buf, size_t len);
static inline void mcpi_buf_commit(mcpi_buf *buf, size_t len);

static inline void mcpi_buf_put(mcpi_buf *buf, const void *bytes, size_t len);
static inline void mcpi_buf_putc(mcpi_buf *buf, char byte);
MCP_API void mcpi_buf_puts(mcpi_buf *buf, mcpi_str string);
/* Removes the first `len` bytes, and moves the others down. */
MCP_API void mcpi_buf_drop(mcpi_buf *buf, size_t len);
/* Cuts the buffer to an earlier length and resets its error. */
static inline void mcpi_buf_rewind(mcpi_buf *buf, size_t len);

/* Does what mcpi_buf_reserve does when the buffer must grow. */
MCP_API char *mcpi_buf_grow(mcpi_buf *buf, size_t len);

/* Inline, because JSON is written a few bytes at a time. */
static inline char *mcpi_buf_reserve(mcpi_buf *buf, size_t len) {
  if (buf->error == 0 && len < buf->cap - buf->len) {
    return buf->data + buf->len;
  }
  return mcpi_buf_grow(buf, len);
}

static inline void mcpi_buf_commit(mcpi_buf *buf, size_t len) {
  assert(len <= buf->cap - buf->len);
  buf->len += len;
}

static inline void mcpi_buf_rewind(mcpi_buf *buf, size_t len) {
  assert(len <= buf->len);
  buf->len = len;
  buf->error = 0;
}

static inline void mcpi_buf_clear(mcpi_buf *buf) {
  mcpi_buf_rewind(buf, 0);
}

static inline void mcpi_buf_recycle(mcpi_buf *buf, size_t keep) {
  if (buf->cap > keep) {
    mcpi_buf_deinit(buf);
  }
  mcpi_buf_clear(buf);
}

static inline void mcpi_buf_put(mcpi_buf *buf, const void *bytes, size_t len) {
  char *to = len > 0 ? mcpi_buf_reserve(buf, len) : NULL;
  if (to != NULL) {
    memcpy(to, bytes, len);
    buf->len += len;
  }
}

static inline void mcpi_buf_putc(mcpi_buf *buf, char byte) {
  char *to = mcpi_buf_reserve(buf, 1);
  if (to != NULL) {
    *to = byte;
    buf->len++;
  }
}

/* Returns the contents, borrowed until the buffer changes. */
static inline mcpi_str mcpi_buf_str(const mcpi_buf *buf) {
  return mcpi_str_n(buf->data, buf->len);
}

/* Appends a literal. */
#define mcpi_buf_lit(buf, literal)                                             \
  mcpi_buf_put(buf, "" literal, sizeof(literal) - 1)

#endif
