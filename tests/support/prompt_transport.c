/* SPDX-License-Identifier: MIT */
#include "support/prompt_transport.h"

#include "support/cm.h"
#include <stdlib.h>

/* The last of its two users frees it: its owner, until `release`, and the inner
 * transport, until that has ended. */
typedef struct prompt {
  mcp_transport transport;
  mcp_transport *inner;
  int users;
  int is_closed; /* the owner knows that it has ended */
} prompt;

static void prompt_drop(prompt *p) {
  if (--p->users == 0) {
    mcp_transport_free(p->inner);
    free(p);
  }
}

static void prompt_on_message(mcp_transport *inner, const char *bytes,
                              size_t len) {
  prompt *p = inner->owner;
  if (!p->is_closed) {
    p->transport.on_message(&p->transport, bytes, len);
  }
}

static void prompt_on_error(mcp_transport *inner, const mcp_error *err) {
  prompt *p = inner->owner;
  if (!p->is_closed) {
    p->transport.on_error(&p->transport, err);
  }
}

static void prompt_report_end(prompt *p, const mcp_error *err) {
  if (!p->is_closed) {
    p->is_closed = 1;
    p->transport.on_close(&p->transport, err);
  }
}

static void prompt_on_close(mcp_transport *inner, const mcp_error *err) {
  prompt *p = inner->owner;
  prompt_report_end(p, err);
  prompt_drop(p);
}

static int prompt_start(mcp_transport *transport, mcp_error *err) {
  prompt *p = transport->userdata;
  p->inner->owner = p;
  p->inner->on_message = prompt_on_message;
  p->inner->on_error = prompt_on_error;
  p->inner->on_close = prompt_on_close;
  int rc = p->inner->start(p->inner, err);
  p->users += rc == 0;
  return rc;
}

static int prompt_send(mcp_transport *transport, const char *message,
                       size_t len, const mcp_send_info *info) {
  prompt *p = transport->userdata;
  return p->is_closed ? MCP_ERR_CLOSED
                      : p->inner->send(p->inner, message, len, info);
}

static void prompt_close(mcp_transport *transport) {
  prompt *p = transport->userdata;
  p->users++;
  p->inner->close(p->inner);
  prompt_report_end(p, NULL);
  prompt_drop(p);
}

static void prompt_release(mcp_transport *transport) {
  prompt_drop(transport->userdata);
}

mcp_transport *prompt_transport_new(mcp_transport *inner) {
  prompt *p = calloc(1, sizeof(*p));
  assert_non_null(p);
  p->inner = inner;
  p->users = 1;
  p->transport = (mcp_transport){.size = sizeof(mcp_transport),
                                 .userdata = p,
                                 .start = prompt_start,
                                 .send = prompt_send,
                                 .close = prompt_close,
                                 .release = prompt_release};
  return &p->transport;
}
