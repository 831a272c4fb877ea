/* SPDX-License-Identifier: MIT */
#include "generate/names.h"

#include "support/cm.h"
#include <stdio.h>
#include <string.h>

static void expect(void (*make)(char out[CTL_NAME_SIZE], const char *name),
                   const char *name, const char *made) {
  char out[CTL_NAME_SIZE];
  make(out, name);
  assert_string_equal(out, made);
}

TEST(a_part_has_letters_digits_and_single_underscores) {
  expect(ctl_name_part, "a-b.c", "a_b_c");
  expect(ctl_name_part, "--a  b__c//", "a_b_c");
  expect(ctl_name_part, "\xe6\x97\xa5", "");
  expect(ctl_name_part, "", "");
  expect(ctl_name_upper, "a b", "A_B");
  expect(ctl_name_lower, "getUserById", "get_user_by_id");
  expect(ctl_name_lower, "HTTPServer", "httpserver");
  expect(ctl_name_lower, "A-B", "a_b");
}

TEST(a_long_name_is_cut) {
  char name[300];
  char out[CTL_NAME_SIZE];
  memset(name, 'a', sizeof(name));
  name[sizeof(name) - 1] = '\0';
  ctl_name_part(out, name);
  assert_int_equal(strlen(out), CTL_NAME_SIZE - 1);
  ctl_name_member(out, name);
  assert_true(ctl_name_is_usable(out));
  memset(name, 'A', sizeof(name) - 1);
  ctl_name_lower(out, name);
  assert_true(ctl_name_is_usable(out));
  for (size_t i = 1; i < 200; i += 2) {
    name[i] = '_';
  }
  ctl_name_lower(out, name);
  assert_true(ctl_name_is_usable(out));
}

TEST(numbers_after_a_name_go_on) {
  ctl_names names = {0};
  assert_int_equal(ctl_names_number(&names, "a"), 2);
  assert_false(ctl_names_has(&names, "a")); /* it is not taken by that */
  assert_int_equal(ctl_names_add(&names, "a"), 0);
  assert_true(ctl_names_has(&names, "a"));
  for (unsigned i = 3; i < 200; i++) {
    char other[16];
    snprintf(other, sizeof(other), "a_%u", i);
    assert_int_equal(ctl_names_number(&names, "a"), i);
    assert_int_equal(ctl_names_number(&names, other), 2);
    assert_false(ctl_names_has(&names, other));
  }
  ctl_names_deinit(&names);
}

TEST(a_member_keeps_its_name_if_it_can) {
  expect(ctl_name_member, "maxResults", "maxResults");
  expect(ctl_name_member, "a_b", "a_b");
  expect(ctl_name_member, "max-results", "max_results");
  expect(ctl_name_member, "class", "class_");
  expect(ctl_name_member, "int", "int_");
  expect(ctl_name_member, "linux", "linux_");
  expect(ctl_name_member, "2fa", "f_2fa");
  expect(ctl_name_member, "_x", "x");
  expect(ctl_name_member, "a__b", "a_b");
  expect(ctl_name_member, "_class", "class_");
  expect(ctl_name_member, "mcp_self_", "f_mcp_self");
  expect(ctl_name_member, "", "field");
  expect(ctl_name_member, "?", "field");
}

TEST(names_are_usable_or_not) {
  static const char *const bad[] = {"",         "1a",    "_a",  "a-b",
                                    "a__b",     "while", "new", "mcp_x",
                                    "MCP_NAME", "NULL"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_false(ctl_name_is_usable(bad[i]));
  }
  assert_true(ctl_name_is_usable("a"));
  assert_true(ctl_name_is_usable("While"));
}

TEST(words_and_names_of_types_are_reserved) {
  assert_true(ctl_name_is_reserved("static_cast"));
  assert_true(ctl_name_is_reserved("size_t"));
  assert_false(ctl_name_is_reserved("_t"));
  assert_false(ctl_name_is_reserved("start"));
  assert_false(ctl_name_is_reserved("server_add"));
}

TEST(a_set_finds_what_was_added) {
  ctl_names names = {0};
  char name[16];
  assert_false(ctl_names_has(&names, "a"));
  for (int i = 0; i < 1000; i++) {
    snprintf(name, sizeof(name), "n%d", i / 2);
    assert_int_equal(ctl_names_add(&names, name), 0);
  }
  assert_int_equal(names.count, 500);
  assert_true(ctl_names_has(&names, "n499"));
  assert_false(ctl_names_has(&names, "n500"));
  ctl_names_deinit(&names);
}
