/* SPDX-License-Identifier: MIT */
/* Each message passes with its own bytes; only the recording hides secrets.
 * When the client ends, the requests in flight are still answered. Then the
 * server ends, and that ends all. */
#include "record/record.h"
#include "common/by_hand.h"
#include "common/exit.h"
#include "common/report.h"
#include "connection/caller.h"
#include "connection/junk.h"
#include "connection/wire.h"
#include "line/options.h"
#include "platform/clock.h"
#include "platform/interrupt.h"
#include "platform/wait.h"
#include "record/tape.h"

#include <errno.h>
#include <string.h>

typedef struct record {
  const ctl_options *options;
  mcp_loop *loop;
  ctl_tape *tape;
  ctl_wire *wire;
  ctl_caller *caller;
  int has_client_ended; /* it sends nothing more */
  int64_t drained_ns;   /* then: when the requests in flight have had their
                         * time */
  int is_wire_closed;
  int is_caller_closed;
  int has_warned; /* of junk */
  int has_lost;   /* the client did not read a message */
  mcp_error why;  /* how the server has ended */
} record;

/* ---- from the server --------------------------------------------------- */

static void from_server(const char *text, size_t len, const mcp_json *message,
                        int is_made, void *userdata) {
  record *self = userdata;
  (void)message;
  ctl_tape_add(self->tape, "server", text, len, is_made);
  int rc = ctl_caller_send(self->caller, text, len);
  if (rc != 0 && rc != MCP_ERR_CLOSED) { /* it has read nothing for too long */
    self->has_lost = 1;
    ctl_wire_close(self->wire);
  }
}

static void junk_from_server(const char *text, size_t len, void *userdata) {
  record *self = userdata;
  ctl_tape_add_junk(self->tape, "server", text, len);
  if (self->options->url == NULL) {
    ctl_junk_warn(&self->has_warned, "the server",
                  "the recording has it as junk");
  }
}

static void wire_on_closed(const mcp_error *err, void *userdata) {
  record *self = userdata;
  self->is_wire_closed = 1;
  self->why = *err;
  if (self->caller != NULL) {
    ctl_caller_close(self->caller);
  }
}

/* ---- from the client --------------------------------------------------- */

static void from_client(const char *text, size_t len, const mcp_json *message,
                        void *userdata) {
  record *self = userdata;
  ctl_tape_add(self->tape, "client", text, len, 0);
  int rc = ctl_wire_send(self->wire, text, len, message);
  if (rc != 0 && rc != MCP_ERR_CLOSED) {
    ctl_report(0, "a message of the client was not sent: %s",
               mcp_error_text(rc));
  }
}

static void caller_on_end(void *userdata) {
  record *self = userdata;
  self->has_client_ended = 1;
  self->drained_ns =
      ctl_now_ns() + (int64_t)self->options->timeout_ms * 1000000;
}

static void caller_on_closed(const mcp_error *err, void *userdata) {
  record *self = userdata;
  (void)err;
  self->is_caller_closed = 1;
  self->has_client_ended = 1;
  ctl_wire_close(self->wire);
}

/* ---- the run ----------------------------------------------------------- */

static int record_open(record *self, mcp_error *err) {
  const ctl_wire_events wire = {.on_message = from_server,
                                .on_junk = junk_from_server,
                                .on_closed = wire_on_closed,
                                .userdata = self};
  const ctl_caller_events caller = {from_client, caller_on_end,
                                    caller_on_closed, self};
  self->tape =
      ctl_tape_new(self->loop, self->options, self->options->args[0], err);
  if (self->tape == NULL) {
    return CTL_USAGE;
  }
  self->wire = ctl_wire_open(self->loop, self->options, &wire, err);
  if (self->wire == NULL) {
    self->is_wire_closed = 1;
    self->is_caller_closed = 1;
    return CTL_FAILED;
  }
  self->caller = ctl_caller_open(self->loop, &caller, err);
  if (self->caller == NULL) {
    self->is_caller_closed = 1;
    ctl_wire_close(self->wire);
    return CTL_USAGE;
  }
  return CTL_OK;
}

static int is_over(const record *self) {
  return self->is_wire_closed && self->is_caller_closed;
}

/* The time that the requests in flight still have, in milliseconds; 0: it is
 * over, or all are answered; -1: the client has not ended. */
static int drain_ms(const record *self) {
  int64_t left_ms = (self->drained_ns - ctl_now_ns()) / 1000000;
  if (ctl_interrupt_has_come()) {
    return 0;
  }
  if (!self->has_client_ended) {
    return -1;
  }
  return ctl_wire_is_waiting(self->wire) && left_ms > 0 ? (int)left_ms : 0;
}

/* Runs until both sides are closed. Ctrl-C closes the wire at once. */
static void record_run(record *self) {
  while (!is_over(self)) {
    mcp_loop_step(self->loop);
    int left_ms = drain_ms(self);
    if (left_ms == 0) {
      ctl_wire_close(self->wire);
    }
    if (!is_over(self)) {
      ctl_wait(self->loop, -1, left_ms > 0 ? left_ms : -1);
    }
  }
}

static int record_report(const record *self) {
  if (ctl_interrupt_has_come()) {
    return CTL_INTERRUPTED;
  }
  if (self->has_lost) {
    return ctl_report(CTL_FAILED, "the client does not read what the server "
                                  "sends; the connection is closed");
  }
  return self->why.code != 0
             ? ctl_report(CTL_FAILED, "%s: %s", self->options->target,
                          self->why.message)
             : CTL_OK;
}

static int record_with_loop(record *self) {
  mcp_error err = {0};
  int is_by_hand = ctl_by_hand();
  int code = record_open(self, &err);
  if (code != CTL_OK) {
    ctl_report(code, "%s", err.message);
  }
  if (self->wire != NULL) {
    if (is_by_hand && code == CTL_OK) {
      ctl_by_hand_note();
    }
    record_run(self);
    code = code == CTL_OK ? record_report(self) : code;
  }
  ctl_caller_free(self->caller);
  ctl_wire_free(self->wire);
  if (ctl_tape_free(self->tape, &err) != 0) {
    code = ctl_report(CTL_USAGE, "%s", err.message);
  }
  return code;
}

/* The client has started mcpctl with the environment that the server needs. */
int ctl_record_run(const ctl_options *given) {
  mcp_error err = {0};
  ctl_options options = *given;
  record self = {.options = &options};
  options.inherit_env = 1;
  if (ctl_interrupt_setup() != 0) {
    return ctl_report(CTL_USAGE, "cannot start: %s", strerror(errno));
  }
  self.loop = mcp_loop_new(NULL, &err);
  if (self.loop == NULL) {
    return ctl_report(CTL_USAGE, "cannot start: %s", err.message);
  }
  int code = record_with_loop(&self);
  mcp_loop_free(self.loop);
  return code;
}
