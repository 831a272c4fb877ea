/* SPDX-License-Identifier: MIT */
/* Lists of JSON objects as tables. */
#ifndef CTL_LIST_H
#define CTL_LIST_H

#include "common/nearest.h"
#include "common/table.h"

#include <mcp/client.h>

#include <stdio.h>

/* A column: it shows a member of each entry, or the text that `put` prints. */
typedef struct ctl_column {
  const char *heading;
  const char *member;
  void (*put)(FILE *out, const mcp_json *entry);
  int cut; /* CTL_CUT_* */
} ctl_column;

/* Adds the next cell, with the text that `put` prints. */
void ctl_list_add(ctl_table *table,
                  void (*put)(FILE *out, const mcp_json *value),
                  const mcp_json *value);

/* The entry of that name; NULL when there is none. */
const mcp_json *ctl_list_find(const mcp_result *result, const char *name);

/* Finds the name of an entry that a user may have meant by a misspelt name. */
void ctl_list_nearest(ctl_nearest *nearest, const mcp_result *result,
                      const char *name);

/* The entry's description, else its title; NULL when it has neither. */
const char *ctl_list_about(const mcp_json *entry);
/* The entry's title; NULL when it has none. */
const char *ctl_list_title(const mcp_json *entry);

/* Prints a result's entries as a table. For an empty list it reports that the
 * server has no `what`. Returns an exit code. */
int ctl_list_print(const mcp_result *result, const char *what,
                   const ctl_column *columns, size_t count);

#endif
