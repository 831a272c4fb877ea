/* SPDX-License-Identifier: MIT */
#include "schema/http_params.h"

#include "schema/validator.h"
#include "support/failing_alloc.h"
#include "support/plain_regex.h"
#include "support/scratch.h"
#include "json/json.h"
#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The document and the validator are let go at once: the table has its own
 * reference of what it needs. */
static int try_compile(mcpi_http_params **params, const char *schema,
                       const mcp_allocator *allocator, mcp_error *err) {
  mcp_validator *validator = NULL;
  const mcp_json *doc = scratch_plain_json(schema);
  int rc = mcpi_validator_new(&validator, doc, allocator, err);
  if (rc == 0) {
    rc = mcpi_http_params_new(params, validator, allocator, err);
  }
  mcp_validator_unref(validator);
  return rc;
}

static mcpi_http_params *compile(const char *schema) {
  mcpi_http_params *params = NULL;
  mcp_error err = {0};
  if (try_compile(&params, schema, mcp_allocator_default(), &err) != 0) {
    fail_msg("%s: %s", schema, err.message);
  }
  return params;
}

/* The table in words: "Name:a.b" and a blank behind each. */
static void check_table(const char *schema, const char *expected) {
  mcpi_http_params *params = compile(schema);
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 10000);
  for (size_t i = 0; i < mcpi_http_params_count(params); i++) {
    const mcpi_http_param *param = mcpi_http_params_at(params, i);
    mcpi_buf_puts(&buf, param->name);
    for (size_t j = 0; j < param->depth; j++) {
      mcpi_buf_putc(&buf, j == 0 ? ':' : '.');
      mcpi_buf_puts(&buf, param->path[j]);
    }
    mcpi_buf_putc(&buf, ' ');
  }
  mcpi_buf_putc(&buf, '\0');
  assert_string_equal(buf.data, expected);
  mcpi_buf_deinit(&buf);
  mcpi_http_params_free(params);
}

SCRATCH_TEST(annotated_properties_are_found) {
  check_table(
      "{\"type\":\"object\",\"properties\":{"
      "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
      "\"n\":{\"x-mcp-header\":\"Count\",\"type\":\"integer\"},"
      "\"plain\":{\"type\":\"number\"},"
      "\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"!#$%&'*+-.^_`|~\"}"
      "}}",
      "Region:region Count:n !#$%&'*+-.^_`|~:b ");
}

SCRATCH_TEST(nested_properties_are_found) {
  check_table("{\"properties\":{\"a\":{\"properties\":{"
              "\"b\":{\"type\":\"string\",\"x-mcp-header\":\"B\"},"
              "\"c\":{\"properties\":{\"d\":{\"type\":\"string\","
              "\"x-mcp-header\":\"D\"}}}}},"
              "\"\":{\"type\":\"string\",\"x-mcp-header\":\"Empty\"}}}",
              "B:a.b D:a.c.d Empty: ");
}

#define ANNOTATED "{\"type\":\"string\",\"x-mcp-header\":\"A\"}"

SCRATCH_TEST(most_schemas_have_none) {
  static const char *const schemas[] = {
      "{}",
      "true",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}",
      /* A property of that name, and data that looks alike. */
      "{\"properties\":{\"x-mcp-header\":{\"type\":\"string\"}}}",
      "{\"properties\":{\"a\":{\"enum\":[{\"x-mcp-header\":\"A\"}],"
      "\"const\":{\"x-mcp-header\":\"A\"},"
      "\"default\":{\"x-mcp-header\":\"A\"},"
      "\"examples\":[{\"x-mcp-header\":\"A\"}]}}}",
      ("{\"$defs\":{\"x-mcp-header\":{\"type\":\"string\"}},"
       "\"description\":\"x-mcp-header\"}"),
      /* What JSON Schema does not know is data, and so is what it never gets
       * to.
       */
      "{\"vendor\":{\"deep\":[{\"er\":" ANNOTATED "}]}}",
      "{\"then\":{\"properties\":{\"a\":" ANNOTATED "}}}",
  };
  for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
    assert_null(compile(schemas[i]));
  }
  assert_int_equal(mcpi_http_params_count(NULL), 0);
  mcpi_http_params_free(NULL);
  mcpi_http_params_find(NULL, NULL, NULL);
}

