/* SPDX-License-Identifier: MIT */
/* schema/elicit.c: the restricted schemas of forms, and defaults. */
#include "support/cm.h"

#include "schema/elicit.h"
#include "support/failing_alloc.h"
#include <mcp/schema.h>
#include <stdio.h>
#include <string.h>

static mcp_doc *parse(const char *text) {
  mcp_doc *doc;
  mcp_error err;
  if (mcp_doc_parse(&doc, text, strlen(text), NULL, NULL, &err) != 0) {
    fail_msg("%s: %s", text, err.message);
  }
  return doc;
}

static int check(const char *schema, int rich, mcp_error *err) {
  mcp_doc *doc = parse(schema);
  err->message[0] = '\0';
  int rc = mcpi_elicit_schema_check(mcp_doc_root(doc), rich, err);
  mcp_doc_free(doc);
  return rc;
}

static void expect_fine(const char *schema, int rich) {
  mcp_error err;
  if (check(schema, rich, &err) != 0) {
    fail_msg("%s: %s", schema, err.message);
  }
}

static void expect_failure(const char *schema, int rich, int code,
                           const char *message) {
  mcp_error err;
  int rc = check(schema, rich, &err);
  if (rc != code) {
    fail_msg("%s: %d, \"%s\"", schema, rc, err.message);
  }
  assert_int_equal(err.code, code);
  assert_string_equal(err.message, message);
}

/* A form with one property. */
static const char *form(const char *property) {
  static char text[2048];
  int len =
      snprintf(text, sizeof(text),
               "{\"type\":\"object\",\"properties\":{\"p\":%s}}", property);
  assert_in_range(len, 1, sizeof(text) - 1);
  return text;
}

static void plain_forms(void **state) {
  (void)state;
  static const char *const properties[] = {
      "{\"type\":\"string\"}",
      ("{\"type\":\"string\",\"title\":\"T\",\"description\":\"D\","
       "\"minLength\":1,\"maxLength\":9,\"format\":\"email\"}"),
      "{\"type\":\"string\",\"format\":\"date-time\",\"pattern\":\"a\"}",
      "{\"type\":\"number\",\"title\":\"T\",\"minimum\":1.5,\"maximum\":2}",
      "{\"type\":\"integer\",\"description\":\"D\",\"minimum\":-1}",
      "{\"type\":\"boolean\",\"title\":\"T\",\"default\":true}",
      "{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}",
      "{\"type\":\"string\",\"enum\":[\"a\"],\"enumNames\":[\"A\"]}",
  };
  for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
    expect_fine(form(properties[i]), 0);
    expect_fine(form(properties[i]), 1);
  }
}

static void rich_forms(void **state) {
  (void)state;
  static const char *const properties[] = {
      "{\"type\":\"string\",\"default\":\"x\"}",
      "{\"type\":\"number\",\"default\":1.5}",
      "{\"type\":\"integer\",\"default\":2.0}",
      "{\"type\":\"string\",\"enum\":[\"a\",\"b\"],\"default\":\"b\"}",
      ("{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"}],"
       "\"default\":\"a\",\"title\":\"T\"}"),
      ("{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\"]},"
       "\"minItems\":1,\"maxItems\":2,\"default\":[\"a\"]}"),
      ("{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"a\",\"title\":"
       "\"A\"}]},\"default\":[\"a\"]}"),
  };
  mcp_error err;
  for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
    expect_fine(form(properties[i]), 1);
    assert_int_equal(check(form(properties[i]), 0, &err), MCP_ERR_UNSUPPORTED);
  }
}

static void whole_forms(void **state) {
  (void)state;
  expect_fine("{\"type\":\"object\",\"properties\":{}}", 0);
  expect_fine("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
              "\"string\"}},\"required\":[\"a\"],"
              "\"additionalProperties\":false}",
              0);
  expect_fine("{\"$schema\":\"x\",\"type\":\"object\",\"properties\":{}}", 1);
  expect_failure("{\"$schema\":\"x\",\"type\":\"object\",\"properties\":{}}", 0,
                 MCP_ERR_UNSUPPORTED,
                 "/$schema: \"$schema\" needs revision 2025-11-25");
}

/* What the macros make is a form. */
static void built_form(void **state) {
  (void)state;
  mcp_builder *builder = mcp_builder_new(NULL);
  const mcp_schema *stated =
      MCP_OBJECT(MCP_STRING("name", "Yours", .more = "\"minLength\":1"),
                 MCP_BOOLEAN("sure", NULL, .optional = 1),
                 MCP_STRING("how", NULL, .values = MCP_VALUES("now", "later")));
  assert_int_equal(mcp_schema_build(stated, NULL, builder, NULL), 0);
  expect_fine(mcp_builder_text(builder, NULL), 0);
  mcp_builder_free(builder);
}

