/* SPDX-License-Identifier: MIT */
/* Makes a transport speak the mcp-core dialect, as client or as server. */
#include "base/error.h"
#include "core/transport.h"
#include "wires/mcp_core/adapter.h"
#include "wires/mcp_core/request.h"

static int dialect_form(uint32_t dialect) {
  switch (dialect) {
  case MCP_DIALECT_MCP_CORE_BARE:
    return MCPI_TOOL_BARE;
  case MCP_DIALECT_MCP_CORE_RPC:
    return MCPI_TOOL_ENVELOPE;
  default:
    return MCPI_TOOL_FRAME;
  }
}

int mcpi_dialect_check(uint32_t dialect, mcp_error *err) {
  if (dialect > MCP_DIALECT_MCP_CORE_RPC) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "dialect: %lu is not a dialect; use a value of "
                         "MCP_DIALECT_*",
                         (unsigned long)dialect);
  }
  return 0;
}

static mcpi_adapter *adapter_new(mcp_loop *loop, mcp_transport *inner,
                                 uint32_t dialect, int is_server,
                                 mcp_error *err) {
  mcpi_adapter *adapter;
  if (is_server) {
    adapter = mcpi_adapter_server_new(loop, inner);
  } else {
    adapter = mcpi_adapter_client_new(loop, inner, dialect_form(dialect));
  }
  if (adapter == NULL) {
    mcpi_no_memory(err);
  }
  return adapter;
}

mcp_transport *mcp_transport_dialect(mcp_loop *loop, mcp_transport *inner,
                                     uint32_t dialect, int is_server,
                                     mcp_error *err) {
  mcpi_adapter *adapter = NULL;
  if (inner != NULL && dialect == MCP_DIALECT_MCP) {
    return inner;
  }
  if (loop == NULL || inner == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "loop or inner is NULL");
  } else if (mcpi_dialect_check(dialect, err) == 0) {
    adapter = adapter_new(loop, inner, dialect, is_server, err);
  }
  if (adapter == NULL) {
    mcp_transport_free(inner);
    return NULL;
  }
  return &adapter->transport;
}

mcp_transport *mcpi_server_wire(mcp_loop *loop, mcp_transport *wire,
                                mcp_trace_cb on_trace, void *userdata,
                                uint32_t dialect, const mcpi_share *like,
                                mcp_error *err) {
  if (wire != NULL && on_trace != NULL) {
    wire = mcp_transport_trace(loop, wire, on_trace, userdata, err);
  }
  if (wire != NULL) {
    wire = mcp_transport_dialect(loop, wire, dialect, 1, err);
  }
  if (wire != NULL && dialect != MCP_DIALECT_MCP && like != NULL) {
    mcpi_adapter_server_count(wire->userdata, like);
  }
  return wire;
}
