/* SPDX-License-Identifier: MIT */
#include "common/rewrite.h"

#include "support/cm.h"

#include <stdlib.h>
#include <string.h>

static void expect(const char *before, const ctl_rewrite *changes, size_t count,
                   const char *after) {
  mcp_doc *doc = mcp_doc_parse(before, strlen(before), NULL, NULL, NULL);
  char *text = ctl_rewrite_text(mcp_doc_root(doc), changes, count);
  assert_string_equal(text, after);
  free(text);
  mcp_doc_free(doc);
}

TEST(members_at_any_depth_get_a_value) {
  const ctl_rewrite changes[] = {{{"id", NULL}, "7"},
                                 {{"a", "b", "c", "d"}, "\"x\""},
                                 {{"a", "e", NULL}, "[1]"}};
  expect("{\"id\":1,\"a\":{\"id\":2,\"b\":{\"c\":{\"d\":3,\"id\":4}},"
         "\"e\":{}},\"d\":5}",
         changes, 3,
         "{\"id\":7,\"a\":{\"id\":2,\"b\":{\"c\":{\"d\":\"x\",\"id\":4}},"
         "\"e\":[1]},\"d\":5}");
}

TEST(what_is_not_there_stays_away) {
  const ctl_rewrite changes[] = {{{"id", NULL}, "7"}, {{"a", "b", NULL}, "8"}};
  expect("{\"a\":[{\"b\":1}],\"b\":2}", changes, 2,
         "{\"a\":[{\"b\":1}],\"b\":2}");
  expect("{\"a\":{\"c\":1},\"idx\":2}", changes, 2,
         "{\"a\":{\"c\":1},\"idx\":2}");
}

TEST(a_change_without_a_value_is_none) {
  const ctl_rewrite change = {{"id", NULL}, NULL};
  expect("{\"id\":1}", &change, 1, "{\"id\":1}");
  expect("{\"id\":1}", NULL, 0, "{\"id\":1}");
}

TEST(numbers_and_texts_stay_as_they_are) {
  const ctl_rewrite change = {{"id", NULL}, "2"};
  expect("{\"n\":12345678901234567890,\"t\":\"\\u0000\\u00e9\",\"id\":1}",
         &change, 1,
         "{\"n\":12345678901234567890,\"t\":\"\\u0000\xc3\xa9\",\"id\":2}");
}
