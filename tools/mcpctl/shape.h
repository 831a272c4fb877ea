/* SPDX-License-Identifier: MIT */
/* What a JSON Schema says of one value, in words for people. */
#ifndef CTL_SHAPE_H
#define CTL_SHAPE_H

#include <mcp/json.h>

#include <stdio.h>

/* Alternatives beyond so many are not told apart. */
enum { CTL_SHAPE_PARTS = 16, CTL_SHAPE_ALTERNATIVES = 16 };

/* The schemas that describe one value together: one, what it refers to, what
 * its `allOf` lists; and of alternatives of which all others are null, the one
 * that is left. Further ones are not looked at. Borrowed from the schema. */
typedef struct ctl_shape {
  const mcp_json *root; /* what references lead into */
  const mcp_json *parts[CTL_SHAPE_PARTS];
  size_t count;
  const mcp_json *alternatives; /* several; NULL: there are none */
  int is_nullable;              /* null was one of the alternatives */
} ctl_shape;

void ctl_shape_init(ctl_shape *shape, const mcp_json *root,
                    const mcp_json *schema);
/* Adds a further schema of the same value. */
void ctl_shape_add(ctl_shape *shape, const mcp_json *schema);

/* The keyword's value in the first part that has it; NULL. */
const mcp_json *ctl_shape_get(const ctl_shape *shape, const char *keyword);

/* 1 when the value is an object that must have the member. */
int ctl_shape_requires(const ctl_shape *shape, const char *name);

/* 1 when the alternatives are values, as those of `enum` are. */
int ctl_shape_is_choice(const ctl_shape *shape);

/* "string", "array of number", "object or null". */
void ctl_shape_put_type(FILE *out, const ctl_shape *shape);

/* What else is asked of it: "sum|count", "1 to 10", "at most 5 items", in a
 * row. Nothing when anything of the type will do. */
void ctl_shape_put_limits(FILE *out, const ctl_shape *shape);

#endif
