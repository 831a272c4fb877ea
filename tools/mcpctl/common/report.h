/* SPDX-License-Identifier: MIT */
/* Messages to the user on standard error. */
#ifndef CTL_REPORT_H
#define CTL_REPORT_H

#include <mcp/export.h>

/* Prints "mcpctl: ..." as one line, neutralised. Returns `code`, so that a
 * function can end in `return ctl_report(CTL_USAGE, "...", ...)`. */
int ctl_report(int code, const char *format, ...) MCP_PRINTF(2, 3);

/* Prints the same for what belongs to no error, such as a log message. */
void ctl_report_aside(const char *format, ...) MCP_PRINTF(1, 2);

/* The first line that ctl_report printed with a code that is not 0; NULL: there
 * was none. */
const char *ctl_report_error(void);
/* All other lines of ctl_report, with line feeds between them; NULL: there were
 * none. */
const char *ctl_report_notes(void);
/* Forgets all of these. */
void ctl_report_forget(void);

#endif
