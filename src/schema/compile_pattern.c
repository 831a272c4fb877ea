/* SPDX-License-Identifier: MIT */
/* Regular expressions of a schema, compiled by the engine that is provided. */
#include "schema/compile_pattern.h"

#include "base/error.h"
#include "schema/regex.h"
#include "schema/say.h"

static int pattern_fail(const mcpi_subject *s, int rc, const mcp_json *place,
                        mcpi_str pattern, size_t offset) {
  mcpi_sentence shown;
  mcpi_sentence_init(&shown);
  mcpi_say_string(&shown.buf, pattern);
  switch (rc) {
  case MCP_ERR_PARSE:
    return mcpi_subject_fail(s, MCP_ERR_SCHEMA, place,
                             "%.*s is not a regular expression (ECMA-262): "
                             "error at byte %zu",
                             (int)shown.buf.len, shown.space, offset);
  case MCP_ERR_LIMIT:
    return mcpi_subject_fail(s, rc, place,
                             "the regular expression %.*s is too large",
                             (int)shown.buf.len, shown.space);
  case MCP_ERR_PLATFORM:
    return mcpi_subject_fail(s, rc, place,
                             "a pattern needs regular expressions, and their "
                             "library cannot be loaded");
  default:
    return mcp_error_set(s->c->err, rc, "%s", mcp_error_text(rc));
  }
}

int mcpi_compile_pattern(mcpi_subject *s, const mcp_json *place, mcpi_str text,
                         uint32_t node, uint32_t *pattern) {
  const mcp_regex_engine *engine = mcpi_regex_engine();
  mcpi_pattern made = {NULL, node, text};
  size_t offset = 0;
  if (engine == NULL) {
    return mcpi_subject_fail(
        s, MCP_ERR_PLATFORM, place,
        "a pattern needs regular expressions, and this program has none: see "
        "mcp_regex_provide");
  }
  int rc = engine->compile(engine->userdata, text.ptr, text.len, &made.regex,
                           &offset);
  if (rc != 0) {
    return pattern_fail(s, rc, place, text, offset);
  }
  *pattern = mcpi_count_of(&s->c->patterns, mcpi_pattern);
  mcpi_buf_put(&s->c->patterns, &made, sizeof(made));
  if (s->c->patterns.error != 0) {
    engine->release(made.regex);
    return mcpi_no_memory(s->c->err);
  }
  return 0;
}
