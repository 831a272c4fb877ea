/* SPDX-License-Identifier: MIT */
/* A pattern, LF, and a text. */
#include "regex/ecma.h"

#include <mcp/error.h>
#include <mcp/schema.h>
#include <stdlib.h>

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

/* The translated pattern has no character that PCRE2 could misread. Each of its
 * places comes from a place of the original pattern, in the same order. */
static void translate(mcpi_str pattern) {
  mcpi_buf out;
  size_t offset = SIZE_MAX;
  size_t place = 0;
  mcpi_buf_init(&out, mcp_allocator_default(), 1 << 16);
  int rc = mcpi_regex_ecma(&out, pattern, &offset);
  check(rc == 0 || (rc == MCP_ERR_PARSE && offset <= pattern.len));
  for (size_t i = 0; rc == 0 && i <= out.len; i += 1 + out.len / 16) {
    size_t next = mcpi_regex_ecma_place(pattern, i);
    check(next >= place && next <= pattern.len);
    place = next;
  }
  mcpi_buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  const mcp_regex_engine *engine = mcp_regex_pcre2();
  const char *bytes = (const char *)data;
  const char *lf = len > 0 ? memchr(bytes, '\n', len) : NULL;
  size_t pattern_len = lf != NULL ? (size_t)(lf - bytes) : len;
  mcpi_str pattern = mcpi_str_n(bytes, pattern_len);
  mcpi_str text =
      lf != NULL ? mcpi_str_n(lf + 1, len - pattern_len - 1) : MCPI_STR("");
  void *regex = NULL;
  size_t offset = SIZE_MAX;
  translate(pattern);
  int rc = engine->compile(engine->userdata, pattern.ptr, pattern.len, &regex,
                           &offset);
  if (rc != 0) {
    check(rc == MCP_ERR_PARSE && offset <= pattern.len && regex == NULL);
    return 0;
  }
  size_t steps = 1000 * 1000;
  size_t again = steps;
  int found = engine->match(regex, text.ptr, text.len, &steps);
  check(found == 0 || found == 1 || found == MCP_ERR_LIMIT);
  check(engine->match(regex, text.ptr, text.len, &again) == found);
  check(steps == again && steps <= 1000 * 1000);
  engine->release(regex);
  return 0;
}
