/* SPDX-License-Identifier: MIT */
/* A transport around another that shows each message to a callback, without
 * its secrets. */
#include "base/error.h"
#include "core/redact.h"
#include "core/transport.h"

/* A trace has two users: its owner, until `release`; and the program's callback
 * while it runs, because it reads text of the redactor, and may end the owner.
 * The last user frees the trace, on the loop's thread. */
typedef struct trace {
  mcp_transport transport;
  mcp_transport *inner;
  mcp_loop *loop;
  mcp_trace_cb on_trace;
  void *userdata;
  mcpi_redactor redactor;
  int is_showing;  /* the program's callback runs */
  int is_released; /* the inner transport is gone; only the callback runs */
  int is_closing;
} trace;

static void trace_destroy(trace *t) {
  mcp_loop *loop = t->loop;
  mcpi_redactor_deinit(&t->redactor);
  mcpi_free(&loop->allocator, t, sizeof(*t));
}

/* Returns 0 if the callback freed the transport, else 1. Shows no text if there
 * was no memory for it (NULL). */
static int show_text(trace *t, int is_sent, mcpi_str text) {
  if (text.ptr == NULL) {
    return 1;
  }
  const mcp_traced_message message = {.size = sizeof(mcp_traced_message),
                                      .is_sent = is_sent,
                                      .text = text.ptr,
                                      .len = text.len};
  t->is_showing = 1;
  t->on_trace(&t->transport, &message, t->userdata);
  t->is_showing = 0;
  if (t->is_released) {
    trace_destroy(t);
    return 0;
  }
  mcpi_redactor_trim(&t->redactor);
  return 1;
}

/* Messages that the callback itself sends are hidden: showing them would never
 * end. So are messages after closing: the callback's data may be gone then. */
static int is_hidden(const trace *t) {
  return t->is_showing || t->is_closing;
}

static int trace_show(trace *t, int is_sent, const char *bytes, size_t len) {
  return is_hidden(t) ||
         show_text(t, is_sent, mcpi_redact(&t->redactor, bytes, len));
}

static int show_parsed(trace *t, const mcpi_message *message) {
  return is_hidden(t) ||
         show_text(t, 0, mcpi_redact_parsed(&t->redactor, message));
}

/* --- from the inner transport ------------------------------------------- */

/* The callback that saw it may have closed the client, which removes the
 * owner. */
static void trace_deliver(trace *t, mcpi_message *message, const char *bytes,
                          size_t len) {
  const mcpi_transport_owner *owner = mcpi_transport_owner_of(&t->transport);
  if (owner != NULL) {
    owner->on_parsed(&t->transport, message);
  } else {
    t->transport.on_message(&t->transport, bytes, len);
  }
}

/* A message is parsed once, for the trace and for its owner. If it breaks the
 * owner's limits, the owner gets its bytes, and reports what is wrong. */
static void trace_on_message(mcp_transport *inner, const char *bytes,
                             size_t len) {
  trace *t = inner->owner;
  const mcpi_transport_owner *owner = mcpi_transport_owner_of(&t->transport);
  mcpi_message *message = NULL;
  if (owner != NULL && !is_hidden(t)) {
    mcpi_message_parse(&message, &t->loop->pool, bytes, len, &owner->limits,
                       NULL);
  }
  if (message == NULL) {
    if (trace_show(t, 0, bytes, len)) {
      t->transport.on_message(&t->transport, bytes, len);
    }
    return;
  }
  if (show_parsed(t, message)) {
    trace_deliver(t, message, bytes, len);
  }
  mcpi_message_unref(message);
}

static void trace_on_error(mcp_transport *inner, const mcp_error *err) {
  trace *t = inner->owner;
  t->transport.on_error(&t->transport, err);
}

static void trace_on_close(mcp_transport *inner, const mcp_error *err) {
  trace *t = inner->owner;
  t->transport.on_close(&t->transport, err);
}

static void trace_on_open(mcp_transport *inner) {
  trace *t = inner->owner;
  if (t->transport.on_open != NULL) {
    t->transport.on_open(&t->transport);
  }
}

static void trace_on_restart(mcp_transport *inner) {
  trace *t = inner->owner;
  t->transport.on_restart(&t->transport);
}

/* Read anew each time, since the owner may remove its callback. */
static void trace_on_end(mcp_transport *inner) {
  trace *t = inner->owner;
  if (t->transport.on_end != NULL) {
    t->transport.on_end(&t->transport);
  } else {
    inner->close(inner);
  }
}

static void trace_on_request_failed(mcp_transport *inner, uint64_t request,
                                    const mcp_error *err) {
  trace *t = inner->owner;
  t->transport.on_request_failed(&t->transport, request, err);
}

static void trace_on_request_refused(mcp_transport *inner, uint64_t request,
                                     const mcp_error *err) {
  trace *t = inner->owner;
  t->transport.on_request_refused(&t->transport, request, err);
}

static void trace_on_waiting(mcp_transport *inner, int32_t is_waiting) {
  trace *t = inner->owner;
  mcpi_transport_report_waiting(&t->transport, is_waiting);
}

