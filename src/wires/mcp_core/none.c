/* SPDX-License-Identifier: MIT */
/* This libmcp was built without the mcp-core dialect (MCP_CORE_DIALECT). */
#include "core/loop.h"
#include "core/transport.h"

static int no_dialect_refuse(mcp_error *err) {
  return mcp_error_set(
      err, MCP_ERR_UNSUPPORTED,
      "this libmcp was built without the mcp-core dialect (MCP_CORE_DIALECT)");
}

int mcpi_dialect_check(uint32_t dialect, mcp_error *err) {
  return dialect == MCP_DIALECT_MCP ? 0 : no_dialect_refuse(err);
}

/* --- a transport that does not start -------------------------------------- */

typedef struct refused {
  mcp_transport base;
  mcp_allocator allocator;
} refused;

static int no_dialect_start(mcp_transport *transport, mcp_error *err) {
  (void)transport;
  return no_dialect_refuse(err);
}

static int no_dialect_send(mcp_transport *transport, const char *message,
                           size_t len, const mcp_send_info *info) {
  (void)transport;
  (void)message;
  (void)len;
  (void)info;
  return MCP_ERR_CLOSED;
}

static void no_dialect_close(mcp_transport *transport) {
  (void)transport;
}

static void no_dialect_release(mcp_transport *transport) {
  refused *self = transport->userdata;
  const mcp_allocator allocator = self->allocator;
  mcpi_free(&allocator, self, sizeof(*self));
}

mcp_transport *mcp_transport_dialect(mcp_loop *loop, mcp_transport *inner,
                                     uint32_t dialect, int is_server) {
  (void)is_server;
  if (inner != NULL && dialect == MCP_DIALECT_MCP) {
    return inner;
  }
  mcp_transport_free(inner);
  if (loop == NULL || inner == NULL) {
    return NULL;
  }
  refused *self = mcpi_calloc(&loop->allocator, 1, sizeof(*self));
  if (self == NULL) {
    return NULL;
  }
  self->allocator = loop->allocator;
  self->base = (mcp_transport){.size = sizeof(mcp_transport),
                               .userdata = self,
                               .start = no_dialect_start,
                               .send = no_dialect_send,
                               .close = no_dialect_close,
                               .release = no_dialect_release};
  return &self->base;
}

/* --- for servers ---------------------------------------------------------- */

mcp_transport *mcpi_server_wire(mcp_loop *loop, mcp_transport *wire,
                                mcp_trace_cb on_trace, void *userdata,
                                uint32_t dialect, const mcpi_share *like) {
  (void)like;
  if (wire != NULL && on_trace != NULL) {
    wire = mcp_transport_trace(loop, wire, on_trace, userdata);
  }
  return wire != NULL ? mcp_transport_dialect(loop, wire, dialect, 1) : NULL;
}
