/* SPDX-License-Identifier: MIT */
/* How our clients report their tests: relayProgram of our-client.mjs reads
 * these lines. */
#ifndef MCP_INTEROP_REPORT_H
#define MCP_INTEROP_REPORT_H

#include <mcp/export.h>

/* Prints a line: "ok NAME", or "not ok NAME: " with the formatted reason. */
void report(const char *name, int is_good, const char *format, ...)
    MCP_PRINTF(3, 4);

/* Returns the exit status of the program: 0, or 1 if a test has failed. */
int report_status(void);

#endif