/* --- invalid tools ------------------------------------------------------ */

static void check_refused(const char *schema, const char *place,
                          const char *why) {
  mcpi_http_params *params = NULL;
  mcp_error err = {0};
  int rc = try_compile(&params, schema, mcp_allocator_default(), &err);
  assert_int_equal(rc, MCP_ERR_SCHEMA);
  assert_int_equal(err.code, MCP_ERR_SCHEMA);
  assert_null(params);
  if (strncmp(err.message, place, strlen(place)) != 0 ||
      strstr(err.message, why) == NULL) {
    fail_msg("%s: %s", schema, err.message);
  }
  assert_int_equal(try_compile(&params, schema, mcp_allocator_default(), NULL),
                   MCP_ERR_SCHEMA);
}

/* A property "a" of that schema. */
static void check_property(const char *schema, const char *why) {
  char text[400];
  snprintf(text, sizeof(text), "{\"properties\":{\"a\":%s}}", schema);
  check_refused(text, "/properties/a/x-mcp-header: ", why);
}

SCRATCH_TEST(names_are_tokens) {
  static const char *const bad[] = {
      "\"\"",         "\"a b\"",
      "\"a:\"",       "\"caf\xC3\xA9\"",
      "\"a\\u0000\"", "\"a\\r\\nb\"",
      "\"\\u0001\"",  "\"(a)\"",
      "\" a\"",       "1",
      "null",         "true",
      "[]",           "{}",
      "[\"a\"]",      "\"a,b\"",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    char schema[100];
    snprintf(schema, sizeof(schema),
             "{\"type\":\"string\",\"x-mcp-header\":%s}", bad[i]);
    check_property(schema, "token");
  }
}

SCRATCH_TEST(types_are_three) {
  static const char *const bad[] = {
      "\"number\"", "\"object\"",   "\"array\"",
      "\"null\"",   "[\"string\"]", "[\"string\",\"null\"]",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    char schema[100];
    snprintf(schema, sizeof(schema), "{\"type\":%s,\"x-mcp-header\":\"A\"}",
             bad[i]);
    check_property(schema, "type");
  }
  check_property("{\"x-mcp-header\":\"A\"}", "type");
  check_property("{\"$ref\":\"#\",\"x-mcp-header\":\"A\"}", "type");
}

SCRATCH_TEST(names_are_unique_in_any_case) {
  check_refused(
      "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},"
      "\"b\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}",
      "/properties/b/x-mcp-header: ", "another");
  check_refused(
      "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"Re-g\"},"
      "\"b\":{\"properties\":{\"c\":{\"type\":\"string\","
      "\"x-mcp-header\":\"rE-G\"}}}}}",
      "/properties/b/properties/c/x-mcp-header: ", "another");
  check_refused("{\"properties\":{\"a\":{\"type\":\"string\","
                "\"x-mcp-header\":\"A\",\"x-mcp-header\":\"B\"}}}",
                "/properties/a/x-mcp-header: ", "already");
}

