/* SPDX-License-Identifier: MIT */
/* A check for tests: what the sender says about a message is what the message
 * itself says. */
#ifndef MCP_TESTS_KNOWN_H
#define MCP_TESTS_KNOWN_H

#include <mcp/transport.h>

/* Does nothing when the sender does not say what the message is. */
void assert_known(const char *message, size_t len, const mcp_send_info *info);

#endif
