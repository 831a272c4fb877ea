/* SPDX-License-Identifier: MIT */
#include "common/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LEN = 64 };

void ctl_nearest_begin(ctl_nearest *nearest, const char *word, size_t len) {
  *nearest =
      (ctl_nearest){.word = word, .word_len = strnlen(word, len), .sign = ""};
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Apart from the case of a letter. */
static int is_same(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The number of typing faults between two words: a byte too many, too few or
 * another one, or two neighbours in the wrong order. rows[i % 3][j] is the
 * number for the first i bytes of `a` and the first j of `b`. */
static size_t count_faults(const char *a, size_t a_len, const char *b,
                           size_t b_len) {
  size_t rows[3][MAX_LEN + 1];
  for (size_t j = 0; j <= b_len; j++) {
    rows[0][j] = j;
  }
  for (size_t i = 1; i <= a_len; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i - 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_len; j++) {
      row[j] = above[j - 1] + !is_same(a[i - 1], b[j - 1]);
      row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) &&
          is_same(a[i - 2], b[j - 1])) {
        row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
      }
    }
  }
  return rows[a_len % 3][b_len];
}

/* A third of the word may be wrong, so that a hint is seldom foolish. */
void ctl_nearest_offer(ctl_nearest *nearest, const char *name) {
  size_t len = strlen(name);
  if (nearest->word_len > MAX_LEN || len > MAX_LEN) {
    return;
  }
  size_t faults = count_faults(nearest->word, nearest->word_len, name, len);
  size_t longer = len > nearest->word_len ? len : nearest->word_len;
  if (faults * 3 <= longer &&
      (nearest->name == NULL || faults < nearest->faults)) {
    nearest->name = name;
    nearest->faults = faults;
  }
}

const char *ctl_nearest_ending(const ctl_nearest *nearest,
                               const char *otherwise,
                               char out[CTL_ENDING_SIZE]) {
  if (nearest->name == NULL) {
    return otherwise;
  }
  snprintf(out, CTL_ENDING_SIZE, "; did you mean '%s%s'?", nearest->sign,
           nearest->name);
  return out;
}
