/* SPDX-License-Identifier: MIT */
#include "connection/field.h"
#include "platform/memory.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

/* The JSON of a text. `json` NULL: it is refused, with a message that has this
 * text in it. */
static void check(const char *schema, const char *text, const char *json,
                  const char *message) {
  char *out = NULL;
  mcp_error err = {0};
  mcp_doc *doc = mcp_doc_parse(schema, strlen(schema), NULL, NULL, NULL);
  assert_non_null(doc);
  int error = ctl_field_parse(mcp_doc_root(doc), text, &out, &err);
  if (json != NULL) {
    assert_int_equal(error, 0);
    assert_string_equal(out, json);
  } else {
    assert_true(error < 0);
    assert_null(out);
    assert_non_null(strstr(err.message, message));
  }
  free(out);
  mcp_doc_free(doc);
}

static void expect_kind(const char *schema, const char *kind) {
  char *found = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&found, &len);
  mcp_doc *doc = mcp_doc_parse(schema, strlen(schema), NULL, NULL, NULL);
  assert_non_null(doc);
  ctl_field_put_kind(out, mcp_doc_root(doc));
  ctl_memory_close(out, &found, &len);
  assert_string_equal(found, kind);
  free(found);
  mcp_doc_free(doc);
}

TEST(strings) {
  check("{\"type\":\"string\"}", "a \"b\"", "\"a \\\"b\\\"\"", NULL);
  check("{}", "12", "\"12\"", NULL);
  check("{\"type\":\"string\",\"minLength\":2}", "é", NULL, "at least 2");
  check("{\"type\":\"string\",\"maxLength\":2}", "éé", "\"éé\"", NULL);
  check("{\"type\":\"string\",\"maxLength\":2}", "abc", NULL, "at most 2");
  check("{\"type\":\"string\"}", "\xff", NULL, "UTF-8");
}

TEST(booleans) {
  check("{\"type\":\"boolean\"}", "yes", "true", NULL);
  check("{\"type\":\"boolean\"}", "TRUE", "true", NULL);
  check("{\"type\":\"boolean\"}", "n", "false", NULL);
  check("{\"type\":\"boolean\"}", "0", "false", NULL);
  check("{\"type\":\"boolean\"}", "maybe", NULL, "neither yes nor no");
}

TEST(numbers) {
  check("{\"type\":\"number\"}", "1.5", "1.5", NULL);
  check("{\"type\":\"number\"}", "x", NULL, "not a number");
  check("{\"type\":\"number\"}", "\"1\"", NULL, "not a number");
  check("{\"type\":\"integer\"}", "7", "7", NULL);
  check("{\"type\":\"integer\"}", "7.5", NULL, "not a whole number");
  check("{\"type\":\"integer\"}", "x", NULL, "'x' is not a whole number");
  check("{\"type\":\"integer\",\"minimum\":1}", "0", NULL, "less than 1");
  check("{\"type\":\"integer\",\"maximum\":9}", "10", NULL, "more than 9");
  check("{\"type\":\"integer\"}", "12345678901234567890123",
        "12345678901234567890123", NULL);
}

static const char untitled[] = "{\"type\":\"string\",\"enum\":[\"red\",\"2\"]}";
static const char named[] = "{\"type\":\"string\",\"enum\":[\"r\",\"g\"],"
                            "\"enumNames\":[\"Red\",\"Green\"]}";
static const char titled[] =
    "{\"type\":\"string\",\"oneOf\":[{\"const\":\"r\",\"title\":\"Red\"},"
    "{\"const\":\"g\",\"title\":\"Green\"}]}";
static const char several[] =
    "{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,\"items\":{\"anyOf\":["
    "{\"const\":\"r\",\"title\":\"Red\"},{\"const\":\"g\",\"title\":\"Green\"},"
    "{\"const\":\"b\",\"title\":\"Blue\"}]}}";

TEST(choices) {
  check(untitled, "red", "\"red\"", NULL);
  check(untitled, "1", "\"red\"", NULL);
  check(untitled, "2", "\"2\"", NULL); /* a value before a number */
  check(untitled, "3", NULL, "not one of the choices");
  check(untitled, "0", NULL, "not one of the choices");
  check(named, "green", "\"g\"", NULL);
  check(named, "2", "\"g\"", NULL);
  check(titled, "Red", "\"r\"", NULL);
  check(titled, "g", "\"g\"", NULL);
  check(titled, "x", NULL, "'x' is not one of the choices");
}

TEST(several_choices) {
  check(several, "r", "[\"r\"]", NULL);
  check(several, "Red, 2", "[\"r\",\"g\"]", NULL);
  check(several, "r,g,b", NULL, "at most 2");
  check(several, "", NULL, "at least 1");
  check(several, "r,x", NULL, "'x' is not one");
  check("{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\"]}}",
        "a", "[\"a\"]", NULL);
}

TEST(kinds) {
  expect_kind("{\"type\":\"boolean\"}", "yes or no");
  expect_kind("{\"type\":\"string\",\"format\":\"date\"}", "date");
  expect_kind("{\"type\":\"integer\",\"minimum\":1,\"maximum\":9}",
              "integer, at least 1, at most 9");
  expect_kind(titled, "one of:\n    1. r: Red\n    2. g: Green");
  expect_kind(untitled, "one of:\n    1. red\n    2. 2");
}
