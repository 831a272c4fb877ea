/* SPDX-License-Identifier: MIT */
/* Messages to the user on standard error. */
#include "report.h"
#include "progress.h"
#include "term.h"
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

int ctl_report(int code, const char *format, ...) {
  char line[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof(line), format, args);
  va_end(args);

  fflush(stdout); /* both may go to one place: what came first stands first */
  ctl_progress_clear();
  ctl_term_style(stderr, CTL_RED);
  fputs("mcpctl: ", stderr);
  ctl_term_style(stderr, CTL_PLAIN);
  ctl_text_put_line(stderr, line, SIZE_MAX);
  fputc('\n', stderr);
  return code;
}
