/* SPDX-License-Identifier: MIT */
/* The settings that a bundle asks its user for (user_config), and the values
 * that the command line gives them. */
#ifndef CTL_SETTINGS_H
#define CTL_SETTINGS_H

#include <mcp/json.h>

typedef struct ctl_settings {
  const mcp_json *known;    /* user_config; NULL: there are none */
  const char *const *given; /* KEY=VALUE, NULL at the end */
  const char *folder;       /* of the bundle: defaults may name it */
} ctl_settings;

/* Checks that each given value is one of the settings and has its type, and
 * that each one that is required has a value. Returns 0; or MCP_ERR_* as in
 * err, which says what to give. */
int ctl_settings_check(const ctl_settings *settings, mcp_error *err);

/* The values of a setting: those that are given, else its default. Most have
 * one at most. Owned, NULL at the end: end it with ctl_settings_free_values.
 * NULL: err says why. */
char **ctl_settings_values(const ctl_settings *settings, const char *key,
                           size_t key_len, mcp_error *err);
void ctl_settings_free_values(char **values);

#endif
