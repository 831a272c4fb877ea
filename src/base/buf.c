/* SPDX-License-Identifier: MIT */
/* A growing byte buffer that keeps its first error. */
#include "base/buf.h"

#include "base/profile.h"

#include <assert.h>
#include <mcp/error.h>

void mcpi_buf_init(mcpi_buf *buf, const mcp_allocator *allocator, size_t max) {
  *buf = (mcpi_buf){.allocator = allocator, .max = max};
}

void mcpi_buf_init_secret(mcpi_buf *buf, const mcp_allocator *allocator,
                          size_t max) {
  mcpi_buf_init(buf, allocator, max);
  buf->is_secret = 1;
}

static void buf_free(mcpi_buf *buf) {
  if (buf->is_secret) {
    mcpi_free_wiped(buf->allocator, buf->data, buf->cap);
  } else {
    mcpi_free(buf->allocator, buf->data, buf->cap);
  }
}

void mcpi_buf_deinit(mcpi_buf *buf) {
  int is_secret = buf->is_secret;
  buf_free(buf);
  mcpi_buf_init(buf, buf->allocator, buf->max);
  buf->is_secret = is_secret;
}

char *mcpi_buf_take_string(mcpi_buf *buf) {
  char *string = NULL;
  if (buf->error == 0) {
    string =
        mcpi_strndup(buf->allocator, buf->len > 0 ? buf->data : "", buf->len);
  }
  mcpi_buf_deinit(buf);
  return string;
}

/* The capacity that is needed, rounded up, and at most max. */
static size_t buf_tight_cap(const mcpi_buf *buf, size_t needed) {
  const size_t unit = MCPI_PROFILE_BUFFER;
  size_t cap =
      needed <= SIZE_MAX - unit ? (needed + unit - 1) / unit * unit : SIZE_MAX;
  return cap < buf->max ? cap : buf->max;
}

/* Doubles the capacity until it is enough, up to max. */
static size_t buf_next_cap(const mcpi_buf *buf, size_t needed) {
  if (!MCPI_PROFILE_DOUBLES) {
    return buf_tight_cap(buf, needed);
  }
  size_t cap = buf->cap > 0 ? buf->cap : (size_t)MCPI_PROFILE_BUFFER;
  while (cap < needed) {
    if (cap > buf->max / 2) {
      return buf->max;
    }
    cap *= 2;
  }
  return cap < buf->max ? cap : buf->max;
}

/* Returns NULL when out of memory; then the buffer is unchanged. */
static char *buf_resize(mcpi_buf *buf, size_t cap) {
  if (!buf->is_secret) {
    return mcpi_realloc(buf->allocator, buf->data, buf->cap, cap);
  }
  char *data = mcpi_alloc(buf->allocator, cap);
  if (data != NULL && buf->len > 0) {
    memcpy(data, buf->data, buf->len);
  }
  if (data != NULL) {
    buf_free(buf);
  }
  return data;
}

/* Makes room for `len` more bytes. Returns 0, MCP_ERR_LIMIT (more than max) or
 * MCP_ERR_NOMEM. */
static int buf_grow(mcpi_buf *buf, size_t len) {
  if (len > buf->max - buf->len) {
    return MCP_ERR_LIMIT;
  }
  size_t cap = buf_next_cap(buf, buf->len + len);
  char *data = buf_resize(buf, cap);
  if (data == NULL) {
    return MCP_ERR_NOMEM;
  }
  buf->data = data;
  buf->cap = cap;
  return 0;
}

char *mcpi_buf_grow(mcpi_buf *buf, size_t len) {
  if (buf->error == 0 && len > buf->cap - buf->len) {
    buf->error = buf_grow(buf, len);
  }
  return buf->error == 0 && buf->data != NULL ? buf->data + buf->len : NULL;
}

void mcpi_buf_puts(mcpi_buf *buf, mcpi_str string) {
  mcpi_buf_put(buf, string.ptr, string.len);
}

void mcpi_buf_drop(mcpi_buf *buf, size_t len) {
  assert(len <= buf->len);
  if (len > 0) {
    memmove(buf->data, buf->data + len, buf->len - len);
    buf->len -= len;
  }
}
