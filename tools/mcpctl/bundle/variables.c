/* SPDX-License-Identifier: MIT */
#include "bundle/variables.h"
#include "bundle/manifest.h"
#include "common/copy.h"
#include "platform/environment.h"
#include "platform/memory.h"
#include "platform/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------- */

/* The next variable of the text: its name, and what is after it. NULL: there is
 * none. */
static const char *find_variable(const char *text, size_t *len) {
  const char *begin = strstr(text, "${");
  const char *end = begin != NULL ? strchr(begin, '}') : NULL;
  if (end == NULL) {
    return NULL;
  }
  *len = (size_t)(end - begin) - 2;
  return begin + 2;
}

void ctl_variables_each(const char *text,
                        void (*each)(void *userdata, const char *name,
                                     size_t len),
                        void *userdata) {
  size_t len = 0;
  const char *name = NULL;
  while ((name = find_variable(text, &len)) != NULL) {
    each(userdata, name, len);
    text = name + len + 1;
  }
}

/* Folders in the home folder have the names that they have without
 * localisation, as hosts take them. */
static const struct {
  const char *name;
  const char *below_home; /* NULL: it is not in the home folder */
} known[] = {{"__dirname", NULL},
             {"pathSeparator", NULL},
             {"/", NULL},
             {"HOME", ""},
             {"DESKTOP", "/Desktop"},
             {"DOCUMENTS", "/Documents"},
             {"DOWNLOADS", "/Downloads"}};

enum { KNOWN = sizeof(known) / sizeof(*known) };

static size_t find_known(const char *name, size_t len) {
  size_t i = 0;
  while (i < KNOWN && (strlen(known[i].name) != len ||
                       strncmp(known[i].name, name, len) != 0)) {
    i++;
  }
  return i;
}

int ctl_variable_is_known(const char *name, size_t len) {
  return find_known(name, len) < KNOWN;
}

/* ---- values ------------------------------------------------------------ */

static char *value_of(const ctl_variables *variables, const char *name,
                      size_t len, int *rc, mcp_error *err) {
  size_t prefix = strlen(CTL_VARIABLE_SETTING);
  char *value = NULL;
  *rc = 0;
  if (len > prefix && strncmp(name, CTL_VARIABLE_SETTING, prefix) == 0) {
    value = variables->setting(variables->userdata, name + prefix, len - prefix,
                               rc, err);
    return value != NULL || *rc != 0 ? value : ctl_copy("", 0);
  }
  size_t which = find_known(name, len);
  const char *home = ctl_env_home();
  if (which == KNOWN) {
    return ctl_copy(name - 2, len + 3);
  }
  if (known[which].below_home == NULL) {
    return strdup(which == 0 ? variables->folder : ctl_path_native_separator);
  }
  return asprintf(&value, "%s%s", home != NULL ? home : "",
                  known[which].below_home) >= 0
             ? value
             : NULL;
}

char *ctl_variables_replace(const char *text, const ctl_variables *variables,
                            mcp_error *err) {
  char *replaced = NULL;
  size_t size = 0;
  size_t len = 0;
  const char *name = NULL;
  int rc = 0;
  FILE *out = ctl_memory_open(&replaced, &size);
  while (out != NULL && rc == 0 && (name = find_variable(text, &len)) != NULL) {
    char *value = value_of(variables, name, len, &rc, err);
    if (value == NULL && rc == 0) {
      rc = mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    }
    if (rc == 0) {
      fwrite(text, 1, (size_t)(name - 2 - text), out);
      fputs(value, out);
    }
    free(value);
    text = name + len + 1;
  }
  if (out == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  fputs(text, out);
  if (ctl_memory_close(out, &replaced, &size) != 0 || rc != 0) {
    if (rc == 0) {
      mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    }
    free(replaced);
    return NULL;
  }
  return replaced;
}
