/* SPDX-License-Identifier: MIT */
#include "schema/conform.h"

#include "support/cm.h"
#include <string.h>

/* Expects an error whose message begins so; NULL: the value is valid. */
static void expect(const char *schema, const char *value, const char *message) {
  mcp_error err = {0};
  mcp_doc *doc = mcp_doc_parse(value, strlen(value), NULL, NULL, NULL);
  assert_non_null(doc);
  int rc = ctl_conform_to_text(schema, mcp_doc_root(doc), &err);
  if (message == NULL) {
    assert_int_equal(rc, 0);
  } else {
    assert_true(rc < 0);
    assert_int_equal(rc, err.code);
    assert_memory_equal(err.message, message, strlen(message));
  }
  mcp_doc_free(doc);
}

TEST(values) {
  expect("true", "[1]", NULL);
  expect("{\"type\":\"object\"}", "{\"a\":1}", NULL);
  expect("{\"properties\":{\"a\":{\"type\":\"number\"}}}", "{\"a\":null}",
         "/a: expected a number");
  expect("{\"type\":\"string\"}", "5", "expected a string");
}

TEST(the_first_of_many_errors_counts) {
  expect("{\"items\":{\"type\":\"string\"}}", "[1,2,3]", "/0: ");
  expect("{\"required\":[\"b\",\"a\"]}", "{}", "");
}

TEST(schemas_that_are_wrong) {
  expect("{\"type\":\"texts\"}", "5", "/type: ");
  expect("{\"$ref\":\"#/$defs/a\"}", "5", "/$ref: ");
  expect("5", "5", "");
  expect("{", "5", "");
  expect("", "5", "");
}

TEST(a_value_that_is_not_there) {
  mcp_error err = {0};
  assert_int_equal(ctl_conform_to_text("{\"type\":\"null\"}", NULL, &err),
                   MCP_ERR_INVALID);
}
