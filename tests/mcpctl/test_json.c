/* SPDX-License-Identifier: MIT */
#include "common/json.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

static void expect_typed(const char *text, const char *json) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  assert_int_equal(ctl_json_put_typed(builder, NULL, text), 0);
  assert_string_equal(mcp_builder_text(builder, NULL), json);
  mcp_builder_free(builder);
}

TEST(typed_text_becomes_json) {
  expect_typed("", "\"\"");
  expect_typed("a\"\n", "\"a\\\"\\n\"");
  expect_typed("gr\xc3\xb6\xc3\x9f"
               "e",
               "\"gr\xc3\xb6\xc3\x9f"
               "e\"");
  expect_typed("\xff", "\"\\\\xff\"");
  expect_typed("a\xc3", "\"a\\\\xc3\"");
  expect_typed("\xed\xa0\x80", "\"\\\\xed\\\\xa0\\\\x80\"");
}

/* The line of a program that is not a server may be as long. */
TEST(a_long_text_takes_no_time_of_its_own) {
  enum { LEN = 16 * 1024 * 1024 };
  char *text = malloc(LEN + 1);
  size_t len = 0;
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  memset(text, 'a', LEN);
  text[LEN] = '\0';
  assert_int_equal(ctl_json_put_typed(builder, NULL, text), 0);
  assert_non_null(mcp_builder_text(builder, &len));
  assert_int_equal(len, LEN + 2);
  mcp_builder_free(builder);
  free(text);
}
