/* SPDX-License-Identifier: MIT */
/* Hints: what an error may mean for the command line.
 *
 * A user who means a number often writes a=2, which is a string. Each server
 * reports that in its own words, but all of them name the key and the type that
 * they wanted. */
#include "connection/hint.h"
#include "common/find.h"
#include "common/report.h"
#include "line/args.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Whether the complaint has the word, and not only as part of a longer one. */
static int has_word(const char *complaint, const char *word) {
  size_t len = strlen(word);
  const char *at = complaint;
  while ((at = ctl_find_word(at, word)) != NULL) {
    int is_start = at == complaint || !isalnum((unsigned char)at[-1]);
    if (is_start && !isalnum((unsigned char)at[len])) {
      return 1;
    }
    at++;
  }
  return 0;
}

/* The names that servers in various languages give to JSON's types. */
static const struct {
  int type;
  const char *words[6]; /* NULL at the end */
  const char *shown;
} types[] = {
    {MCP_JSON_NUMBER, {"number", "integer", "int", "float"}, "a number"},
    {MCP_JSON_BOOL, {"boolean", "bool"}, "a boolean"},
    {MCP_JSON_ARRAY, {"array", "list", "slice"}, "an array"},
    {MCP_JSON_OBJECT, {"object", "dictionary", "dict", "map"}, "an object"},
};

/* MCP_JSON_*. A text that is not JSON can only be meant as a string. */
static int type_of(const char *text) {
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  if (doc == NULL) {
    return MCP_JSON_STRING;
  }
  int type = mcp_json_type(mcp_doc_root(doc));
  mcp_doc_free(doc);
  return type;
}

/* Returns "a number", for example, when the text is a number and the complaint
 * names that type. NULL: the complaint is about something else. */
static const char *missed_type(const char *text, const char *complaint) {
  int type = type_of(text);
  for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
    const char *const *word = types[i].words;
    while (types[i].type == type && *word != NULL) {
      if (has_word(complaint, *word++)) {
        return types[i].shown;
      }
    }
  }
  return NULL;
}

/* Whether the complaint names the argument. */
static int names_argument(const char *complaint, const ctl_pair *pair) {
  char *key = strndup(pair->key, pair->key_len);
  int found = key != NULL && has_word(complaint, key);
  free(key);
  return found;
}

/* Whether a JSON pointer leads to the argument. */
static int points_to_argument(const char *pointer, const ctl_pair *pair) {
  if (*pointer++ != '/') {
    return 0;
  }
  for (size_t i = 0; i < pair->key_len; i++) {
    char byte = *pointer++;
    if (byte == '~') {
      byte = *pointer++ == '0' ? '~' : '/';
    }
    if (byte != pair->key[i]) {
      return 0;
    }
  }
  return *pointer == '\0';
}

/* Ends the first complaint, and returns the next; NULL: there is none. Each
 * begins on a line of its own; lines with an indent continue one. */
static char *cut_complaint(char *complaints) {
  char *end = complaints;
  while ((end = strchr(end, '\n')) != NULL) {
    *end++ = '\0';
    if (!isspace((unsigned char)*end)) {
      return end;
    }
    end[-1] = ' ';
  }
  return NULL;
}

/* The same as missed_type, for the first complaint that names the argument and
 * such a type. */
static const char *missed_type_of(const ctl_pair *pair,
                                  const char *complaints) {
  char *copy = strdup(complaints);
  const char *type = NULL;
  char *next = copy;
  while (next != NULL && type == NULL) {
    const char *complaint = next;
    next = cut_complaint(next);
    if (names_argument(complaint, pair)) {
      type = missed_type(pair->value, complaint);
    }
  }
  free(copy);
  return type;
}

const char *ctl_hint_wanted(const ctl_pair *pair, const char *pointer,
                            const char *complaint) {
  return pointer != NULL && !pair->is_json && points_to_argument(pointer, pair)
             ? missed_type(pair->value, complaint)
             : NULL;
}

/* `pointer` NULL: any argument that a complaint names. */
static void hint_arguments(const ctl_options *options, const char *pointer,
                           const char *complaint) {
  int at = options->verb->arguments_at;
  for (int i = at; at > 0 && i < options->arg_count; i++) {
    ctl_pair pair;
    const char *arg = options->args[i];
    const char *type = NULL;
    if (ctl_pair_split(arg, &pair) != 0 || pair.is_json) {
      continue;
    }
    type = pointer == NULL ? missed_type_of(&pair, complaint)
                           : ctl_hint_wanted(&pair, pointer, complaint);
    if (type != NULL) {
      ctl_report(0, "%s gives a string; for %s write %.*s:=%s", arg, type,
                 (int)pair.key_len, pair.key, pair.value);
    }
  }
}

void ctl_hint_types(const ctl_options *options, const char *complaint) {
  hint_arguments(options, NULL, complaint);
}

void ctl_hint_type(const ctl_options *options, const char *pointer,
                   const char *complaint) {
  hint_arguments(options, pointer != NULL ? pointer : "", complaint);
}
