/* SPDX-License-Identifier: MIT */
/* schema/build.c: the macros of mcp/schema.h and the text they make. */
#include "support/cm.h"

#include "schema/build.h"
#include "support/failing_alloc.h"
#include "support/plain_regex.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Lists of JSON texts, NULL at the end. */
#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The built text, borrowed until the next call; NULL after a failure. */
static const char *build(const mcp_schema *schema, int *rc, mcp_error *err) {
  static char text[4096];
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  assert_non_null(builder);
  *rc = mcp_schema_build(schema, NULL, builder, err);
  const char *built = mcp_builder_text(builder, NULL);
  if (built != NULL) {
    assert_true(strlen(built) < sizeof(text));
    memcpy(text, built, strlen(built) + 1);
  }
  mcp_builder_free(builder);
  return built != NULL ? text : NULL;
}

static void expect_text(const mcp_schema *schema, const char *text) {
  mcp_error err;
  int rc;
  const char *built = build(schema, &rc, &err);
  assert_int_equal(rc, 0);
  assert_non_null(built);
  assert_string_equal(built, text);
}

static void expect_meaning(const mcp_schema *schema,
                           const char *const *accepted,
                           const char *const *refused);

static void expect_failure(const mcp_schema *schema, int code,
                           const char *message) {
  mcp_error err;
  int rc;
  assert_null(build(schema, &rc, &err));
  assert_int_equal(rc, code);
  assert_int_equal(err.code, code);
  if (strstr(err.message, message) == NULL) {
    fail_msg("\"%s\" is not in \"%s\"", message, err.message);
  }
}

/* A schema as a program without the macros fills it. */
static mcp_schema one_field(const mcp_field *field) {
  return (mcp_schema){.size = sizeof(mcp_schema),
                      .fields = field,
                      .field_count = 1,
                      .field_size = sizeof(*field)};
}

/* --- objects ------------------------------------------------------------ */

TEST(an_object_may_have_no_fields) {
  expect_text(MCP_OBJECT(), "{\"type\":\"object\",\"properties\":{},"
                            "\"additionalProperties\":false}");
}

TEST(two_fields_become_required_properties) {
  expect_text(MCP_OBJECT(MCP_NUMBER("a", "first"), MCP_NUMBER("b", "second")),
              "{\"type\":\"object\",\"properties\":{"
              "\"a\":{\"type\":\"number\",\"description\":\"first\"},"
              "\"b\":{\"type\":\"number\",\"description\":\"second\"}},"
              "\"required\":[\"a\",\"b\"],\"additionalProperties\":false}");
}

TEST(each_type_has_its_name) {
  expect_text(MCP_OBJECT(MCP_STRING("s", "S"), MCP_NUMBER("n", "N"),
                         MCP_INTEGER("i", "I"), MCP_BOOLEAN("b", "B"),
                         MCP_ARRAY("a", "A"), MCP_STRUCT("o", "O")),
              "{\"type\":\"object\",\"properties\":{"
              "\"s\":{\"type\":\"string\",\"description\":\"S\"},"
              "\"n\":{\"type\":\"number\",\"description\":\"N\"},"
              "\"i\":{\"type\":\"integer\",\"description\":\"I\"},"
              "\"b\":{\"type\":\"boolean\",\"description\":\"B\"},"
              "\"a\":{\"type\":\"array\",\"description\":\"A\"},"
              "\"o\":{\"type\":\"object\",\"description\":\"O\"}},"
              "\"required\":[\"s\",\"n\",\"i\",\"b\",\"a\",\"o\"],"
              "\"additionalProperties\":false}");
}

TEST(optional_fields_are_not_required) {
  expect_text(
      MCP_OBJECT(MCP_STRING("path", NULL),
                 MCP_INTEGER("lines", "How many", .optional = 1,
                             .more = "\"minimum\":1,\n \"default\":1.0"),
                 MCP_STRING("mode", "What to count", .optional = 1,
                            .values = MCP_VALUES("words", "by\"tes"))),
      "{\"type\":\"object\",\"properties\":{"
      "\"path\":{\"type\":\"string\"},"
      "\"lines\":{\"type\":\"integer\",\"description\":\"How many\","
      "\"minimum\":1, \"default\":1.0},"
      "\"mode\":{\"type\":\"string\",\"description\":\"What to count\","
      "\"enum\":[\"words\",\"by\\\"tes\"]}},"
      "\"required\":[\"path\"],\"additionalProperties\":false}");
}

TEST(without_required_fields_there_is_no_required) {
  expect_text(MCP_OBJECT(MCP_BOOLEAN("b", NULL, .optional = 1)),
              "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":"
              "\"boolean\"}},\"additionalProperties\":false}");
}

TEST(structures_are_nested) {
  expect_text(
      MCP_OBJECT(
          MCP_ARRAY("ids", "Which", .schema = MCP_SCHEMA_TYPE("integer")),
          MCP_STRUCT("size", "How large",
                     .schema = MCP_OBJECT(MCP_NUMBER("w", NULL)))),
      "{\"type\":\"object\",\"properties\":{"
      "\"ids\":{\"type\":\"array\",\"description\":\"Which\","
      "\"items\":{\"type\":\"integer\"}},"
      "\"size\":{\"type\":\"object\",\"properties\":{\"w\":{\"type\":"
      "\"number\"}},\"required\":[\"w\"],\"additionalProperties\":false,"
      "\"description\":\"How large\"}},"
      "\"required\":[\"ids\",\"size\"],\"additionalProperties\":false}");
}

