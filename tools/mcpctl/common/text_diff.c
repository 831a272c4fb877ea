/* SPDX-License-Identifier: MIT */
#include "common/text_diff.h"
#include "common/exit.h"
#include "common/line_diff.h"
#include "common/report.h"
#include "common/term.h"

#include <stdio.h>
#include <string.h>

/* Lines that are shown around a change. */
enum { CONTEXT = 3 };

/* A place in both texts. */
typedef struct place {
  size_t before;
  size_t after;
} place;

static int is_change(const ctl_lines *before, const ctl_lines *after,
                     place at) {
  return (at.before < before->count && before->list[at.before].is_changed) ||
         (at.after < after->count && after->list[at.after].is_changed);
}

static int is_end(const ctl_lines *before, place at) {
  return at.before == before->count;
}

/* Passes over all changes, or over a line that both texts have. */
static place next_place(const ctl_lines *before, const ctl_lines *after,
                        place at) {
  if (!is_change(before, after, at)) {
    return (place){at.before + 1, at.after + 1};
  }
  while (at.before < before->count && before->list[at.before].is_changed) {
    at.before++;
  }
  while (at.after < after->count && after->list[at.after].is_changed) {
    at.after++;
  }
  return at;
}

/* The end of a hunk that begins with a change: changes between which there are
 * few lines are in one. */
static place hunk_end(const ctl_lines *before, const ctl_lines *after,
                      place at) {
  place end = at;
  size_t same = 0;
  while (is_change(before, after, at) ||
         (!is_end(before, at) && same < CONTEXT * 2)) {
    int is_changed = is_change(before, after, at);
    at = next_place(before, after, at);
    same = is_changed ? 0 : same + 1;
    if (is_changed || same <= CONTEXT) {
      end = at;
    }
  }
  return end;
}

/* "3,4": lines 3 to 6. An empty range names the line before it. */
static void put_range(char sign, size_t first, size_t end) {
  size_t count = end - first;
  printf(" %c%zu", sign, first + (count > 0));
  if (count != 1) {
    printf(",%zu", count);
  }
}

static void put_line(char sign, const ctl_line *line) {
  putchar(sign);
  ctl_term_put(line->text, line->len);
  if (line->text[line->len - 1] != '\n') {
    fputs("\n\\ No newline at end of file\n", stdout);
  }
}

static void put_hunk(const ctl_lines *before, const ctl_lines *after, place at,
                     place end) {
  fputs("@@", stdout);
  put_range('-', at.before, end.before);
  put_range('+', at.after, end.after);
  puts(" @@");
  while (at.before < end.before || at.after < end.after) {
    place next = next_place(before, after, at);
    if (!is_change(before, after, at)) {
      put_line(' ', &before->list[at.before]);
    } else {
      for (size_t i = at.before; i < next.before; i++) {
        put_line('-', &before->list[i]);
      }
      for (size_t i = at.after; i < next.after; i++) {
        put_line('+', &after->list[i]);
      }
    }
    at = next;
  }
}

static void put_hunks(const ctl_lines *before, const ctl_lines *after) {
  place at = {0, 0};
  size_t same = 0; /* lines since the last hunk */
  while (!is_end(before, at) || is_change(before, after, at)) {
    if (!is_change(before, after, at)) {
      at = next_place(before, after, at);
      same++;
      continue;
    }
    size_t context = same < CONTEXT ? same : CONTEXT;
    place end = hunk_end(before, after, at);
    put_hunk(before, after, (place){at.before - context, at.after - context},
             end);
    at = end;
    same = 0;
  }
}

int ctl_text_diff_print(const char *name, const char *before,
                        const char *after) {
  ctl_lines old = {0};
  ctl_lines new = {0};
  int code = CTL_OK;
  ctl_term_put(name, strlen(name));
  fputs(":\n", stdout);
  if (ctl_lines_split(&old, before) != 0 || ctl_lines_split(&new, after) != 0 ||
      ctl_lines_compare(&old, &new) != 0) {
    code = ctl_report(CTL_USAGE, "out of memory");
  } else {
    put_hunks(&old, &new);
  }
  ctl_lines_deinit(&old);
  ctl_lines_deinit(&new);
  return code;
}