static int trace_is_waiting(mcp_transport *inner, uint64_t request) {
  trace *t = inner->owner;
  return t->transport.is_waiting(&t->transport, request);
}

/* --- to the inner transport --------------------------------------------- */

static mcp_transport *inner_of(mcp_transport *transport) {
  const trace *t = transport->userdata;
  return t->inner;
}

static const mcp_transport inner_events = {
    .on_message = trace_on_message,
    .on_error = trace_on_error,
    .on_close = trace_on_close,
    .on_open = trace_on_open,
    .on_restart = trace_on_restart,
    .on_end = trace_on_end,
    .on_request_failed = trace_on_request_failed,
    .on_request_refused = trace_on_request_refused,
    .is_waiting = trace_is_waiting,
    .on_waiting = trace_on_waiting};

static int trace_start(mcp_transport *transport, mcp_error *err) {
  trace *t = transport->userdata;
  return mcpi_transport_start_inner(t->inner, t, &inner_events, err);
}

/* The callback may send too, which reuses the buffer with the message: so a
 * copy is sent. */
static int trace_send(mcp_transport *transport, const char *message, size_t len,
                      const mcp_send_info *info) {
  trace *t = transport->userdata;
  mcpi_block *copy = mcpi_block_take(&t->loop->pool, len);
  if (copy == NULL) {
    return MCP_ERR_NOMEM;
  }
  const char *bytes = memcpy(mcpi_block_data(copy), message, len);
  int rc = MCP_ERR_CLOSED;
  if (trace_show(t, 1, bytes, len)) {
    rc = t->inner->send(t->inner, bytes, len, info);
  }
  mcpi_block_unref(copy);
  return rc;
}

static void trace_close(mcp_transport *transport) {
  trace *t = transport->userdata;
  t->is_closing = 1;
  t->inner->close(t->inner);
}

static void trace_release(mcp_transport *transport) {
  trace *t = transport->userdata;
  mcp_transport_free(t->inner);
  t->is_released = 1;
  if (!t->is_showing) {
    trace_destroy(t);
  }
}

static void trace_set_protocol_version(mcp_transport *transport,
                                       const char *version) {
  mcp_transport *inner = inner_of(transport);
  inner->set_protocol_version(inner, version);
}

static void trace_set_supported_versions(mcp_transport *transport,
                                         const char *const *versions,
                                         size_t count) {
  mcp_transport *inner = inner_of(transport);
  inner->set_supported_versions(inner, versions, count);
}

static const char *trace_session_id(mcp_transport *transport) {
  mcp_transport *inner = inner_of(transport);
  return inner->session_id(inner);
}

static const char *trace_origin(mcp_transport *transport) {
  mcp_transport *inner = inner_of(transport);
  return inner->origin(inner);
}

static uint64_t trace_identity(mcp_transport *transport) {
  mcp_transport *inner = inner_of(transport);
  return inner->identity(inner);
}

static void trace_abort_request(mcp_transport *transport, uint64_t request) {
  mcp_transport *inner = inner_of(transport);
  inner->abort(inner, request);
}

static size_t trace_queued(mcp_transport *transport) {
  mcp_transport *inner = inner_of(transport);
  return inner->queued(inner);
}

/* --- making one --------------------------------------------------------- */

/* An optional function that is NULL in the inner transport is NULL here too. */
static mcp_transport trace_make_table(trace *t) {
  const mcp_transport *inner = t->inner;
  return (mcp_transport){
      .size = sizeof(mcp_transport),
      .flags = inner->flags,
      .userdata = t,
      .start = trace_start,
      .send = trace_send,
      .close = trace_close,
      .release = trace_release,
      .set_protocol_version = inner->set_protocol_version != NULL
                                  ? trace_set_protocol_version
                                  : NULL,
      .set_supported_versions = inner->set_supported_versions != NULL
                                    ? trace_set_supported_versions
                                    : NULL,
      .session_id = inner->session_id != NULL ? trace_session_id : NULL,
      .origin = inner->origin != NULL ? trace_origin : NULL,
      .identity = mcpi_transport_has_identity(inner) ? trace_identity : NULL,
      .abort = inner->abort != NULL ? trace_abort_request : NULL,
      .queued = inner->queued != NULL ? trace_queued : NULL,
  };
}

mcp_transport *mcp_transport_trace(mcp_loop *loop, mcp_transport *inner,
                                   mcp_trace_cb on_trace, void *userdata,
                                   mcp_error *err) {
  trace *t = NULL;
  if (loop == NULL || inner == NULL || on_trace == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "loop, inner or on_trace is NULL");
  } else {
    t = mcpi_calloc(&loop->allocator, 1, sizeof(*t));
    if (t == NULL) {
      mcpi_no_memory(err);
    }
  }
  if (t == NULL) {
    mcp_transport_free(inner);
    return NULL;
  }
  t->inner = inner;
  t->loop = loop;
  t->on_trace = on_trace;
  t->userdata = userdata;
  mcpi_redactor_init(&t->redactor, loop);
  t->transport = trace_make_table(t);
  return &t->transport;
}
