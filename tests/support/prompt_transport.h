/* SPDX-License-Identifier: MIT */
/* A transport around one end of a memory pair that reports its end inside
 * `close`, as the contract of mcp/transport.h permits. The library's own
 * transports over a loop report it later. */
#ifndef MCP_TESTS_PROMPT_TRANSPORT_H
#define MCP_TESTS_PROMPT_TRANSPORT_H

#include <mcp/transport.h>

/* `inner` is taken. Never NULL: it asserts that there is memory. */
mcp_transport *prompt_transport_new(mcp_transport *inner);

#endif
