/* SPDX-License-Identifier: MIT */
/* Prints JSON as text. */
#ifndef CTL_JSON_H
#define CTL_JSON_H

#include <mcp/json.h>
#include <stdio.h>

/* The value as compact JSON text, owned: end it with free. NULL when out of
 * memory. */
char *ctl_json_text(const mcp_json *value);

/* Prints compact JSON text and a line feed on standard output: indented on a
 * terminal, else on one line. Control characters in strings are escaped. */
void ctl_json_print_text(const char *text);

/* Whether this run has printed JSON; ctl_json_forget begins another run. */
int ctl_json_has_printed(void);
void ctl_json_forget(void);

/* Writes compact JSON text indented, with a line feed, into a file. */
void ctl_json_write(FILE *out, const char *text);

/* Prints a value in the same way. Returns an exit code. */
int ctl_json_print(const mcp_json *value);

/* Prints what has been built in the same way, and frees the builder. Returns
 * CTL_OK, or an exit code after a report of the builder's error. */
int ctl_json_print_built(mcp_builder *builder);

/* Adds a text that the user typed, such as a file's name, to a builder: each
 * byte that is not UTF-8 as \xff. Returns what mcp_builder_string does. */
int ctl_json_put_typed(mcp_builder *builder, const char *name,
                       const char *text);

/* A member's string; NULL when there is no such member, or it is not a
 * string. */
const char *ctl_json_member(const mcp_json *object, const char *name);

#endif
