/* SPDX-License-Identifier: MIT */
/* A message with other values in some places. */
#ifndef CTL_REWRITE_H
#define CTL_REWRITE_H

#include <mcp/json.h>

enum { CTL_REWRITE_DEPTH = 4 };

/* The member that a path leads to gets a value. A member that is not there
 * stays away. */
typedef struct ctl_rewrite {
  const char *path[CTL_REWRITE_DEPTH]; /* names; NULL at the end, or full */
  const char *json;                    /* the value; NULL: nothing changes */
} ctl_rewrite;

/* Returns the text of the message with these changes. Owned: end it with free;
 * NULL: out of memory. */
char *ctl_rewrite_text(const mcp_json *message, const ctl_rewrite *changes,
                       size_t count);

#endif
