/* SPDX-License-Identifier: MIT */
/* Arguments of a call, as they are given on the command line. */
#include "line/args.h"
#include "common/file.h"

#include <stdlib.h>
#include <string.h>

int ctl_pair_split(const char *arg, ctl_pair *pair) {
  const char *equals = strchr(arg, '=');
  if (equals == NULL) {
    return MCP_ERR_INVALID;
  }
  size_t key_len = (size_t)(equals - arg);
  int is_json = key_len > 0 && equals[-1] == ':';
  key_len -= is_json ? 1 : 0;
  if (key_len == 0) {
    return MCP_ERR_INVALID;
  }
  *pair = (ctl_pair){arg, key_len, equals + 1, is_json};
  return 0;
}

int ctl_pair_is(const ctl_pair *pair, const char *key) {
  return strlen(key) == pair->key_len &&
         memcmp(key, pair->key, pair->key_len) == 0;
}

/* ---- pairs ------------------------------------------------------------- */

/* Whether an earlier argument has the same key. A server would refuse an object
 * with two members of one name, but not name the argument. */
static int is_repeated(char *const *args, int at, const ctl_pair *pair) {
  for (int i = 0; i < at; i++) {
    ctl_pair other;
    if (ctl_pair_split(args[i], &other) == 0 &&
        other.key_len == pair->key_len &&
        memcmp(other.key, pair->key, pair->key_len) == 0) {
      return 1;
    }
  }
  return 0;
}

static int put_pair(mcp_builder *builder, const ctl_pair *pair,
                    const char *value, size_t len) {
  mcp_builder_name_n(builder, pair->key, pair->key_len);
  return pair->is_json ? mcp_builder_json(builder, NULL, value)
                       : mcp_builder_string_n(builder, NULL, value, len);
}

static int refuse_pair(const mcp_builder *builder, const char *arg,
                       const ctl_pair *pair, mcp_error *err) {
  const mcp_error *why = mcp_builder_error(builder);
  if (why->code == MCP_ERR_PARSE && pair->value[0] == '@') {
    return mcp_error_set(err, why->code, "'%s': the file is not JSON", arg);
  }
  if (why->code == MCP_ERR_PARSE && strchr("[{\"", pair->value[0]) != NULL &&
      pair->value[0] != '\0') {
    return mcp_error_set(err, why->code,
                         "'%s' is not JSON after :=; the shell splits at "
                         "blanks and removes quotes, so put the whole word in "
                         "single quotes",
                         arg);
  }
  if (why->code == MCP_ERR_PARSE) {
    return mcp_error_set(err, why->code,
                         "'%s' is not JSON after :=; for a string write "
                         "'%.*s=%s'",
                         arg, (int)pair->key_len, pair->key, pair->value);
  }
  if (why->code == MCP_ERR_INVALID && !pair->is_json) {
    return mcp_error_set(err, why->code, "'%s' is not UTF-8", arg);
  }
  return mcp_error_set(err, why->code, "'%s': %s", arg, why->message);
}

/* Adds the pair with the contents of its file. */
static int add_pair_of_file(mcp_builder *builder, const char *arg,
                            const ctl_pair *pair, mcp_error *err) {
  const char *path = pair->value + 1;
  size_t len = 0;
  mcp_error why;
  char *text = ctl_file_read(path, &len, &why);
  if (text == NULL) {
    return mcp_error_set(
        err, why.code, "'%s': %s; for this text write '%.*s:=\"%s\"'", arg,
        why.message, (int)pair->key_len, pair->key, pair->value);
  }
  int error = put_pair(builder, pair, text, len);
  free(text);
  return error == 0 ? 0 : refuse_pair(builder, arg, pair, err);
}

