/* SPDX-License-Identifier: MIT */
/* What all transports have in common. */
#include "core/transport.h"

#include "base/widen.h"

void mcp_transport_free(mcp_transport *transport) {
  if (transport != NULL && transport->release != NULL) {
    transport->release(transport);
  }
}

/* Whether the table, perhaps of an older program, has the member. */
#define HAS_MEMBER(transport, member)                                          \
  ((transport)->size >=                                                        \
   offsetof(mcp_transport, member) + sizeof((transport)->member))

void mcpi_transport_set_owner(mcp_transport *transport,
                              const mcpi_transport_owner *owner) {
  if (HAS_MEMBER(transport, internal)) {
    transport->internal = owner;
  }
}

const mcpi_transport_owner *
mcpi_transport_owner_of(const mcp_transport *transport) {
  return HAS_MEMBER(transport, internal) ? transport->internal : NULL;
}

int mcpi_transport_has_identity(const mcp_transport *transport) {
  return HAS_MEMBER(transport, identity) && transport->identity != NULL;
}

uint64_t mcpi_transport_identity(mcp_transport *transport) {
  return mcpi_transport_has_identity(transport) ? transport->identity(transport)
                                                : 0;
}

void mcpi_transport_set_on_waiting(mcp_transport *transport,
                                   void (*on_waiting)(mcp_transport *transport,
                                                      int32_t is_waiting)) {
  if (HAS_MEMBER(transport, on_waiting)) {
    transport->on_waiting = on_waiting;
  }
}

void mcpi_transport_set_on_lent(mcp_transport *transport,
                                void (*on_lent)(mcp_transport *transport,
                                                mcp_lent_message *message)) {
  if (HAS_MEMBER(transport, on_lent)) {
    transport->on_lent = on_lent;
  }
}

int mcpi_transport_check(const mcp_transport *transport, mcp_error *err) {
  if (transport == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the transport is NULL");
  }
  if (transport->size < offsetof(mcp_transport, internal)) {
    return mcp_error_set(
        err, MCP_ERR_INVALID,
        "the transport's size is %zu, not sizeof(mcp_transport)",
        transport->size);
  }
  if (transport->start == NULL || transport->send == NULL ||
      transport->close == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the transport lacks start, send or close");
  }
  return mcpi_check_reserved("mcp_transport.reserved", transport->reserved,
                             err);
}

int mcpi_transport_start_inner(mcp_transport *inner, void *owner,
                               const mcp_transport *events, mcp_error *err) {
  int rc = mcpi_transport_check(inner, err);
  if (rc != 0) {
    return rc;
  }
  inner->owner = owner;
  inner->on_message = events->on_message;
  inner->on_error = events->on_error;
  inner->on_close = events->on_close;
  inner->on_open = events->on_open;
  inner->on_restart = events->on_restart;
  inner->on_end = events->on_end;
  inner->on_request_failed = events->on_request_failed;
  inner->on_request_refused = events->on_request_refused;
  inner->is_waiting = events->is_waiting;
  mcpi_transport_set_on_waiting(inner, events->on_waiting);
  mcpi_transport_set_on_lent(inner, NULL); /* the outer one reads messages */
  return inner->start(inner, err);
}
