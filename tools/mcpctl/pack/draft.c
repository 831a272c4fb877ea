/* SPDX-License-Identifier: MIT */
#include "pack/draft.h"
#include "bundle/manifest.h"
#include "bundle/systems.h"
#include "common/base64.h"
#include "common/json.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/paths.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_FOLDER "server/"

/* ---- strings ----------------------------------------------------------- */

static int fail_no_memory(mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
}

/* Makes a string that the draft owns. NULL: err says why. */
static MCP_PRINTF(3, 4) char *keep(ctl_drafted *drafted, mcp_error *err,
                                   const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  int len = vasprintf(&text, format, args);
  va_end(args);
  char **grown = len >= 0 ? realloc(drafted->owned,
                                    (drafted->owned_count + 1) * sizeof(*grown))
                          : NULL;
  if (grown == NULL) {
    if (len >= 0) {
      free(text);
    }
    fail_no_memory(err);
    return NULL;
  }
  drafted->owned = grown;
  grown[drafted->owned_count++] = text;
  return text;
}

void ctl_drafted_deinit(ctl_drafted *drafted) {
  for (size_t i = 0; i < drafted->owned_count; i++) {
    free(drafted->owned[i]);
  }
  free(drafted->owned);
  free(drafted->args);
  *drafted = (ctl_drafted){0};
}

static const char *base_name(const char *path) {
  const char *name = path;
  for (; *path != '\0'; path++) {
    name = ctl_path_is_separator(*path) ? path + 1 : name;
  }
  return name;
}

/* ---- platforms --------------------------------------------------------- */

/* Marks where a program runs. */
static int mark_platforms(int platforms[CTL_PLATFORMS], const char *path,
                          mcp_error *err) {
  char begin[CTL_SYSTEMS_BYTES] = {0};
  FILE *in = ctl_stream_to_read(path);
  if (in == NULL) {
    return mcp_error_set(err, MCP_ERR_IO, "cannot read %.150s: %s", path,
                         strerror(errno));
  }
  size_t len = fread(begin, 1, sizeof(begin), in);
  int error = ferror(in) ? errno : 0;
  fclose(in);
  if (error != 0) {
    return mcp_error_set(err, MCP_ERR_IO, "cannot read %.150s: %s", path,
                         strerror(error));
  }
  unsigned systems = ctl_systems_of(begin, len);
  for (int i = 0; i < CTL_PLATFORMS; i++) {
    platforms[i] |= (systems >> i & 1) != 0;
  }
  return 0;
}

static int find_platform(const char *name, size_t len) {
  for (int i = 0; i < CTL_PLATFORMS; i++) {
    if (strlen(ctl_manifest_platforms[i]) == len &&
        strncmp(ctl_manifest_platforms[i], name, len) == 0) {
      return i;
    }
  }
  return -1;
}

static int is_file(const char *path) {
  return ctl_path_is(path) == CTL_PATH_FILE;
}

/* ---- a program --------------------------------------------------------- */

/* A file, else a program of $PATH, as a shell finds it. Owned; NULL: there is
 * none, or no memory. */
static char *find_program(const char *word) {
  const char *path = ctl_env("PATH");
  if (is_file(word) || word[strcspn(word, ctl_path_separators)] != '\0') {
    return strdup(word);
  }
  while (path != NULL && *path != '\0') {
    const char *end = strchr(path, ctl_path_list_separator);
    size_t len = end != NULL ? (size_t)(end - path) : strlen(path);
    char *found = NULL;
    if (asprintf(&found, "%.*s/%s%s", (int)len, path, word,
                 ctl_program_ending) < 0) {
      return NULL;
    }
    if (is_file(found) && ctl_path_can_be_run(found)) {
      return found;
    }
    free(found);
    path += len + (end != NULL);
  }
  return NULL;
}

/* NAME=FILE of --platform: the file goes into a folder of the platform. */
static int add_platform(ctl_drafted *drafted, ctl_gathered *gathered,
                        const char *given, mcp_error *err) {
  const char *file = given + strcspn(given, "=") + 1;
  int which = find_platform(given, (size_t)(file - given) - 1);
  if (which < 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "--platform %s: not darwin, linux or win32", given);
  }
  if (!is_file(file)) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "--platform %s: there is no such file", given);
  }
  const char *name = keep(drafted, err, SERVER_FOLDER "%s/%s",
                          ctl_manifest_platforms[which], base_name(file));
  const char *command =
      name != NULL ? keep(drafted, err, CTL_VARIABLE_FOLDER "/%s", name) : NULL;
  if (command == NULL) {
    return err->code;
  }
  if (drafted->draft.commands[which] != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "--platform %s: the platform is given twice", given);
  }
  drafted->draft.commands[which] = command;
  drafted->draft.platforms[which] = 1;
  return ctl_gather_file(gathered, name, file, 1, err);
}

static int take_words(ctl_drafted *drafted, const ctl_options *options) {
  static const char *const none[] = {NULL};
  drafted->draft.args =
      options->command != NULL ? (const char *const *)options->command : none;
  drafted->draft.env = options->env;
  return 0;
}

