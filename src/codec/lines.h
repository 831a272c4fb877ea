/* SPDX-License-Identifier: MIT */
/* Newline-delimited framing (PROTOCOL 3.1): bytes in any cut, whole lines out.
 *
 * A line ends with LF; one CR before it is dropped, and does not count; lines
 * of nothing but spaces and tabs are skipped. A line past the limit is dropped
 * up to its end, reported once, and reading goes on behind it. */
#ifndef MCPI_CODEC_LINES_H
#define MCPI_CODEC_LINES_H

#include "base/buf.h"

typedef struct mcpi_lines {
  mcpi_buf partial; /* the beginning of a line whose end has not come */
  size_t max_line;
  size_t keep;     /* of the memory of a line that has ended; set by init */
  int is_skipping; /* inside a line that was reported as lost */
  int is_taken;    /* partial holds a line that was handed out */
} mcpi_lines;

/* What mcpi_lines_next found. */
enum {
  MCPI_LINES_MORE = 0, /* all input is used up */
  MCPI_LINES_LINE,
  MCPI_LINES_TOO_LONG, /* once for each such line */
  MCPI_LINES_NOMEM     /* the line is lost; reading goes on behind it */
};

MCP_API void mcpi_lines_init(mcpi_lines *lines, const mcp_allocator *allocator,
                             size_t max_line);
MCP_API void mcpi_lines_deinit(mcpi_lines *lines);

/* Takes input from *bytes up to the end of one line and moves *bytes and *len
 * past it. On MCPI_LINES_LINE, *line is borrowed until the next call: it
 * points into the input when the whole line is there, so that the usual line
 * is not copied. Call until MCPI_LINES_MORE. */
MCP_API int mcpi_lines_next(mcpi_lines *lines, const char **bytes, size_t *len,
                            mcpi_str *line);
/* Whether a line has begun whose end has not come; after MCPI_LINES_MORE. */
static inline int mcpi_lines_has_half(const mcpi_lines *lines) {
  return lines->partial.len > 0 || lines->is_skipping;
}
/* At the end of input: the last line, when it had no LF. */
MCP_API int mcpi_lines_finish(mcpi_lines *lines, mcpi_str *line);

#endif
