/* SPDX-License-Identifier: MIT */
/* schema/structs: structures of lists of fields (mcp/fields.h). */
#include "support/cm.h"

#include "schema/build.h"
#include "schema/structs/struct_type.h"
#include "support/failing_alloc.h"
#include "support/fat_structures.h"
#include <math.h>
#include <mcp/fields.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define COLOR(VALUE)                                                           \
  VALUE(COLOR_RED, "red")                                                      \
  VALUE(COLOR_GREEN, "green")
MCP_DEFINE_ENUM(color, COLOR);

/* An enumeration of the program, with values of its own. */
enum level { LEVEL_LOW = -5, LEVEL_HIGH = 1000 };
#define LEVEL(VALUE)                                                           \
  VALUE(LEVEL_LOW, "low")                                                      \
  VALUE(LEVEL_HIGH, "high")
MCP_DESCRIBE_ENUM(level, LEVEL);

#define POINT(FIELD)                                                           \
  FIELD(NUMBER, x, "East")                                                     \
  FIELD(NUMBER_OR(0.5), y, "North")
MCP_DEFINE_STRUCT(point, POINT);

#define ALL(FIELD)                                                             \
  FIELD(STRING, text, "T")                                                     \
  FIELD(INTEGER, whole, "I")                                                   \
  FIELD(NUMBER, number, "N")                                                   \
  FIELD(BOOLEAN, flag, "B")                                                    \
  FIELD(ENUM(color), color, "E")                                               \
  FIELD(STRUCT(point), at, "S")                                                \
  FIELD(JSON, any, "J")                                                        \
  FIELD(STRINGS, texts, "TT")                                                  \
  FIELD(INTEGERS, wholes, "II")                                                \
  FIELD(NUMBERS, numbers, "NN")                                                \
  FIELD(BOOLEANS, flags, "BB")                                                 \
  FIELD(ENUMS(level), levels, "EE")                                            \
  FIELD(STRUCTS(point), points, "SS")
MCP_DEFINE_STRUCT(all, ALL);

#define SOME(FIELD)                                                            \
  FIELD(OPTIONAL_STRING, text, "T")                                            \
  FIELD(OPTIONAL_INTEGER, whole, "I")                                          \
  FIELD(OPTIONAL_NUMBER, number, "N")                                          \
  FIELD(OPTIONAL_BOOLEAN, flag, "B")                                           \
  FIELD(OPTIONAL_ENUM(color), color, "E")                                      \
  FIELD(OPTIONAL_STRUCT(point), at, "S")                                       \
  FIELD(OPTIONAL_JSON, any, "J")                                               \
  FIELD(OPTIONAL_STRINGS, texts, "TT")                                         \
  FIELD(OPTIONAL_INTEGERS, wholes, "II")                                       \
  FIELD(OPTIONAL_NUMBERS, numbers, "NN")                                       \
  FIELD(OPTIONAL_BOOLEANS, flags, "BB")                                        \
  FIELD(OPTIONAL_ENUMS(color), colors, "EE")                                   \
  FIELD(OPTIONAL_STRUCTS(point), points, "SS")
MCP_DEFINE_STRUCT(some, SOME);

#define DEFAULTS(FIELD)                                                        \
  FIELD(STRING_OR("a\"b"), text, "T", MCP_MAX_LENGTH(5))                       \
  FIELD(INTEGER_OR(-3), whole, "I", MCP_MINIMUM(-5), MCP_MAXIMUM(1 << 4))      \
  FIELD(NUMBER_OR(2.5), number, "N")                                           \
  FIELD(BOOLEAN_OR(true), flag, "B")                                           \
  FIELD(ENUM_OR(level, LEVEL_HIGH), level, "E")
MCP_DEFINE_STRUCT(defaults, DEFAULTS);

#define NODE(FIELD)                                                            \
  FIELD(STRING, name, "N")                                                     \
  FIELD(OPTIONAL_STRUCTS(node), children, "Below it")
struct node {
  const char *name;
  void *own; /* the program's */
  const struct node *children;
  size_t children_count;
};
static inline const mcp_struct_type *node_type(void);
MCP_DESCRIBE_STRUCT(node, NODE);

