/* SPDX-License-Identifier: MIT */
#include "common/exit.h"
#include "diff/changes.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

#define LONG "\"0123456789012345678901234567890123456789\""

static mcp_doc *parse(const char *text) {
  return text != NULL ? mcp_doc_parse(text, strlen(text), NULL, NULL, NULL)
                      : NULL;
}

/* Expects the words about a member "limit" or "icons"; `is_shown`: the values
 * are not in them. NULL: the value is not there. */
static void expect_member(int verdict, const char *member, const char *before,
                          const char *after, int is_shown, const char *words) {
  mcp_doc *was = parse(before);
  mcp_doc *is = parse(after);
  ctl_changes changes = {.kind = "tool"};
  const ctl_values values = {mcp_doc_root(was), mcp_doc_root(is)};
  ctl_changes_add_member(&changes, verdict, "/a", values, "the tool", member,
                         ", see");
  assert_int_equal(changes.count, 1);
  assert_false(changes.is_broken);
  assert_string_equal(changes.items[0].text, words);
  assert_string_equal(changes.items[0].path, "/a");
  assert_int_equal(changes.items[0].shows_values, is_shown);
  assert_int_equal(ctl_changes_worst(&changes), verdict);
  ctl_changes_deinit(&changes);
  mcp_doc_free(was);
  mcp_doc_free(is);
}

TEST(short_values_are_in_the_words) {
  expect_member(CTL_BREAKING, "limit", "1", "2", 0,
                "the tool has limit 2 instead of 1, see");
  expect_member(CTL_BREAKING, "limit", NULL, "{\"a\":[]}", 0,
                "the tool has the new limit {\"a\":[]}, see");
  expect_member(CTL_BREAKING, "limit", "null", NULL, 0,
                "the tool lost its limit null, see");
}

TEST(long_values_and_wording_are_shown_elsewhere) {
  expect_member(CTL_BREAKING, "limit", "1", LONG, 1,
                "the tool has another limit, see");
  expect_member(CTL_BREAKING, "icons", LONG, "1", 1,
                "the tool has other icons, see");
  expect_member(CTL_WORDING, "limit", NULL, "1", 1,
                "the tool has a new limit, see");
  expect_member(CTL_WORDING, "icons", NULL, "1", 1,
                "the tool has new icons, see");
  expect_member(CTL_WORDING, "limit", "1", NULL, 1,
                "the tool lost its limit, see");
  expect_member(CTL_WORDING, "", "1", "2", 1, "the tool has another , see");
}

TEST(the_worst_counts) {
  ctl_changes changes = {0};
  const ctl_values none = {NULL, NULL};
  assert_int_equal(ctl_changes_worst(&changes), CTL_OK);
  for (int i = 0; i < 100; i++) {
    ctl_changes_add(&changes, CTL_COMPATIBLE, "", none, "%d", i);
  }
  assert_int_equal(ctl_changes_worst(&changes), CTL_COMPATIBLE);
  ctl_changes_add(&changes, CTL_BREAKING, "", none, "x");
  ctl_changes_add(&changes, CTL_WORDING, "", none, "y");
  assert_int_equal(ctl_changes_worst(&changes), CTL_BREAKING);
  assert_int_equal(changes.count, 102);
  assert_string_equal(changes.items[99].text, "99");
  ctl_changes_deinit(&changes);
}

/* A comparison that has lost a difference must not end well. */
TEST(a_difference_without_a_path_is_lost) {
  ctl_changes changes = {0};
  const ctl_values none = {NULL, NULL};
  ctl_changes_add(&changes, CTL_BREAKING, NULL, none, "x");
  assert_true(changes.is_broken);
  assert_int_equal(changes.count, 0);
  ctl_changes_deinit(&changes);
}
