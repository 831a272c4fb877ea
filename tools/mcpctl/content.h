/* SPDX-License-Identifier: MIT */
/* Pieces of content, as tools, resources and prompts give them. */
#ifndef CTL_CONTENT_H
#define CTL_CONTENT_H

#include <mcp/json.h>

/* Prints one piece on standard output: its text, or what it is. */
void ctl_content_print(const mcp_json *block);

/* The same for an entry of a resource's contents. */
void ctl_content_print_resource(const mcp_json *resource);

/* One line that says what a piece is: "[image image/png, 1234 bytes]". Owned:
 * end it with free; NULL when out of memory. */
char *ctl_content_describe(const mcp_json *block);

#endif