/* --- helpers ------------------------------------------------------------ */

static mcp_doc *parse(const char *text) {
  mcp_error err;
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, &err);
  if (doc == NULL) {
    fail_msg("%s", err.message);
  }
  return doc;
}

static void expect_unreadable(const mcp_struct_type *type, const char *text,
                              int code, const char *message) {
  mcp_error err = {0};
  mcp_doc *doc = parse(text);
  assert_null(mcp_struct_from_json(type, mcp_doc_root(doc), NULL, &err));
  assert_int_equal(err.code, code);
  assert_string_equal(err.message, message);
  mcp_doc_free(doc);
}

static void expect_text(const mcp_struct_type *type, const void *value,
                        const char *expected) {
  mcp_error err = {0};
  char *text = mcp_struct_to_text(type, value, &err);
  if (text == NULL) {
    fail_msg("%s", err.message);
  }
  assert_string_equal(text, expected);
  mcp_text_free(text);
}

static void expect_unwritable(const mcp_struct_type *type, const void *value,
                              int code, const char *message) {
  mcp_error err = {0};
  assert_null(mcp_struct_to_text(type, value, &err));
  assert_int_equal(err.code, code);
  assert_string_equal(err.message, message);
}

static void expect_schema(const mcp_schema *schema, const char *expected) {
  mcp_error err = {0};
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  if (mcp_schema_build(schema, NULL, builder, &err) != 0) {
    fail_msg("%s", err.message);
  }
  assert_string_equal(mcp_builder_text(builder, NULL), expected);
  mcp_builder_free(builder);
}

