/* SPDX-License-Identifier: MIT */
/* Text of a format. */
#ifndef CTL_FORMAT_H
#define CTL_FORMAT_H

#include <mcp/error.h>
#include <stdarg.h>
#include <stdio.h>

/* Returns the text that printf would print; owned: end it with free. NULL: out
 * of memory. */
MCP_PRINTF(1, 2) static inline char *ctl_format(const char *format, ...) {
  va_list args;
  char *text = NULL;
  va_start(args, format);
  int len = vasprintf(&text, format, args);
  va_end(args);
  return len >= 0 ? text : NULL;
}

#endif