TEST(fields_of_structures_follow_in_place) {
  expect_text(
      MCP_OBJECT(
          MCP_STRUCT("o", "O",
                     MCP_FIELDS(MCP_STRUCT("p", NULL, .optional = 1,
                                           MCP_FIELDS(MCP_NUMBER("n", NULL))))),
          MCP_ARRAY("a", NULL, MCP_FIELDS(), .optional = 1)),
      "{\"type\":\"object\",\"properties\":{"
      "\"o\":{\"type\":\"object\",\"properties\":{"
      "\"p\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
      "\"number\"}},\"required\":[\"n\"],\"additionalProperties\":false}},"
      "\"additionalProperties\":false,\"description\":\"O\"},"
      "\"a\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
      "\"properties\":{},\"additionalProperties\":false}}},"
      "\"required\":[\"o\"],\"additionalProperties\":false}");
}

TEST(an_array_may_have_structures) {
  const mcp_schema *point =
      MCP_OBJECT(MCP_NUMBER("x", NULL), MCP_NUMBER("y", NULL, .optional = 1));
  expect_text(MCP_OBJECT(MCP_ARRAY("points", NULL, .schema = point)),
              "{\"type\":\"object\",\"properties\":{\"points\":{\"type\":"
              "\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
              "\"x\":{\"type\":\"number\"},\"y\":{\"type\":\"number\"}},"
              "\"required\":[\"x\"],\"additionalProperties\":false}}},"
              "\"required\":[\"points\"],\"additionalProperties\":false}");
}

TEST(a_structure_may_be_given_as_text) {
  expect_text(MCP_OBJECT(MCP_STRUCT("free", "Anything",
                                    .schema = MCP_SCHEMA_TEXT(" {} "),
                                    .more = "\"title\":\"T\"")),
              "{\"type\":\"object\",\"properties\":{\"free\":{\"description\":"
              "\"Anything\",\"title\":\"T\"}},\"required\":[\"free\"],"
              "\"additionalProperties\":false}");
}

/* --- limits, patterns, defaults ------------------------------------------ */

/* Expects the one property of an object. */
static void expect_property(const mcp_schema *schema, const char *property) {
  char text[512];
  snprintf(text, sizeof(text),
           "{\"type\":\"object\",\"properties\":{\"f\":%s},"
           "\"required\":[\"f\"],\"additionalProperties\":false}",
           property);
  expect_text(schema, text);
}

TEST(limits_become_keywords) {
  expect_property(
      MCP_OBJECT(MCP_INTEGER("f", "F", .minimum = "0", .maximum = " 10 ")),
      "{\"type\":\"integer\",\"description\":\"F\",\"minimum\":0,"
      "\"maximum\":10}");
  expect_property(MCP_OBJECT(MCP_NUMBER("f", NULL, .minimum = "-1e400",
                                        .maximum = "18446744073709551616")),
                  "{\"type\":\"number\",\"minimum\":-1e400,"
                  "\"maximum\":18446744073709551616}");
  expect_property(
      MCP_OBJECT(MCP_STRING("f", NULL, .min_length = 1, .max_length = 60)),
      "{\"type\":\"string\",\"minLength\":1,\"maxLength\":60}");
  expect_property(
      MCP_OBJECT(MCP_ARRAY("f", NULL, .max_items = UINT32_MAX,
                           .schema = MCP_SCHEMA_JSON(true), .min_items = 2)),
                 "{\"type\":\"array\",\"items\":true,\"minItems\":2,"
                 "\"maxItems\":4294967295}");
}

TEST(a_pattern_is_a_plain_string) {
  expect_property(MCP_OBJECT(MCP_STRING("f", NULL, .pattern = "^\\d\"$")),
                  "{\"type\":\"string\",\"pattern\":\"^\\\\d\\\"$\"}");
}

TEST(a_default_is_json) {
  expect_property(MCP_OBJECT(
      MCP_STRING("f", NULL, .values = MCP_VALUES("a", "b"),
                 .default_value = MCP_JSON("a"))),
      "{\"type\":\"string\",\"enum\":[\"a\",\"b\"],\"default\":\"a\"}");
  expect_property(MCP_OBJECT(MCP_NUMBER("f", NULL, .default_value = "0")),
                  "{\"type\":\"number\",\"default\":0}");
  expect_property(MCP_OBJECT(MCP_INTEGER("f", NULL, .default_value = "3.0")),
                  "{\"type\":\"integer\",\"default\":3.0}");
  expect_property(MCP_OBJECT(MCP_BOOLEAN("f", NULL, .default_value = "true")),
                  "{\"type\":\"boolean\",\"default\":true}");
  expect_property(MCP_OBJECT(MCP_ARRAY("f", NULL, .default_value = "[1]")),
                  "{\"type\":\"array\",\"default\":[1]}");
  expect_property(MCP_OBJECT(MCP_STRUCT("f", NULL, .default_value = "{}")),
                  "{\"type\":\"object\",\"default\":{}}");
  expect_property(MCP_OBJECT(
      MCP_STRUCT("f", NULL,
                 .schema = MCP_SCHEMA_JSON({}), .default_value = "7",
                                           .more = "\"title\":\"T\"")),
      "{\"default\":7,\"title\":\"T\"}");
}

TEST(limits_mean_themselves) {
  expect_meaning(
      MCP_OBJECT(
          MCP_INTEGER("n", NULL, .optional = 1, .minimum = "0", .maximum = "9"),
          MCP_STRING("s", NULL, .optional = 1, .min_length = 2,
                     .max_length = 3),
          MCP_ARRAY("a", NULL, .optional = 1, .min_items = 1, .max_items = 2)),
      TEXTS("{\"n\":0}", "{\"n\":9}", "{\"s\":\"\xC3\xB8\xC3\xB8\"}",
            "{\"a\":[1]}", "{\"a\":[1,2]}"),
      TEXTS("{\"n\":-1}", "{\"n\":10}", "{\"s\":\"\xC3\xB8\"}",
            "{\"s\":\"abcd\"}", "{\"a\":[]}", "{\"a\":[1,2,3]}"));
}

