/* SPDX-License-Identifier: MIT */
/* What a server's complaint may mean for the command line.
 *
 * Everybody writes a=2 at first, which is a string. Servers complain of it each
 * in its own words, but all name the key and the type that they wanted. */
#include "hint.h"
#include "args.h"
#include "report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether the complaint has the name as a word of its own. */
static int has_name(const char *complaint, const char *name) {
  size_t len = strlen(name);
  const char *at = complaint;
  while ((at = strstr(at, name)) != NULL) {
    int is_start = at == complaint || !isalnum((unsigned char)at[-1]);
    if (is_start && !isalnum((unsigned char)at[len])) {
      return 1;
    }
    at++;
  }
  return 0;
}

static int has_any(const char *complaint, const char *const *words) {
  while (*words != NULL && strcasestr(complaint, *words) == NULL) {
    words++;
  }
  return *words != NULL;
}

/* What the text is as JSON, by one of the words that complaints of a missing
 * one have. NULL: a string, null, or no JSON. */
static const char *missed_type(const char *text, const char *complaint) {
  static const char *const numbers[] = {"number", "integer", " int", "float",
                                        NULL};
  static const char *const booleans[] = {"bool", NULL};
  static const char *const arrays[] = {"array", "list", NULL};
  static const char *const objects[] = {"object", "dict", "record", NULL};
  mcp_doc *doc = NULL;
  if (mcp_doc_parse(&doc, text, strlen(text), NULL, NULL, NULL) != 0) {
    return NULL;
  }
  int type = mcp_json_type(mcp_doc_root(doc));
  mcp_doc_free(doc);
  switch (type) {
  case MCP_JSON_NUMBER:
    return has_any(complaint, numbers) ? "a number" : NULL;
  case MCP_JSON_BOOL:
    return has_any(complaint, booleans) ? "a boolean" : NULL;
  case MCP_JSON_ARRAY:
    return has_any(complaint, arrays) ? "an array" : NULL;
  case MCP_JSON_OBJECT:
    return has_any(complaint, objects) ? "an object" : NULL;
  default:
    return NULL;
  }
}

static void hint(const char *arg, const char *complaint) {
  ctl_pair pair;
  if (ctl_pair_split(arg, &pair) != 0 || pair.is_json) {
    return;
  }
  char *key = strndup(pair.key, pair.key_len);
  const char *type = missed_type(pair.value, complaint);
  if (key != NULL && type != NULL && has_name(complaint, key)) {
    ctl_report(0, "%s gives a string; for %s write %s:=%s", arg, type, key,
               pair.value);
  }
  free(key);
}

void ctl_hint_types(const ctl_options *options, const char *complaint) {
  int at = options->verb->arguments_at;
  for (int i = at; at >= 0 && i < options->arg_count; i++) {
    hint(options->args[i], complaint);
  }
}
