/* SPDX-License-Identifier: MIT */
#include "common/file.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect_place(const char *text, size_t offset, size_t line,
                         size_t column) {
  ctl_place place = ctl_file_place(text, strlen(text), offset);
  assert_int_equal(place.line, line);
  assert_int_equal(place.column, column);
}

TEST(places) {
  expect_place("", 0, 1, 1);
  expect_place("abc", 2, 1, 3);
  expect_place("abc", 3, 1, 4);
  expect_place("abc", 9, 1, 4);
  expect_place("a\nbc", 1, 1, 2);
  expect_place("a\nbc", 2, 2, 1);
  expect_place("a\r\n\nbc", 5, 3, 2);
}

TEST(columns_are_characters) {
  expect_place("é日x", 5, 1, 3);
  expect_place("é日x", 2, 1, 2);
}

TEST(what_is_not_json) {
  static const char text[] = "{\n  \"é\": ?\n}";
  mcp_doc *doc = NULL;
  mcp_error err = {0};
  assert_int_equal(ctl_file_parse(&doc, text, strlen(text), &err),
                   MCP_ERR_PARSE);
  assert_null(doc);
  assert_ptr_equal(strstr(err.message, "line 2, column 8: "), err.message);
  assert_non_null(strstr(err.message, " at byte 10: \"{   \"é\": ? }\""));
  assert_int_equal(err.offset, strchr(text, '?') - text);
}

TEST(a_byte_order_mark_is_skipped) {
  const char *text = "\xef\xbb\xbf{\"a\": ? }";
  mcp_doc *doc = NULL;
  mcp_error err = {0};
  (void)state;
  assert_int_equal(ctl_file_parse(&doc, "\xef\xbb\xbf{}", 5, &err), 0);
  mcp_doc_free(doc);
  assert_int_equal(ctl_file_parse(&doc, text, strlen(text), &err),
                   MCP_ERR_PARSE);
  assert_ptr_equal(strstr(err.message, "line 1, column 7: "), err.message);
  assert_int_equal(err.offset, strchr(text, '?') - text);
}

TEST(files) {
  char path[] = "/tmp/test_file.XXXXXX";
  int fd = mkstemp(path);
  size_t len = 0;
  mcp_error err = {0};
  assert_true(fd >= 0);
  assert_int_equal(write(fd, "a\0b", 3), 3);
  close(fd);
  char *text = ctl_file_read(path, &len, &err);
  assert_non_null(text);
  assert_int_equal(len, 3);
  assert_memory_equal(text, "a\0b", 3);
  free(text);
  unlink(path);
  assert_null(ctl_file_read(path, &len, &err));
  assert_int_equal(err.code, MCP_ERR_IO);
  assert_non_null(strstr(err.message, path));
}

TEST(names) {
  assert_string_equal(ctl_file_name("-"), "standard input");
  assert_string_equal(ctl_file_name("a.json"), "a.json");
}