TEST(members_of_another_type_are_refused) {
  expect_failure(MCP_OBJECT(MCP_STRING("f", NULL, .minimum = "0")),
                 MCP_ERR_INVALID,
                 "field \"f\": only a number or integer field can have a "
                 "minimum");
  expect_failure(MCP_OBJECT(MCP_ARRAY("f", NULL, .maximum = "0")),
                 MCP_ERR_INVALID, "can have a maximum");
  expect_failure(MCP_OBJECT(MCP_NUMBER("f", NULL, .pattern = "a")),
                 MCP_ERR_INVALID, "only a string field can have a pattern");
  expect_failure(MCP_OBJECT(MCP_NUMBER("f", NULL, .min_length = 1)),
                 MCP_ERR_INVALID, "only a string field can have min_length");
  expect_failure(MCP_OBJECT(MCP_ARRAY("f", NULL, .max_length = 1)),
                 MCP_ERR_INVALID, "only a string field can have max_length");
  expect_failure(MCP_OBJECT(MCP_STRUCT("f", NULL, .min_items = 1)),
                 MCP_ERR_INVALID, "only an array field can have min_items");
  expect_failure(MCP_OBJECT(MCP_STRING("f", NULL, .max_items = 1)),
                 MCP_ERR_INVALID, "only an array field can have max_items");
}

TEST(bad_limits_and_defaults_are_refused) {
  expect_failure(MCP_OBJECT(MCP_NUMBER("f", NULL, .minimum = "1,\"a\":2")),
                 MCP_ERR_PARSE,
                 "field \"f\": minimum '1,\"a\":2' is not JSON of type number: "
                 "write it as in \"1.5\"");
  expect_failure(MCP_OBJECT(MCP_NUMBER("f", NULL, .minimum = "ten")),
                 MCP_ERR_PARSE, "minimum 'ten' is not JSON of type number");
  expect_failure(MCP_OBJECT(MCP_NUMBER("f", NULL, .maximum = "")),
                 MCP_ERR_PARSE, "field \"f\": maximum '' is not JSON");
  expect_failure(MCP_OBJECT(MCP_NUMBER("f", NULL, .maximum = "\"9\"")),
                 MCP_ERR_INVALID,
                 "field \"f\": maximum '\"9\"' is not JSON of type number");
  expect_failure(MCP_OBJECT(MCP_STRING("f", NULL, .default_value = "words")),
                 MCP_ERR_PARSE,
                 "field \"f\": default_value 'words' is not JSON of type "
                 "string: write it as in MCP_JSON(\"words\")");
  expect_failure(MCP_OBJECT(MCP_STRING("f", NULL, .default_value = "1")),
                 MCP_ERR_INVALID,
                 "default_value '1' is not JSON of type string");
  expect_failure(MCP_OBJECT(MCP_INTEGER("f", NULL, .default_value = "1.5")),
                 MCP_ERR_INVALID,
                 "default_value '1.5' is not JSON of type integer: write it as "
                 "in \"10\"");
  expect_failure(MCP_OBJECT(MCP_NUMBER("f", NULL, .default_value = "null")),
                 MCP_ERR_INVALID,
                 "default_value 'null' is not JSON of type number");
  expect_failure(MCP_OBJECT(MCP_BOOLEAN("f", NULL, .default_value = "0")),
                 MCP_ERR_INVALID,
                 "default_value '0' is not JSON of type boolean: write it as "
                 "in \"true\"");
  expect_failure(MCP_OBJECT(MCP_ARRAY("f", NULL, .default_value = "{}")),
                 MCP_ERR_INVALID,
                 "default_value '{}' is not JSON of type array: write it as in "
                 "MCP_JSON([1, 2])");
  expect_failure(
      MCP_OBJECT(MCP_STRUCT("f", NULL, MCP_FIELDS(), .default_value = "[]")),
      MCP_ERR_INVALID,
      "default_value '[]' is not JSON of type object: write it as in "
      "MCP_JSON({\"a\": 1})");
  expect_failure(MCP_OBJECT(MCP_NUMBER("f", NULL, .minimum = "0",
                                       .more = "\"minimum\":1")),
                 MCP_ERR_INVALID, "the member \"minimum\" occurs twice");
}

TEST(limits_that_no_value_satisfies_are_refused) {
  expect_failure(
      MCP_OBJECT(MCP_INTEGER("f", NULL, .minimum = "10", .maximum = "5")),
      MCP_ERR_INVALID, "field \"f\": minimum 10 is above maximum 5");
  expect_failure(
      MCP_OBJECT(MCP_NUMBER("f", NULL, .minimum = "1e401", .maximum = "1e400")),
      MCP_ERR_INVALID, "minimum 1e401 is above maximum 1e400");
  expect_failure(
      MCP_OBJECT(MCP_STRING("f", NULL, .min_length = 5, .max_length = 3)),
      MCP_ERR_INVALID, "field \"f\": min_length 5 is above max_length 3");
  expect_failure(
      MCP_OBJECT(MCP_ARRAY("f", NULL, .min_items = 2, .max_items = 1)),
      MCP_ERR_INVALID, "field \"f\": min_items 2 is above max_items 1");
  expect_property(
      MCP_OBJECT(MCP_NUMBER("f", NULL, .minimum = "5", .maximum = "5.0")),
      "{\"type\":\"number\",\"minimum\":5,\"maximum\":5.0}");
  expect_property(
      MCP_OBJECT(MCP_STRING("f", NULL, .min_length = 3, .max_length = 3)),
      "{\"type\":\"string\",\"minLength\":3,\"maxLength\":3}");
}