SCRATCH_TEST(only_properties_lead_there) {
  plain_regex_provide(); /* for patternProperties */
  static const char *const bad[][2] = {
      {ANNOTATED, "/x-mcp-header: "},
      {"{\"items\":" ANNOTATED "}", "/items/x"},
      {"{\"$schema\":\"http://json-schema.org/draft-07/"
       "schema#\",\"items\":[" ANNOTATED "]}",
       "/items/0/x"},
      {"{\"prefixItems\":[true," ANNOTATED "]}", "/prefixItems/1/x"},
      {"{\"contains\":" ANNOTATED "}", "/contains/x"},
      {"{\"additionalProperties\":" ANNOTATED "}", "/additionalProperties/x"},
      {"{\"unevaluatedProperties\":" ANNOTATED "}", "/unevaluatedProperties/x"},
      {"{\"propertyNames\":" ANNOTATED "}", "/propertyNames/x"},
      {"{\"patternProperties\":{\"enum\":" ANNOTATED "}}",
       "/patternProperties/enum/x"},
      {"{\"allOf\":[" ANNOTATED "]}", "/allOf/0/x"},
      {"{\"anyOf\":[" ANNOTATED "]}", "/anyOf/0/x"},
      {"{\"oneOf\":[{\"properties\":{\"a\":" ANNOTATED "}}]}",
       "/oneOf/0/properties/a/x"},
      {"{\"not\":" ANNOTATED "}", "/not/x"},
      {"{\"if\":" ANNOTATED "}", "/if/x"},
      {"{\"if\":true,\"then\":{\"properties\":{\"a\":" ANNOTATED "}}}",
       "/then/properties/a/x"},
      {"{\"if\":true,\"else\":" ANNOTATED "}", "/else/x"},
      {"{\"$defs\":{\"a\":" ANNOTATED "}}", "/$defs/a/x"},
      {"{\"definitions\":{\"default\":" ANNOTATED "}}",
       "/definitions/default/x"},
      {"{\"dependentSchemas\":{\"a\":" ANNOTATED "}}", "/dependentSchemas/a/x"},
      {"{\"$defs\":{\"a\":{\"properties\":{\"b\":" ANNOTATED "}}}}",
       "/$defs/a/properties/b/x"},
      {"{\"properties\":{\"a\":{\"items\":" ANNOTATED "}}}",
       "/properties/a/items/x"},
      {"{\"$ref\":\"#/vendor/deep/0/er\","
       "\"vendor\":{\"deep\":[{\"er\":" ANNOTATED "}]}}",
       "/vendor/deep/0/er/x"},
      {"{\"properties\":{\"a\":{\"$ref\":\"#/v/a\"}},\"v\":{\"a\":" ANNOTATED
       "}}",
       "/v/a/x"},
      /* A schema that is a list of properties as well. */
      {"{\"$ref\":\"#/properties\",\"properties\":{\"x-mcp-header\":{}}}",
       "/properties/x-mcp-header: "},
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    check_refused(bad[i][0], bad[i][1], "lead");
  }
}

/* --- limits ------------------------------------------------------------- */

static int compile_many(int count) {
  mcpi_http_params *params = NULL;
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 100000);
  mcpi_buf_lit(&buf, "{\"properties\":{");
  for (int i = 0; i < count; i++) {
    char text[100];
    snprintf(text, sizeof(text),
             "%s\"p%d\":{\"type\":\"integer\",\"x-mcp-header\":\"H%d\"}",
             i > 0 ? "," : "", i, i);
    mcpi_buf_puts(&buf, mcpi_str_z(text));
  }
  mcpi_buf_put(&buf, "}}", 3);
  int rc = try_compile(&params, buf.data, mcp_allocator_default(), NULL);
  assert_int_equal(mcpi_http_params_count(params), rc == 0 ? count : 0);
  mcpi_http_params_free(params);
  mcpi_buf_deinit(&buf);
  return rc;
}

SCRATCH_TEST(the_limit_holds_at_and_one_past) {
  assert_int_equal(compile_many(MCPI_HTTP_PARAMS_MAX), 0);
  assert_int_equal(compile_many(MCPI_HTTP_PARAMS_MAX + 1), MCP_ERR_LIMIT);
}

/* As deep as JSON may be: 63 properties and what is around them. */
SCRATCH_TEST(depth_is_bounded_by_the_json) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 100000);
  for (int i = 0; i < 63; i++) {
    mcpi_buf_lit(&buf, "{\"properties\":{\"a\":");
  }
  mcpi_buf_lit(&buf, ANNOTATED);
  for (int i = 0; i < 63; i++) {
    mcpi_buf_lit(&buf, "}}");
  }
  mcpi_buf_putc(&buf, '\0');
  mcpi_http_params *params = compile(buf.data);
  assert_int_equal(mcpi_http_params_count(params), 1);
  assert_int_equal(mcpi_http_params_at(params, 0)->depth, 63);
  mcpi_http_params_free(params);
  mcpi_buf_deinit(&buf);
}

