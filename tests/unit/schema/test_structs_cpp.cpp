/* SPDX-License-Identifier: MIT */
/* mcp/fields.h in C++17: the same lists make the same structures. */
#include <mcp/fields.h>
#include <string>
/* after the headers of C++, whose names it has as macros */
extern "C" {
#include "support/cm.h"
}

#define COLOR(VALUE)                                                           \
  VALUE(COLOR_RED, "red")                                                      \
  VALUE(COLOR_GREEN, "green")
MCP_DEFINE_ENUM(color, COLOR);

#define POINT(FIELD)                                                           \
  FIELD(NUMBER, x, "East", MCP_MINIMUM(-1), MCP_MAXIMUM(1))                    \
  FIELD(OPTIONAL_NUMBER, y, "North")
MCP_DEFINE_STRUCT(point, POINT);

namespace shapes {
#define SHAPE(FIELD)                                                           \
  FIELD(STRING_OR("none"), name, "N", MCP_NAME("the-name"), MCP_MAX_LENGTH(9)) \
  FIELD(INTEGER_OR(-2), whole, "I")                                            \
  FIELD(BOOLEAN_OR(true), flag, "B")                                           \
  FIELD(ENUM_OR(color, COLOR_GREEN), color, "E")                               \
  FIELD(OPTIONAL_STRINGS, tags, "T")                                           \
  FIELD(STRUCTS(point), points, "P", MCP_MIN_ITEMS(1))
MCP_DEFINE_STRUCT(shape, SHAPE);
} // namespace shapes

/* One that the program has defined, with a member of its own. */
struct mine {
  int64_t own;
  const char *text;
};
#define MINE(FIELD) FIELD(STRING, text, "T")
MCP_DESCRIBE_STRUCT(mine, MINE);

static int on_mine(mcp_call *, const struct mine *, void *) {
  return 0;
}
MCP_STRUCT_HANDLER(on_mine, mine);

static void structures_are_read_and_written(void **) {
  const std::string text =
      R"({"the-name":"a","points":[{"x":0.5},{"x":1,"y":-1}]})";
  mcp_doc *doc = mcp_doc_parse(text.data(), text.size(), NULL, NULL, NULL);
  shapes::shape *shape = shapes::shape_from_json(mcp_doc_root(doc), NULL);
  mcp_doc_free(doc);
  assert_non_null(shape);
  assert_string_equal(shape->name, "a");
  assert_int_equal(shape->whole, -2);
  assert_true(shape->flag);
  assert_int_equal(shape->color, COLOR_GREEN);
  assert_null(shape->tags);
  assert_int_equal(shape->points_count, 2);
  assert_true(!shape->points[0].has_y && shape->points[1].has_y);
  char *written = shapes::shape_to_text(shape, NULL);
  assert_string_equal(
      written, "{\"the-name\":\"a\",\"whole\":-2,\"flag\":true,\"color\":"
               "\"green\",\"points\":[{\"x\":0.5},{\"x\":1,\"y\":-1}]}");
  mcp_text_free(written);
  mcp_struct_free(shape);
}

static void schemas_have_the_options(void **) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  assert_int_equal(mcp_schema_build(point_schema(), NULL, builder, NULL), 0);
  assert_string_equal(
      mcp_builder_text(builder, NULL),
      "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\","
      "\"description\":\"East\",\"minimum\":-1,\"maximum\":1},\"y\":{\"type\":"
      "\"number\",\"description\":\"North\"}},\"required\":[\"x\"],"
      "\"additionalProperties\":false}");
  mcp_builder_clear(builder);
  assert_int_equal(
      mcp_schema_build(shapes::shape_schema(), NULL, builder, NULL), 0);
  mcp_builder_free(builder);
}

static void a_structure_of_the_program_is_described(void **) {
  mcp_error err;
  const mine value = {1, "a"};
  char *text = mine_to_text(&value, &err);
  assert_string_equal(text, "{\"text\":\"a\"}");
  mcp_text_free(text);
  assert_int_equal(on_mine_handler(NULL, NULL), MCP_ERR_INVALID);
}

int main() {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(structures_are_read_and_written),
      cmocka_unit_test(schemas_have_the_options),
      cmocka_unit_test(a_structure_of_the_program_is_described),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
