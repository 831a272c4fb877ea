/* SPDX-License-Identifier: MIT */
/* The client that has started mcpctl as its server: standard input and output
 * as a pipe of messages. */
#ifndef CTL_CALLER_H
#define CTL_CALLER_H

#include <mcp/transport.h>

typedef struct ctl_caller ctl_caller;

/* What the caller's pipe calls. All may close it, and none may free it. */
typedef struct ctl_caller_events {
  /* A line, borrowed until return. `message` is NULL if it is not JSON. */
  void (*on_line)(const char *text, size_t len, const mcp_json *message,
                  void *userdata);
  /* The client sends nothing more, but may still read. */
  void (*on_end)(void *userdata);
  /* Called once, also after ctl_caller_close. */
  void (*on_closed)(const mcp_error *err, void *userdata);
  void *userdata;
} ctl_caller_events;

/* Owned: end it with ctl_caller_free, when it is closed. NULL: err says why. */
ctl_caller *ctl_caller_open(mcp_loop *loop, const ctl_caller_events *events,
                            mcp_error *err);
void ctl_caller_free(ctl_caller *caller);

/* Sends a message. Returns 0 or MCP_ERR_*. */
int ctl_caller_send(ctl_caller *caller, const char *text, size_t len);

/* Closes after all that was sent has been written. */
void ctl_caller_close(ctl_caller *caller);

#endif
