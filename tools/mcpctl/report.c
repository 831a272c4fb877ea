/* SPDX-License-Identifier: MIT */
/* Messages to the user on standard error. */
#include "report.h"
#include "progress.h"
#include "term.h"
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void report_put_line(const char *line) {
  fflush(stdout); /* keeps the order when both streams go to one place */
  ctl_progress_clear();
  ctl_term_style(stderr, CTL_RED);
  fputs("mcpctl: ", stderr);
  ctl_term_style(stderr, CTL_PLAIN);
  ctl_text_put_line(stderr, line, SIZE_MAX);
  fputc('\n', stderr);
}

int ctl_report(int code, const char *format, ...) {
  char *line = NULL;
  va_list args;
  va_start(args, format);
  int len = vasprintf(&line, format, args);
  va_end(args);
  report_put_line(len >= 0 ? line : "out of memory");
  free(len >= 0 ? line : NULL);
  return code;
}
