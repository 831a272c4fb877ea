/* SPDX-License-Identifier: MIT */
/* The variables in a manifest's texts, such as ${__dirname} and
 * ${user_config.key}. */
#ifndef CTL_VARIABLES_H
#define CTL_VARIABLES_H

#include <mcp/error.h>
#include <stddef.h>

/* Calls `each` with the name of each variable of the text: what stands between
 * "${" and "}". */
void ctl_variables_each(const char *text,
                        void (*each)(void *userdata, const char *name,
                                     size_t len),
                        void *userdata);

/* Whether hosts know the name; those of settings do not count. */
int ctl_variable_is_known(const char *name, size_t len);

/* The values of the variables. */
typedef struct ctl_variables {
  const char *folder; /* of the bundle, absolute */
  /* The value of a setting; owned. Sets *rc to 0, or to MCP_ERR_* with err.
   * NULL with 0: it has none. */
  char *(*setting)(void *userdata, const char *key, size_t len, int *rc,
                   mcp_error *err);
  void *userdata;
} ctl_variables;

/* The text with the values in place of the variables. A variable that is not
 * known stays; a setting without a value becomes nothing. Owned: end it with
 * free. NULL: err says why. */
char *ctl_variables_replace(const char *text, const ctl_variables *variables,
                            mcp_error *err);

#endif