TEST(a_default_satisfies_its_field) {
  plain_regex_provide();
  expect_failure(MCP_OBJECT(MCP_INTEGER("f", NULL, .maximum = "100",
                                        .default_value = "200")),
                 MCP_ERR_INVALID,
                 "field \"f\": default_value 200 does not satisfy the field: "
                 "200 is more than the maximum 100");
  expect_failure(
      MCP_OBJECT(MCP_STRING("f", NULL, .values = MCP_VALUES("a"),
                            .default_value = MCP_JSON("b"))),
                 MCP_ERR_INVALID,
                 "field \"f\": default_value \"b\" does not satisfy the field");
  expect_failure(MCP_OBJECT(
      MCP_STRING("f", NULL, .max_length = 1, .default_value = MCP_JSON("ab"))),
      MCP_ERR_INVALID, "does not satisfy");
  expect_failure(MCP_OBJECT(
      MCP_STRING("f", NULL, .pattern = "^a$", .default_value = MCP_JSON("b"))),
      MCP_ERR_INVALID, "does not satisfy");
  expect_failure(MCP_OBJECT(MCP_STRING("f", NULL, .default_value = "\"b\"",
                                       .more = "\"const\":\"a\"")),
                 MCP_ERR_INVALID, "does not satisfy");
  expect_failure(
      MCP_OBJECT(MCP_ARRAY("f", NULL, .min_items = 1, .default_value = "[]")),
      MCP_ERR_INVALID, "does not satisfy");
  expect_failure(MCP_OBJECT(
      MCP_STRUCT("f", NULL, MCP_FIELDS(MCP_INTEGER("n", NULL, .minimum = "1")),
                 .default_value = MCP_JSON({"n": 0}))),
      MCP_ERR_INVALID,
      "field \"f\": default_value {\"n\": 0} does not satisfy "
      "the field: /n: 0 is less than the minimum 1");
  expect_failure(
      MCP_OBJECT(MCP_STRUCT("f", NULL,
                            MCP_FIELDS(MCP_INTEGER("n", NULL, .minimum = "1",
                                                   .default_value = "0")))),
      MCP_ERR_INVALID, "field \"n\": default_value 0 does not satisfy");
}

/* A member that is called $ref need not refer to anything. */
TEST(a_default_satisfies_what_its_field_refers_to) {
  expect_failure(
      MCP_OBJECT(MCP_INTEGER("f", NULL, .maximum = "5", .default_value = "9",
                             .more = "\"x\":{\"$ref\":\"#\"}")),
      MCP_ERR_INVALID,
      "field \"f\": default_value 9 does not satisfy the field: 9 is more "
      "than the maximum 5");
  expect_failure(
      MCP_OBJECT(MCP_STRUCT("f", NULL, MCP_FIELDS(MCP_INTEGER("$ref", NULL)),
                            .default_value = MCP_JSON({"$ref": "a"}))),
                 MCP_ERR_INVALID,
                 "does not satisfy the field: /$ref: expected an integer");
  expect_failure(MCP_OBJECT(MCP_NUMBER("f", NULL, .default_value = "1",
                                       .more = "\"allOf\":[{\"$ref\":\"#\"}]")),
                 MCP_ERR_INVALID,
                 "does not satisfy the field: expected an object");
  const mcp_field small = MCP_INTEGER("small", NULL, .maximum = "5");
  mcp_field large = MCP_INTEGER("large", NULL, .default_value = "9",
                                .more = "\"$ref\":\"#/properties/small\"");
  const mcp_field fields[] = {small, large};
  const mcp_schema schema = {.size = sizeof(schema),
                             .fields = fields,
                             .field_count = 2,
                             .field_size = sizeof(mcp_field)};
  expect_failure(&schema, MCP_ERR_INVALID,
                 "field \"large\": default_value 9 does not satisfy");
}

TEST(a_default_is_checked_at_any_depth) {
  expect_failure(MCP_OBJECT(
      MCP_ARRAY("list", NULL,
                MCP_FIELDS(MCP_STRUCT(
                    "s", NULL,
                    MCP_FIELDS(MCP_STRING("t", NULL, .max_length = 1,
                                          .default_value = MCP_JSON("ab"))))))),
      MCP_ERR_INVALID, "field \"t\": default_value \"ab\" does not satisfy");
  expect_failure(MCP_OBJECT(
      MCP_ARRAY("list", NULL, .max_items = 1,
                .schema = MCP_SCHEMA_JSON({"default": 1}),
                                          .default_value = "[1,2]")),
      MCP_ERR_INVALID, "field \"list\": default_value [1,2] does not satisfy");
  /* The library checks defaults of fields. A schema as text is the program's
   * own. */
  expect_property(
      MCP_OBJECT(MCP_ARRAY(
          "f", NULL, .default_value = "[]",
          .schema = MCP_SCHEMA_TEXT("{\"type\":\"string\",\"default\":1}"))),
      "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"default\":1},"
      "\"default\":[]}");
}

