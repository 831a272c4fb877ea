/* SPDX-License-Identifier: MIT */
/* This libmcp was built without the mcp-core dialect (MCP_CORE_DIALECT). */
#include "core/transport.h"

static int no_dialect_refuse(mcp_error *err) {
  return mcp_error_set(
      err, MCP_ERR_UNSUPPORTED,
      "this libmcp was built without the mcp-core dialect (MCP_CORE_DIALECT)");
}

int mcpi_dialect_check(uint32_t dialect, mcp_error *err) {
  return dialect == MCP_DIALECT_MCP ? 0 : no_dialect_refuse(err);
}

mcp_transport *mcp_transport_dialect(mcp_loop *loop, mcp_transport *inner,
                                     uint32_t dialect, int is_server,
                                     mcp_error *err) {
  (void)is_server;
  if (inner != NULL && dialect == MCP_DIALECT_MCP) {
    return inner;
  }
  if (loop == NULL || inner == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "loop or inner is NULL");
  } else {
    no_dialect_refuse(err);
  }
  mcp_transport_free(inner);
  return NULL;
}

/* --- for servers ---------------------------------------------------------- */

mcp_transport *mcpi_server_wire(mcp_loop *loop, mcp_transport *wire,
                                mcp_trace_cb on_trace, void *userdata,
                                uint32_t dialect, const mcpi_share *like,
                                mcp_error *err) {
  (void)like;
  if (wire != NULL && on_trace != NULL) {
    wire = mcp_transport_trace(loop, wire, on_trace, userdata, err);
  }
  if (wire == NULL) {
    return NULL;
  }
  return mcp_transport_dialect(loop, wire, dialect, 1, err);
}
