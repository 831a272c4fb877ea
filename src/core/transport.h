/* SPDX-License-Identifier: MIT */
/* What the core asks of every transport. */
#ifndef MCPI_CORE_TRANSPORT_H
#define MCPI_CORE_TRANSPORT_H

#include <mcp/transport.h>

/* Whether a table, perhaps a program's own, has what it must have before it is
 * started. 0, or MCP_ERR_INVALID, and err says what is missing. */
int mcpi_transport_check(const mcp_transport *transport, mcp_error *err);

#endif