TEST(a_default_is_not_checked_by_a_schema_that_does_not_compile) {
  expect_property(
      MCP_OBJECT(MCP_NUMBER("f", NULL, .default_value = "1",
                            .more = "\"$ref\":\"#/$defs/outside\"")),
      "{\"type\":\"number\",\"default\":1,\"$ref\":\"#/$defs/outside\"}");
  expect_property(MCP_OBJECT(MCP_STRUCT(
      "f", NULL, .schema = MCP_SCHEMA_JSON({"type": 1}), .default_value = "1")),
                             "{\"type\": 1,\"default\":1}");
}

/* --- text and values ---------------------------------------------------- */

TEST(a_text_keeps_its_words) {
  expect_text(MCP_SCHEMA_TEXT(" {\"x-mine\" : 1.0,\r\n\t\"type\":\"object\","
                              "\"minimum\":1e400, \"$ref\":\"#/a\\u0041\"}\n"),
              "{\"x-mine\" : 1.0,\t\"type\":\"object\","
              "\"minimum\":1e400, \"$ref\":\"#/a\\u0041\"}");
  expect_text(MCP_SCHEMA_TEXT("true"), "true");
  expect_text(MCP_SCHEMA_TYPE("number"), "{\"type\":\"number\"}");
}

TEST(json_in_the_source_becomes_text) {
  const mcp_schema *schema = MCP_SCHEMA_JSON({"a":[1.0,-2,1e400]});
  expect_text(schema, "{\"a\":[1.0,-2,1e400]}");
  schema = MCP_SCHEMA_JSON({
    "type":   "object", // not part of it
    "$ref": "#/a\n\"\u00e9"
  });
  expect_text(schema,
              "{ \"type\": \"object\", \"$ref\": \"#/a\\n\\\"\\u00e9\" }");
  schema = MCP_OBJECT(MCP_ARRAY("a", NULL, .schema = MCP_SCHEMA_JSON(true)));
  expect_text(schema, "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
                      "\"array\",\"items\":true}},\"required\":[\"a\"],"
                      "\"additionalProperties\":false}");
}

TEST(a_value_is_written_as_it_is) {
  const char *text = "{\"b\":18446744073709551616,\"a\":[1.0,{}],\"c\":0}";
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  assert_non_null(doc);
  expect_text(MCP_SCHEMA_VALUE(mcp_doc_root(doc)), text);
  mcp_doc_free(doc);
}

TEST(a_schema_is_written_at_its_place) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_builder_object(builder, NULL);
  assert_int_equal(
      mcp_schema_build(MCP_SCHEMA_TEXT("{}"), "inputSchema", builder, NULL), 0);
  mcp_builder_end(builder);
  assert_string_equal(mcp_builder_text(builder, NULL), "{\"inputSchema\":{}}");
  mcp_builder_free(builder);
}

