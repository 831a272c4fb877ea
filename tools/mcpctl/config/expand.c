/* SPDX-License-Identifier: MIT */
#include "config/expand.h"
#include "common/file.h"
#include "config/hosts.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/memory.h"
#include "platform/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands between "${" and "}". */
typedef struct reference {
  const char *text;
  size_t len;
} reference;

static int reference_begins(reference ref, const char *with) {
  size_t len = strlen(with);
  return ref.len >= len && memcmp(ref.text, with, len) == 0;
}

static int reference_is(reference ref, const char *name) {
  return strlen(name) == ref.len && reference_begins(ref, name);
}

static reference reference_after(reference ref, size_t len) {
  return (reference){ref.text + len, ref.len - len};
}

/* The length of the variable's name at the start. */
static size_t name_len(reference ref) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz_0123456789";
  size_t len = 0;
  while (len < ref.len && strchr(letters, ref.text[len]) != NULL) {
    len++;
  }
  return len;
}

static int is_about_folder(reference ref) {
  static const char *const names[] = {"userHome", "workspaceFolder",
                                      "workspaceFolderBasename",
                                      "pathSeparator", "/"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    if (reference_is(ref, names[i])) {
      return 1;
    }
  }
  return 0;
}

/* One of CTL_REF_* that the host may replace; 0: it means nothing to any
 * host. */
static unsigned kind_of(reference ref, unsigned references) {
  size_t len = name_len(ref);
  if (reference_begins(ref, "env:")) {
    return references & CTL_REF_ENV;
  }
  if (reference_begins(ref, "file:")) {
    return references & CTL_REF_FILE;
  }
  if (reference_begins(ref, "input:")) {
    return references & CTL_REF_INPUT;
  }
  if (is_about_folder(ref) && (references & CTL_REF_FOLDERS) != 0) {
    return CTL_REF_FOLDERS;
  }
  int is_shell = len > 0 && (len == ref.len ||
                             reference_begins(reference_after(ref, len), ":-"));
  return is_shell ? references & CTL_REF_SHELL : 0;
}

/* ---- values ------------------------------------------------------------ */

/* Each value is owned; NULL: err says why there is none. */

