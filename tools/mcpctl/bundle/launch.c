/* SPDX-License-Identifier: MIT */
#include "bundle/launch.h"
#include "bundle/manifest.h"
#include "bundle/variables.h"
#include "common/copy.h"
#include "common/json.h"
#include "platform/memory.h"
#include "platform/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct launching {
  const ctl_settings *settings;
  ctl_variables variables;
  mcp_error *err;
} launching;

/* ---- lists ------------------------------------------------------------- */

static size_t list_len(char *const *list) {
  size_t len = 0;
  while (list != NULL && list[len] != NULL) {
    len++;
  }
  return len;
}

/* Takes the text, which is not NULL. */
static int list_add(const launching *self, char ***list, char *text) {
  size_t len = list_len(*list);
  char **longer = realloc(*list, (len + 2) * sizeof(*longer));
  if (longer == NULL) {
    free(text);
    return mcp_error_set(self->err, MCP_ERR_NOMEM, "out of memory");
  }
  longer[len] = text;
  longer[len + 1] = NULL;
  *list = longer;
  return 0;
}

/* ---- settings ---------------------------------------------------------- */

/* Several values are one text only where they must be. */
static char *join_values(char *const *values) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  if (out == NULL) {
    return NULL;
  }
  for (size_t i = 0; values[i] != NULL; i++) {
    fprintf(out, "%s%s", i > 0 ? "," : "", values[i]);
  }
  return ctl_memory_close(out, &text, &len) == 0 ? text : NULL;
}

static char *setting_text(void *userdata, const char *key, size_t len, int *rc,
                          mcp_error *err) {
  const ctl_settings *settings = userdata;
  char **values = ctl_settings_values(settings, key, len, err);
  char *text = values != NULL ? join_values(values) : NULL;
  if (values == NULL) {
    *rc = err->code;
  } else if (text == NULL) {
    *rc = mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  ctl_settings_free_values(values);
  return text;
}

/* The key of a text that is nothing but the variable of a setting; NULL: it is
 * more, or something else. */
static const char *only_setting(const char *text, size_t *len) {
  static const char begin[] = "${" CTL_VARIABLE_SETTING;
  const char *key = text + strlen(begin);
  if (strncmp(text, begin, strlen(begin)) != 0) {
    return NULL;
  }
  *len = strcspn(key, "}");
  return key[*len] == '}' && key[*len + 1] == '\0' ? key : NULL;
}

/* ---- the command ------------------------------------------------------- */

/* A path without the variable is in the bundle. A word without a slash is a
 * program of the system. */
static char *command_path(const launching *self, const char *command) {
  char *path = NULL;
  char *replaced = ctl_variables_replace(command, &self->variables, self->err);
  if (replaced == NULL || ctl_path_root_len(replaced) > 0 ||
      strchr(replaced, '/') == NULL) {
    return replaced;
  }
  int len = asprintf(&path, "%s/%s", self->variables.folder, replaced);
  free(replaced);
  if (len < 0) {
    mcp_error_set(self->err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  return path;
}

/* An argument that is a setting becomes as many as the setting has values. */
static int add_setting(const launching *self, char ***command, const char *key,
                       size_t len) {
  char **values = ctl_settings_values(self->settings, key, len, self->err);
  int rc = values != NULL ? 0 : self->err->code;
  for (size_t i = 0; rc == 0 && values != NULL && values[i] != NULL; i++) {
    char *copy = strdup(values[i]);
    rc = copy != NULL
             ? list_add(self, command, copy)
             : mcp_error_set(self->err, MCP_ERR_NOMEM, "out of memory");
  }
  ctl_settings_free_values(values);
  return rc;
}

static int add_arg(const launching *self, char ***command, const char *arg) {
  size_t len = 0;
  const char *key = only_setting(arg, &len);
  if (key != NULL) {
    return add_setting(self, command, key, len);
  }
  char *text = ctl_variables_replace(arg, &self->variables, self->err);
  return text != NULL ? list_add(self, command, text) : self->err->code;
}

static int make_command(const launching *self, const mcp_json *command,
                        const mcp_json *args, char ***out) {
  mcp_json_iter iter;
  const mcp_json *arg = NULL;
  char *path = command_path(self, mcp_json_string(command));
  int rc = path != NULL ? list_add(self, out, path) : self->err->code;
  mcp_json_iter_init(&iter, args);
  while (rc == 0 && (arg = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = add_arg(self, out, mcp_json_string(arg));
  }
  return rc;
}

/* ---- variables of the environment -------------------------------------- */

/* A variable that is an optional setting without a value is not set. */
static int is_without_value(const launching *self, const char *text, int *rc) {
  size_t len = 0;
  const char *key = only_setting(text, &len);
  char **values = key != NULL
                      ? ctl_settings_values(self->settings, key, len, self->err)
                      : NULL;
  *rc = key != NULL && values == NULL ? self->err->code : 0;
  int is_empty = values != NULL && values[0] == NULL;
  ctl_settings_free_values(values);
  return is_empty;
}

static int add_variable(const launching *self, const char *name,
                        const char *text, char ***out) {
  int rc = 0;
  char *pair = NULL;
  if (is_without_value(self, text, &rc) || rc != 0) {
    return rc;
  }
  char *value = ctl_variables_replace(text, &self->variables, self->err);
  if (value == NULL) {
    return self->err->code;
  }
  int len = asprintf(&pair, "%s=%s", name, value);
  free(value);
  return len >= 0 ? list_add(self, out, pair)
                  : mcp_error_set(self->err, MCP_ERR_NOMEM, "out of memory");
}

static int make_env(const launching *self, const mcp_json *env, char ***out) {
  mcp_json_iter iter;
  const mcp_json *key = NULL;
  const mcp_json *value = NULL;
  int rc = 0;
  *out = calloc(1, sizeof(**out));
  if (*out == NULL) {
    return mcp_error_set(self->err, MCP_ERR_NOMEM, "out of memory");
  }
  mcp_json_iter_init(&iter, env);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, &key)) != NULL) {
    const char *name = mcp_json_string(key);
    rc = name != NULL ? add_variable(self, name, mcp_json_string(value), out)
                      : 0;
  }
  return rc;
}

/* ---- all --------------------------------------------------------------- */

int ctl_launch_init(ctl_launch *launch, const mcp_json *manifest,
                    const char *platform, const ctl_settings *settings,
                    mcp_error *err) {
  const launching self = {
      settings, {settings->folder, setting_text, (void *)settings}, err};
  *launch = (ctl_launch){0};
  int rc = make_command(
      &self, ctl_manifest_config(manifest, platform, "command"),
      ctl_manifest_config(manifest, platform, "args"), &launch->command);
  return rc == 0
             ? make_env(&self, ctl_manifest_config(manifest, platform, "env"),
                        &launch->env)
             : rc;
}

void ctl_launch_deinit(ctl_launch *launch) {
  ctl_settings_free_values(launch->command);
  ctl_settings_free_values(launch->env);
  *launch = (ctl_launch){0};
}
