/* SPDX-License-Identifier: MIT */
/* JSON Schemas in words, for people. */
#ifndef CTL_SCHEMA_H
#define CTL_SCHEMA_H

#include <mcp/json.h>

#include <stdio.h>

/* Prints what a value may be, in a word or two: "string", "array of number",
 * "sum|average|count". */
void ctl_schema_put_type(FILE *out, const mcp_json *schema);

/* 1 when the object's schema requires that member. */
int ctl_schema_requires(const mcp_json *schema, const char *name);

#endif
