/* SPDX-License-Identifier: MIT */
/* Prints blocks of content, as tools, resources and prompts return them. */
#ifndef CTL_CONTENT_H
#define CTL_CONTENT_H

#include <mcp/json.h>

/* Prints a block to standard output: its text, or a description of it. */
void ctl_content_print(const mcp_json *block);

/* Does the same with an entry of a resource's contents. */
void ctl_content_print_resource(const mcp_json *resource);

/* Describes a block in one line: "[image image/png, 1234 bytes]". Owned:
 * end it with free; NULL when out of memory. */
char *ctl_content_describe(const mcp_json *block);

#endif
