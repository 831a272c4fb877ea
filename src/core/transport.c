/* SPDX-License-Identifier: MIT */
/* What all transports have in common. */
#include "core/transport.h"

void mcp_transport_free(mcp_transport *transport) {
  if (transport != NULL && transport->release != NULL) {
    transport->release(transport);
  }
}

static int has_internal(const mcp_transport *transport) {
  return transport->size >=
         offsetof(mcp_transport, internal) + sizeof(transport->internal);
}

void mcpi_transport_set_owner(mcp_transport *transport,
                              const mcpi_transport_owner *owner) {
  if (has_internal(transport)) {
    transport->internal = owner;
  }
}

const mcpi_transport_owner *
mcpi_transport_owner_of(const mcp_transport *transport) {
  return has_internal(transport) ? transport->internal : NULL;
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
  return 0;
}
