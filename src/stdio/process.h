/* SPDX-License-Identifier: MIT */
#ifndef MCPI_STDIO_PROCESS_H
#define MCPI_STDIO_PROCESS_H

#include <mcp/transport.h>

/* A child that ends before it has sent anything is started again, once, in
 * addition to max_restarts: some legacy servers exit when they get the era
 * probe (MCP 2026-07-28, stdio: Backward Compatibility). For a transport of
 * mcp_transport_process. */
void mcpi_process_forgive_silent_death(mcp_transport *transport);

#endif