int ctl_drafted_program(ctl_drafted *drafted, ctl_gathered *gathered,
                        const ctl_options *options, mcp_error *err) {
  ctl_draft *draft = &drafted->draft;
  char *found = find_program(options->args[0]);
  if (found == NULL || !is_file(found)) {
    int rc =
        mcp_error_set(err, MCP_ERR_IO, "there is no folder or program '%s'",
                      options->args[0]);
    free(found);
    return rc;
  }
  const char *path = keep(drafted, err, "%s", found);
  free(found);
  const char *name =
      path != NULL ? keep(drafted, err, SERVER_FOLDER "%s", base_name(path))
                   : NULL;
  const char *command =
      name != NULL ? keep(drafted, err, CTL_VARIABLE_FOLDER "/%s", name) : NULL;
  if (command == NULL) {
    return err->code;
  }
  take_words(drafted, options);
  draft->type = "binary";
  draft->entry_point = name;
  draft->command = command;
  int rc = mark_platforms(draft->platforms, path, err);
  rc = rc == 0 ? ctl_gather_file(gathered, name, path, 1, err) : rc;
  for (size_t i = 0; rc == 0 && options->platforms[i] != NULL; i++) {
    rc = add_platform(drafted, gathered, options->platforms[i], err);
  }
  return rc;
}

/* ---- a command in a folder --------------------------------------------- */

/* The type of a server that a program of the system runs; NULL: none that
 * manifests know. */
static const char *runtime_type(const char *program) {
  if (strcmp(program, "node") == 0) {
    return "node";
  }
  return strcmp(program, "python") == 0 || strcmp(program, "python3") == 0
             ? "python"
             : NULL;
}

/* The name of a file in the folder that a word is; NULL: it is
 * not one. */
static const char *file_of(const ctl_gathered *gathered, const char *word) {
  size_t len = strlen(CTL_VARIABLE_FOLDER "/");
  if (strncmp(word, CTL_VARIABLE_FOLDER "/", len) == 0) {
    word += len;
  }
  word += strncmp(word, "./", 2) == 0 ? 2 : 0;
  return ctl_gathered_has(gathered, word) ? word : NULL;
}

/* Arguments that are files of the folder get its variable before them. */
static int take_args(ctl_drafted *drafted, const ctl_gathered *gathered,
                     char *const *words, mcp_error *err) {
  size_t count = 0;
  while (words[count] != NULL) {
    count++;
  }
  const char **args = calloc(count + 1, sizeof(*args));
  if (args == NULL) {
    return fail_no_memory(err);
  }
  drafted->args = args;
  drafted->draft.args = args;
  for (size_t i = 0; i < count; i++) {
    const char *file = file_of(gathered, words[i]);
    args[i] = file != NULL ? keep(drafted, err, CTL_VARIABLE_FOLDER "/%s", file)
                           : words[i];
    if (args[i] == NULL) {
      return err->code;
    }
    if (file != NULL && drafted->draft.entry_point == NULL) {
      drafted->draft.entry_point = file;
    }
  }
  return 0;
}

int ctl_drafted_folder(ctl_drafted *drafted, const ctl_gathered *gathered,
                       const ctl_options *options, mcp_error *err) {
  char *const *words = options->command;
  ctl_draft *draft = &drafted->draft;
  if (words == NULL || words[0] == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "there is no " CTL_MANIFEST_FILE
                         " in it: give the server's command after --, as in "
                         "mcpctl pack %.60s -- node index.js",
                         options->args[0]);
  }
  if (options->platforms[0] != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "--platform is for a program, not for a folder: "
                         "platform_overrides of its manifest say the same");
  }
  const char *file = file_of(gathered, words[0]);
  draft->env = options->env;
  draft->type = file != NULL ? "binary" : runtime_type(words[0]);
  draft->entry_point = file;
  draft->command = file != NULL
                       ? keep(drafted, err, CTL_VARIABLE_FOLDER "/%s", file)
                       : words[0];
  if (draft->type == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "'%s' is not a file of %.60s, nor node or python: "
                         "hosts start nothing else",
                         words[0], options->args[0]);
  }
  if (draft->command == NULL) {
    return err->code;
  }
  int rc = 0;
  if (file != NULL) {
    const char *path = keep(drafted, err, "%s/%s", options->args[0], file);
    rc = path != NULL ? mark_platforms(draft->platforms, path, err) : err->code;
  }
  rc = rc == 0 ? take_args(drafted, gathered, words + 1, err) : rc;
  if (rc == 0 && draft->entry_point == NULL) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "no word after -- is a file of %.60s, which %s could "
                       "run",
                       options->args[0], words[0]);
  }
  return rc;
}

/* ---- the icon ---------------------------------------------------------- */

static int decode_icon(ctl_gathered *gathered, const char *base64,
                       mcp_error *err) {
  size_t text_len = strlen(base64);
  size_t len = ctl_base64_len(base64, text_len);
  char *bytes = malloc(len + 1);
  if (bytes == NULL) {
    return fail_no_memory(err);
  }
  if (ctl_base64_decode(base64, text_len, bytes) != 0) {
    free(bytes);
    return MCP_ERR_PARSE;
  }
  return ctl_gather_bytes(gathered, "icon.png", bytes, len, err);
}

int ctl_drafted_icon(ctl_drafted *drafted, ctl_gathered *gathered,
                     const mcp_json *listing, mcp_error *err) {
  static const char data[] = "data:image/png;base64,";
  mcp_json_iter iter;
  const mcp_json *icon = NULL;
  mcp_json_iter_init(&iter,
                     mcp_json_get(mcp_json_get(listing, "server"), "icons"));
  while ((icon = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *src = ctl_json_member(icon, "src");
    if (src != NULL && strncmp(src, data, strlen(data)) == 0 &&
        !ctl_gathered_has(gathered, "icon.png")) {
      int rc = decode_icon(gathered, src + strlen(data), err);
      drafted->draft.icon = rc == 0 ? "icon.png" : NULL;
      return rc == MCP_ERR_PARSE ? 0 : rc; /* hosts can do without */
    }
    if (src != NULL && strncmp(src, "https://", 8) == 0 &&
        drafted->draft.icon == NULL) {
      drafted->draft.icon = src;
    }
  }
  return 0;
}
