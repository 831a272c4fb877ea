/* SPDX-License-Identifier: MIT */
/* Line framing: the input, cut as its first bytes say, gives the same lines as
 * in one piece. */
#include "codec/lines.h"
#include <stdlib.h>

enum { MAX_LINE = 64 };

/* What came out: each line and an LF, or one of two marks. */
static void note(mcpi_buf *out, int rc, mcpi_str line) {
  switch (rc) {
  case MCPI_LINES_LINE:
    if (line.len == 0 || line.len > MAX_LINE ||
        memchr(line.ptr, '\n', line.len) != NULL) {
      abort();
    }
    mcpi_buf_puts(out, line);
    mcpi_buf_lit(out, "\n");
    break;
  case MCPI_LINES_TOO_LONG:
    mcpi_buf_lit(out, "\n<long>\n");
    break;
  default:
    break;
  }
}

static void feed(mcpi_lines *lines, const char *bytes, size_t len,
                 mcpi_buf *out) {
  mcpi_str line;
  int rc;
  while ((rc = mcpi_lines_next(lines, &bytes, &len, &line)) !=
         MCPI_LINES_MORE) {
    note(out, rc, line);
  }
  if (len != 0) {
    abort();
  }
}

/* Pieces of `step` bytes. */
static void run(const char *bytes, size_t len, size_t step, mcpi_buf *out) {
  mcpi_lines lines;
  mcpi_str line;
  mcpi_lines_init(&lines, mcp_allocator_default(), MAX_LINE);
  while (len > step) {
    feed(&lines, bytes, step, out);
    bytes += step;
    len -= step;
  }
  feed(&lines, bytes, len, out);
  int rc = mcpi_lines_finish(&lines, &line);
  note(out, rc, line);
  mcpi_lines_deinit(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  if (len == 0) {
    return 0;
  }
  const char *bytes = (const char *)data + 1;
  mcpi_buf whole;
  mcpi_buf pieces;
  mcpi_buf_init(&whole, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&pieces, mcp_allocator_default(), SIZE_MAX);
  run(bytes, len - 1, len, &whole);
  run(bytes, len - 1, (size_t)data[0] + 1, &pieces);
  if (!mcpi_str_eq(mcpi_str_n(whole.data, whole.len),
                   mcpi_str_n(pieces.data, pieces.len))) {
    abort();
  }
  mcpi_buf_deinit(&whole);
  mcpi_buf_deinit(&pieces);
  return 0;
}
