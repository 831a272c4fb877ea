/* SPDX-License-Identifier: MIT */
/* Messages to the user on standard error. */
#ifndef CTL_REPORT_H
#define CTL_REPORT_H

#include <mcp/export.h>

/* Prints "mcpctl: ..." as one line, neutralised. Returns `code`, so that a
 * function can end in `return ctl_report(CTL_USAGE, "...", ...)`. */
int ctl_report(int code, const char *format, ...) MCP_PRINTF(2, 3);

#endif
