/* SPDX-License-Identifier: MIT */
#include "record/fresh.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

static mcp_doc *parse(const char *text) {
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  assert_non_null(doc);
  return doc;
}

static void learn(ctl_fresh *fresh, const char *was, const char *is) {
  mcp_doc *old = parse(was);
  mcp_doc *now = parse(is);
  ctl_fresh_learn(fresh, mcp_doc_root(old), mcp_doc_root(now));
  mcp_doc_free(old);
  mcp_doc_free(now);
}

static void expect(const ctl_fresh *fresh, const char *message,
                   const char *sent) {
  mcp_doc *doc = parse(message);
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  ctl_fresh_put(fresh, out, mcp_doc_root(doc));
  const char *text = mcp_builder_text(out, NULL);
  assert_non_null(text);
  assert_string_equal(text, sent);
  mcp_builder_free(out);
  mcp_doc_free(doc);
}

TEST(new_values_replace_old_ones) {
  ctl_fresh fresh = {0};
  learn(&fresh, "{\"result\":{\"nextCursor\":\"p2\",\"taskId\":\"t1\"}}",
        "{\"result\":{\"taskId\":\"t9\",\"nextCursor\":\"q2\"}}");
  learn(&fresh,
        "{\"list\":[{\"requestState\":\"a\"},{\"requestState\":\"b\"}]}",
        "{\"list\":[{\"requestState\":\"A\"},{\"requestState\":\"B\"}]}");
  expect(&fresh,
         "{\"params\":{\"cursor\":\"p2\",\"taskId\":\"t1\",\"x\":[\"a\","
         "{\"requestState\":\"b\"}]}}",
         "{\"params\":{\"cursor\":\"q2\",\"taskId\":\"t9\",\"x\":[\"a\","
         "{\"requestState\":\"B\"}]}}");
  ctl_fresh_deinit(&fresh);
}

TEST(the_newest_value_counts) {
  ctl_fresh fresh = {0};
  learn(&fresh, "{\"taskId\":\"t\"}", "{\"taskId\":\"one\"}");
  learn(&fresh, "{\"taskId\":\"t\"}", "{\"taskId\":\"two\"}");
  expect(&fresh, "{\"taskId\":\"t\"}", "{\"taskId\":\"two\"}");
  ctl_fresh_deinit(&fresh);
}

TEST(all_else_is_sent_as_it_is) {
  ctl_fresh fresh = {0};
  const char *message =
      "{\"cursor\":\"p\",\"taskId\":7,\"name\":\"taskId\",\"a\":[[],{}],"
      "\"n\":1.5,\"t\":\"\xc3\xa4\\u0000\"}";
  expect(&fresh, message, message);
  learn(&fresh, "{\"name\":\"x\"}", "{\"name\":\"y\"}");
  expect(&fresh, "{\"name\":\"x\",\"taskId\":\"x\"}",
         "{\"name\":\"x\",\"taskId\":\"x\"}");
  expect(&fresh, "[\"x\",1]", "[\"x\",1]");
  ctl_fresh_deinit(&fresh);
}

TEST(answers_of_other_shapes_teach_nothing) {
  static const char *const answers[][2] = {
      {"{\"taskId\":\"x\"}", "{\"taskId\":[\"y\"]}"},
      {"{\"taskId\":\"x\"}", "[\"y\"]"},
      {"{\"taskId\":5}", "{\"taskId\":\"y\"}"},
      {"{\"taskId\":\"x\"}", "{}"},
      {"[{\"taskId\":\"x\"}]", "{\"taskId\":\"y\"}"},
      {"[{\"taskId\":\"x\"}]", "{\"a\":{\"taskId\":\"y\"}}"},
      {"\"x\"", "\"y\""},
      {"[[],{\"taskId\":\"x\"}]", "[{\"taskId\":\"y\"}]"},
  };
  ctl_fresh fresh = {0};
  for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
    learn(&fresh, answers[i][0], answers[i][1]);
  }
  expect(&fresh, "{\"taskId\":\"x\"}", "{\"taskId\":\"x\"}");
  ctl_fresh_deinit(&fresh);
}
