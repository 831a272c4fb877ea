/* SPDX-License-Identifier: MIT */
#include "platform/memory.h"
#include "record/compare.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_difference(const char *pointer, const mcp_json *was,
                          const mcp_json *is, void *userdata) {
  char *was_text = was != NULL ? mcp_json_to_text(was, NULL) : NULL;
  char *is_text = is != NULL ? mcp_json_to_text(is, NULL) : NULL;
  fprintf(userdata, "%s:%s:%s\n", pointer, was_text != NULL ? was_text : "-",
          is_text != NULL ? is_text : "-");
  mcp_text_free(was_text);
  mcp_text_free(is_text);
}

static void expect_with(const char *was, const char *is,
                        const char *const *ignored, const char *differences) {
  mcp_doc *first = mcp_doc_parse(was, strlen(was), NULL, NULL, NULL);
  mcp_doc *second = mcp_doc_parse(is, strlen(is), NULL, NULL, NULL);
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  assert_int_equal(ctl_compare(mcp_doc_root(first), mcp_doc_root(second),
                               ignored, on_difference, out),
                   0);
  ctl_memory_close(out, &text, &len);
  assert_string_equal(text, differences);
  free(text);
  mcp_doc_free(first);
  mcp_doc_free(second);
}

static void expect(const char *was, const char *is, const char *differences) {
  static const char *const none[] = {NULL};
  expect_with(was, is, none, differences);
}

TEST(equal_values_do_not_differ) {
  expect("1", "1.0", "");
  expect("{\"a\":[1,{}],\"b\":null}", "{\"b\":null,\"a\":[1,{}]}", "");
}

TEST(differences_are_named_by_pointers) {
  expect("1", "2", ":1:2\n");
  expect("{\"a\":[1,2]}", "{\"a\":[1,3]}", "/a/1:2:3\n");
  expect("{\"a/b\":{\"c~d\":1}}", "{\"a/b\":{\"c~d\":\"1\"}}",
         "/a~1b/c~0d:1:\"1\"\n");
  expect("{\"\":1}", "{\"\":2}", "/:1:2\n");
  expect("{\"a\":{}}", "{\"a\":[]}", "/a:{}:[]\n");
}

TEST(missing_and_new_values_are_differences) {
  expect("{\"a\":1,\"b\":{\"c\":2}}", "{\"a\":1}", "/b:{\"c\":2}:-\n");
  expect("{\"a\":1}", "{\"a\":1,\"b\":null}", "/b:-:null\n");
  expect("[1,2]", "[1]", "/1:2:-\n");
  expect("[1]", "[1,2,3]", "/1:-:2\n/2:-:3\n");
}

TEST(times_do_not_differ) {
  expect("\"2026-11-27T18:41:22.807Z\"", "\"2025-01-02T03:04:05+01:00\"", "");
  expect("\"2026-11-27 18:41\"", "\"2025-01-02T03:04\"", "");
  expect("\"2026-11-27\"", "\"2025-01-02\"",
         ":\"2026-11-27\":\"2025-01-02\"\n");
  expect("\"2026-11-27T18:41\"", "\"now\"", ":\"2026-11-27T18:41\":\"now\"\n");
  expect("\"2026-11-27T18:4x\"", "\"2026-11-27T18:4y\"",
         ":\"2026-11-27T18:4x\":\"2026-11-27T18:4y\"\n");
}

TEST(pointers_can_be_ignored) {
  static const char *const one[] = {"/a/b", "/c/*/d", NULL};
  static const char *const all[] = {"", NULL};
  expect_with("{\"a\":{\"b\":[1],\"x\":1}}", "{\"a\":{\"b\":2,\"x\":2}}", one,
              "/a/x:1:2\n");
  expect_with("{\"c\":[{\"d\":1},{\"d\":1,\"e\":1}]}",
              "{\"c\":[{\"d\":2},{\"e\":2}]}", one, "/c/1/e:1:2\n");
  expect_with("{\"a\":{\"bc\":1},\"c\":{\"d\":1}}",
              "{\"a\":{\"bc\":2},\"c\":{\"d\":2}}", one,
              "/a/bc:1:2\n/c/d:1:2\n");
  expect_with("1", "2", all, "");
}
