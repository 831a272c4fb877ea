/* SPDX-License-Identifier: MIT */
/* The public read buffer: mcpi_lines over bytes that the program lends. */
#include "codec/lines.h"

#include "base/alloc.h"
#include "base/error.h"
#include <mcp/transport.h>

struct mcp_read_buffer {
  mcp_allocator allocator;
  mcpi_lines lines;
  const char *bytes; /* not read yet, of those that were fed */
  size_t len;
};

mcp_read_buffer *mcp_read_buffer_new(const mcp_allocator *allocator,
                                     size_t max_line, mcp_error *err) {
  if (allocator == NULL) {
    allocator = mcp_allocator_default();
  }
  mcp_read_buffer *buffer = mcpi_calloc(allocator, 1, sizeof(*buffer));
  if (buffer == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  buffer->allocator = *allocator;
  mcpi_lines_init(&buffer->lines, &buffer->allocator,
                  max_line != 0 ? max_line : MCP_LINE_MAX_DEFAULT);
  return buffer;
}

void mcp_read_buffer_free(mcp_read_buffer *buffer) {
  if (buffer != NULL) {
    mcp_allocator allocator = buffer->allocator;
    mcpi_lines_deinit(&buffer->lines);
    mcpi_free(&allocator, buffer, sizeof(*buffer));
  }
}

int mcp_read_buffer_feed(mcp_read_buffer *buffer, const char *bytes,
                         size_t len) {
  if (buffer == NULL || (bytes == NULL && len > 0)) {
    return MCP_ERR_INVALID;
  }
  if (buffer->len > 0) {
    return MCP_ERR_BUSY;
  }
  buffer->bytes = bytes;
  buffer->len = len;
  return 0;
}

int mcp_read_buffer_next(mcp_read_buffer *buffer, const char **line,
                         size_t *len, mcp_error *err) {
  mcpi_str found;
  if (buffer == NULL || line == NULL || len == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "buffer, line or len is NULL");
  }
  switch (
      mcpi_lines_next(&buffer->lines, &buffer->bytes, &buffer->len, &found)) {
  case MCPI_LINES_LINE:
    *line = found.ptr;
    *len = found.len;
    return 1;
  case MCPI_LINES_TOO_LONG:
    return mcp_error_set(err, MCP_ERR_LIMIT, "a line is longer than %zu bytes",
                         buffer->lines.max_line);
  case MCPI_LINES_NOMEM:
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory for a line");
  default:
    return 0;
  }
}
