/* SPDX-License-Identifier: MIT */
/* An array of tools, for which mcpctl generate writes C. Nothing of them may
 * end a comment or a string. */
#include "generate/write_c.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TOOLS = 16 };

static void check(int is_true) {
  if (!is_true) {
    abort();
  }
}

/* Returns the end of a string, after its quote. */
static const char *skip_string(const char *at) {
  for (at++; *at != '"'; at++) {
    check(*at >= ' ' && *at <= '~');
    at += *at == '\\';
  }
  return at + 1;
}

/* Returns the end of a comment. */
static const char *skip_comment(const char *at) {
  const char *end = strstr(at + 2, "*/");
  check(end != NULL);
  const char *inner = strstr(at + 2, "/*");
  check(inner == NULL || inner >= end);
  return end + 2;
}

/* Outside strings and comments there is only what mcpctl itself writes. */
static void check_code(const char *text) {
  check(strstr(text, "\?\?") == NULL);
  while (*text != '\0') {
    if (*text == '"') {
      text = skip_string(text);
    } else if (text[0] == '/' && text[1] == '*') {
      text = skip_comment(text);
    } else {
      check((*text >= ' ' && *text <= '~') || *text == '\n');
      check(*text != '\'' && *text != '@' && *text != '`');
      text++;
    }
  }
}

static void write_all(const mcp_json *const *tools, size_t count) {
  ctl_model model;
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  check(out != NULL);
  if (ctl_model_init(&model, "s", tools, count) == 0 &&
      ctl_write_c(out, &model, count > 0 ? model.prefix : "none") == 0) {
    fflush(out);
    check_code(text);
  }
  ctl_model_deinit(&model);
  fclose(out);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const mcp_json *tools[MAX_TOOLS];
  size_t count = 0;
  mcp_json_iter iter;
  const mcp_json *tool;
  mcp_doc *doc = mcp_doc_parse((const char *)data, size, NULL, NULL, NULL);
  mcp_json_iter_init(&iter, mcp_doc_root(doc));
  while (count < MAX_TOOLS &&
         (tool = mcp_json_iter_next(&iter, NULL)) != NULL) {
    tools[count++] = tool;
  }
  if (doc != NULL) {
    write_all(tools, count);
  }
  mcp_doc_free(doc);
  return 0;
}
