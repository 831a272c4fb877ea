/* SPDX-License-Identifier: MIT */
#include "bundle/settings.h"
#include "bundle/variables.h"
#include "common/json.h"
#include "common/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------ */

void ctl_settings_free_values(char **values) {
  for (char **value = values; value != NULL && *value != NULL; value++) {
    free(*value);
  }
  free(values);
}

/* Takes the value; NULL: out of memory. Returns 0 or MCP_ERR_NOMEM. */
static int values_add(char ***values, size_t *count, char *value) {
  char **grown =
      value != NULL ? realloc(*values, (*count + 2) * sizeof(*grown)) : NULL;
  if (grown == NULL) {
    free(value);
    return MCP_ERR_NOMEM;
  }
  grown[(*count)++] = value;
  grown[*count] = NULL;
  *values = grown;
  return 0;
}

static char *no_setting(void *userdata, const char *key, size_t len, int *rc,
                        mcp_error *err) {
  (void)userdata;
  (void)key;
  (void)len;
  (void)rc;
  (void)err;
  return NULL;
}

static char *read_default(const ctl_settings *settings, const mcp_json *value,
                          mcp_error *err) {
  const ctl_variables variables = {settings->folder, no_setting, NULL};
  const char *text = mcp_json_string(value);
  char *out = text != NULL ? ctl_variables_replace(text, &variables, err)
                           : ctl_json_text(value);
  if (out == NULL && text == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  return out;
}

static int add_defaults(const ctl_settings *settings, const mcp_json *value,
                        char ***values, mcp_error *err) {
  size_t count = 0;
  size_t len = mcp_json_type(value) == MCP_JSON_ARRAY ? mcp_json_size(value)
               : value != NULL                        ? 1
                                                      : 0;
  for (size_t i = 0; i < len; i++) {
    const mcp_json *one =
        mcp_json_type(value) == MCP_JSON_ARRAY ? mcp_json_at(value, i) : value;
    char *text = read_default(settings, one, err);
    if (text == NULL) {
      return err->code;
    }
    if (values_add(values, &count, text) != 0) {
      return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    }
  }
  return 0;
}

char **ctl_settings_values(const ctl_settings *settings, const char *key,
                           size_t key_len, mcp_error *err) {
  char **values = calloc(1, sizeof(*values));
  size_t count = 0;
  int rc = values != NULL ? 0 : MCP_ERR_NOMEM;
  for (const char *const *one = settings->given; rc == 0 && *one != NULL;
       one++) {
    if (strncmp(*one, key, key_len) == 0 && (*one)[key_len] == '=') {
      rc = values_add(&values, &count, strdup(*one + key_len + 1));
    }
  }
  if (rc == 0 && count == 0) {
    const mcp_json *setting = mcp_json_get_n(settings->known, key, key_len);
    rc = add_defaults(settings, mcp_json_get(setting, "default"), &values, err);
  }
  if (rc == MCP_ERR_NOMEM) {
    mcp_error_set(err, rc, "out of memory");
  }
  if (rc != 0) {
    ctl_settings_free_values(values);
    return NULL;
  }
  return values;
}

/* ---- checks ------------------------------------------------------------ */

/* Reports that the setting must be something else. A value that is secret is
 * not shown. */
static int refuse_value(const mcp_json *setting, const char *key,
                        const char *must_be, const char *value,
                        mcp_error *err) {
  if (mcp_json_bool(mcp_json_get(setting, "sensitive"))) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the setting '%s' must be %s (the value is secret, "
                         "and not shown)",
                         key, must_be);
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "the setting '%s' must be %s, not '%s'", key, must_be,
                       value);
}