/* A schema at fault leaves the builder as it was; a wrong place does not. */
TEST(a_failure_leaves_the_builder_as_it_was) {
  mcp_error err;
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  assert_int_equal(mcp_schema_build(MCP_SCHEMA_TEXT("{"), NULL, builder, NULL),
                   MCP_ERR_PARSE);
  assert_int_equal(mcp_schema_build(MCP_SCHEMA_TEXT("{}"), NULL, builder, NULL),
                   0);
  assert_string_equal(mcp_builder_text(builder, NULL), "{}");
  assert_int_equal(mcp_schema_build(MCP_SCHEMA_TEXT("{}"), NULL, builder, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "the builder cannot take the schema: "
                                   "there can be only one value at the top");
  mcp_builder_free(builder);
  assert_int_equal(mcp_schema_build(MCP_SCHEMA_TEXT("{}"), NULL, NULL, &err),
                   MCP_ERR_NOMEM);
}

/* --- what they accept ---------------------------------------------------- */

static void expect_each(const mcp_validator *validator,
                        const char *const *texts, int accepted) {
  for (size_t i = 0; texts[i] != NULL; i++) {
    mcp_doc *doc = mcp_doc_parse(texts[i], strlen(texts[i]), NULL, NULL, NULL);
    assert_non_null(doc);
    if (mcp_validator_accepts(validator, mcp_doc_root(doc)) != accepted) {
      fail_msg("%s should be %s", texts[i], accepted ? "accepted" : "refused");
    }
    mcp_doc_free(doc);
  }
}

/* The text is a valid schema that accepts what it should. */
static void expect_meaning(const mcp_schema *schema,
                           const char *const *accepted,
                           const char *const *refused) {
  mcp_error err;
  int rc;
  const char *text = build(schema, &rc, &err);
  assert_non_null(text);
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  assert_non_null(doc);
  mcp_validator *validator = mcp_validator_new(mcp_doc_root(doc), NULL, &err);
  if (validator == NULL) {
    fail_msg("%s: %s", text, err.message);
  }
  expect_each(validator, accepted, 1);
  expect_each(validator, refused, 0);
  mcp_validator_unref(validator);
  mcp_doc_free(doc);
}

TEST(each_type_means_itself) {
  expect_meaning(MCP_OBJECT(), TEXTS("{}"), TEXTS("{\"a\":1}", "[]", "null"));
  expect_meaning(
      MCP_OBJECT(MCP_STRING("a", "A")), TEXTS("{\"a\":\"\"}", "{\"a\":\"1\"}"),
      TEXTS("{}", "{\"a\":1}", "{\"a\":null}", "{\"a\":\"\",\"b\":1}"));
  expect_meaning(MCP_OBJECT(MCP_NUMBER("a", "A")),
                 TEXTS("{\"a\":1.5}", "{\"a\":-1e400}"),
                 TEXTS("{\"a\":\"1\"}", "{\"a\":true}"));
  expect_meaning(MCP_OBJECT(MCP_INTEGER("a", "A")),
                 TEXTS("{\"a\":1}", "{\"a\":1.0}", "{\"a\":1e30}"),
                 TEXTS("{\"a\":1.5}", "{\"a\":\"1\"}"));
  expect_meaning(MCP_OBJECT(MCP_BOOLEAN("a", "A")), TEXTS("{\"a\":false}"),
                 TEXTS("{\"a\":0}", "{\"a\":\"false\"}"));
  expect_meaning(MCP_OBJECT(MCP_ARRAY("a", "A")),
                 TEXTS("{\"a\":[]}", "{\"a\":[1,\"x\",{}]}"),
                 TEXTS("{\"a\":{}}", "{\"a\":1}"));
  expect_meaning(MCP_OBJECT(MCP_STRUCT("a", "A")),
                 TEXTS("{\"a\":{}}", "{\"a\":{\"x\":1}}"), TEXTS("{\"a\":[]}"));
}

TEST(members_of_a_field_mean_themselves) {
  expect_meaning(
      MCP_OBJECT(MCP_STRING("a", NULL, .optional = 1,
                            .values = MCP_VALUES("x", "\"y\"")),
                 MCP_INTEGER("n", NULL, .more = "\"minimum\":1,\"default\":2")),
      TEXTS("{\"n\":1}", "{\"a\":\"\\\"y\\\"\",\"n\":7}"),
      TEXTS("{\"n\":0}", "{\"a\":\"y\",\"n\":1}", "{}"));
}

TEST(schemas_in_schemas_mean_themselves) {
  const char *list = "{\"maxItems\":1}";
  mcp_doc *doc = mcp_doc_parse(list, strlen(list), NULL, NULL, NULL);
  assert_non_null(doc);
  const mcp_schema *value = MCP_SCHEMA_VALUE(mcp_doc_root(doc));
  expect_meaning(
      MCP_OBJECT(MCP_ARRAY("ids", NULL, .schema = MCP_SCHEMA_TYPE("integer"),
                           .more = "\"minItems\":1"),
                 MCP_ARRAY("points", NULL, .optional = 1,
                           .schema = MCP_OBJECT(MCP_NUMBER("x", NULL))),
                 MCP_ARRAY("lists", NULL, .optional = 1, .schema = value),
                 MCP_STRUCT("size", NULL, .optional = 1,
                            .schema = MCP_OBJECT(MCP_NUMBER("w", NULL))),
                 MCP_STRUCT("free", "Text", .optional = 1,
                            .schema = MCP_SCHEMA_TEXT("{\"minProperties\":1}")),
                 MCP_STRUCT("value", "Value", .optional = 1, .schema = value)),
      TEXTS("{\"ids\":[1]}", "{\"ids\":[1],\"points\":[{\"x\":1}]}",
            "{\"ids\":[1],\"lists\":[[],[1],2]}",
            "{\"ids\":[1],\"size\":{\"w\":1},\"free\":{\"a\":1}}",
            "{\"ids\":[1],\"value\":[1]}"),
      TEXTS("{\"ids\":[]}", "{\"ids\":[1.5]}", "{\"ids\":[1],\"points\":[{}]}",
            "{\"ids\":[1],\"lists\":[[1,2]]}", "{\"ids\":[1],\"size\":{}}",
            "{\"ids\":[1],\"size\":{\"w\":1,\"h\":1}}",
            "{\"ids\":[1],\"free\":{}}", "{\"ids\":[1],\"value\":[1,2]}"));
  expect_meaning(value, TEXTS("[1]", "{}"), TEXTS("[1,2]"));
  expect_meaning(MCP_SCHEMA_TYPE("number"), TEXTS("1.5"), TEXTS("\"1\""));
  expect_meaning(MCP_SCHEMA_TEXT("{\"const\":1.0}"), TEXTS("1", "1.0"),
                 TEXTS("2"));
  expect_meaning(MCP_SCHEMA_TEXT("false"), TEXTS(NULL), TEXTS("{}", "null"));
  mcp_doc_free(doc);
}

/* --- what is refused ---------------------------------------------------- */

TEST(a_schema_is_given_in_one_way) {
  const mcp_schema none = {.size = sizeof(mcp_schema)};
  const mcp_field field = MCP_STRING("a", NULL);
  mcp_schema both = one_field(&field);
  both.text = "{}";
  expect_failure(NULL, MCP_ERR_INVALID, "NULL");
  expect_failure(&none, MCP_ERR_INVALID, "not 0 of them");
  expect_failure(&both, MCP_ERR_INVALID, "not 2 of them");
}

TEST(bad_texts_are_refused) {
  mcp_error err;
  int rc;
  expect_failure(MCP_SCHEMA_TEXT("{\"a\":}"), MCP_ERR_PARSE, "");
  build(MCP_SCHEMA_TEXT("{\"a\":}"), &rc, &err);
  assert_int_equal(err.offset, 5);
  expect_failure(MCP_SCHEMA_TEXT("{}{}"), MCP_ERR_PARSE, "");
  expect_failure(MCP_SCHEMA_TEXT(""), MCP_ERR_PARSE, "");
}

TEST(bad_fields_are_refused) {
  const mcp_field odd = {.name = "odd", .type = 7};
  const mcp_schema schema = one_field(&odd);
  const char *const empty[] = {NULL};
  expect_failure(&schema, MCP_ERR_INVALID,
                 "\"odd\": its type 7 is not a value of MCP_FIELD_*");
  expect_failure(MCP_OBJECT(MCP_STRING(NULL, "x")), MCP_ERR_INVALID,
                 "has no name");
  expect_failure(
      MCP_OBJECT(MCP_STRING("a", ""), MCP_NUMBER("b", ""), MCP_NUMBER("a", "")),
      MCP_ERR_INVALID, "\"a\": two fields have this name");
  expect_failure(MCP_OBJECT(MCP_NUMBER("a", "", .values = MCP_VALUES("1"))),
                 MCP_ERR_INVALID, "only a string field can have values");
  expect_failure(MCP_OBJECT(MCP_STRING("a", "", .values = empty)),
                 MCP_ERR_INVALID, "empty");
  expect_failure(
      MCP_OBJECT(MCP_STRING("a", "", .schema = MCP_SCHEMA_TEXT("{}"))),
      MCP_ERR_INVALID, "only an array or object field");
  expect_failure(
      MCP_OBJECT(MCP_STRUCT("a", "", .schema = MCP_SCHEMA_TEXT("true"))),
      MCP_ERR_INVALID, "not an object");
}

TEST(a_text_with_a_member_twice_is_refused) {
  expect_failure(MCP_SCHEMA_TEXT("{\"type\":\"object\",\"type\":\"object\"}"),
                 MCP_ERR_INVALID, "the member \"type\" occurs twice");
  expect_failure(MCP_SCHEMA_TEXT("{\"properties\":{\"a\":{},\"a\":{}}}"),
                 MCP_ERR_INVALID, "/properties: the member \"a\" occurs twice");
  expect_failure(
      MCP_OBJECT(MCP_STRUCT(
          "o", NULL, .schema = MCP_SCHEMA_TEXT("{\"x\":{\"y\":1,\"y\":2}}"))),
      MCP_ERR_INVALID, "/x: the member \"y\" occurs twice");
  expect_failure(
      MCP_OBJECT(MCP_NUMBER("n", "", .more = "\"x\":{\"y\":1,\"y\":2}")),
      MCP_ERR_INVALID, "/properties/n/x: the member \"y\" occurs twice");
  const char *text = "{\"b\":1,\"a\":[1.0,{}],\"b\":0}";
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  expect_failure(MCP_SCHEMA_VALUE(mcp_doc_root(doc)), MCP_ERR_INVALID,
                 "the member \"b\" occurs twice");
  mcp_doc_free(doc);
}

TEST(empty_names_and_equal_values_are_refused) {
  expect_failure(MCP_OBJECT(MCP_STRING("", "x")), MCP_ERR_INVALID,
                 "a field has no name");
  expect_failure(
      MCP_OBJECT(MCP_STRING("s", "", .values = MCP_VALUES("x", "y", "x"))),
      MCP_ERR_INVALID, "field \"s\": the value \"x\" occurs twice");
}

TEST(bad_further_members_are_refused) {
  static const char *const texts[] = {"minimum",
                                      "\"minimum\":1,",
                                      ",\"minimum\":1",
                                      "{\"minimum\":1}",
                                      "\"a\":1},\"b\":{\"c\":1",
                                      "\"a\":\"",
                                      "",
                                      " ",
                                      "{}"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    char message[200];
    snprintf(message, sizeof(message),
             "field \"n\": more '%s' is not a list of JSON members: write it "
             "without braces, as in MCP_JSON(\"title\": \"Name\")",
             texts[i]);
    expect_failure(MCP_OBJECT(MCP_NUMBER("n", "", .more = texts[i])),
                   MCP_ERR_PARSE, message);
  }
  expect_failure(
      MCP_OBJECT(MCP_NUMBER("n", "", .more = "\"description\":\"x\"")),
      MCP_ERR_INVALID, "\"description\" occurs twice");
  expect_failure(
      MCP_OBJECT(MCP_NUMBER("n", "", .more = "\"a\":1,\"b\":2,\"a\":1")),
      MCP_ERR_INVALID, "\"a\" occurs twice");
  expect_failure(
      MCP_OBJECT(MCP_STRUCT("o", NULL, .schema = MCP_OBJECT(),
                            .more = "\"additionalProperties\":true")),
      MCP_ERR_INVALID, "twice");
}

TEST(invalid_utf8_is_refused) {
  expect_failure(MCP_OBJECT(MCP_STRING("a", "\xff")), MCP_ERR_PARSE, "");
  expect_failure(MCP_OBJECT(MCP_STRING("\xc3", NULL)), MCP_ERR_PARSE, "");
}

/* --- other versions of the structures ------------------------------------ */

/* Fields of a program that was compiled with an older header. */
TEST(smaller_fields_are_read) {
  static const struct {
    const char *name;
    const char *description;
    int32_t type;
    int32_t optional;
  } fields[] = {{"a", "first", MCP_FIELD_NUMBER, 0},
                {"b", NULL, MCP_FIELD_STRING, 1}};
  const mcp_schema schema = {.size = sizeof(mcp_schema),
                             .fields = (const mcp_field *)(const void *)fields,
                             .field_count = 2,
                             .field_size = sizeof(fields[0])};
  expect_text(&schema, "{\"type\":\"object\",\"properties\":{"
                       "\"a\":{\"type\":\"number\",\"description\":\"first\"},"
                       "\"b\":{\"type\":\"string\"}},"
                       "\"required\":[\"a\"],\"additionalProperties\":false}");
}

/* Fields of a program that was compiled with a newer header. */
typedef struct larger_field {
  mcp_field field;
  const char *new_member;
  int64_t other_new_member;
} larger_field;

static mcp_schema larger_fields(const larger_field *fields, size_t count) {
  return (mcp_schema){.size = sizeof(mcp_schema),
                      .fields = &fields[0].field,
                      .field_count = count,
                      .field_size = sizeof(fields[0])};
}

TEST(larger_fields_are_read) {
  const larger_field fields[] = {
      {MCP_NUMBER("a", "first", .maximum = "9"), NULL, 0},
      {MCP_NUMBER("b", NULL, .optional = 1), NULL, 0}};
  const mcp_schema schema = larger_fields(fields, 2);
  expect_text(&schema, "{\"type\":\"object\",\"properties\":{"
                       "\"a\":{\"type\":\"number\",\"description\":\"first\","
                       "\"maximum\":9},\"b\":{\"type\":\"number\"}},"
                       "\"required\":[\"a\"],\"additionalProperties\":false}");
}

TEST(unknown_members_of_larger_fields_are_refused) {
  const larger_field first[] = {{MCP_NUMBER("a", NULL), "x", 0},
                                {MCP_NUMBER("b", NULL), NULL, 0}};
  const larger_field last[] = {{MCP_NUMBER("a", NULL), NULL, 0},
                               {MCP_NUMBER("b", NULL), NULL, -1}};
  mcp_schema schema = larger_fields(first, 2);
  expect_failure(&schema, MCP_ERR_UNSUPPORTED,
                 "mcp_field has members that this libmcp");
  schema = larger_fields(last, 2);
  expect_failure(&schema, MCP_ERR_UNSUPPORTED, "use a newer libmcp");
  const larger_field newer[] = {
      {{"a", NULL, .type = MCP_FIELD_OBJECT + 1}, "x", 0}};
  schema = larger_fields(newer, 1);
  expect_failure(&schema, MCP_ERR_UNSUPPORTED, "use a newer libmcp");
  schema.field_size = 4097; /* memory that was not initialised */
  expect_failure(&schema, MCP_ERR_INVALID,
                 "field_size of mcp_schema is 4097: set it to "
                 "sizeof(mcp_field)");
}

TEST(schemas_of_other_sizes_are_read) {
  struct {
    mcp_schema schema;
    const char *new_member;
  } larger = {{.size = sizeof(larger), .text = "{}"}, NULL};
  expect_text(&larger.schema, "{}");
  larger.new_member = "x";
  int rc;
  mcp_error err;
  assert_null(build(&larger.schema, &rc, &err));
  assert_int_equal(rc, MCP_ERR_UNSUPPORTED);
  const mcp_schema smaller = {.size = offsetof(mcp_schema, value),
                              .text = "{}",
                              .value = (const mcp_json *)(const void *)&larger};
  expect_text(&smaller, "{}");
}

TEST(structures_without_a_size_are_refused) {
  const mcp_field field = MCP_STRING("a", NULL);
  mcp_schema schema = {.text = "{}"};
  expect_failure(
      &schema, MCP_ERR_INVALID,
      "mcp_schema has no size: set its member size to sizeof(mcp_schema)");
  schema = one_field(&field);
  schema.field_size = 0;
  expect_failure(&schema, MCP_ERR_INVALID,
                 "field_size of mcp_schema is 0: set it to sizeof(mcp_field)");
  schema.field_size = offsetof(mcp_field, type);
  expect_failure(&schema, MCP_ERR_INVALID, "field_size");
}

/* --- nesting ------------------------------------------------------------ */

static void nest(mcp_schema *schemas, mcp_field *fields, size_t levels) {
  for (size_t i = 0; i < levels; i++) {
    fields[i] = (mcp_field)MCP_STRUCT("f", NULL, .schema = &schemas[i + 1]);
    schemas[i] = one_field(&fields[i]);
  }
  fields[levels] = (mcp_field)MCP_NUMBER("n", NULL);
  schemas[levels] = one_field(&fields[levels]);
}

TEST(nesting_has_a_limit) {
  mcp_schema schemas[66];
  mcp_field fields[66];
  mcp_error err;
  int rc;
  mcpi_buf buf;
  nest(schemas, fields, 62); /* 63 objects, 126 levels, and the number's */
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  assert_int_equal(mcpi_schema_put(&buf, schemas, &err), 0);
  mcpi_buf_deinit(&buf);
  nest(schemas, fields, 64);
  assert_null(build(schemas, &rc, &err));
  assert_int_equal(rc, MCP_ERR_LIMIT);
}

TEST(a_circle_of_structures_is_refused) {
  mcp_schema schema;
  const mcp_field field = MCP_STRUCT("again", NULL, .schema = &schema);
  schema = one_field(&field);
  expect_failure(&schema, MCP_ERR_LIMIT, "nested");
}

/* --- memory ------------------------------------------------------------- */

static int put_scenario(const mcp_allocator *allocator, void *userdata) {
  mcp_error err;
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  int rc = mcpi_schema_put(&buf, userdata, &err);
  if (rc == MCP_ERR_NOMEM) {
    assert_string_equal(err.message, "out of memory");
    assert_int_equal(buf.len, 0);
  }
  mcpi_buf_deinit(&buf);
  return rc;
}

TEST(failed_allocations_are_reported) {
  const mcp_schema *schema = MCP_OBJECT(
      MCP_STRING("mode",
                 "A description that is long enough to make the text "
                 "outgrow the first piece of memory, which has 256 "
                 "bytes at the time when this is written.",
                 .values = MCP_VALUES("a", "b")),
      MCP_INTEGER("n", "N", .minimum = "1", .default_value = "10"),
      MCP_ARRAY("list", NULL, .schema = MCP_SCHEMA_TEXT("{\"a\":[1]}"),
                .more = "\"minItems\":1"),
      MCP_STRUCT("inner", NULL, .schema = MCP_OBJECT(MCP_NUMBER("x", ""))));
  assert_true(failing_alloc_rerun(put_scenario, (void *)(uintptr_t)schema) > 5);
}
