/* SPDX-License-Identifier: MIT */
/* Shows progress on standard error: a bar on a terminal, lines elsewhere. */
#include "progress.h"
#include "term.h"
#include "text.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { BAR_COLUMNS = 24 };

/* Whether the terminal's last line has a bar. There is one standard error, so
 * there is one bar. */
static int is_shown;

static void progress_put_bar(double fraction) {
  int full = (int)(fraction * BAR_COLUMNS + 0.5);
  ctl_term_style(stderr, CTL_GREEN);
  for (int i = 0; i < full; i++) {
    fputs("█", stderr);
  }
  ctl_term_style(stderr, CTL_DIM);
  for (int i = full; i < BAR_COLUMNS; i++) {
    fputs("░", stderr);
  }
  ctl_term_style(stderr, CTL_PLAIN);
}

/* Prints "50/100", or "50" while the total is unknown. Returns the columns. */
static size_t put_count(double progress, double total) {
  int len = total > 0 ? fprintf(stderr, "%.15g/%.15g", progress, total)
                      : fprintf(stderr, "%.15g", progress);
  return len < 0 ? 0 : (size_t)len;
}

static double fraction_of(double progress, double total) {
  double fraction = progress / total;
  if (!(fraction > 0)) {
    return 0;
  }
  return fraction < 1 ? fraction : 1;
}

/* Draws the bar in one line: ctl_progress_clear erases only the last one. */
static void draw(double progress, double total, const char *message) {
  size_t width = ctl_term_width(stderr);
  size_t used = 0;
  ctl_progress_clear();
  is_shown = 1;
  if (total > 0 && width > BAR_COLUMNS * 2) {
    progress_put_bar(fraction_of(progress, total));
    fputc(' ', stderr);
    used = BAR_COLUMNS + 1;
  }
  used += put_count(progress, total);
  if (message != NULL && used + 2 < width) {
    fputc(' ', stderr);
    ctl_text_put_line(stderr, message, width - used - 2);
  }
  fflush(stderr);
}

/* Limits the lines to one for each tenth of the total, or one for each second
 * without a total: a server may report each file of a disk. */
static int is_worth_a_line(double progress, double total) {
  static int64_t last = -1;
  int64_t step = total > 0 ? (int64_t)(fraction_of(progress, total) * 10)
                           : (int64_t)time(NULL);
  int is_new = step != last;
  last = step;
  return is_new;
}

static void progress_put_plain(double progress, double total,
                               const char *message) {
  put_count(progress, total);
  if (message != NULL) {
    fputc(' ', stderr);
    ctl_text_put_line(stderr, message, 200);
  }
  fputc('\n', stderr);
}

void ctl_progress_show(double progress, double total, const char *message,
                       int is_verbose) {
  if (ctl_term_is_terminal(stderr)) {
    draw(progress, total, message);
  } else if (is_verbose && is_worth_a_line(progress, total)) {
    progress_put_plain(progress, total, message);
  }
}

void ctl_progress_clear(void) {
  if (is_shown) {
    fputs("\r\x1b[K", stderr);
    fflush(stderr);
    is_shown = 0;
  }
}