static void expect_no_schema(const mcp_schema *schema, const char *message) {
  mcp_error err = {0};
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  assert_int_equal(mcp_schema_build(schema, NULL, builder, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, message);
  mcp_builder_free(builder);
}

/* --- both ways ---------------------------------------------------------- */

static const char all_text[] =
    "{\"text\":\"a\",\"whole\":-9007199254740993,\"number\":1.5,\"flag\":true,"
    "\"color\":\"green\",\"at\":{\"x\":1,\"y\":2},\"any\":{\"k\":[null]},"
    "\"texts\":[\"b\",\"\"],\"wholes\":[1,2,3],\"numbers\":[0.25],"
    "\"flags\":[false,true],\"levels\":[\"high\",\"low\"],"
    "\"points\":[{\"x\":3,\"y\":0.5},{\"x\":4,\"y\":5}]}";

TEST(every_kind_is_read_and_written) {
  mcp_error err;
  mcp_doc *doc = parse(all_text);
  struct all *all = all_from_json(mcp_doc_root(doc), &err);
  mcp_doc_free(doc); /* nothing of it is borrowed */
  assert_non_null(all);
  assert_string_equal(all->text, "a");
  assert_true(all->whole == -9007199254740993);
  assert_true(all->number == 1.5);
  assert_true(all->flag);
  assert_int_equal(all->color, COLOR_GREEN);
  assert_true(all->at.x == 1 && all->at.y == 2);
  assert_string_equal(all->any, "{\"k\":[null]}");
  assert_int_equal(all->texts_count, 2);
  assert_string_equal(all->texts[1], "");
  assert_int_equal(all->wholes[2], 3);
  assert_true(all->numbers[0] == 0.25);
  assert_true(!all->flags[0] && all->flags[1]);
  assert_int_equal(all->levels[0], LEVEL_HIGH);
  assert_int_equal(all->levels[1], LEVEL_LOW);
  assert_true(all->points[0].y == 0.5 && all->points[1].x == 4);
  expect_text(all_type(), all, all_text);
  mcp_struct_free(all);
}

TEST(absent_fields_are_seen) {
  mcp_error err;
  mcp_doc *doc = parse("{\"whole\":null,\"unknown\":1}");
  struct some *some = some_from_json(mcp_doc_root(doc), &err);
  assert_non_null(some);
  assert_null(some->text);
  assert_false(some->has_whole || some->has_number || some->has_flag ||
               some->has_color || some->has_at);
  assert_null(some->any);
  assert_null(some->texts);
  assert_null(some->points);
  expect_text(some_type(), some, "{}");
  mcp_struct_free(some);
  mcp_doc_free(doc);
}

TEST(optional_fields_that_are_there_are_seen) {
  static const char text[] =
      "{\"text\":\"\",\"whole\":0,\"number\":0,\"flag\":false,\"color\":"
      "\"red\",\"at\":{\"x\":1,\"y\":2},\"any\":false,\"texts\":[],\"wholes\":"
      "[],\"numbers\":[],\"flags\":[],\"colors\":[\"red\"],\"points\":[]}";
  mcp_error err;
  mcp_doc *doc = parse(text);
  struct some *some = some_from_json(mcp_doc_root(doc), &err);
  assert_non_null(some);
  assert_true(some->has_whole && some->has_number && some->has_flag &&
              some->has_color && some->has_at);
  assert_non_null(some->texts); /* an empty array is not NULL */
  assert_int_equal(some->texts_count, 0);
  expect_text(some_type(), some, text);
  mcp_struct_free(some);
  mcp_doc_free(doc);
}

TEST(absent_fields_have_their_defaults) {
  mcp_error err;
  mcp_doc *doc = parse("{}");
  struct defaults *made = defaults_from_json(mcp_doc_root(doc), &err);
  assert_non_null(made);
  assert_string_equal(made->text, "a\"b");
  assert_int_equal(made->whole, -3);
  assert_true(made->number == 2.5);
  assert_true(made->flag);
  assert_int_equal(made->level, LEVEL_HIGH);
  mcp_struct_free(made);
  mcp_doc_free(doc);
}

TEST(a_structure_may_have_an_array_of_itself) {
  mcp_error err;
  static const char text[] =
      "{\"name\":\"a\",\"children\":[{\"name\":\"b\"},{\"name\":\"c\","
      "\"children\":[{\"name\":\"d\"}]}]}";
  mcp_doc *doc = parse(text);
  struct node *node = node_from_json(mcp_doc_root(doc), &err);
  assert_non_null(node);
  assert_string_equal(node->children[1].children[0].name, "d");
  assert_null(node->own);
  expect_text(node_type(), node, text);
  mcp_struct_free(node);
  mcp_doc_free(doc);
  expect_no_schema(node_schema(),
                   "struct node contains itself: state its schema as JSON");
}

/* --- what does not fit -------------------------------------------------- */

TEST(values_of_wrong_types_are_refused_with_their_place) {
  const mcp_struct_type *some = some_type();
  expect_unreadable(some, "[]", MCP_ERR_SCHEMA,
                    "expected an object, got array");
  expect_unreadable(some, "{\"text\":1}", MCP_ERR_SCHEMA,
                    "/text: expected a string, got number");
  expect_unreadable(some, "{\"whole\":\"1\"}", MCP_ERR_SCHEMA,
                    "/whole: expected an integer, got string");
  expect_unreadable(some, "{\"whole\":1.5}", MCP_ERR_SCHEMA,
                    "/whole: expected an integer, got the number 1.5");
  expect_unreadable(some, "{\"whole\":9223372036854775808}", MCP_ERR_SCHEMA,
                    "/whole: the integer does not fit into 64 bits");
  expect_unreadable(some, "{\"number\":true}", MCP_ERR_SCHEMA,
                    "/number: expected a number, got boolean");
  expect_unreadable(some, "{\"number\":1e400}", MCP_ERR_SCHEMA,
                    "/number: the number does not fit into a double");
  expect_unreadable(some, "{\"flag\":0}", MCP_ERR_SCHEMA,
                    "/flag: expected a boolean, got number");
  expect_unreadable(some, "{\"color\":\"blue\"}", MCP_ERR_SCHEMA,
                    "/color: \"blue\" is not a value of color");
  expect_unreadable(some, "{\"color\":1}", MCP_ERR_SCHEMA,
                    "/color: expected a string, got number");
  expect_unreadable(some, "{\"texts\":{}}", MCP_ERR_SCHEMA,
                    "/texts: expected an array, got object");
  expect_unreadable(some, "{\"texts\":[\"a\",null]}", MCP_ERR_SCHEMA,
                    "/texts/1: expected a string, got null");
  expect_unreadable(some, "{\"points\":[{\"x\":1},{}]}", MCP_ERR_SCHEMA,
                    "/points/1: the member \"x\" is missing");
  expect_unreadable(point_type(), "{}", MCP_ERR_SCHEMA,
                    "the member \"x\" is missing");
}

TEST(a_string_with_nul_is_refused) {
  expect_unreadable(some_type(), "{\"text\":\"a\\u0000b\"}", MCP_ERR_SCHEMA,
                    "/text: the string must not contain NUL (\\u0000)");
}

TEST(a_long_place_ends_at_an_outer_value) {
  char text[2048] = "";
  for (int i = 0; i < 30; i++) {
    strcat(text, "{\"name\":\"a\",\"children\":[");
  }
  strcat(text, "1");
  for (int i = 0; i < 30; i++) {
    strcat(text, "]}");
  }
  mcp_error err;
  mcp_doc *doc = parse(text);
  assert_null(node_from_json(mcp_doc_root(doc), &err));
  assert_int_equal(strncmp(err.message, "/children/0/children/0/", 23), 0);
  assert_non_null(strstr(err.message, ": expected an object, got number"));
  mcp_doc_free(doc);
}

TEST(a_structure_that_is_too_large_is_refused) {
  char text[512] = "{\"all\":[{}";
  for (int i = 0; i < 70; i++) {
    strcat(text, ",{}");
  }
  strcat(text, "]}");
  char message[100];
  snprintf(message, sizeof(message),
           "/all: the structure would have at least %zu bytes, but the limit "
           "is 67108864",
           wide_size(71));
  expect_unreadable(wide_type(), text, MCP_ERR_LIMIT, message);
}

TEST(a_structure_that_is_not_complete_is_not_written) {
  struct all all = {.text = NULL};
  expect_unwritable(all_type(), &all, MCP_ERR_INVALID,
                    "/text: the required string is NULL");
  all.text = "\xff";
  expect_unwritable(all_type(), &all, MCP_ERR_INVALID,
                    "/text: the string is not UTF-8 at byte 0");
  all.text = "a";
  all.number = NAN;
  expect_unwritable(all_type(), &all, MCP_ERR_INVALID,
                    "/number: nan is not a finite number");
  all.number = 1;
  all.color = (enum color)7;
  expect_unwritable(all_type(), &all, MCP_ERR_INVALID,
                    "/color: 7 is not a value of color");
  all.color = COLOR_RED;
  expect_unwritable(all_type(), &all, MCP_ERR_INVALID,
                    "/any: the required JSON text is NULL");
  all.any = "1";
  all.texts_count = 1;
  expect_unwritable(all_type(), &all, MCP_ERR_INVALID,
                    "/texts: the array is NULL, and its count is 1");
  all.texts = (const char *const[]){NULL};
  expect_unwritable(all_type(), &all, MCP_ERR_INVALID,
                    "/texts/0: the required string is NULL");
  expect_unwritable(all_type(), NULL, MCP_ERR_INVALID, "the structure is NULL");
}

TEST(a_json_field_must_be_json) {
  mcp_error err;
  const struct some some = {.any = "{"};
  assert_null(some_to_text(&some, &err));
  assert_int_equal(err.code, MCP_ERR_PARSE);
  assert_non_null(strstr(err.message, "/any"));
}

TEST(a_circle_of_structures_ends) {
  mcp_error err;
  struct node node = {.name = "a", .children_count = 1};
  node.children = &node;
  assert_null(node_to_text(&node, &err));
  assert_int_equal(err.code, MCP_ERR_LIMIT);
}

/* --- schemas ------------------------------------------------------------ */

TEST(a_schema_has_all_kinds) {
  expect_schema(
      all_schema(),
      "{\"type\":\"object\",\"properties\":{"
      "\"text\":{\"type\":\"string\",\"description\":\"T\"},"
      "\"whole\":{\"type\":\"integer\",\"description\":\"I\"},"
      "\"number\":{\"type\":\"number\",\"description\":\"N\"},"
      "\"flag\":{\"type\":\"boolean\",\"description\":\"B\"},"
      "\"color\":{\"type\":\"string\",\"description\":\"E\","
      "\"enum\":[\"red\",\"green\"]},"
      "\"at\":{\"type\":\"object\",\"properties\":{"
      "\"x\":{\"type\":\"number\",\"description\":\"East\"},"
      "\"y\":{\"type\":\"number\",\"description\":\"North\",\"default\":0.5}},"
      "\"required\":[\"x\"],\"additionalProperties\":false,"
      "\"description\":\"S\"},"
      "\"any\":{\"description\":\"J\"},"
      "\"texts\":{\"type\":\"array\",\"description\":\"TT\","
      "\"items\":{\"type\":\"string\"}},"
      "\"wholes\":{\"type\":\"array\",\"description\":\"II\","
      "\"items\":{\"type\":\"integer\"}},"
      "\"numbers\":{\"type\":\"array\",\"description\":\"NN\","
      "\"items\":{\"type\":\"number\"}},"
      "\"flags\":{\"type\":\"array\",\"description\":\"BB\","
      "\"items\":{\"type\":\"boolean\"}},"
      "\"levels\":{\"type\":\"array\",\"description\":\"EE\","
      "\"items\":{\"type\":\"string\",\"enum\":[\"low\",\"high\"]}},"
      "\"points\":{\"type\":\"array\",\"description\":\"SS\","
      "\"items\":{\"type\":\"object\",\"properties\":{"
      "\"x\":{\"type\":\"number\",\"description\":\"East\"},"
      "\"y\":{\"type\":\"number\",\"description\":\"North\",\"default\":0.5}},"
      "\"required\":[\"x\"],\"additionalProperties\":false}}},"
      "\"required\":[\"text\",\"whole\",\"number\",\"flag\",\"color\",\"at\","
      "\"any\",\"texts\",\"wholes\",\"numbers\",\"flags\",\"levels\","
      "\"points\"],\"additionalProperties\":false}");
}

TEST(a_schema_has_defaults_and_bounds) {
  expect_schema(
      defaults_schema(),
      "{\"type\":\"object\",\"properties\":{"
      "\"text\":{\"type\":\"string\",\"description\":\"T\",\"maxLength\":5,"
      "\"default\":\"a\\\"b\"},"
      "\"whole\":{\"type\":\"integer\",\"description\":\"I\",\"minimum\":-5,"
      "\"maximum\":16,\"default\":-3},"
      "\"number\":{\"type\":\"number\",\"description\":\"N\",\"default\":2.5},"
      "\"flag\":{\"type\":\"boolean\",\"description\":\"B\",\"default\":true},"
      "\"level\":{\"type\":\"string\",\"description\":\"E\","
      "\"enum\":[\"low\",\"high\"],\"default\":\"high\"}},"
      "\"additionalProperties\":false}");
}

#define OPTIONS(FIELD)                                                         \
  FIELD(STRING, a, "A", MCP_NAME("a-b"), MCP_MIN_LENGTH(1), MCP_PATTERN("^x"), \
        MCP_MORE(MCP_JSON("title": "The A")))                                  \
  FIELD(INTEGERS, b, "B", MCP_MIN_ITEMS(1), MCP_MAX_ITEMS(3))                  \
  FIELD(INTEGER, c, MCP_MINIMUM(0))                                            \
  FIELD(INTEGER, d, "D", .minimum = 2)
MCP_DEFINE_STRUCT(options, OPTIONS);

TEST(a_schema_has_the_options_of_fields) {
  expect_schema(
      options_schema(),
      "{\"type\":\"object\",\"properties\":{"
      "\"a-b\":{\"type\":\"string\",\"description\":\"A\",\"minLength\":1,"
      "\"pattern\":\"^x\",\"title\": \"The A\"},"
      "\"b\":{\"type\":\"array\",\"description\":\"B\","
      "\"items\":{\"type\":\"integer\"},\"minItems\":1,\"maxItems\":3},"
      "\"c\":{\"type\":\"integer\",\"minimum\":0},"
      "\"d\":{\"type\":\"integer\",\"description\":\"D\",\"minimum\":2}},"
      "\"required\":[\"a-b\",\"b\",\"c\",\"d\"],"
      "\"additionalProperties\":false}");
  const struct options value = {
      .a = "x", .b = (const int64_t[]){1}, .b_count = 1, .c = 2, .d = 3};
  expect_text(options_type(), &value,
              "{\"a-b\":\"x\",\"b\":[1],\"c\":2,\"d\":3}");
}

#define BAD_BOUNDS(FIELD) FIELD(NUMBER, a, "A", MCP_MINIMUM(2), MCP_MAXIMUM(1))
MCP_DEFINE_STRUCT(bad_bounds, BAD_BOUNDS);
#define BAD_DEFAULT(FIELD) FIELD(INTEGER_OR(0), a, "A", MCP_MINIMUM(1))
MCP_DEFINE_STRUCT(bad_default, BAD_DEFAULT);
#define DEEP_DEFAULT(FIELD) FIELD(STRUCTS(bad_default), all, "A")
MCP_DEFINE_STRUCT(deep_default, DEEP_DEFAULT);
#define BAD_ENUM(FIELD) FIELD(ENUM_OR(color, 9), a, "A")
MCP_DEFINE_STRUCT(bad_enum, BAD_ENUM);
#define BAD_NAMES(FIELD)                                                       \
  FIELD(STRING, a, "A")                                                        \
  FIELD(STRING, b, "B", MCP_NAME("a"))
MCP_DEFINE_STRUCT(bad_names, BAD_NAMES);
#define BAD_OPTION(FIELD) FIELD(STRING, a, "A", MCP_MINIMUM(1))
MCP_DEFINE_STRUCT(bad_option, BAD_OPTION);

TEST(a_schema_that_makes_no_sense_is_refused) {
  expect_no_schema(bad_bounds_schema(),
                   "field \"a\": minimum 2 is above maximum 1");
  expect_no_schema(bad_default_schema(),
                   "field \"a\": default_value 0 does not satisfy the field: "
                   "0 is less than the minimum 1");
  expect_no_schema(deep_default_schema(),
                   "field \"a\": default_value 0 does not satisfy the field: "
                   "0 is less than the minimum 1");
  expect_no_schema(bad_enum_schema(),
                   "field \"a\": its default 9 is not a value of color");
  expect_no_schema(bad_names_schema(),
                   "field \"a\": two fields have this name");
  expect_no_schema(bad_option_schema(),
                   "field \"a\": only a number or integer field can have a "
                   "minimum");
}

/* --- descriptions ------------------------------------------------------- */

TEST(descriptions_of_other_headers_are_read) {
  struct newer {
    mcp_member member;
    uint64_t more;
  } newer[1] = {{{.field_name = "a", .kind = MCP_MEMBER_INTEGER}, 0}};
  mcp_struct_type type = {sizeof(mcp_struct_type), "t", sizeof(int64_t),
                          &newer[0].member,        1,   sizeof(newer[0]),
                          mcp_struct_functions};
  int64_t value = 3;
  expect_text(&type, &value, "{\"a\":3}");
  newer[0].more = 1;
  mcp_error err;
  assert_null(mcp_struct_to_text(&type, &value, &err));
  assert_int_equal(err.code, MCP_ERR_UNSUPPORTED);
  type.member_size = 1;
  assert_null(mcp_struct_to_text(&type, &value, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_null(mcp_struct_to_text(NULL, &value, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_null(mcp_struct_from_json(NULL, NULL, NULL, NULL));
  mcp_struct_free(NULL);
}

static const mcp_struct_type *no_type(void) {
  return NULL;
}

TEST(a_schema_without_a_structure_is_refused) {
  const mcp_schema schema = {.size = sizeof(mcp_schema),
                             .struct_type = no_type};
  expect_no_schema(&schema, "the structure has no valid mcp_struct_type: use "
                            "MCP_DEFINE_STRUCT");
}

TEST(enumerators_of_every_size_are_kept) {
  assert_string_equal(color_name(COLOR_RED), "red");
  assert_null(color_name((enum color)9));
  assert_null(mcp_enum_name(NULL, 0));
  for (size_t size = 1; size <= 8; size *= 2) {
    int64_t kept[2] = {-1, -1};
    mcpi_enum_store(kept, size, -2);
    assert_int_equal(mcpi_enum_load(kept, size), -2);
    mcpi_enum_store(kept, size, 3);
    assert_int_equal(mcpi_enum_load(kept, size), 3);
    assert_true(kept[1] == -1);
  }
}

/* --- places ------------------------------------------------------------- */

#define NAMED(FIELD) FIELD(INTEGERS, x, "X", MCP_NAME("a/b~c"))
MCP_DEFINE_STRUCT(named, NAMED);

TEST(a_place_is_a_json_pointer) {
  expect_unreadable(named_type(), "{\"a/b~c\":[1,true]}", MCP_ERR_SCHEMA,
                    "/a~1b~0c/1: expected an integer, got boolean");
}

#define TEN_X "xxxxxxxxxx"
#define HUNDRED_X TEN_X TEN_X TEN_X TEN_X TEN_X TEN_X TEN_X TEN_X TEN_X TEN_X
#define LONG_NAME HUNDRED_X TEN_X TEN_X
#define INNER(FIELD) FIELD(INTEGER, whole, "W", MCP_NAME(LONG_NAME))
MCP_DEFINE_STRUCT(inner, INNER);
#define OUTER(FIELD) FIELD(STRUCTS(inner), in, "I", MCP_NAME(LONG_NAME))
MCP_DEFINE_STRUCT(outer, OUTER);
#define OUTMOST(FIELD) FIELD(STRUCT(outer), out, "O")
MCP_DEFINE_STRUCT(outmost, OUTMOST);

TEST(a_place_that_is_too_long_ends_at_one_that_encloses_it) {
  expect_unreadable(outmost_type(),
                    "{\"out\":{\"" LONG_NAME "\":[{\"" LONG_NAME "\":true}]}}",
                    MCP_ERR_SCHEMA, "/out: expected an integer, got boolean");
}

/* --- memory ------------------------------------------------------------- */

/* A structure of the program, whose further member needs more than the members
 * of fields do. */
struct roomy {
  bool flag;
  max_align_t further;
};
#define ROOMY(FIELD) FIELD(BOOLEAN, flag, "F")
MCP_DESCRIBE_STRUCT(roomy, ROOMY);
#define ROOMIES(FIELD)                                                         \
  FIELD(STRUCTS(roomy), a, "A")                                                \
  FIELD(INTEGERS, one, "O")                                                    \
  FIELD(STRUCTS(roomy), b, "B")
MCP_DEFINE_STRUCT(roomies, ROOMIES);

TEST(structures_in_arrays_are_aligned_for_any_member) {
  mcp_doc *doc =
      parse("{\"a\":[{\"flag\":true}],\"one\":[1],\"b\":[{\"flag\":true}]}");
  struct roomies *made = roomies_from_json(mcp_doc_root(doc), NULL);
  assert_non_null(made);
  assert_int_equal((uintptr_t)made % alignof(max_align_t), 0);
  assert_int_equal((uintptr_t)made->a % alignof(max_align_t), 0);
  assert_int_equal((uintptr_t)made->b % alignof(max_align_t), 0);
  mcp_struct_free(made);
  mcp_doc_free(doc);
}

static int read_all(const mcp_allocator *allocator, void *userdata) {
  mcp_error err = {0};
  void *made = mcp_struct_from_json(all_type(), userdata, allocator, &err);
  mcp_struct_free(made);
  return err.code;
}

TEST(reading_survives_every_failed_allocation) {
  mcp_doc *doc = parse(all_text);
  failing_alloc_rerun_least(2, read_all, (void *)mcp_doc_root(doc));
  mcp_doc_free(doc);
}

static int build_all(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  int rc = mcpi_schema_put(&buf, userdata, NULL);
  mcpi_buf_deinit(&buf);
  return rc;
}

TEST(a_schema_survives_every_failed_allocation) {
  failing_alloc_rerun_least(10, build_all, (void *)all_schema());
  failing_alloc_rerun_least(10, build_all, (void *)defaults_schema());
}
