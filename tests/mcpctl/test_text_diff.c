/* SPDX-License-Identifier: MIT */
/* The printed forms are those of the program diff. */
#include "common/line_diff.h"
#include "common/text_diff.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char output[1 << 16];

/* What ctl_text_diff_print prints, after the name. */
static const char *printed(const char *before, const char *after) {
  char path[] = "/tmp/mcpctl-diff-XXXXXX";
  int file = mkstemp(path);
  int saved = dup(STDOUT_FILENO);
  fflush(stdout);
  assert_true(dup2(file, STDOUT_FILENO) >= 0);
  assert_int_equal(ctl_text_diff_print("x", before, after), 0);
  fflush(stdout);
  assert_true(dup2(saved, STDOUT_FILENO) >= 0);
  ssize_t len = pread(file, output, sizeof(output) - 1, 0);
  assert_true(len >= 3);
  output[len] = '\0';
  close(saved);
  close(file);
  unlink(path);
  assert_memory_equal(output, "x:\n", 3);
  return output + 3;
}

TEST(a_change_has_lines_around_it) {
  (void)state;
  assert_string_equal(
      printed("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nE\nf\ng\nh\n"),
      "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n");
}

TEST(texts_may_begin_and_end_anywhere) {
  (void)state;
  assert_string_equal(printed("", "a\n"), "@@ -0,0 +1 @@\n+a\n");
  assert_string_equal(printed("a\nb\n", ""), "@@ -1,2 +0,0 @@\n-a\n-b\n");
  assert_string_equal(printed("a\n", "a\nb"),
                      "@@ -1 +1,2 @@\n a\n+b\n\\ No newline at end of file\n");
  assert_string_equal(printed("a", "a\n"),
                      "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  assert_string_equal(printed("a\n", "a\n"), "");
  assert_string_equal(printed("", ""), "");
}

TEST(changes_that_are_near_are_shown_together) {
  (void)state;
  assert_string_equal(
      printed("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n"),
      "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
  assert_string_equal(
      printed("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n"),
      "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
      "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

/* A text of short lines, some of which are the same. */
static void make_text(char *text, unsigned *seed) {
  int count = rand_r(seed) % 40;
  for (int i = 0; i < count; i++) {
    *text++ = (char)('a' + rand_r(seed) % 4);
    *text++ = '\n';
  }
  *text = '\0';
}

/* The length of the longest common subsequence, in lines. */
static size_t count_common(const ctl_lines *one, const ctl_lines *other) {
  static size_t best[64][64];
  for (size_t i = one->count + 1; i-- > 0;) {
    for (size_t k = other->count + 1; k-- > 0;) {
      if (i == one->count || k == other->count) {
        best[i][k] = 0;
      } else if (one->list[i].text[0] == other->list[k].text[0]) {
        best[i][k] = best[i + 1][k + 1] + 1;
      } else {
        best[i][k] =
            best[i + 1][k] > best[i][k + 1] ? best[i + 1][k] : best[i][k + 1];
      }
    }
  }
  return best[0][0];
}

/* The lines that are not marked are the same in both, and as many as
 * possible. */
TEST(the_fewest_lines_are_marked) {
  unsigned seed = 1;
  (void)state;
  for (int run = 0; run < 2000; run++) {
    char texts[2][128];
    ctl_lines lines[2];
    size_t k = 0;
    size_t same = 0;
    make_text(texts[0], &seed);
    make_text(texts[1], &seed);
    assert_int_equal(ctl_lines_split(&lines[0], texts[0]), 0);
    assert_int_equal(ctl_lines_split(&lines[1], texts[1]), 0);
    assert_int_equal(ctl_lines_compare(&lines[0], &lines[1]), 0);
    for (size_t i = 0; i < lines[0].count; i++) {
      if (!lines[0].list[i].is_changed) {
        while (lines[1].list[k].is_changed) {
          k++;
        }
        assert_int_equal(lines[0].list[i].text[0], lines[1].list[k].text[0]);
        k++;
        same++;
      }
    }
    while (k < lines[1].count) {
      assert_true(lines[1].list[k++].is_changed);
    }
    assert_int_equal(same, count_common(&lines[0], &lines[1]));
    ctl_lines_deinit(&lines[0]);
    ctl_lines_deinit(&lines[1]);
  }
}

TEST(very_many_changes_replace_everything_between_them) {
  enum { LINES = 1200 };
  static char texts[2][LINES * 8 + 16];
  ctl_lines lines[2];
  char *ends[2] = {texts[0], texts[1]};
  (void)state;
  for (int t = 0; t < 2; t++) {
    ends[t] += sprintf(ends[t], "first\n");
    for (int i = 0; i < LINES; i++) {
      ends[t] += sprintf(ends[t], "%d\n", i * 2 + (i % 2 == 0 ? 0 : t));
    }
    sprintf(ends[t], "last\n");
    assert_int_equal(ctl_lines_split(&lines[t], texts[t]), 0);
  }
  assert_int_equal(ctl_lines_compare(&lines[0], &lines[1]), 0);
  assert_false(lines[0].list[0].is_changed);
  assert_false(lines[0].list[1].is_changed); /* the first that is the same */
  assert_true(lines[0].list[3].is_changed);
  assert_false(lines[1].list[LINES + 1].is_changed);
  ctl_lines_deinit(&lines[0]);
  ctl_lines_deinit(&lines[1]);
}

int main(void) {
  return tests_run(NULL, NULL);
}
