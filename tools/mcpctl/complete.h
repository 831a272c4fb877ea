/* SPDX-License-Identifier: MIT */
/* Completes a line of the shell: verbs, options, names that the server lists,
 * arguments, and values. */
#ifndef CTL_COMPLETE_H
#define CTL_COMPLETE_H

#include "reader.h"

/* What the server has listed; it is asked again when a list has changed. */
typedef struct ctl_names {
  ctl_session *session; /* whose event_userdata this is */
  mcp_result *tools;    /* owned, as are the others; NULL: not asked yet */
  mcp_result *prompts;
  mcp_result *resources;
  const struct ctl_value *asked; /* for the request of a prompt's values */
} ctl_names;

/* For ctl_reader_options, with a ctl_names as userdata. */
void ctl_complete(ctl_choices *choices, const char *line, size_t len,
                  void *userdata);

/* Forgets a list: "tools", "prompts" or "resources"; NULL: all. */
void ctl_names_forget(ctl_names *names, const char *list);

#endif
