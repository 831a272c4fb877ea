// SPDX-License-Identifier: MIT
// The C++ part of mcp/schema.h.
#include <mcp/schema.h>
#include <string.h>

extern "C" {
#include "support/cm.h"
}

static void expect_text(const mcp_schema *schema, const char *text) {
  mcp_builder *builder = mcp_builder_new(nullptr, nullptr);
  assert_int_equal(mcp_schema_build(schema, nullptr, builder, nullptr), 0);
  assert_string_equal(mcp_builder_text(builder, nullptr), text);
  mcp_builder_free(builder);
}

static void no_fields(void **) {
  auto schema = mcp_object({});
  expect_text(schema, "{\"type\":\"object\",\"properties\":{},"
                      "\"additionalProperties\":false}");
}

static void fields(void **) {
  mcp_field mode = mcp_string("mode", nullptr);
  const char *const modes[] = {"words", "bytes", nullptr};
  mode.values = modes;
  mode.optional = 1;
  auto schema = mcp_object({mcp_number("a", "first"), mode});
  expect_text(schema,
              "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\","
              "\"description\":\"first\"},\"mode\":{\"type\":\"string\","
              "\"enum\":[\"words\",\"bytes\"]}},\"required\":[\"a\"],"
              "\"additionalProperties\":false}");
}

// A copy has fields of its own.
static void copied(void **) {
  auto *first = new mcp_object({mcp_boolean("b", nullptr)});
  mcp_object second = *first;
  delete first;
  expect_text(second, "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":"
                      "\"boolean\"}},\"required\":[\"b\"],"
                      "\"additionalProperties\":false}");
}

static void nested(void **) {
  mcp_schema any = mcp_schema_text("{}");
  auto inner = mcp_object({mcp_integer("i", nullptr)});
  auto schema = mcp_object(
      {mcp_array("list", nullptr, &any), mcp_struct("o", nullptr, inner)});
  expect_text(schema, "{\"type\":\"object\",\"properties\":{\"list\":{\"type\":"
                      "\"array\",\"items\":{}},\"o\":{\"type\":\"object\","
                      "\"properties\":{\"i\":{\"type\":\"integer\"}},"
                      "\"required\":[\"i\"],\"additionalProperties\":false}},"
                      "\"required\":[\"list\",\"o\"],"
                      "\"additionalProperties\":false}");
}

// Whether the engine takes the schema, and the value.
static bool accepts(const mcp_schema *schema, const char *json) {
  mcp_builder *builder = mcp_builder_new(nullptr, nullptr);
  assert_int_equal(mcp_schema_build(schema, nullptr, builder, nullptr), 0);
  const char *text = mcp_builder_text(builder, nullptr);
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), nullptr, nullptr, nullptr);
  assert_non_null(doc);
  mcp_doc *value = mcp_doc_parse(json, strlen(json), nullptr, nullptr, nullptr);
  assert_non_null(value);
  mcp_validator *validator =
      mcp_validator_new(mcp_doc_root(doc), nullptr, nullptr);
  assert_non_null(validator);
  bool accepted = mcp_validator_accepts(validator, mcp_doc_root(value)) != 0;
  mcp_validator_unref(validator);
  mcp_doc_free(value);
  mcp_doc_free(doc);
  mcp_builder_free(builder);
  return accepted;
}

static void expect_type(mcp_field field, const char *good, const char *bad) {
  auto schema = mcp_object({field});
  assert_true(accepts(schema, good));
  assert_false(accepts(schema, bad));
  assert_false(accepts(schema, "{}"));
}

static void each_means_itself(void **) {
  mcp_schema any = mcp_schema_text("true");
  auto inner = mcp_object({mcp_integer("i", nullptr)});
  auto none = mcp_object({});
  assert_true(accepts(none, "{}"));
  assert_false(accepts(none, "{\"a\":1}"));
  expect_type(mcp_string("a", "A"), "{\"a\":\"\"}", "{\"a\":1}");
  expect_type(mcp_number("a", "A"), "{\"a\":1.5}", "{\"a\":\"1\"}");
  expect_type(mcp_integer("a", "A"), "{\"a\":1.0}", "{\"a\":1.5}");
  expect_type(mcp_boolean("a", "A"), "{\"a\":true}", "{\"a\":1}");
  expect_type(mcp_array("a", "A", &any), "{\"a\":[1]}", "{\"a\":{}}");
  expect_type(mcp_array("a", "A", inner), "{\"a\":[{\"i\":1}]}",
              "{\"a\":[{}]}");
  expect_type(mcp_struct("a", "A", inner), "{\"a\":{\"i\":1}}", "{\"a\":{}}");
}

static void texts_and_values_mean_themselves(void **) {
  const char *json = "{\"maximum\":9}";
  mcp_doc *doc = mcp_doc_parse(json, strlen(json), nullptr, nullptr, nullptr);
  assert_non_null(doc);
  mcp_schema text = mcp_schema_text(json);
  mcp_schema value = mcp_schema_value(mcp_doc_root(doc));
  mcp_schema source = MCP_SCHEMA_JSON({"maximum": 9, "x": true});
  assert_string_equal(source.text, MCP_JSON({"maximum": 9, "x": true}));
  for (const mcp_schema *schema : {&text, &value, &source}) {
    assert_true(accepts(schema, "9"));
    assert_false(accepts(schema, "10"));
  }
  mcp_doc_free(doc);
}

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(no_fields),
      cmocka_unit_test(fields),
      cmocka_unit_test(copied),
      cmocka_unit_test(nested),
      cmocka_unit_test(each_means_itself),
      cmocka_unit_test(texts_and_values_mean_themselves),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
