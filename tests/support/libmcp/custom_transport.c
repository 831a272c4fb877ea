/* SPDX-License-Identifier: MIT */
#include "support/libmcp/custom_transport.h"

#include "support/cm.h"

#include <stdlib.h>

typedef struct custom {
  mcp_transport outer;
  mcp_transport *inner;
  custom_call_cb on_call;
  void *call_userdata;
} custom;

/* ---- what the library calls ---------------------------------------------- */

/* The transport stays until its release, even if the program frees other
 * objects there. */
static custom *called(mcp_transport *transport, custom_function function) {
  custom *self = transport->userdata;
  self->on_call(function, self->call_userdata);
  return self;
}

static int custom_send(mcp_transport *transport, const char *message,
                       size_t len, const mcp_send_info *info) {
  custom *self = called(transport, CUSTOM_SEND);
  return self->inner->send(self->inner, message, len, info);
}

static void custom_close(mcp_transport *transport) {
  custom *self = called(transport, CUSTOM_CLOSE);
  self->inner->close(self->inner);
}

static void custom_release(mcp_transport *transport) {
  custom *self = called(transport, CUSTOM_RELEASE);
  mcp_transport_free(self->inner);
  free(self);
}

static size_t custom_queued(mcp_transport *transport) {
  custom *self = called(transport, CUSTOM_QUEUED);
  return self->inner->queued(self->inner);
}

static const char *custom_session_id(mcp_transport *transport) {
  called(transport, CUSTOM_SESSION_ID);
  return "custom";
}

static void custom_set_version(mcp_transport *transport, const char *version) {
  called(transport, CUSTOM_SET_VERSION);
  assert_true(version[0] == '2');
}

/* ---- what the inner one calls -------------------------------------------- */

static mcp_transport *outer_of(mcp_transport *inner) {
  return &((custom *)inner->owner)->outer;
}

static void on_message(mcp_transport *inner, const char *message, size_t len) {
  mcp_transport *outer = outer_of(inner);
  outer->on_message(outer, message, len);
}

static void on_error(mcp_transport *inner, const mcp_error *err) {
  mcp_transport *outer = outer_of(inner);
  outer->on_error(outer, err);
}

static void on_close(mcp_transport *inner, const mcp_error *err) {
  mcp_transport *outer = outer_of(inner);
  outer->on_close(outer, err);
}

static int custom_start(mcp_transport *transport, mcp_error *err) {
  custom *self = transport->userdata;
  self->inner->owner = self;
  self->inner->on_message = on_message;
  self->inner->on_error = on_error;
  self->inner->on_close = on_close;
  int rc = self->inner->start(self->inner, err);
  called(transport, CUSTOM_START);
  return rc;
}

mcp_transport *custom_transport(mcp_transport *inner, custom_call_cb on_call,
                                void *userdata) {
  custom *self = calloc(1, sizeof(*self));
  assert_non_null(self);
  self->on_call = on_call;
  self->call_userdata = userdata;
  self->inner = inner;
  self->outer = (mcp_transport){.size = sizeof(mcp_transport),
                                .userdata = self,
                                .start = custom_start,
                                .send = custom_send,
                                .close = custom_close,
                                .release = custom_release,
                                .set_protocol_version = custom_set_version,
                                .session_id = custom_session_id,
                                .queued = custom_queued};
  return &self->outer;
}
