/* SPDX-License-Identifier: MIT */
/* Describes one value of a JSON Schema in words for people. */
#ifndef CTL_SHAPE_H
#define CTL_SHAPE_H

#include <mcp/json.h>

#include <stdio.h>

/* Limits: a shape keeps this many parts, and lists this many alternatives. */
enum { CTL_SHAPE_PARTS = 16, CTL_SHAPE_ALTERNATIVES = 16 };

/* The schemas that together describe one value: the schema itself, the target
 * of its `$ref`, the members of its `allOf`, and, if all alternatives but one
 * are null, that one. Parts beyond the limit are ignored. Borrowed from the
 * root schema. */
typedef struct ctl_shape {
  const mcp_json *root; /* the document that references point into */
  const mcp_json *parts[CTL_SHAPE_PARTS];
  size_t count;
  const mcp_json *alternatives; /* several; NULL: there are none */
  int is_nullable;              /* null was one of the alternatives */
} ctl_shape;

void ctl_shape_init(ctl_shape *shape, const mcp_json *root,
                    const mcp_json *schema);
/* Adds a further schema of the same value. */
void ctl_shape_add(ctl_shape *shape, const mcp_json *schema);

/* The keyword's value in the first part that has it; NULL: no part has it. */
const mcp_json *ctl_shape_get(const ctl_shape *shape, const char *keyword);

/* Whether the value is an object that must have the member. */
int ctl_shape_requires(const ctl_shape *shape, const char *name);

/* Whether all alternatives are single values (`const`). */
int ctl_shape_is_choice(const ctl_shape *shape);

/* Prints the type: "string", "array of number", "object or null". */
void ctl_shape_put_type(FILE *out, const ctl_shape *shape);

/* Prints the limits of the value: "sum|count", "1 to 10", "at most 5 items",
 * with commas in between. Prints nothing when the type is the only limit. */
void ctl_shape_put_limits(FILE *out, const ctl_shape *shape);

#endif
