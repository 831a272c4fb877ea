/* SPDX-License-Identifier: MIT */
#ifndef MCP_TESTS_SOAK_UNTIL_EOF_H
#define MCP_TESTS_SOAK_UNTIL_EOF_H

#include <mcp/loop.h>

/* Runs the loop until the end of standard input. Returns 0, or -1 if there is
 * no thread that waits for it. */
int soak_run_until_eof(mcp_loop *loop);

#endif
