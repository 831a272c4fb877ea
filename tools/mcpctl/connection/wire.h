/* SPDX-License-Identifier: MIT */
/* The server of the command line as a pipe of messages, without a client: each
 * message passes as it is. */
#ifndef CTL_WIRE_H
#define CTL_WIRE_H

#include "line/options.h"

#include <mcp/loop.h>

typedef struct ctl_wire ctl_wire;

/* What the wire calls. All may close the wire, and none may free it. */
typedef struct ctl_wire_events {
  /* A message of the server, borrowed until return. `message` is NULL for one
   * that is too large to parse. `is_made`: the wire has made it, since the
   * server did not answer a request over HTTP. */
  void (*on_message)(const char *text, size_t len, const mcp_json *message,
                     int is_made, void *userdata);
  /* A request failed without an answer of the server. NULL: the wire makes an
   * answer, for on_message. */
  void (*on_failed)(const mcp_json *id, const mcp_error *err, void *userdata);
  /* A line of the server that is not a message. */
  void (*on_junk)(const char *text, size_t len, void *userdata);
  /* Called once, also after ctl_wire_close. `err` code 0: nothing went wrong.
   * It says how a command that ended by itself has ended. */
  void (*on_closed)(const mcp_error *err, void *userdata);
  /* What a command writes on its standard error. NULL: it goes to that of
   * mcpctl. */
  void (*on_stderr)(const char *bytes, size_t len, void *userdata);
  /* An error that belongs to no request. NULL: mcpctl reports it. */
  void (*on_error)(const mcp_error *err, void *userdata);
  void *userdata;
} ctl_wire_events;

/* Begins to open the wire; messages may be sent at once. Owned: end it with
 * ctl_wire_free, when it is closed. NULL: err says why. */
ctl_wire *ctl_wire_open(mcp_loop *loop, const ctl_options *options,
                        const ctl_wire_events *events, mcp_error *err);
void ctl_wire_free(ctl_wire *wire);

/* Sends a message. `message` is what the text says; NULL: it is not JSON.
 * Returns 0 or MCP_ERR_*. */
int ctl_wire_send(ctl_wire *wire, const char *text, size_t len,
                  const mcp_json *message);

/* Begins to end the wire. No message arrives any longer. */
void ctl_wire_close(ctl_wire *wire);

/* Whether requests wait for their answers. A request that listens does not. */
int ctl_wire_is_waiting(const ctl_wire *wire);

/* How a command has ended: its exit status, and the signal that ended it, or 0.
 * Returns 0 if it has not ended, or the server is not a command. */
int ctl_wire_has_exited(const ctl_wire *wire, int64_t *status, int *signal);

#endif
