/* SPDX-License-Identifier: MIT */
#include "common/nearest.h"

#include "support/cm.h"
#include <string.h>

static const char *const names[] = {"tools", "task", "tasks",
                                    "call",  "a",    NULL};

static const char *nearest_of(const char *word, size_t len) {
  ctl_nearest nearest;
  ctl_nearest_begin(&nearest, word, len);
  for (const char *const *name = names; *name != NULL; name++) {
    ctl_nearest_offer(&nearest, *name);
  }
  return nearest.name;
}

TEST(a_typing_fault_is_seen) {
  static const struct {
    const char *word;
    const char *name;
  } cases[] = {{"tools", "tools"}, {"tool", "tools"},   {"toools", "tools"},
               {"toals", "tools"}, {"otols", "tools"},  {"TOLS", "tools"},
               {"tsak", "task"},   {"taskss", "tasks"}, {"cal", "call"},
               {"tasl", "task"},   {"b", NULL},         {"", NULL},
               {"co", NULL},       {"resources", NULL}, {"tl", NULL}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char *name = nearest_of(cases[i].word, SIZE_MAX);
    if (cases[i].name == NULL) {
      assert_null(name);
    } else {
      assert_non_null(name);
      assert_string_equal(name, cases[i].name);
    }
  }
}

TEST(only_a_part_of_the_word_counts) {
  assert_string_equal(nearest_of("tols=3", 4), "tools");
  assert_null(nearest_of("tols=3", SIZE_MAX));
}

TEST(the_first_of_equally_near_names_wins) {
  ctl_nearest nearest;
  ctl_nearest_begin(&nearest, "cat", SIZE_MAX);
  ctl_nearest_offer(&nearest, "bat");
  ctl_nearest_offer(&nearest, "hat");
  assert_string_equal(nearest.name, "bat");
  ctl_nearest_offer(&nearest, "cat");
  assert_string_equal(nearest.name, "cat");
}

TEST(very_long_words_are_not_compared) {
  char word[66];
  ctl_nearest nearest;
  memset(word, 'x', sizeof(word));
  word[65] = '\0';
  ctl_nearest_begin(&nearest, word + 1, SIZE_MAX); /* 64 bytes */
  ctl_nearest_offer(&nearest, word);
  assert_null(nearest.name);
  ctl_nearest_offer(&nearest, word + 1);
  assert_ptr_equal(nearest.name, word + 1);
  ctl_nearest_begin(&nearest, word, SIZE_MAX);
  ctl_nearest_offer(&nearest, word + 1);
  assert_null(nearest.name);
}

int main(void) {
  return tests_run(NULL, NULL);
}
