/* SPDX-License-Identifier: MIT */
/* A program and its standard streams as a transport, for a client. */
#include "stdio/process.h"

#include "base/error.h"
#include "platform/uv_loop.h"
#include "stdio/child.h"
#include "stdio/process_options.h"

typedef struct process {
  mcp_transport base;
  mcp_loop *loop;
  mcpi_process_options options;
  mcpi_child *child;
  uint32_t restart_count;
  int forgives_silent_death;
  int has_spoken; /* some child has sent a line */
  int is_closing;
} process;

/* --- from the child ------------------------------------------------------ */

static void process_on_line(void *owner, const char *line, size_t len) {
  process *self = owner;
  self->has_spoken = 1;
  self->base.on_message(&self->base, line, len);
}

static void process_on_error(void *owner, const mcp_error *err) {
  process *self = owner;
  self->base.on_error(&self->base, err);
}

static void process_on_stderr(void *owner, const char *bytes, size_t len) {
  process *self = owner;
  const mcp_process_options *options = &self->options.given;
  options->on_stderr(&self->base, bytes, len, options->userdata);
}

static void process_on_exit(void *owner, int64_t status, int signal) {
  process *self = owner;
  const mcp_process_options *options = &self->options.given;
  if (options->on_exit != NULL) {
    options->on_exit(&self->base, status, signal, options->userdata);
  }
}

static void process_on_ended(void *owner, const mcp_error *err);

static const mcpi_child_events events = {
    .on_line = process_on_line,
    .on_error = process_on_error,
    .on_stderr = process_on_stderr,
    .on_exit = process_on_exit,
    .on_ended = process_on_ended,
};

static int start_child(process *self, mcp_error *err) {
  self->child =
      mcpi_child_start(self->loop, &self->options.given, &events, self, err);
  return self->child != NULL ? 0 : err->code;
}

static int take_restart(process *self) {
  if (self->is_closing || self->base.on_restart == NULL) {
    return 0;
  }
  if (self->forgives_silent_death && !self->has_spoken) {
    self->forgives_silent_death = 0;
    return 1;
  }
  if (self->restart_count < self->options.given.max_restarts) {
    self->restart_count++;
    return 1;
  }
  return 0;
}

static void process_restart(process *self) {
  mcp_error err;
  if (start_child(self, &err) == 0) {
    self->base.on_restart(&self->base);
  } else {
    self->base.on_close(&self->base, &err);
  }
}

/* Reports between the two children, so that all earlier messages are known to
 * come from the first, and none that is sent can reach the wrong one. */
static void tell_restart(process *self, const mcp_error *why) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED, "%s: it is started again", why->message);
  self->base.on_error(&self->base, &err);
}

/* The error is in the child's stack frame, not in the child. */
static void process_on_ended(void *owner, const mcp_error *err) {
  process *self = owner;
  int is_restart = take_restart(self);
  mcpi_child_free(self->child);
  self->child = NULL;
  if (is_restart) {
    tell_restart(self, err);
  }
  if (is_restart && !self->is_closing) {
    process_restart(self);
  } else {
    self->base.on_close(&self->base, self->is_closing ? NULL : err);
  }
}

/* --- from the library ---------------------------------------------------- */

static int process_start(mcp_transport *transport, mcp_error *err) {
  process *self = transport->userdata;
  mcp_error local;
  return start_child(self, err != NULL ? err : &local);
}

static int process_send_message(mcp_transport *transport, const char *message,
                                size_t len, const mcp_send_info *info) {
  process *self = transport->userdata;
  (void)info;
  return self->child != NULL ? mcpi_child_send(self->child, message, len)
                             : MCP_ERR_CLOSED;
}

static void process_close_transport(mcp_transport *transport) {
  process *self = transport->userdata;
  self->is_closing = 1;
  if (self->child != NULL) {
    mcpi_child_close(self->child);
  }
}

static size_t process_queued(mcp_transport *transport) {
  process *self = transport->userdata;
  return self->child != NULL ? mcpi_child_queued(self->child) : 0;
}

static void process_release(mcp_transport *transport) {
  process *self = transport->userdata;
  const mcp_allocator *allocator = &self->loop->allocator;
  mcpi_child_free(self->child);
  mcpi_process_options_deinit(&self->options, allocator);
  mcpi_free(allocator, self, sizeof(*self));
}

/* --- making one ---------------------------------------------------------- */

static process *new_process(mcp_loop *loop, const mcp_process_options *options,
                            mcp_error *err) {
  process *self = mcpi_calloc(&loop->allocator, 1, sizeof(*self));
  if (self == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  if (mcpi_process_options_init(&self->options, options, &loop->allocator,
                                err) != 0) {
    mcpi_free(&loop->allocator, self, sizeof(*self));
    return NULL;
  }
  return self;
}

mcp_transport *mcp_transport_process(mcp_loop *loop,
                                     const mcp_process_options *options,
                                     mcp_error *err) {
  if (mcpi_uv_of(loop) == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  process *self = new_process(loop, options, err);
  if (self == NULL) {
    return NULL;
  }
  self->loop = loop;
  self->base = (mcp_transport){.size = sizeof(mcp_transport),
                               .userdata = self,
                               .start = process_start,
                               .send = process_send_message,
                               .close = process_close_transport,
                               .release = process_release,
                               .queued = process_queued};
  return &self->base;
}

void mcpi_process_forgive_silent_death(mcp_transport *transport) {
  process *self = transport->userdata;
  self->forgives_silent_death = 1;
}
