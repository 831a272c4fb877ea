/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

static int failures;

void report(const char *name, int is_good, const char *format, ...) {
  char why[512] = "";
  va_list args;
  if (is_good) {
    printf("ok %s\n", name);
    fflush(stdout); /* whoever ends it when it hangs sees how far it came */
    return;
  }
  va_start(args, format);
  vsnprintf(why, sizeof(why), format, args);
  va_end(args);
  printf("not ok %s: %s\n", name, why);
  failures++;
}

int report_status(void) {
  return failures == 0 ? 0 : 1;
}