static void refused_forms(void **state) {
  (void)state;
  expect_failure("[]", 1, MCP_ERR_SCHEMA,
                 "/: expected an object with the type \"object\", got an array "
                 "of 0 items");
  expect_failure("{\"type\":\"object\"}", 1, MCP_ERR_SCHEMA,
                 "/: expected an object in \"properties\", got an object with "
                 "1 member");
  expect_failure("{\"type\":\"object\",\"properties\":{},\"required\":[\"a\"]}",
                 1, MCP_ERR_SCHEMA,
                 "/required/0: expected the name of a property, got the string "
                 "\"a\"");
  expect_failure("{\"type\":\"object\",\"properties\":{},\"anyOf\":[]}", 1,
                 MCP_ERR_SCHEMA, "/anyOf: \"anyOf\" is not allowed in a form");
  expect_failure("{\"type\":\"object\",\"properties\":{},"
                 "\"additionalProperties\":true}",
                 1, MCP_ERR_SCHEMA,
                 "/additionalProperties: \"additionalProperties\" is not "
                 "allowed in a form");
  assert_int_equal(mcpi_elicit_schema_check(NULL, 1, NULL), MCP_ERR_SCHEMA);
}

static void refused_properties(void **state) {
  (void)state;
  static const struct {
    const char *property;
    const char *message;
  } list[] = {
      {"true", "/properties/p: expected the type string, number, integer, "
               "boolean or array, got true"},
      {"{\"type\":\"object\",\"properties\":{}}",
       "/properties/p/type: expected the type string, number, integer, boolean "
       "or array, got the string \"object\""},
      {"{\"type\":\"number\",\"minLength\":1}",
       "/properties/p/minLength: \"minLength\" is not allowed here in a form"},
      {"{\"type\":\"string\",\"minLength\":-1}",
       "/properties/p/minLength: expected a whole number, not negative, got "
       "the number -1"},
      {"{\"type\":\"string\",\"title\":1}",
       "/properties/p/title: expected a string, got the number 1"},
      {"{\"type\":\"number\",\"minimum\":\"1\"}",
       "/properties/p/minimum: expected a number, got the string \"1\""},
      {"{\"type\":\"string\",\"format\":\"ipv4\"}",
       "/properties/p/format: expected email, uri, date or date-time, got the "
       "string \"ipv4\""},
      {"{\"type\":\"string\",\"enum\":[]}",
       "/properties/p/enum: expected at least one choice, got an array of 0 "
       "items"},
      {"{\"type\":\"string\",\"enum\":[\"a\",1]}",
       "/properties/p/enum/1: expected a string, got the number 1"},
      {"{\"type\":\"string\",\"enum\":[\"a\"],\"enumNames\":[]}",
       "/properties/p/enumNames: expected a name for each value of enum, got "
       "an array of 0 items"},
      {"{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\"}]}",
       "/properties/p/oneOf/0: expected {\"const\": a string, \"title\": a "
       "string}, got an object with 1 member"},
      {"{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\","
       "\"x\":1}]}",
       "/properties/p/oneOf/0: \"x\" is not allowed in a choice"},
      {"{\"type\":\"string\",\"oneOf\":[]}",
       "/properties/p/oneOf: expected an array of choices, got an array of 0 "
       "items"},
      {"{\"type\":\"array\"}",
       "/properties/p: expected a list of choices in \"items\", got an object "
       "with 1 member"},
      {"{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
       "/properties/p/items: expected a string's type and enum, or anyOf, "
       "alone, got an object with 1 member"},
      {"{\"type\":\"array\",\"items\":{\"type\":\"number\",\"enum\":[\"a\"]}}",
       "/properties/p/items/type: expected the type \"string\", got the string "
       "\"number\""},
      {"{\"type\":\"array\",\"items\":{\"enum\":[\"a\"]}}",
       "/properties/p/items: expected the type \"string\", got an object with "
       "1 member"},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    expect_failure(form(list[i].property), 1, MCP_ERR_SCHEMA, list[i].message);
  }
}

