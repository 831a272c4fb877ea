// SPDX-License-Identifier: MIT
// The C++ part of mcp/schema.h.
#include <mcp/schema.h>

extern "C" {
#include "support/cm.h"
}

static void expect_text(const mcp_schema *schema, const char *text) {
  mcp_builder *builder = mcp_builder_new(nullptr);
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

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(no_fields),
      cmocka_unit_test(fields),
      cmocka_unit_test(copied),
      cmocka_unit_test(nested),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