static char *copy(const char *text, size_t len, mcp_error *err) {
  char *copied = strndup(text, len);
  if (copied == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  return copied;
}

/* NAME, or NAME:-default. An empty variable counts as one that is not set if
 * there is a default, as in a shell. */
static char *variable(reference ref, mcp_error *err) {
  size_t len = name_len(ref);
  char *name = copy(ref.text, len, err);
  if (name == NULL) {
    return NULL;
  }
  const char *value = ctl_env(name);
  int has_default = len < ref.len;
  char *result = NULL;
  if (value != NULL && (value[0] != '\0' || !has_default)) {
    result = copy(value, strlen(value), err);
  } else if (has_default) {
    result = copy(ref.text + len + 2, ref.len - len - 2, err);
  } else {
    mcp_error_set(err, MCP_ERR_NOT_FOUND,
                  "the environment has no variable %s: set it, or give the "
                  "value with --env or --header",
                  name);
  }
  free(name);
  return result;
}

static char *project_folder(const ctl_expand_rules *rules, mcp_error *err) {
  if (rules->folder != NULL) {
    return copy(rules->folder, strlen(rules->folder), err);
  }
  char *folder = ctl_folder_current();
  if (folder == NULL) {
    mcp_error_set(err, MCP_ERR_IO, "the current folder has no path");
  }
  return folder;
}

static char *project_name(const ctl_expand_rules *rules, mcp_error *err) {
  char *folder = project_folder(rules, err);
  const char *slash = folder != NULL ? strrchr(folder, '/') : NULL;
  char *name = slash != NULL ? copy(slash + 1, strlen(slash + 1), err) : NULL;
  free(folder);
  return name;
}

static char *home_folder(mcp_error *err) {
  const char *home = ctl_env_home();
  if (home == NULL) {
    mcp_error_set(err, MCP_ERR_NOT_FOUND,
                  "the environment does not name your home folder");
    return NULL;
  }
  return copy(home, strlen(home), err);
}

static char *folder_value(reference ref, const ctl_expand_rules *rules,
                          mcp_error *err) {
  if (reference_is(ref, "userHome")) {
    return home_folder(err);
  }
  if (reference_is(ref, "workspaceFolder")) {
    return project_folder(rules, err);
  }
  if (reference_is(ref, "workspaceFolderBasename")) {
    return project_name(rules, err);
  }
  return copy(ctl_path_native_separator, 1, err);
}

/* The text of a file without the line ends after it. */
static char *file_text(reference path, mcp_error *err) {
  char *name = copy(path.text, path.len, err);
  size_t len = 0;
  char *text = name != NULL ? ctl_file_read(name, &len, err) : NULL;
  while (text != NULL && len > 0 && strchr("\r\n", text[len - 1]) != NULL) {
    text[--len] = '\0';
  }
  free(name);
  return text;
}

static char *refuse_input(reference id, mcp_error *err) {
  mcp_error_set(err, MCP_ERR_NOT_FOUND,
                "${input:%.*s} is a value that the user types in VS Code: give "
                "it with --env or --header",
                (int)id.len, id.text);
  return NULL;
}

static char *value_of(reference ref, unsigned kind,
                      const ctl_expand_rules *rules, mcp_error *err) {
  switch (kind) {
  case CTL_REF_ENV:
    return variable(reference_after(ref, strlen("env:")), err);
  case CTL_REF_FILE:
    return file_text(reference_after(ref, strlen("file:")), err);
  case CTL_REF_INPUT:
    return refuse_input(reference_after(ref, strlen("input:")), err);
  case CTL_REF_FOLDERS:
    return folder_value(ref, rules, err);
  default:
    return variable(ref, err);
  }
}

/* ---- references of another host ---------------------------------------- */

char *ctl_reference_to(const char *name, unsigned references,
                       int *is_incomplete) {
  char *text = NULL;
  int len;
  if ((references & CTL_REF_SHELL) != 0) {
    len = asprintf(&text, "${%s}", name);
  } else if ((references & CTL_REF_ENV) != 0) {
    len = asprintf(&text, "${env:%s}", name);
  } else {
    *is_incomplete = 1;
    len = asprintf(&text, "<%s>", name);
  }
  return len >= 0 ? text : NULL;
}

/* What rewriting needs; NULL instead: references are replaced by their values.
 */
typedef struct rewriting {
  unsigned references; /* of the other host */
  int *is_incomplete;
} rewriting;

/* A default is kept where the other host has defaults; elsewhere it is the
 * value. */
static char *rewrite_variable(reference ref, const rewriting *to,
                              mcp_error *err) {
  size_t len = name_len(ref);
  char *result = NULL;
  if (len < ref.len && (to->references & CTL_REF_SHELL) == 0) {
    return copy(ref.text + len + 2, ref.len - len - 2, err);
  }
  if (len < ref.len) {
    return asprintf(&result, "${%.*s}", (int)ref.len, ref.text) >= 0 ? result
                                                                     : NULL;
  }
  char *name = copy(ref.text, len, err);
  if (name != NULL) {
    result = ctl_reference_to(name, to->references, to->is_incomplete);
  }
  free(name);
  return result;
}

static char *rewritten(reference ref, unsigned kind,
                       const ctl_expand_rules *rules, const rewriting *to,
                       mcp_error *err) {
  char *result = NULL;
  if (kind == CTL_REF_ENV) {
    return rewrite_variable(reference_after(ref, strlen("env:")), to, err);
  }
  if (kind == CTL_REF_SHELL) {
    return rewrite_variable(ref, to, err);
  }
  int is_kept = (to->references & kind) != 0;
  if (kind == CTL_REF_FOLDERS && !is_kept) {
    return folder_value(ref, rules, err);
  }
  if (!is_kept) {
    *to->is_incomplete = 1;
  }
  int len =
      asprintf(&result, is_kept ? "${%.*s}" : "<%.*s>", (int)ref.len, ref.text);
  return len >= 0 ? result : NULL;
}

/* ---- texts ------------------------------------------------------------- */

/* Writes one reference, whose "${" is at `text`. Returns what follows it; NULL:
 * it has no value. */
static const char *put_reference(FILE *out, const char *text,
                                 const ctl_expand_rules *rules,
                                 const rewriting *to, mcp_error *err) {
  reference ref = {text + 2, strcspn(text + 2, "}")};
  const char *end = ref.text + ref.len;
  unsigned kind = *end == '}' ? kind_of(ref, rules->references) : 0;
  if (kind == 0) {
    fputs("${", out);
    return ref.text;
  }
  char *value = to != NULL ? rewritten(ref, kind, rules, to, err)
                           : value_of(ref, kind, rules, err);
  if (value == NULL) {
    return NULL;
  }
  fputs(value, out);
  free(value);
  return end + 1;
}

static char *replace(const char *text, const ctl_expand_rules *rules,
                     const rewriting *to, mcp_error *err) {
  char *replaced = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&replaced, &len);
  err->code = 0;
  while (out != NULL && text != NULL && *text != '\0') {
    if (strncmp(text, "${", 2) == 0) {
      text = put_reference(out, text, rules, to, err);
    } else {
      fputc(*text++, out);
    }
  }
  if (out == NULL || ctl_memory_close(out, &replaced, &len) != 0 ||
      text == NULL) {
    free(replaced);
    if (err->code == 0) {
      mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    }
    return NULL;
  }
  return replaced;
}

char *ctl_expand(const char *text, const ctl_expand_rules *rules,
                 mcp_error *err) {
  return replace(text, rules, NULL, err);
}

char *ctl_rewrite(const char *text, const ctl_expand_rules *rules,
                  unsigned references, int *is_incomplete, mcp_error *err) {
  const rewriting to = {references, is_incomplete};
  return replace(text, rules, &to, err);
}