static void refused_defaults(void **state) {
  (void)state;
  static const struct {
    const char *property;
    const char *message;
  } list[] = {
      {"{\"type\":\"string\",\"default\":1}",
       "/properties/p/default: expected a string, got the number 1"},
      {"{\"type\":\"number\",\"default\":\"1\"}",
       "/properties/p/default: expected a number, got the string \"1\""},
      {"{\"type\":\"integer\",\"default\":1.5}",
       "/properties/p/default: expected an integer, got the number 1.5"},
      {"{\"type\":\"boolean\",\"default\":0}",
       "/properties/p/default: expected a boolean, got the number 0"},
      {"{\"type\":\"string\",\"enum\":[\"a\"],\"default\":\"b\"}",
       "/properties/p/default: expected one of the choices, got the string "
       "\"b\""},
      {"{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"}],"
       "\"default\":\"A\"}",
       "/properties/p/default: expected one of the choices, got the string "
       "\"A\""},
      {"{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"a\",\"title\":"
       "\"A\"}]},\"default\":[\"a\",\"c\"]}",
       "/properties/p/default/1: expected one of the choices, got the string "
       "\"c\""},
      {"{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\"]},"
       "\"default\":\"a\"}",
       "/properties/p/default: expected an array of strings, got the string "
       "\"a\""},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    expect_failure(form(list[i].property), 1, MCP_ERR_SCHEMA, list[i].message);
  }
}

/* --- limits ------------------------------------------------------------- */

static int check_many(size_t properties, size_t choices) {
  static char text[1 << 17];
  mcp_error err;
  size_t len = (size_t)snprintf(text, sizeof(text),
                                "{\"type\":\"object\",\"properties\":{\"p\":"
                                "{\"type\":\"string\",\"enum\":[\"a\"");
  for (size_t i = 1; i < choices; i++) {
    len += (size_t)snprintf(text + len, sizeof(text) - len, ",\"%zu\"", i);
  }
  len += (size_t)snprintf(text + len, sizeof(text) - len, "]}");
  for (size_t i = 1; i < properties; i++) {
    len += (size_t)snprintf(text + len, sizeof(text) - len,
                            ",\"%zu\":{\"type\":\"boolean\"}", i);
  }
  snprintf(text + len, sizeof(text) - len, "}}");
  return check(text, 0, &err);
}

static void limits(void **state) {
  (void)state;
  assert_int_equal(check_many(1024, 4096), 0);
  assert_int_equal(check_many(1025, 1), MCP_ERR_LIMIT);
  assert_int_equal(check_many(1, 4097), MCP_ERR_LIMIT);
}

/* --- defaults ----------------------------------------------------------- */

static const char *const defaults_form =
    "{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\",\"default\":\"Ada\"},"
    "\"age\":{\"type\":\"integer\"},"
    "\"sure\":{\"type\":\"boolean\",\"default\":false},"
    "\"size\":{\"type\":\"number\",\"default\":1.0}}}";

static void expect_content(const char *content, const char *expected) {
  mcpi_buf buf;
  mcp_doc *schema = parse(defaults_form);
  mcp_doc *doc = content != NULL ? parse(content) : NULL;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_elicit_apply_defaults(mcp_doc_root(schema), mcp_doc_root(doc), &buf);
  assert_int_equal(buf.error, 0);
  mcpi_buf_putc(&buf, '\0');
  assert_string_equal(buf.data, expected);
  mcpi_buf_deinit(&buf);
  mcp_doc_free(doc);
  mcp_doc_free(schema);
}

static void apply_defaults(void **state) {
  (void)state;
  const char *all = "{\"name\":\"Ada\",\"sure\":false,\"size\":1.0}";
  expect_content(NULL, all);
  expect_content("{}", all);
  expect_content("[1]", all);
  expect_content("{\"sure\":true,\"age\":3}",
                 "{\"sure\":true,\"age\":3,\"name\":\"Ada\",\"size\":1.0}");
  expect_content("{\"name\":null,\"sure\":1,\"size\":2,\"x\":[]}",
                 "{\"name\":null,\"sure\":1,\"size\":2,\"x\":[]}");
}

static void nothing_to_apply(void **state) {
  (void)state;
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_elicit_apply_defaults(NULL, NULL, &buf);
  assert_int_equal(buf.len, 2);
  assert_memory_equal(buf.data, "{}", 2);
  mcpi_buf_deinit(&buf);
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  mcpi_elicit_apply_defaults(mcp_doc_root(userdata), NULL, &buf);
  int rc = buf.error;
  mcpi_buf_deinit(&buf);
  return rc;
}

static void out_of_memory(void **state) {
  (void)state;
  mcp_doc *doc = parse(defaults_form);
  assert_true(failing_alloc_rerun(scenario, doc) > 0);
  mcp_doc_free(doc);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_forms),      cmocka_unit_test(rich_forms),
      cmocka_unit_test(whole_forms),      cmocka_unit_test(built_form),
      cmocka_unit_test(refused_forms),    cmocka_unit_test(refused_properties),
      cmocka_unit_test(refused_defaults), cmocka_unit_test(limits),
      cmocka_unit_test(apply_defaults),   cmocka_unit_test(nothing_to_apply),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