/* Says what to write instead of a word that is not a pair. */
static int refuse_word(const char *word, mcp_error *err) {
  const char *colon = strchr(word, ':');
  if (word[0] == '{') {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "'%s' is not the only argument: a JSON object gives "
                         "all of them, as one word in single quotes",
                         word);
  }
  if (word[0] == '@' || strcmp(word, "-") == 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "'%s' is not the only argument: it stands for all of "
                         "them",
                         word);
  }
  if (colon != NULL && colon != word && colon[1] != '\0' && colon[1] != '/') {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "'%s' is not an argument: write '%.*s:=%s', or all "
                         "arguments as one JSON object in single quotes",
                         word, (int)(colon - word), word, colon + 1);
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "'%s' is not an argument: give key=value, key:=JSON, or "
                       "all of them as @FILE, - or {...}",
                       word);
}

static int add_pair(mcp_builder *builder, char *const *args, int at,
                    mcp_error *err) {
  ctl_pair pair;
  if (ctl_pair_split(args[at], &pair) != 0) {
    return refuse_word(args[at], err);
  }
  if (is_repeated(args, at, &pair)) {
    return mcp_error_set(err, MCP_ERR_EXISTS, "'%.*s' is given twice",
                         (int)pair.key_len, pair.key);
  }
  if (pair.value[0] == '@') {
    return add_pair_of_file(builder, args[at], &pair, err);
  }
  return put_pair(builder, &pair, pair.value, strlen(pair.value)) == 0
             ? 0
             : refuse_pair(builder, args[at], &pair, err);
}

static int add_pairs(mcp_builder *builder, char *const *args, int count,
                     mcp_error *err) {
  mcp_builder_object(builder, NULL);
  for (int i = 0; i < count; i++) {
    int error = add_pair(builder, args, i, err);
    if (error != 0) {
      return error;
    }
  }
  return mcp_builder_end(builder);
}

/* ---- whole objects ----------------------------------------------------- */

static int add_object(mcp_builder *builder, const char *source,
                      const char *text, size_t len, mcp_error *err) {
  mcp_doc *doc = NULL;
  mcp_error cause;
  if (len == 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "%s is empty: give a JSON object", source);
  }
  int error = ctl_file_parse(&doc, text, len, &cause);
  if (error != 0) {
    return mcp_error_set(err, error, "%s is not JSON: %s", source,
                         cause.message);
  }
  const mcp_json *root = mcp_doc_root(doc);
  if (mcp_json_type(root) == MCP_JSON_OBJECT) {
    error = mcp_builder_value(builder, NULL, root);
    if (error != 0) {
      mcp_error_set(err, error, "%s: %s", source,
                    mcp_builder_error(builder)->message);
    }
  } else {
    error =
        mcp_error_set(err, MCP_ERR_INVALID, "%s is not a JSON object", source);
  }
  mcp_doc_free(doc);
  return error;
}

static int add_file(mcp_builder *builder, const char *path, mcp_error *err) {
  size_t len = 0;
  char *text = ctl_file_read(path, &len, err);
  if (text == NULL) {
    return MCP_ERR_IO;
  }
  int error = add_object(builder, ctl_file_name(path), text, len, err);
  free(text);
  return error;
}

/* ---- either ------------------------------------------------------------ */

static int add_arguments(mcp_builder *builder, char *const *args, int count,
                         mcp_error *err) {
  if (count == 1 && args[0][0] == '@') {
    return add_file(builder, args[0] + 1, err);
  }
  if (count == 1 && strcmp(args[0], "-") == 0) {
    return add_file(builder, args[0], err);
  }
  if (count == 1 && args[0][0] == '{') {
    return add_object(builder, "the argument", args[0], strlen(args[0]), err);
  }
  return add_pairs(builder, args, count, err);
}

int ctl_args_json(char *const *args, int count, char **out, mcp_error *err) {
  *out = NULL;
  if (count == 0) {
    return 0;
  }
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  int error = add_arguments(builder, args, count, err);
  const char *text = error == 0 ? mcp_builder_text(builder, NULL) : NULL;
  *out = text != NULL ? strdup(text) : NULL;
  if (error == 0 && *out == NULL) {
    error = mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  mcp_builder_free(builder);
  return error;
}
