/* SPDX-License-Identifier: MIT */
/* Values that a server makes anew in each session, and that the client sends
 * back: requestState, the cursor of a page, the id of a task. A recorded
 * request has the old ones. */
#ifndef CTL_FRESH_H
#define CTL_FRESH_H

#include <mcp/json.h>

/* Pairs of an old and a new value. Zero it to begin. */
typedef struct ctl_fresh {
  struct ctl_fresh_pair *pairs; /* newest first */
} ctl_fresh;

void ctl_fresh_deinit(ctl_fresh *fresh);

/* Learns the pairs of two answers to the same request. */
void ctl_fresh_learn(ctl_fresh *fresh, const mcp_json *was, const mcp_json *is);

/* Adds a message to a builder, with the new values in place of the old ones. */
void ctl_fresh_put(const ctl_fresh *fresh, mcp_builder *out,
                   const mcp_json *message);

#endif