/* --- arguments ---------------------------------------------------------- */

static const char usual[] =
    "{\"properties\":{"
    "\"s\":{\"type\":\"string\",\"x-mcp-header\":\"S\"},"
    "\"o\":{\"properties\":{"
    "\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"},"
    "\"p\":{\"properties\":{"
    "\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"B\"}}}}},"
    "\"t\":{\"type\":\"string\",\"x-mcp-header\":\"T\"}}}";

static void check_found(const char *arguments, const char *expected) {
  mcpi_http_params *params = compile(usual);
  const mcp_json *values[4];
  const mcp_json *doc = scratch_plain_json(arguments);
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  mcpi_http_params_find(params, doc, values);
  for (size_t i = 0; i < 4; i++) {
    mcpi_buf_putc(&buf, i == 0 ? '[' : ',');
    mcpi_json_put_value(&buf, values[i]);
  }
  mcpi_buf_put(&buf, "]", 2);
  assert_string_equal(buf.data, expected);
  mcpi_buf_deinit(&buf);
  mcpi_http_params_free(params);
}

SCRATCH_TEST(values_are_found) {
  check_found("{\"s\":\"a\",\"o\":{\"n\":1,\"p\":{\"b\":true}},\"t\":\"c\"}",
              "[\"a\",1,true,\"c\"]");
  check_found("{\"t\":\"c\",\"o\":{\"p\":{\"b\":false,\"n\":2},\"s\":\"x\"}}",
              "[null,null,false,\"c\"]");
  check_found("{\"n\":1,\"b\":true}", "[null,null,null,null]");
  check_found("{\"s\":null,\"o\":{\"n\":\"\"}}", "[null,\"\",null,null]");
  check_found("{\"s\":[1],\"o\":[1]}", "[[1],null,null,null]");
  check_found("{\"o\":null}", "[null,null,null,null]");
  check_found("[]", "[null,null,null,null]");
  check_found("\"s\"", "[null,null,null,null]");
}

/* As mcp_json_get has it, which is what handlers see. */
SCRATCH_TEST(of_several_the_first_counts) {
  check_found("{\"s\":\"a\",\"s\":\"b\",\"t\":null,\"t\":\"c\"}",
              "[\"a\",null,null,null]");
  check_found("{\"o\":{\"n\":1},\"o\":{\"n\":2,\"p\":{\"b\":true}}}",
              "[null,1,null,null]");
}

/* A property that is annotated and has properties below it. */
SCRATCH_TEST(both_ends_of_a_path_are_found) {
  mcpi_http_params *params =
      compile("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":"
              "\"A\",\"properties\":{\"b\":{\"type\":\"string\",\"x-mcp-"
              "header\":\"B\"}}}}}");
  const mcp_json *doc = scratch_plain_json("{\"a\":{\"b\":1}}");
  const mcp_json *values[2];
  mcpi_http_params_find(params, doc, values);
  assert_ptr_equal(values[0], mcp_json_pointer(doc, "/a"));
  assert_ptr_equal(values[1], mcp_json_pointer(doc, "/a/b"));
  mcpi_http_params_free(params);
}

/* --- headers ------------------------------------------------------------ */

/* headers: "Name: value" lines. */
static int check_headers(const char *arguments, const char *lines,
                         const char *why) {
  mcpi_http_params *params = compile(usual);
  mcp_http_header headers[8];
  size_t count = 0;
  char text[400];
  mcp_error err = {0};
  mcpi_buf scratch;
  const mcp_json *doc = scratch_plain_json(arguments);
  mcpi_buf_init(&scratch, mcp_allocator_default(), 1000);
  snprintf(text, sizeof(text), "%s", lines);
  for (char *line = strtok(text, "\n"); line != NULL;
       line = strtok(NULL, "\n")) {
    char *colon = strchr(line, ':');
    *colon = '\0';
    headers[count++] = (mcp_http_header){line, colon + 1};
  }
  int rc = mcpi_http_params_check(params, doc, headers, count, &scratch, &err);
  assert_int_equal(scratch.len, 0);
  if (rc != 0 && strstr(err.message, why) == NULL) {
    fail_msg("%s", err.message);
  }
  mcpi_buf_deinit(&scratch);
  mcpi_http_params_free(params);
  return rc;
}

