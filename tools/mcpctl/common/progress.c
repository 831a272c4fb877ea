/* SPDX-License-Identifier: MIT */
/* Shows progress on standard error: a bar on a terminal, lines elsewhere. */
#include "common/progress.h"
#include "common/term.h"
#include "common/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BAR_COLUMNS = 24 };

/* Whether the terminal's last line has a bar, or is marked. There is one
 * standard error, so there is one bar. */
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

/* Prints "50/100", or "50" while the total is unknown. Words alone have no
 * numbers. Returns the columns. */
static size_t put_count(double progress, double total, const char *message) {
  if (progress == 0 && total == 0 && message != NULL) {
    return 0;
  }
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
  used += put_count(progress, total, message);
  if (message != NULL && used + 2 < width) {
    fputs(used > 0 ? " " : "", stderr);
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
  size_t used = put_count(progress, total, message);
  if (message != NULL) {
    fputs(used > 0 ? " " : "", stderr);
    ctl_text_put_line(stderr, message, 200);
  }
  fputc('\n', stderr);
}

/* The status of a task is words alone. They may end with numbers, as in
 * "reading (3 of 10)" or "3 of 10": returns the length of what is before. */
static size_t take_count(const char *message, double *progress, double *total) {
  size_t len = strlen(message);
  size_t at = len;
  int used = 0;
  while (at > 0 && strchr("0123456789. of)", message[at - 1]) != NULL) {
    at--;
  }
  at += strspn(message + at, " of).");
  if (sscanf(message + at, "%lf of %lf%n", progress, total, &used) != 2 ||
      (message[at + used] != '\0' && strcmp(message + at + used, ")") != 0)) {
    *progress = 0;
    *total = 0;
    return len;
  }
  while (at > 0 && strchr(" (", message[at - 1]) != NULL) {
    at--;
  }
  return at;
}

void ctl_progress_show(double progress, double total, const char *message,
                       int is_verbose) {
  char words[200];
  if (progress == 0 && total == 0 && message != NULL) {
    size_t len = take_count(message, &progress, &total);
    snprintf(words, sizeof(words), "%.*s", (int)len, message);
    message = len > 0 ? words : NULL;
  }
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

void ctl_progress_mark(void) {
  is_shown = 1;
}

int ctl_progress_is_shown(void) {
  return is_shown;
}
