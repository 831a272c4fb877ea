/* SPDX-License-Identifier: MIT */
/* Replaces references such as ${NAME} in the strings of a configuration. */
#ifndef CTL_EXPAND_H
#define CTL_EXPAND_H

#include <mcp/error.h>

typedef struct ctl_expand_rules {
  unsigned references; /* CTL_REF_*: those that are replaced; the text of others
                        * stays as it is */
  const char *folder;  /* of the project; NULL: the current folder */
} ctl_expand_rules;

/* Returns the text with its references replaced. Owned: end it with free.
 * NULL: err says which reference has no value, or MCP_ERR_NOMEM. */
char *ctl_expand(const char *text, const ctl_expand_rules *rules,
                 mcp_error *err);

/* Returns the text with its references as another host writes them. A reference
 * to something that this host cannot refer to becomes <NAME>, which the user
 * has to replace; then *is_incomplete is set to 1. Owned: end it with free.
 * NULL: err says why. */
char *ctl_rewrite(const char *text, const ctl_expand_rules *rules,
                  unsigned references, int *is_incomplete, mcp_error *err);

/* A reference to a variable of the environment, as a host with these references
 * writes it. Owned; NULL: out of memory. */
char *ctl_reference_to(const char *name, unsigned references,
                       int *is_incomplete);

#endif
