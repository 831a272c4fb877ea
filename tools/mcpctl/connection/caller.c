/* SPDX-License-Identifier: MIT */
#include "connection/caller.h"
#include "common/report.h"

#include <stdlib.h>

enum { MAX_LINE = 256 * 1024 * 1024 };

struct ctl_caller {
  ctl_caller_events events;
  mcp_transport *transport;
  int is_closed;
};

static void on_message(mcp_transport *transport, const char *text, size_t len) {
  const ctl_caller *caller = transport->owner;
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  caller->events.on_line(text, len, mcp_doc_root(doc), caller->events.userdata);
  mcp_doc_free(doc);
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  ctl_report(0, "from the client: %s", err->message);
}

static void on_end(mcp_transport *transport) {
  const ctl_caller *caller = transport->owner;
  caller->events.on_end(caller->events.userdata);
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  static const mcp_error nothing = {0};
  ctl_caller *caller = transport->owner;
  caller->is_closed = 1;
  caller->events.on_closed(err != NULL ? err : &nothing,
                           caller->events.userdata);
}

ctl_caller *ctl_caller_open(mcp_loop *loop, const ctl_caller_events *events,
                            mcp_error *err) {
  const mcp_stream_options limits = {.size = sizeof(mcp_stream_options),
                                     .max_line = MAX_LINE,
                                     .max_queue = MAX_LINE};
  ctl_caller *caller = calloc(1, sizeof(*caller));
  mcp_transport *transport = mcp_transport_stdio(loop, &limits, err);
  if (caller == NULL || transport == NULL) {
    if (caller == NULL) {
      mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    }
    mcp_transport_free(transport);
    free(caller);
    return NULL;
  }
  caller->events = *events;
  caller->transport = transport;
  transport->owner = caller;
  transport->on_message = on_message;
  transport->on_error = on_error;
  transport->on_end = on_end;
  transport->on_close = on_close;
  if (transport->start(transport, err) != 0) {
    ctl_caller_free(caller);
    return NULL;
  }
  return caller;
}

void ctl_caller_free(ctl_caller *caller) {
  if (caller != NULL) {
    mcp_transport_free(caller->transport);
    free(caller);
  }
}

int ctl_caller_send(ctl_caller *caller, const char *text, size_t len) {
  return caller->is_closed
             ? MCP_ERR_CLOSED
             : caller->transport->send(caller->transport, text, len, NULL);
}

void ctl_caller_close(ctl_caller *caller) {
  if (!caller->is_closed) {
    caller->transport->close(caller->transport);
  }
}