SCRATCH_TEST(headers_that_agree_pass) {
  static const char *const pairs[][2] = {
      {"{}", ""},
      {"{\"s\":null}", "Mcp-Param-Other: x\nMcp-Param-Other: y\nHost: z\n"},
      {"{\"s\":\"a\"}", "mcp-param-s: a"},
      {"{\"s\":\"a\"}", "MCP-PARAM-S:a"},
      {"{\"s\":\"\"}", "Mcp-Param-S:"},
      {"{\"s\":\"Hello\"}", "Mcp-Param-S:=?base64?SGVsbG8=?="},
      {"{\"s\":\"a\",\"o\":{\"n\":42,\"p\":{\"b\":true}}}",
       "Mcp-Param-N: 42.0\nMcp-Param-B: true\nMcp-Param-S: a"},
  };
  for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
    assert_int_equal(check_headers(pairs[i][0], pairs[i][1], ""), 0);
  }
}

SCRATCH_TEST(headers_that_do_not_are_named) {
  static const char *const rows[][3] = {
      {"{\"s\":\"a\"}", "", "Mcp-Param-S is missing"},
      {"{\"s\":\"a\"}", "Mcp-Param-S: b", "Mcp-Param-S is not"},
      {"{\"s\":\"a\"}", "Mcp-Param-S: A", "Mcp-Param-S is not"},
      {"{\"s\":\"a\"}", "Mcp-Param-S: a\nmcp-param-s: a", "twice"},
      {"{\"s\":\"a\"}", "Mcp-Param-S: =?base64?YQ?=", "malformed"},
      {"{\"s\":\"a\"}", "Mcp-Param-S: a\x01", "malformed"},
      {"{}", "Mcp-Param-S: a", "Mcp-Param-S has no argument"},
      {"{\"s\":null}", "Mcp-Param-S: null", "no argument"},
      {"{\"o\":{\"n\":42}}", "Mcp-Param-N: 43", "Mcp-Param-N is not"},
      {"{\"o\":{\"n\":{}}}", "", "Mcp-Param-N is missing"},
      {"{\"o\":{\"n\":{}}}", "Mcp-Param-N: {}", "Mcp-Param-N is not"},
      {"{\"o\":{\"p\":{\"b\":true}}}", "Mcp-Param-B: 1", "Mcp-Param-B is not"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    assert_int_equal(check_headers(rows[i][0], rows[i][1], rows[i][2]),
                     MCP_ERR_PROTOCOL);
  }
  assert_int_equal(mcpi_http_params_check(NULL, NULL, NULL, 0, NULL, NULL), 0);
}

static int compile_and_check(const mcp_allocator *allocator, void *userdata) {
  mcpi_http_params *params = NULL;
  const mcp_http_header header = {"Mcp-Param-S", "=?base64?YQ==?="};
  mcp_error err;
  mcpi_buf scratch;
  const mcp_json *arguments = scratch_plain_json("{\"s\":\"a\"}");
  mcpi_buf_init(&scratch, allocator, 1000);
  int rc = try_compile(&params, usual, allocator, &err);
  if (rc == 0) {
    rc = mcpi_http_params_check(params, arguments, &header, 1, &scratch, &err);
  }
  assert_true(rc == 0 || err.code == MCP_ERR_NOMEM);
  mcpi_http_params_free(params);
  mcpi_buf_deinit(&scratch);
  return rc;
}

SCRATCH_TEST(failures_are_survived) {
  assert_true(failing_alloc_rerun(compile_and_check, NULL) > 3);
}
