/* SPDX-License-Identifier: MIT */
/* Numbers and booleans that the command line gives as text. */
#include "connection/convert.h"
#include "common/json.h"
#include "connection/hint.h"
#include "line/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays and objects in a text are seldom meant, and quoted with care. */
static int is_converted(const char *type) {
  return strcmp(type, "a number") == 0 || strcmp(type, "a boolean") == 0;
}

/* Returns the word as key:=value, owned; NULL: it stays as it is. */
static char *convert_word(const char *word, const mcp_json *errors) {
  mcp_json_iter iter;
  const mcp_json *error = NULL;
  const char *type = NULL;
  char *converted = NULL;
  ctl_pair pair;
  if (ctl_pair_split(word, &pair) != 0) {
    return NULL;
  }
  mcp_json_iter_init(&iter, errors);
  while (type == NULL && (error = mcp_json_iter_next(&iter, NULL)) != NULL) {
    type = ctl_hint_wanted(&pair, ctl_json_member(error, "instance"),
                           ctl_json_member(error, "message"));
  }
  if (type == NULL || !is_converted(type) ||
      asprintf(&converted, "%.*s:=%s", (int)pair.key_len, pair.key,
               pair.value) < 0) {
    return NULL;
  }
  return converted;
}

/* Converts the words in place. Returns how many were converted; the caller
 * frees these: they differ from the ones that were given. */
static int convert_words(char **words, int count, const mcp_json *errors) {
  int converted_count = 0;
  for (int i = 0; i < count; i++) {
    char *converted = convert_word(words[i], errors);
    if (converted != NULL) {
      words[i] = converted;
      converted_count++;
    }
  }
  return converted_count;
}

/* Without memory the arguments stay. */
static int take_words(ctl_session *session, char **words, int count) {
  char *arguments = NULL;
  mcp_error err;
  if (ctl_args_json(words, count, &arguments, &err) != 0) {
    return 0;
  }
  free(session->arguments);
  session->arguments = arguments;
  return 1;
}

int ctl_convert(ctl_session *session, const mcp_json *errors) {
  const ctl_options *options = session->options;
  int at = options->verb->arguments_at;
  int count = options->arg_count - at;
  char *const *given = options->args + at;
  int is_changed = 0;
  if (count <= 0) {
    return 0;
  }
  char **words = malloc((size_t)count * sizeof(char *));
  if (words == NULL) {
    return 0;
  }
  memcpy(words, given, (size_t)count * sizeof(char *));
  if (convert_words(words, count, errors) > 0) {
    is_changed = take_words(session, words, count);
  }
  for (int i = 0; i < count; i++) {
    if (words[i] != given[i]) {
      free(words[i]);
    }
  }
  free(words);
  return is_changed;
}
