/* SPDX-License-Identifier: MIT */
/* Myers, "An O(ND) Difference Algorithm and Its Variations", 1986.
 *
 * A way from (0, 0) to (n, m) changes the first n lines of one text into the
 * first m lines of the other: a step right removes a line, a step down adds
 * one, and diagonal steps, over lines that are the same, are free. Diagonal k
 * has the points whose x - y is k. The search knows, for each number of changes
 * d and each diagonal, the farthest x that d changes reach. It keeps all of
 * them, to find the way back. */
#include "common/line_diff.h"

#include <stdlib.h>
#include <string.h>

/* More changes are not searched for: each takes time and memory, and nobody
 * reads so many. */
enum { CHANGES_MAX = 1000 };

/* ---- lines ------------------------------------------------------------- */

static size_t count_lines(const char *text) {
  size_t count = 0;
  for (; *text != '\0'; text++) {
    count += *text == '\n' || text[1] == '\0';
  }
  return count;
}

int ctl_lines_split(ctl_lines *lines, const char *text) {
  size_t count = count_lines(text);
  *lines = (ctl_lines){.list = calloc(count + 1, sizeof(*lines->list))};
  if (lines->list == NULL) {
    return -1;
  }
  for (; lines->count < count; lines->count++) {
    size_t len = strcspn(text, "\n");
    len += text[len] == '\n';
    lines->list[lines->count] = (ctl_line){.text = text, .len = len};
    text += len;
  }
  return 0;
}

void ctl_lines_deinit(ctl_lines *lines) {
  free(lines->list);
}

static int is_same_line(const ctl_line *one, const ctl_line *other) {
  return one->len == other->len &&
         memcmp(one->text, other->text, one->len) == 0;
}

/* ---- the search -------------------------------------------------------- */

/* What is compared: the texts without their common beginning and end. */
typedef struct search {
  ctl_line *before;
  ctl_line *after;
  long n;
  long m;
  long
      *rows[CHANGES_MAX + 1]; /* of d: the farthest x of k = -d, -d + 2 ... d */
} search;

static long farthest(const search *self, long d, long k) {
  return self->rows[d][(k + d) / 2];
}

/* Whether the best way to diagonal k with d changes comes from k + 1, by a line
 * that is added. */
static int comes_from_above(const search *self, long d, long k) {
  return k == -d || (k != d && farthest(self, d - 1, k - 1) <
                                   farthest(self, d - 1, k + 1));
}

static long begin_of(const search *self, long d, long k) {
  if (d == 0) {
    return 0;
  }
  return comes_from_above(self, d, k) ? farthest(self, d - 1, k + 1)
                                      : farthest(self, d - 1, k - 1) + 1;
}

/* Finds the farthest points for d changes. Returns 1 if one is the end, -1 when
 * out of memory, else 0. */
static int search_row(search *self, long d) {
  self->rows[d] = calloc((size_t)d + 1, sizeof(*self->rows[d]));
  if (self->rows[d] == NULL) {
    return -1;
  }
  for (long k = -d; k <= d; k += 2) {
    long x = begin_of(self, d, k);
    while (x < self->n && x - k < self->m &&
           is_same_line(&self->before[x], &self->after[x - k])) {
      x++;
    }
    self->rows[d][(k + d) / 2] = x;
    if (x >= self->n && x - k >= self->m) {
      return 1;
    }
  }
  return 0;
}

/* Marks the changes on the way back from the end, which d changes reach. */
static void mark_way(search *self, long d) {
  long k = self->n - self->m;
  for (; d > 0; d--) {
    if (comes_from_above(self, d, k)) {
      k++;
      self->after[farthest(self, d - 1, k) - k].is_changed = 1;
    } else {
      k--;
      self->before[farthest(self, d - 1, k)].is_changed = 1;
    }
  }
}

static void mark_all(search *self) {
  for (long i = 0; i < self->n; i++) {
    self->before[i].is_changed = 1;
  }
  for (long i = 0; i < self->m; i++) {
    self->after[i].is_changed = 1;
  }
}

/* Leaves out what the texts begin and end with. */
static void search_begin(search *self, ctl_lines *before, ctl_lines *after) {
  size_t n = before->count;
  size_t m = after->count;
  size_t first = 0;
  while (first < n && first < m &&
         is_same_line(&before->list[first], &after->list[first])) {
    first++;
  }
  while (n > first && m > first &&
         is_same_line(&before->list[n - 1], &after->list[m - 1])) {
    n--;
    m--;
  }
  self->before = before->list + first;
  self->after = after->list + first;
  self->n = (long)(n - first);
  self->m = (long)(m - first);
}

int ctl_lines_compare(ctl_lines *before, ctl_lines *after) {
  search *self = calloc(1, sizeof(*self));
  int found = 0;
  long d = 0;
  if (self == NULL) {
    return -1;
  }
  search_begin(self, before, after);
  while (d <= CHANGES_MAX && (found = search_row(self, d)) == 0) {
    d++;
  }
  if (found > 0) {
    mark_way(self, d);
  } else if (found == 0) {
    mark_all(self);
  }
  for (long i = 0; i <= CHANGES_MAX; i++) {
    free(self->rows[i]);
  }
  free(self);
  return found < 0 ? -1 : 0;
}
