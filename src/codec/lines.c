/* SPDX-License-Identifier: MIT */
/* Newline-delimited framing (MCP, Transports: stdio).
 *
 * A line that is whole in the input is handed out in place. If the input ends
 * inside a line, its beginning is kept in `partial` until the end comes. That
 * may hold one byte more than the limit, which may be the CR that does not
 * count. */
#include "codec/lines.h"

#include <mcp/error.h>

enum { KEEP_BYTES = 64 * 1024 };

void mcpi_lines_init(mcpi_lines *lines, const mcp_allocator *allocator,
                     size_t max_line) {
  size_t max = max_line < SIZE_MAX ? max_line + 1 : SIZE_MAX;
  *lines = (mcpi_lines){.max_line = max_line, .keep = KEEP_BYTES};
  mcpi_buf_init(&lines->partial, allocator, max);
}

void mcpi_lines_deinit(mcpi_lines *lines) {
  mcpi_buf_deinit(&lines->partial);
}

/* Drops the line that the last call handed out. */
static void lines_release(mcpi_lines *lines) {
  if (lines->is_taken) {
    mcpi_buf_recycle(&lines->partial, lines->keep);
    lines->is_taken = 0;
  }
}

static int line_is_blank(mcpi_str line) {
  for (size_t i = 0; i < line.len; i++) {
    if (line.ptr[i] != ' ' && line.ptr[i] != '\t') {
      return 0;
    }
  }
  return 1;
}

/* Ends a line, which comes without its LF. MORE when the line is blank. */
static int lines_accept(const mcpi_lines *lines, mcpi_str found,
                        mcpi_str *line) {
  if (found.ptr != NULL && found.len > 0 && found.ptr[found.len - 1] == '\r') {
    found.len--;
  }
  if (found.len > lines->max_line) {
    return MCPI_LINES_TOO_LONG;
  }
  if (line_is_blank(found)) {
    return MCPI_LINES_MORE;
  }
  *line = found;
  return MCPI_LINES_LINE;
}

/* Adds to the partial line. Reports at once when the line is lost. */
static int lines_keep(mcpi_lines *lines, const char *bytes, size_t len) {
  mcpi_buf_put(&lines->partial, bytes, len);
  int error = lines->partial.error;
  if (error == 0) {
    return MCPI_LINES_MORE;
  }
  mcpi_buf_recycle(&lines->partial, lines->keep);
  lines->is_skipping = 1;
  return error == MCP_ERR_LIMIT ? MCPI_LINES_TOO_LONG : MCPI_LINES_NOMEM;
}

/* Hands out the partial line, whose end has come. */
static int lines_take_partial(mcpi_lines *lines, mcpi_str *line) {
  const mcpi_buf *partial = &lines->partial;
  mcpi_str found =
      mcpi_str_n(partial->data, partial->data != NULL ? partial->len : 0);
  lines->is_taken = 1;
  return lines_accept(lines, found, line);
}

/* Handles the rest of a line, without its LF. */
static int lines_end(mcpi_lines *lines, const char *bytes, size_t len,
                     mcpi_str *line) {
  if (lines->is_skipping) {
    lines->is_skipping = 0;
    return MCPI_LINES_MORE;
  }
  if (lines->partial.len == 0) {
    return lines_accept(lines, mcpi_str_n(bytes, len), line);
  }
  int rc = lines_keep(lines, bytes, len);
  if (rc != MCPI_LINES_MORE) {
    lines->is_skipping = 0;
    return rc;
  }
  return lines_take_partial(lines, line);
}

int mcpi_lines_next(mcpi_lines *lines, const char **bytes, size_t *len,
                    mcpi_str *line) {
  lines_release(lines);
  while (*len > 0) {
    const char *from = *bytes;
    const char *lf = memchr(from, '\n', *len);
    size_t used = lf != NULL ? (size_t)(lf - from) + 1 : *len;
    *bytes += used;
    *len -= used;
    int rc = MCPI_LINES_MORE;
    if (lf != NULL) {
      rc = lines_end(lines, from, used - 1, line);
    } else if (!lines->is_skipping) {
      rc = lines_keep(lines, from, used);
    }
    if (rc != MCPI_LINES_MORE) {
      return rc;
    }
    lines_release(lines); /* a blank line that ended in `partial` */
  }
  return MCPI_LINES_MORE;
}

int mcpi_lines_finish(mcpi_lines *lines, mcpi_str *line) {
  lines_release(lines);
  lines->is_skipping = 0;
  return lines_take_partial(lines, line);
}
