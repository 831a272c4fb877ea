/* SPDX-License-Identifier: MIT */
/* A configuration file: comments, JSON, and references in its strings. */
#include "common/file.h"
#include "common/jsonc.h"
#include "config/expand.h"
#include "config/hosts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void expand(const char *text, unsigned references) {
  const ctl_expand_rules rules = {references, "/home/ada/project"};
  int is_incomplete = 0;
  mcp_error err = {0};
  free(ctl_expand(text, &rules, &err));
  free(ctl_rewrite(text, &rules, CTL_REF_ENV, &is_incomplete, &err));
}

/* Not ${file:PATH}: the input must not choose which files are read. */
static void expand_all(const mcp_json *value) {
  static const unsigned all = CTL_REF_ALL & ~(unsigned)CTL_REF_FILE;
  mcp_json_iter iter;
  const mcp_json *member;
  const char *text = mcp_json_string(value);
  if (text != NULL) {
    expand(text, all);
    expand(text, CTL_REF_SHELL);
  }
  mcp_json_iter_init(&iter, value);
  while ((member = mcp_json_iter_next(&iter, NULL)) != NULL) {
    expand_all(member);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mcp_error err;
  mcp_doc *doc = NULL;
  char *text = malloc(size + 1);
  if (text == NULL) {
    return 0;
  }
  memcpy(text, data, size);
  ctl_jsonc_clean(text, size);
  if (ctl_file_parse(&doc, text, size, &err) == 0) {
    expand_all(mcp_doc_root(doc));
  }
  mcp_doc_free(doc);
  free(text);
  return 0;
}
