/* SPDX-License-Identifier: MIT */
#include "common/members.h"
#include "platform/memory.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_value(FILE *out, const char *label, const mcp_json *value) {
  char *text = mcp_json_to_text(value, NULL);
  fprintf(out, " %s %s", label, text != NULL ? text : "-");
  mcp_text_free(text);
}

/* Expects the members in order, as "name was VALUE is VALUE;". NULL: there is
 * no such object. */
static void expect(const char *before, const char *after, const char *members) {
  mcp_doc *was = before != NULL
                     ? mcp_doc_parse(before, strlen(before), NULL, NULL, NULL)
                     : NULL;
  mcp_doc *is = after != NULL
                    ? mcp_doc_parse(after, strlen(after), NULL, NULL, NULL)
                    : NULL;
  char *found = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&found, &len);
  ctl_members walk;
  ctl_values values;
  const char *name;
  ctl_members_begin(&walk, (ctl_values){mcp_doc_root(was), mcp_doc_root(is)});
  while ((name = ctl_members_next(&walk, &values)) != NULL) {
    fputs(name, out);
    put_value(out, "was", values.before);
    put_value(out, "is", values.after);
    fputc(';', out);
  }
  assert_null(ctl_members_next(&walk, &values));
  ctl_memory_close(out, &found, &len);
  assert_string_equal(found, members);
  free(found);
  mcp_doc_free(was);
  mcp_doc_free(is);
}

TEST(old_members_come_first) {
  expect("{\"b\":1,\"a\":2}", "{\"c\":3,\"a\":4}",
         "b was 1 is -;a was 2 is 4;c was - is 3;");
  expect("{\"a\":null}", "{\"a\":null}", "a was null is null;");
  expect("{}", "{}", "");
}

TEST(only_one_object) {
  expect(NULL, "{\"a\":1}", "a was - is 1;");
  expect("{\"a\":1}", NULL, "a was 1 is -;");
  expect(NULL, NULL, "");
}

TEST(other_values_have_no_members) {
  expect("{\"a\":1}", "[2]", "a was 1 is -;");
  expect("[2]", "{\"a\":1}", "a was - is 1;");
  expect("[1,2]", "[3]", "");
  expect("\"a\"", "{\"a\":1}", "a was - is 1;");
}

static void expect_path(const char *path, const char *name,
                        const char *joined) {
  char *found = ctl_members_path(path, name);
  assert_string_equal(found, joined);
  free(found);
}

TEST(paths) {
  expect_path("", "a", "/a");
  expect_path("/a", "", "/a/");
  expect_path("/a", "/~/~", "/a/~1~0~1~0");
  expect_path("", "\xff", "/\xff");
}
