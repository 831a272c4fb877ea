/* SPDX-License-Identifier: MIT */
#include "support/plain_regex.h"

#include <mcp/mcp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct regex {
  size_t len;
  char text[];
} regex;

static atomic_size_t live;

static int compile(void *userdata, const char *pattern, size_t len, void **out,
                   size_t *error_offset) {
  (void)userdata;
  const char *fault = memchr(pattern, '(', len);
  if (fault != NULL) {
    *error_offset = (size_t)(fault - pattern);
    return MCP_ERR_PARSE;
  }
  if (memchr(pattern, '&', len) != NULL) {
    return MCP_ERR_LIMIT;
  }
  if (memchr(pattern, '@', len) != NULL) {
    return MCP_ERR_NOMEM;
  }
  regex *r = malloc(sizeof(*r) + len);
  if (r == NULL) {
    return MCP_ERR_NOMEM;
  }
  r->len = len;
  memcpy(r->text, pattern, len);
  *out = r;
  atomic_fetch_add(&live, 1);
  return 0;
}

static int match(const void *compiled, const char *text, size_t len,
                 size_t *steps_left) {
  (void)steps_left;
  const regex *r = compiled;
  size_t begins = r->len > 0 && r->text[0] == '^';
  size_t ends = r->len > begins && r->text[r->len - 1] == '$';
  size_t wanted = r->len - begins - ends;
  if (memchr(r->text, '!', r->len) != NULL) {
    return MCP_ERR_LIMIT;
  }
  for (size_t at = 0; at + wanted <= len; at++) {
    if (memcmp(text + at, r->text + begins, wanted) == 0 &&
        (!begins || at == 0) && (!ends || at + wanted == len)) {
      return 1;
    }
  }
  return 0;
}

static void release(void *compiled) {
  atomic_fetch_sub(&live, 1);
  free(compiled);
}

void plain_regex_provide(void) {
  static const mcp_regex_engine engine = {.size = sizeof(engine),
                                          .compile = compile,
                                          .match = match,
                                          .release = release};
  mcp_regex_provide(&engine);
}

size_t plain_regex_live(void) {
  return atomic_load(&live);
}
