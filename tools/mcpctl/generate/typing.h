/* SPDX-License-Identifier: MIT */
/* What a JSON Schema is in C. */
#ifndef CTL_TYPING_H
#define CTL_TYPING_H

#include "generate/model.h"

/* A schema without the parts that say no more than others. */
typedef struct ctl_typing {
  const mcp_json *schema; /* after references */
  ctl_kind kind;
  int is_nullable;
  const char *why; /* why it is JSON; NULL: any value is allowed */
} ctl_typing;

/* Follows references within `root`, and leaves out null. */
ctl_typing ctl_typing_of(const mcp_json *root, const mcp_json *schema);

/* Whether an object's schema is an array. Such a one is JSON for
 * ctl_typing_of; `items` receives what its items are. */
int ctl_typing_is_array(const mcp_json *root, const mcp_json *schema,
                        ctl_typing *items);

#endif