static int check_number(const mcp_json *setting, const char *key,
                        const char *value, mcp_error *err) {
  char *end = NULL;
  char range[100];
  double number = strtod(value, &end);
  const mcp_json *min = mcp_json_get(setting, "min");
  const mcp_json *max = mcp_json_get(setting, "max");
  if (end == value || *end != '\0' || !isfinite(number)) {
    return refuse_value(setting, key, "a number", value, err);
  }
  if ((min == NULL || number >= mcp_json_number(min)) &&
      (max == NULL || number <= mcp_json_number(max))) {
    return 0;
  }
  if (min != NULL && max != NULL) {
    snprintf(range, sizeof(range), "from %g to %g", mcp_json_number(min),
             mcp_json_number(max));
  } else if (min != NULL) {
    snprintf(range, sizeof(range), "%g or more", mcp_json_number(min));
  } else {
    snprintf(range, sizeof(range), "%g or less", mcp_json_number(max));
  }
  return refuse_value(setting, key, range, value, err);
}

static int check_value(const mcp_json *setting, const char *key,
                       const char *value, mcp_error *err) {
  const char *type = ctl_json_member(setting, "type");
  if (type != NULL && strcmp(type, "number") == 0) {
    return check_number(setting, key, value, err);
  }
  if (type != NULL && strcmp(type, "boolean") == 0 &&
      strcmp(value, "true") != 0 && strcmp(value, "false") != 0) {
    return refuse_value(setting, key, "true or false", value, err);
  }
  return 0;
}

/* A value of a required setting is not empty. */
static int check_values(const ctl_settings *settings, const char *key,
                        const mcp_json *setting, mcp_error *err) {
  int is_required = mcp_json_bool(mcp_json_get(setting, "required"));
  int takes_many = mcp_json_bool(mcp_json_get(setting, "multiple"));
  const char *title = ctl_json_member(setting, "title");
  char **values = ctl_settings_values(settings, key, strlen(key), err);
  int rc = values != NULL ? 0 : err->code;
  int is_missing = values == NULL || values[0] == NULL || values[0][0] == '\0';
  if (rc == 0 && is_required && is_missing) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "it needs the setting '%s' (%s): give --setting "
                       "%s=VALUE, or --setting %s=@FILE for what is in a file",
                       key, title != NULL ? title : "", key, key);
  }
  if (rc == 0 && !takes_many && values[0] != NULL && values[1] != NULL) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "the setting '%s' takes one value: give it once", key);
  }
  for (char **value = values; rc == 0 && *value != NULL; value++) {
    rc = check_value(setting, key, *value, err);
  }
  ctl_settings_free_values(values);
  return rc;
}

static int check_given(const ctl_settings *settings, const char *given,
                       mcp_error *err) {
  size_t len = strcspn(given, "=");
  mcp_json_iter iter;
  const mcp_json *key = NULL;
  ctl_nearest nearest;
  char ending[CTL_ENDING_SIZE];
  if (mcp_json_get_n(settings->known, given, len) != NULL) {
    return 0;
  }
  ctl_nearest_begin(&nearest, given, len);
  mcp_json_iter_init(&iter, settings->known);
  while (mcp_json_iter_next(&iter, &key) != NULL) {
    ctl_nearest_offer(&nearest, mcp_json_string(key));
  }
  return mcp_error_set(
      err, MCP_ERR_INVALID, "it has no setting '%.*s'%s", (int)len, given,
      ctl_nearest_ending(&nearest, ": user_config of its manifest has them all",
                         ending));
}

int ctl_settings_check(const ctl_settings *settings, mcp_error *err) {
  mcp_json_iter iter;
  const mcp_json *key = NULL;
  const mcp_json *setting = NULL;
  int rc = 0;
  for (const char *const *one = settings->given; rc == 0 && *one != NULL;
       one++) {
    rc = check_given(settings, *one, err);
  }
  mcp_json_iter_init(&iter, settings->known);
  while (rc == 0 && (setting = mcp_json_iter_next(&iter, &key)) != NULL) {
    const char *name = mcp_json_string(key);
    rc = name != NULL ? check_values(settings, name, setting, err) : 0;
  }
  return rc;
}
