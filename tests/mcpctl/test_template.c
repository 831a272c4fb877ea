/* SPDX-License-Identifier: MIT */
#include "common/template.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

static const char arguments_text[] =
    "{\"s\":\"S\",\"n\":1.5,\"o\":{\"a/b\":[7,true]},\"nul\":\"a\\u0000b\"}";

static void expect_with(const char *value, const char *arguments,
                        const char *result) {
  mcp_error err = {0};
  mcp_doc *from = mcp_doc_parse(value, strlen(value), NULL, NULL, &err);
  mcp_doc *by = arguments == NULL ? NULL
                                  : mcp_doc_parse(arguments, strlen(arguments),
                                                  NULL, NULL, &err);
  mcp_doc *filled =
      ctl_template_fill(mcp_doc_root(from), mcp_doc_root(by), &err);
  assert_non_null(filled);
  char *text = mcp_json_to_text(mcp_doc_root(filled), NULL);
  assert_string_equal(text, result);
  mcp_text_free(text);
  mcp_doc_free(filled);
  mcp_doc_free(by);
  mcp_doc_free(from);
}

static void expect(const char *value, const char *result) {
  expect_with(value, arguments_text, result);
}

TEST(references_in_a_text_are_replaced) {
  expect("\"<${s}>\"", "\"<S>\"");
  expect("\"${s}${n}${o}\"", "\"S1.5{\\\"a/b\\\":[7,true]}\"");
  expect("\"<${none}>\"", "\"<>\"");
  expect("\"<${/o/a~1b/0}>\"", "\"<7>\"");
  expect("\"<${nul}>\"", "\"<a\\u0000b>\"");
}

TEST(a_string_that_is_one_reference_becomes_the_value) {
  expect("\"${n}\"", "1.5");
  expect("\"${s}\"", "\"S\"");
  expect("\"${o}\"", "{\"a/b\":[7,true]}");
  expect("\"${none}\"", "null");
  expect("\"${}\"", "null");
}

TEST(references_are_replaced_at_any_depth) {
  expect("{\"a\":[1,\"${n}\",{\"${s}\":\"${s}\"}],\"b\":null,\"c\":{}}",
         "{\"a\":[1,1.5,{\"${s}\":\"S\"}],\"b\":null,\"c\":{}}");
}

TEST(other_dollars_stay) {
  expect("\"$s {s} $\"", "\"$s {s} $\"");
  expect("\"${s\"", "\"${s\"");
  expect("\"$\"", "\"$\"");
  expect("\"${\"", "\"${\"");
  expect("\"$${s}\"", "\"${s}\"");
}

TEST(without_arguments_nothing_is_replaced) {
  expect_with("[\"${s}\",\"$${s}\",\"<${s}>\"]", NULL,
              "[\"${s}\",\"$${s}\",\"<${s}>\"]");
}
