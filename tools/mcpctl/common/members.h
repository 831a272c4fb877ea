/* SPDX-License-Identifier: MIT */
/* Walks through the members of an old and a new object together. */
#ifndef CTL_MEMBERS_H
#define CTL_MEMBERS_H

#include <mcp/json.h>

/* An old and a new value. NULL: it is not there. */
typedef struct ctl_values {
  const mcp_json *before;
  const mcp_json *after;
} ctl_values;

typedef struct ctl_members {
  ctl_values objects;
  mcp_json_iter iter;
  int is_in_after;
} ctl_members;

/* A value that is not an object has no members. */
void ctl_members_begin(ctl_members *walk, ctl_values objects);

/* Returns the name of the next member and sets its values: first the members of
 * the old object, then those that only the new one has. NULL: the end. */
const char *ctl_members_next(ctl_members *walk, ctl_values *values);

/* The JSON pointer to a member of what `path` leads to. Owned: end it with
 * free; NULL when out of memory. */
char *ctl_members_path(const char *path, const char *name);

#endif
