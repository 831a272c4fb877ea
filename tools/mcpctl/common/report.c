/* SPDX-License-Identifier: MIT */
/* Messages to the user on standard error. */
#include "common/report.h"
#include "common/progress.h"
#include "common/term.h"
#include "common/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report_put_line(const char *line) {
  fflush(stdout); /* keeps the order when both streams go to one place */
  ctl_progress_clear();
  ctl_term_style(stderr, CTL_RED);
  fputs("mcpctl: ", stderr);
  ctl_term_style(stderr, CTL_PLAIN);
  ctl_text_put_line(stderr, line, SIZE_MAX);
  fputc('\n', stderr);
}

/* What was reported in this run, for the error as JSON. Owned. */
static char *error_line;
static char *note_lines;

static void report_keep(int code, const char *line) {
  char *longer = NULL;
  if (code != 0 && error_line == NULL) {
    error_line = strdup(line);
    return;
  }
  if (asprintf(&longer, "%s%s%s", note_lines != NULL ? note_lines : "",
               note_lines != NULL ? "\n" : "", line) >= 0) {
    free(note_lines);
    note_lines = longer;
  }
}

const char *ctl_report_error(void) {
  return error_line;
}

const char *ctl_report_notes(void) {
  return note_lines;
}

void ctl_report_forget(void) {
  free(error_line);
  free(note_lines);
  error_line = NULL;
  note_lines = NULL;
}

int ctl_report(int code, const char *format, ...) {
  char *line = NULL;
  va_list args;
  va_start(args, format);
  int len = vasprintf(&line, format, args);
  va_end(args);
  report_put_line(len >= 0 ? line : "out of memory");
  report_keep(code, len >= 0 ? line : "out of memory");
  free(len >= 0 ? line : NULL);
  return code;
}

void ctl_report_aside(const char *format, ...) {
  char *line = NULL;
  va_list args;
  va_start(args, format);
  int len = vasprintf(&line, format, args);
  va_end(args);
  report_put_line(len >= 0 ? line : "out of memory");
  free(len >= 0 ? line : NULL);
}
