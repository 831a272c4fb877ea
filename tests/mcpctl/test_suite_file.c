/* SPDX-License-Identifier: MIT */
#include "suite/file.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In a block of its own size, so that a read past the end is seen. */
static int parse(mcp_doc **out, const char *text, mcp_error *err) {
  size_t len = strlen(text);
  char *copy = malloc(len > 0 ? len : 1);
  assert_non_null(copy);
  memcpy(copy, text, len);
  int rc = ctl_suite_parse(out, copy, len, err);
  free(copy);
  return rc;
}

/* NULL: the file is fine; else the beginning of the error. */
static void expect(const char *text, const char *message) {
  mcp_doc *doc = NULL;
  mcp_error err = {0};
  int rc = parse(&doc, text, &err);
  if (message == NULL) {
    assert_int_equal(rc, 0);
    assert_non_null(doc);
  } else {
    assert_int_not_equal(rc, 0);
    assert_int_equal(err.code, rc);
    assert_null(doc);
    assert_memory_equal(err.message, message, strlen(message));
  }
  mcp_doc_free(doc);
}

/* The same for a file with one test. */
static void expect_of(const char *test, const char *message) {
  char text[512];
  snprintf(text, sizeof(text), "{\"tests\":[%s]}", test);
  expect(text, message);
}

TEST(files_may_have_comments) {
  expect("// one\n{\"tests\": [{\"call\": \"t\", /* two */},],}", NULL);
}

TEST(a_file_has_tests) {
  expect("{}", "missing the required member \"tests\"");
  expect("{\"tests\":[]}", "/tests: ");
  expect("{\"tests\":[{\"call\":\"t\"}],\"name\":1}",
         "unknown member \"name\"");
}

TEST(a_test_has_one_request) {
  static const char *const tests[] = {
      [CTL_ASK_CALL] = "{\"call\":\"t\",\"arguments\":{}}",
      [CTL_ASK_READ] = "{\"read\":\"a:b\"}",
      [CTL_ASK_PROMPT] = "{\"prompt\":\"p\",\"arguments\":{}}",
      [CTL_ASK_RAW] = "{\"raw\":\"ping\",\"params\":{}}",
      [CTL_ASK_TOOLS] = "{\"tools\":true}",
      [CTL_ASK_RESOURCES] = "{\"resources\":true}",
      [CTL_ASK_TEMPLATES] = "{\"templates\":true}",
      [CTL_ASK_PROMPTS] = "{\"prompts\":true}",
  };
  for (int i = 0; i <= CTL_ASK_PROMPTS; i++) {
    mcp_error err;
    mcp_doc *doc = mcp_doc_parse(tests[i], strlen(tests[i]), NULL, NULL, &err);
    assert_int_equal(ctl_suite_request(mcp_doc_root(doc)), i);
    mcp_doc_free(doc);
    expect_of(tests[i], NULL);
  }
  expect_of("{\"name\":\"n\"}", "/tests/0: give one of call, read, ");
  expect_of("{\"call\":\"t\",\"tools\":true}", "/tests/0: give one of call, ");
  expect_of("{\"tools\":\"t\"}", "/tests/0/tools: expected true");
}

TEST(members_go_with_some_requests) {
  expect_of("{\"read\":\"a:b\",\"arguments\":{}}",
            "/tests/0/arguments: this goes with call or prompt, not read");
  expect_of("{\"call\":\"t\",\"params\":{}}",
            "/tests/0/params: this goes with raw, not call");
  expect_of("{\"tools\":true,\"expect\":{\"text\":\"\"}}",
            "/tests/0/expect/text: this goes with call, read, prompt or raw, "
            "not tools");
  expect_of("{\"read\":\"a:b\",\"expect\":{\"tool_error\":true}}",
            "/tests/0/expect/tool_error: this goes with call or raw, not read");
}

TEST(an_error_has_no_result) {
  expect_of("{\"call\":\"t\",\"expect\":{\"error\":-1,\"max_ms\":1}}", NULL);
  expect_of("{\"call\":\"t\",\"expect\":{\"error\":true,\"text\":\"\"}}",
            "/tests/0/expect/text: this goes without error");
  expect_of("{\"call\":\"t\",\"expect\":{\"error\":false}}",
            "/tests/0/expect/error: give true or a code");
  expect_of("{\"call\":\"t\",\"expect\":{\"tool_error\":false}}",
            "/tests/0/expect/tool_error: give true or a text");
}

TEST(schemas_are_compiled) {
  expect_of("{\"call\":\"t\",\"expect\":{\"matches\":true}}", NULL);
  expect_of("{\"call\":\"t\",\"expect\":{\"matches\":{\"type\":\"x\"}}}",
            "/tests/0/expect/matches/type: ");
  expect_of("{\"call\":\"t\",\"expect\":{\"matches\":{\"$ref\":\"#/a\"}}}",
            "/tests/0/expect/matches/$ref: ");
}

TEST(errors_name_the_place) {
  expect("", "line 1, column 1: ");
  expect("{\n\"tests\":}", "line 2, column 9: ");
  expect("{\"tests\":[{\"call\":\"t\"},{\"call\":1}]}",
         "/tests/1/call: expected a string, got the number 1");
  expect_of("{\"call\":\"t\",\"expect\":{\"max_ms\":-1}}",
            "/tests/0/expect/max_ms: ");
  expect_of("{\"call\":\"t\",\"expect\":{\"error\":1.5}}",
            "/tests/0/expect/error: ");
}
