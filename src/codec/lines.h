/* SPDX-License-Identifier: MIT */
/* Newline-delimited framing (MCP, Transports: stdio): input in any pieces,
 * whole lines out.
 *
 * A line ends with LF. A CR before the LF is dropped and does not count. Lines
 * of only spaces and tabs are skipped. A line longer than the limit is dropped
 * and reported once, and reading continues after it. */
#ifndef MCPI_CODEC_LINES_H
#define MCPI_CODEC_LINES_H

#include "base/buf.h"

typedef struct mcpi_lines {
  mcpi_buf partial; /* the beginning of a line whose end has not come */
  size_t max_line;
  size_t keep;     /* bytes of memory to keep for the next line; set by init */
  int is_skipping; /* inside a line that was reported as lost */
  int is_taken;    /* partial holds a line that was handed out */
} mcpi_lines;

/* What mcpi_lines_next found. */
enum {
  /* All input is used up. Inside lines.c: there is no line yet, go on. */
  MCPI_LINES_MORE = 0,
  MCPI_LINES_LINE,
  MCPI_LINES_TOO_LONG, /* the line is lost; once for each such line */
  MCPI_LINES_NOMEM     /* the line is lost; reading continues after it */
};

MCP_API void mcpi_lines_init(mcpi_lines *lines, const mcp_allocator *allocator,
                             size_t max_line);
MCP_API void mcpi_lines_deinit(mcpi_lines *lines);

/* Takes input up to the end of one line, and moves *bytes and *len past it.
 * With MCPI_LINES_LINE, *line is borrowed until the next call. It points into
 * the input if the whole line is there, so that most lines are not copied. Call
 * until MCPI_LINES_MORE. */
MCP_API int mcpi_lines_next(mcpi_lines *lines, const char **bytes, size_t *len,
                            mcpi_str *line);
/* Whether the input ended inside a line. Call after MCPI_LINES_MORE. */
static inline int mcpi_lines_has_half(const mcpi_lines *lines) {
  return lines->partial.len > 0 || lines->is_skipping;
}
/* Hands out the last line, if it has no LF. Call at the end of input. */
MCP_API int mcpi_lines_finish(mcpi_lines *lines, mcpi_str *line);

#endif
