/* SPDX-License-Identifier: MIT */
/* Newline-delimited framing (PROTOCOL 3.1).
 *
 * A line that comes whole is handed out where it lies. The beginning of one
 * that is cut is kept in `partial` until its end comes; it may hold one byte
 * more than the limit, since that may be the CR which does not count. */
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

/* Forgets the line that was handed out by the call before. */
static void release_line(mcpi_lines *lines) {
  if (lines->is_taken) {
    mcpi_buf_trim(&lines->partial, lines->keep);
    lines->is_taken = 0;
  }
}

static int is_blank(mcpi_str line) {
  for (size_t i = 0; i < line.len; i++) {
    if (line.ptr[i] != ' ' && line.ptr[i] != '\t') {
      return 0;
    }
  }
  return 1;
}

/* A line without its LF: MORE when there is nothing in it. */
static int judge(const mcpi_lines *lines, mcpi_str found, mcpi_str *line) {
  if (found.len > 0 && found.ptr[found.len - 1] == '\r') {
    found.len--;
  }
  if (found.len > lines->max_line) {
    return MCPI_LINES_TOO_LONG;
  }
  if (is_blank(found)) {
    return MCPI_LINES_MORE;
  }
  *line = found;
  return MCPI_LINES_LINE;
}

/* Adds to the partial line. What is lost is reported at once. */
static int keep(mcpi_lines *lines, const char *bytes, size_t len) {
  mcpi_buf_put(&lines->partial, bytes, len);
  int error = lines->partial.error;
  if (error == 0) {
    return MCPI_LINES_MORE;
  }
  mcpi_buf_trim(&lines->partial, lines->keep);
  lines->is_skipping = 1;
  return error == MCP_ERR_LIMIT ? MCPI_LINES_TOO_LONG : MCPI_LINES_NOMEM;
}

/* The end of the partial line has come. */
static int take_partial(mcpi_lines *lines, mcpi_str *line) {
  mcpi_str found = mcpi_str_n(lines->partial.data, lines->partial.len);
  lines->is_taken = 1;
  return judge(lines, found, line);
}

/* One line's bytes, up to but without its LF. */
static int end_line(mcpi_lines *lines, const char *bytes, size_t len,
                    mcpi_str *line) {
  if (lines->is_skipping) {
    lines->is_skipping = 0;
    return MCPI_LINES_MORE;
  }
  if (lines->partial.len == 0) {
    return judge(lines, mcpi_str_n(bytes, len), line);
  }
  int rc = keep(lines, bytes, len);
  if (rc != MCPI_LINES_MORE) {
    lines->is_skipping = 0;
    return rc;
  }
  return take_partial(lines, line);
}

int mcpi_lines_next(mcpi_lines *lines, const char **bytes, size_t *len,
                    mcpi_str *line) {
  release_line(lines);
  while (*len > 0) {
    const char *from = *bytes;
    const char *lf = memchr(from, '\n', *len);
    size_t used = lf != NULL ? (size_t)(lf - from) + 1 : *len;
    *bytes += used;
    *len -= used;
    int rc = MCPI_LINES_MORE;
    if (lf != NULL) {
      rc = end_line(lines, from, used - 1, line);
    } else if (!lines->is_skipping) {
      rc = keep(lines, from, used);
    }
    if (rc != MCPI_LINES_MORE) {
      return rc;
    }
    release_line(lines);
  }
  return MCPI_LINES_MORE;
}

int mcpi_lines_finish(mcpi_lines *lines, mcpi_str *line) {
  release_line(lines);
  lines->is_skipping = 0;
  return take_partial(lines, line);
}
