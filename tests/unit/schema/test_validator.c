/* SPDX-License-Identifier: MIT */
/* schema/validator.c with compile.c and errors.c: what is accepted, and what
 * is said about the rest. */
#include "support/cm.h"

#include "base/buf.h"
#include "schema/validator.h"
#include "support/failing_alloc.h"
#include <mcp/schema.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mcp_doc *parse(const char *text) {
  mcp_doc *doc;
  mcp_error err;
  if (mcp_doc_parse(&doc, text, strlen(text), NULL, NULL, &err) != 0) {
    fail_msg("%s: %s", text, err.message);
  }
  return doc;
}

/* The document is freed at once: the validator has its own copy. */
static mcp_validator *compile(const char *schema) {
  mcp_validator *validator = NULL;
  mcp_error err;
  mcp_doc *doc = parse(schema);
  int rc = mcp_validator_new(&validator, mcp_doc_root(doc), NULL, &err);
  mcp_doc_free(doc);
  if (rc != 0) {
    fail_msg("%s: %s", schema, err.message);
  }
  return validator;
}

/* The errors as text; freed by the caller. */
static char *check(const char *schema, const char *value, uint32_t max_errors,
                   int *rc) {
  mcp_validator *validator = compile(schema);
  mcp_doc *doc = parse(value);
  mcp_builder *errors = mcp_builder_new(NULL);
  const mcp_validate_options options = {.size = MCP_VALIDATE_OPTIONS_INIT,
                                        .max_errors = max_errors};
  *rc = mcp_validator_check(validator, mcp_doc_root(doc), &options, errors);
  int accepts = mcp_validator_accepts(validator, mcp_doc_root(doc));
  assert_int_equal(accepts, *rc == 0);
  assert_int_equal(
      mcp_validator_check(validator, mcp_doc_root(doc), NULL, NULL), *rc);
  const char *text = mcp_builder_text(errors, NULL);
  assert_non_null(text);
  char *copy = strdup(text);
  mcp_builder_free(errors);
  mcp_doc_free(doc);
  mcp_validator_unref(validator);
  return copy;
}

typedef struct expectation {
  const char *schema;
  const char *value;
  const char *message; /* the first error's; NULL: valid */
} expectation;

static void expect(const expectation *e) {
  int rc;
  char *errors = check(e->schema, e->value, 0, &rc);
  if (e->message == NULL) {
    if (rc != 0) {
      fail_msg("%s refuses %s: %s", e->schema, e->value, errors);
    }
    assert_string_equal(errors, "[]");
    free(errors);
    return;
  }
  mcp_doc *doc = parse(errors);
  const char *message =
      mcp_json_string(mcp_json_pointer(mcp_doc_root(doc), "/0/message"));
  if ((rc != MCP_ERR_SCHEMA && rc != MCP_ERR_LIMIT) || message == NULL) {
    fail_msg("%s accepts %s", e->schema, e->value);
  }
  assert_string_equal(message, e->message);
  mcp_doc_free(doc);
  free(errors);
}

#define EXPECT_ALL(list)                                                       \
  for (size_t i = 0; i < sizeof(list) / sizeof((list)[0]); i++) {              \
    expect(&(list)[i]);                                                        \
  }

/* --- keywords ----------------------------------------------------------- */

static void types(void **state) {
  (void)state;
  static const expectation list[] = {
      {"{}", "null", NULL},
      {"{\"type\":\"null\"}", "null", NULL},
      {"{\"type\":\"boolean\"}", "false", NULL},
      {"{\"type\":\"string\"}", "\"\"", NULL},
      {"{\"type\":\"array\"}", "[]", NULL},
      {"{\"type\":\"object\"}", "{}", NULL},
      {"{\"type\":\"number\"}", "1.5", NULL},
      {"{\"type\":\"number\"}", "18446744073709551616", NULL},
      {"{\"type\":\"integer\"}", "1", NULL},
      {"{\"type\":\"integer\"}", "-1.0", NULL},
      {"{\"type\":\"integer\"}", "1e3", NULL},
      {"{\"type\":\"integer\"}", "18446744073709551616", NULL},
      {"{\"type\":[\"string\",\"integer\"]}", "2", NULL},
      {"{\"type\":[\"integer\",\"number\"]}", "2.5", NULL},
      {"{\"type\":\"number\"}", "\"x\"",
       "/: expected a number, got the string \"x\""},
      {"{\"type\":\"integer\"}", "1.5",
       "/: expected an integer, got the number 1.5"},
      {"{\"type\":\"integer\"}", "true", "/: expected an integer, got true"},
      {"{\"type\":\"string\"}", "[1,2]",
       "/: expected a string, got an array of 2 items"},
      {"{\"type\":\"string\"}", "[1]",
       "/: expected a string, got an array of 1 item"},
      {"{\"type\":[\"null\",\"string\",\"integer\"]}", "{\"a\":1}",
       "/: expected a string or an integer or null, got an object with 1 "
       "member"},
      {"{\"type\":\"boolean\"}", "null", "/: expected a boolean, got null"},
      {"{\"type\":\"object\"}", "-0.5",
       "/: expected an object, got the number -0.5"},
  };
  EXPECT_ALL(list);
}

static void booleans(void **state) {
  (void)state;
  static const expectation list[] = {
      {"true", "[{}]", NULL},
      {"false", "1", "/: no value is allowed here"},
      {"{\"properties\":{\"a\":false,\"b\":true}}", "{\"b\":1}", NULL},
      {"{\"properties\":{\"a\":false}}", "{\"a\":1}",
       "/a: no value is allowed here"},
      {"{\"items\":false}", "[]", NULL},
      {"{\"items\":false}", "[1]", "/: nothing may stand at index 0"},
  };
  EXPECT_ALL(list);
}

static void bounds(void **state) {
  (void)state;
  static const expectation list[] = {
      {"{\"minimum\":2}", "2", NULL},
      {"{\"maximum\":2}", "2.0", NULL},
      {"{\"minimum\":2}", "\"1\"", NULL},
      {"{\"exclusiveMinimum\":2}", "2.5", NULL},
      {"{\"exclusiveMaximum\":2}", "-3", NULL},
      {"{\"maximum\":10}", "11", "/: 11 is more than the maximum 10"},
      {"{\"minimum\":0.5}", "0.25", "/: 0.25 is less than the minimum 0.5"},
      {"{\"exclusiveMaximum\":2}", "2", "/: 2 is not less than 2"},
      {"{\"exclusiveMinimum\":2}", "2.0", "/: 2.0 is not more than 2"},
      /* A double does not tell these apart. */
      {"{\"maximum\":9007199254740992}", "9007199254740993",
       "/: 9007199254740993 is more than the maximum 9007199254740992"},
      {"{\"minimum\":0}", "123456789012345678901234567890", NULL},
      {"{\"maximum\":100}", "123456789012345678901234567890",
       "/: 123456789012345678901234567890 is more than the maximum 100"},
      {"{\"maximum\":100}", "1234567890123456789012345678901234567890123",
       "/: (too long to show) is more than the maximum 100"},
      {"{\"minimum\":-5}", "-1e400", "/: -1e400 is less than the minimum -5"},
  };
  EXPECT_ALL(list);
}

static void lengths(void **state) {
  (void)state;
  static const expectation list[] = {
      {"{\"minLength\":2,\"maxLength\":2}", "\"ab\"", NULL},
      {"{\"maxLength\":2}", "\"\xc3\xa9\xf0\x9f\x98\x80\"", NULL},
      {"{\"minLength\":2.0}", "\"ab\"", NULL},
      {"{\"maxLength\":1e30}", "\"ab\"", NULL},
      {"{\"minLength\":1}", "5", NULL},
      {"{\"minLength\":2}", "\"\xf0\x9f\x98\x80\"",
       "/: the string \"\xf0\x9f\x98\x80\" has 1 character, the minimum is 2"},
      {"{\"maxLength\":0}", "\"ab\"",
       "/: the string \"ab\" has 2 characters, the maximum is 0"},
      {"{\"minLength\":1e30}", "\"ab\"",
       "/: the string \"ab\" has 2 characters, the minimum is 1e30"},
      {"{\"minItems\":1,\"maxItems\":2}", "[1,2]", NULL},
      {"{\"minItems\":1}", "[]", "/: the array has 0 items, the minimum is 1"},
      {"{\"maxItems\":1}", "[1,2]",
       "/: the array has 2 items, the maximum is 1"},
      {"{\"minProperties\":1,\"maxProperties\":1}", "{\"a\":1}", NULL},
      {"{\"minProperties\":1}", "{}",
       "/: the object has 0 members, the minimum is 1"},
      {"{\"maxProperties\":0}", "{\"a\":1}",
       "/: the object has 1 member, the maximum is 0"},
  };
  EXPECT_ALL(list);
}

static void choices(void **state) {
  (void)state;
  static const expectation list[] = {
      {"{\"enum\":[\"a\",2,null,{\"x\":[1]}]}", "2.0", NULL},
      {"{\"enum\":[\"a\",2,null,{\"x\":[1]}]}", "{\"x\":[1.0]}", NULL},
      {"{\"const\":null}", "null", NULL},
      {"{\"enum\":[\"words\",\"bytes\",3]}", "\"lines\"",
       "/: expected one of \"words\", \"bytes\", 3, got the string \"lines\""},
      {"{\"enum\":[]}", "1", "/: expected one of nothing, got the number 1"},
      {"{\"const\":\"on\"}", "true", "/: expected \"on\", got true"},
      {"{\"const\":[1]}", "[]",
       "/: expected an array of 1 item, got an array of 0 items"},
      {"{\"const\":false}", "0", "/: expected false, got the number 0"},
  };
  EXPECT_ALL(list);
}

static void objects(void **state) {
  (void)state;
#define CLOSED                                                                 \
  "{\"properties\":{\"size\":{\"type\":\"integer\"},\"b\":{}},"                \
  "\"required\":[\"b\"],\"additionalProperties\":false}"
  static const expectation list[] = {
      {CLOSED, "{\"b\":1,\"size\":2}", NULL},
      {CLOSED, "[]", NULL},
      {CLOSED, "{\"size\":2}", "/: missing the required member \"b\""},
      {CLOSED, "{\"b\":1,\"foo\":2}",
       "/: unknown member \"foo\"; known are \"size\", \"b\""},
      {CLOSED, "{\"b\":1,\"size\":\"x\"}",
       "/size: expected an integer, got the string \"x\""},
      {"{\"additionalProperties\":false}", "{}", NULL},
      {"{\"additionalProperties\":false}", "{\"a\":1}",
       "/: unknown member \"a\"; no members are known"},
      {"{\"additionalProperties\":true}", "{\"a\":1}", NULL},
      {"{\"properties\":{\"a\":{}},\"additionalProperties\":{\"type\":"
       "\"null\"}}",
       "{\"a\":1,\"b\":2}", "/b: expected null, got the number 2"},
      /* Required names may be other members. */
      {"{\"required\":[\"z\",\"a\"]}", "{\"a\":1,\"z\":2}", NULL},
      {"{\"required\":[\"z\",\"a\"]}", "{\"a\":1}",
       "/: missing the required member \"z\""},
      {"{\"required\":[\"a\"],\"additionalProperties\":false}", "{\"a\":1}",
       "/: unknown member \"a\"; no members are known"},
      {"{\"required\":[]}", "{}", NULL},
      {"{\"required\":[\"\"],\"properties\":{\"\":{\"type\":\"null\"}}}",
       "{\"\":null}", NULL},
      /* A name that comes twice does not stand for another. */
      {"{\"required\":[\"a\",\"b\"]}", "{\"a\":1,\"a\":2}",
       "/: missing the required member \"b\""},
      {"{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"a\":null,\"a\":2}",
       "/a: expected null, got the number 2"},
      {"{\"properties\":{\"a\\u0000b\":{\"type\":\"null\"}}}",
       "{\"a\\u0000c\":1,\"a\":1}", NULL},
  };
  EXPECT_ALL(list);
}

static void arrays(void **state) {
  (void)state;
  static const expectation list[] = {
      {"{\"items\":{\"type\":\"string\"}}", "[\"a\",\"b\"]", NULL},
      {"{\"items\":{\"type\":\"string\"}}", "{\"a\":1}", NULL},
      {"{\"items\":{\"type\":\"string\"}}", "[\"a\",1]",
       "/1: expected a string, got the number 1"},
      {"{\"uniqueItems\":true}", "[1,\"1\",[1],{\"a\":1},true,1.5]", NULL},
      {"{\"uniqueItems\":false}", "[1,1]", NULL},
      {"{\"uniqueItems\":true}", "[0,{\"a\":1,\"b\":2},{\"b\":2,\"a\":1.0}]",
       "/: the items 1 and 2 are equal, all must differ"},
  };
  EXPECT_ALL(list);
}

static void combinations(void **state) {
  (void)state;
#define TITLED                                                                 \
  "{\"oneOf\":[{\"const\":\"r\",\"title\":\"Red\"},"                           \
  "{\"const\":\"g\",\"title\":\"Green\"}]}"
#define OPTIONAL                                                               \
  "{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"object\",\"required\":[\"a\"]}" \
  "]}"
  static const expectation list[] = {
      {TITLED, "\"r\"", NULL},
      {TITLED, "\"b\"",
       "/: expected one of \"r\", \"g\", got the string \"b\""},
      {OPTIONAL, "null", NULL},
      {OPTIONAL, "{\"a\":1}", NULL},
      /* The type tells which alternative was meant. */
      {OPTIONAL, "{}", "/: missing the required member \"a\""},
      {OPTIONAL, "3", "/: expected an object or null, got the number 3"},
      {"{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]}", "\"3\"",
       "/: expected an integer or null, got the string \"3\""},
      {"{\"anyOf\":[{\"maxLength\":1},{\"const\":\"xx\"}]}", "\"ab\"",
       "/: expected what one of the 2 alternatives of anyOf describes, got the "
       "string \"ab\""},
      {"{\"anyOf\":[{\"minimum\":5},{\"maximum\":3}]}", "2", NULL},
      {"{\"oneOf\":[{\"minimum\":1},{\"maximum\":3}]}", "2",
       "/: the number 2 fits more than one of the 2 alternatives of oneOf, "
       "where only one may fit"},
      {"{\"oneOf\":[{\"minimum\":1},{\"maximum\":3}]}", "4", NULL},
      {"{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}", "1.5",
       "/: expected an integer, got the number 1.5"},
      {"{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "2", NULL},
      {"{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "4",
       "/: 4 is more than the maximum 3"},
      {"{\"anyOf\":[true]}", "1", NULL},
      {"{\"anyOf\":[false]}", "1",
       "/: expected what one of the 1 alternatives of anyOf describes, got the "
       "number 1"},
  };
  EXPECT_ALL(list);
}

static void others_are_passed_over(void **state) {
  (void)state;
  static const expectation list[] = {
      {"{\"x\":[],\"Type\":\"null\",\"id\":3,\"$comment\":1}", "1", NULL},
  };
  EXPECT_ALL(list);
}

/* --- errors ------------------------------------------------------------- */

static void whole_errors(void **state) {
  (void)state;
  int rc;
  char *errors =
      check("{\"properties\":{\"a/b\":{\"items\":{\"maximum\":10}},\"n\":{}},"
            "\"required\":[\"n\",\"m\"],\"additionalProperties\":false,"
            "\"anyOf\":[{\"type\":\"null\"},{\"minProperties\":9}]}",
            "{\"a/b\":[1,{},12],\"~x\":0}", 0, &rc);
  assert_int_equal(rc, MCP_ERR_SCHEMA);
  assert_string_equal(
      errors,
      "[{\"instance\":\"/a~1b/2\",\"schema\":\"/properties/a~1b/items/"
      "maximum\",\"keyword\":\"maximum\",\"message\":\"/a~1b/2: 12 is more "
      "than the maximum 10\"},"
      "{\"instance\":\"\",\"schema\":\"/additionalProperties\",\"keyword\":"
      "\"additionalProperties\",\"message\":\"/: unknown member \\\"~x\\\"; "
      "known are \\\"a/b\\\", \\\"n\\\"\"},"
      "{\"instance\":\"\",\"schema\":\"/required\",\"keyword\":\"required\","
      "\"message\":\"/: missing the required member \\\"n\\\"\"},"
      "{\"instance\":\"\",\"schema\":\"/required\",\"keyword\":\"required\","
      "\"message\":\"/: missing the required member \\\"m\\\"\"},"
      "{\"instance\":\"\",\"schema\":\"/anyOf/1/minProperties\",\"keyword\":"
      "\"minProperties\",\"message\":\"/: the object has 2 members, the "
      "minimum is 9\"}]");
  free(errors);
}

static size_t count_errors(const char *schema, const char *value,
                           uint32_t max_errors) {
  int rc;
  char *errors = check(schema, value, max_errors, &rc);
  mcp_doc *doc = parse(errors);
  size_t count = mcp_json_size(mcp_doc_root(doc));
  assert_int_equal(rc, MCP_ERR_SCHEMA);
  mcp_doc_free(doc);
  free(errors);
  return count;
}

static void max_errors(void **state) {
  (void)state;
  const char *schema = "{\"items\":false,\"minItems\":50}";
  const char *value = "[1,2,3,4,5,6,7,8,9,10,11,12]";
  assert_int_equal(count_errors(schema, value, 0), 8);
  assert_int_equal(count_errors(schema, value, 1), 1);
  assert_int_equal(count_errors(schema, value, 12), 12);
  assert_int_equal(count_errors(schema, value, 100), 13);
  assert_int_equal(count_errors("{\"required\":[\"a\",\"b\",\"c\"]}", "{}", 2),
                   2);
  assert_int_equal(count_errors("{\"allOf\":[false,false,false]}", "{}", 2), 2);
}

static void check_message(const char *schema, const char *value,
                          uint32_t max_message, const char *message) {
  const mcp_validate_options options = {.size = MCP_VALIDATE_OPTIONS_INIT,
                                        .max_message = max_message};
  mcp_validator *validator = compile(schema);
  mcp_doc *doc = parse(value);
  mcp_builder *errors = mcp_builder_new(NULL);
  assert_int_equal(
      mcp_validator_check(validator, mcp_doc_root(doc), &options, errors),
      MCP_ERR_SCHEMA);
  mcp_doc *found = parse(mcp_builder_text(errors, NULL));
  assert_string_equal(mcp_json_string(mcp_json_get(
                          mcp_json_at(mcp_doc_root(found), 0), "message")),
                      message);
  mcp_doc_free(found);
  mcp_builder_free(errors);
  mcp_doc_free(doc);
  mcp_validator_unref(validator);
}

static void max_message(void **state) {
  (void)state;
  const char *schema = "{\"items\":{\"type\":\"integer\"}}";
  const char *whole = "/0: expected an integer, got the string \"\xC3\xA9\"";
  check_message(schema, "[\"\xC3\xA9\"]", 0, whole);
  check_message(schema, "[\"\xC3\xA9\"]", 5000, whole);
  check_message(schema, "[\"\xC3\xA9\"]", (uint32_t)strlen(whole), whole);
  check_message(schema, "[\"\xC3\xA9\"]", 11, "/0: expecte");
  /* No character is cut in two. */
  check_message(schema, "[\"\xC3\xA9\"]", (uint32_t)strlen(whole) - 2,
                "/0: expected an integer, got the string \"");
}

/* --- sizes -------------------------------------------------------------- */

/* A text of `count` times a piece, where a '#' becomes the number, between a
 * beginning and an end. Freed by the caller. */
static char *repeat(const char *begin, const char *piece, size_t count,
                    const char *end) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_puts(&buf, mcpi_str_z(begin));
  for (size_t i = 0; i < count; i++) {
    for (const char *p = piece; *p != '\0'; p++) {
      char digits[24];
      snprintf(digits, sizeof(digits), "%zu", i);
      mcpi_buf_puts(&buf, *p == '#' ? mcpi_str_z(digits) : mcpi_str_n(p, 1));
    }
  }
  mcpi_buf_puts(&buf, mcpi_str_z(end));
  mcpi_buf_putc(&buf, '\0');
  char *text = strdup(buf.data);
  mcpi_buf_deinit(&buf);
  return text;
}

static void expect_message(const char *schema, const char *value,
                           const char *message) {
  const expectation e = {schema, value, message};
  expect(&e);
}

static void long_texts_are_cut(void **state) {
  (void)state;
  char *value = repeat("\"\xc3\xa9", "\xe2\x82\xac", 1000, "\"");
  char *shown = repeat("/: expected null, got the string \"\xc3\xa9",
                       "\xe2\x82\xac", 19, "\"...");
  expect_message("{\"type\":\"null\"}", value, shown);
  free(value);
  free(shown);
}

static void long_lists_are_cut(void **state) {
  (void)state;
  char *schema = repeat("{\"enum\":[\"first\"", ",\"value-#\"", 500, "]}");
  int rc;
  char *errors = check(schema, "1", 0, &rc);
  assert_non_null(strstr(errors, "expected one of \\\"first\\\", \\\"value-0"));
  assert_non_null(strstr(errors, " more, got the number 1\""));
  assert_true(strlen(errors) < 600);
  free(errors);
  free(schema);
}

/* A pointer past 1 KB ends at an ancestor, which is a pointer still. */
static void long_pointers_are_cut(void **state) {
  (void)state;
  char *name = repeat("", "x", 600, "");
  char *value = malloc(4096);
  char *schema = malloc(4096);
  snprintf(value, 4096, "{\"%s\":{\"%s\":1}}", name, name);
  snprintf(schema, 4096,
           "{\"properties\":{\"%s\":{\"properties\":{\"%s\":false}}}}", name,
           name);
  int rc;
  char *errors = check(schema, value, 0, &rc);
  mcp_doc *doc = parse(errors);
  const mcp_json *first = mcp_json_at(mcp_doc_root(doc), 0);
  assert_int_equal(strlen(mcp_json_string(mcp_json_get(first, "instance"))),
                   601);
  assert_true(strlen(mcp_json_string(mcp_json_get(first, "message"))) < 200);
  mcp_doc_free(doc);
  free(errors);
  free(schema);
  free(value);
  free(name);
}

static void many_properties(void **state) {
  (void)state;
  char *schema = repeat("{\"properties\":{\"x\":false",
                        ",\"name-#\":{\"const\":#}", 1024, "},\"required\":[");
  char *names = repeat("\"y\"", ",\"name-#\"", 1023, "]}");
  char *value = repeat("{\"y\":null", ",\"name-#\":#", 1024, "}");
  size_t len = strlen(schema) + strlen(names) + 1;
  char *whole = malloc(len);
  snprintf(whole, len, "%s%s", schema, names);
  expect_message(whole, value, NULL);
  char *last = strstr(value, "\"name-1022\"");
  last[1] = 'N';
  expect_message(whole, value, "/: missing the required member \"name-1022\"");
  free(whole);
  free(value);
  free(names);
  free(schema);
}

static int compile_code(const char *schema, mcp_error *err) {
  mcp_validator *validator = NULL;
  mcp_doc *doc = parse(schema);
  int rc = mcp_validator_new(&validator, mcp_doc_root(doc), NULL, err);
  mcp_validator_unref(validator);
  mcp_doc_free(doc);
  return rc;
}

static void too_many_required(void **state) {
  (void)state;
  mcp_error err;
  char *at = repeat("{\"required\":[\"x\"", ",\"name-#\"", 1023, "]}");
  char *past = repeat("{\"required\":[\"x\"", ",\"name-#\"", 1024, "]}");
  assert_int_equal(compile_code(at, &err), 0);
  assert_int_equal(compile_code(past, &err), MCP_ERR_LIMIT);
  free(at);
  free(past);
}

static void deep(void **state) {
  (void)state;
  char *schema = repeat("", "{\"items\":", 127, "{\"maximum\":1}");
  char *value = repeat("", "[", 127, "2");
  char *schema_ends = repeat(schema, "}", 127, "");
  char *value_ends = repeat(value, "]", 127, "");
  char *pointer = repeat("", "/0", 60, "...: 2 is more than the maximum 1");
  expect_message(schema_ends, value_ends, pointer);
  free(pointer);
  free(value_ends);
  free(schema_ends);
  free(value);
  free(schema);
}

/* What would take minutes is given up, and refused. */
static void too_costly(void **state) {
  (void)state;
  char *few = repeat("[-1", ",#", 50000, "]");
  char *many = repeat("[-1", ",#", 150000, "]");
  expect_message("{\"uniqueItems\":true}", few, NULL);
  expect_message("{\"uniqueItems\":true}", many,
                 "/: the value is too large or too deep to be checked");
  free(few);
  free(many);
}

/* What takes long in each item, or for one text, is counted too. */
static void refuses_as_too_costly(const char *schema, const char *value) {
  mcp_validator *validator = compile(schema);
  mcp_doc *doc = parse(value);
  mcp_builder *errors = mcp_builder_new(NULL);
  assert_int_equal(
      mcp_validator_check(validator, mcp_doc_root(doc), NULL, errors),
      MCP_ERR_LIMIT);
  assert_non_null(
      strstr(mcp_builder_text(errors, NULL),
             "/: the value is too large or too deep to be checked"));
  mcp_builder_free(errors);
  mcp_doc_free(doc);
  mcp_validator_unref(validator);
}

static void too_costly_in_each_part(void **state) {
  (void)state;
  char *choices = repeat("{\"items\":{\"enum\":[-1", ",#", 4000, ",\"x\"]}}");
  char *items = repeat("[\"x\"", ",\"x\"", 4000, "]");
  char *lengths =
      repeat("{\"allOf\":[{}", ",{\"minLength\":300000}", 1000, "]}");
  char *string = repeat("\"", "x", 1000000, "\"");
  refuses_as_too_costly(choices, items);
  refuses_as_too_costly(lengths, string);
  free(string);
  free(lengths);
  free(items);
  free(choices);
}

/* --- schemas at fault --------------------------------------------------- */

static void malformed(void **state) {
  (void)state;
  static const struct {
    const char *schema;
    const char *message;
  } list[] = {
      {"1", "/: expected a schema (an object or a boolean), got the number 1"},
      {"{\"type\":\"any\"}",
       "/type: expected the name of a JSON type, got the string \"any\""},
      {"{\"type\":[]}",
       "/type: expected at least one type, got an array of 0 items"},
      {"{\"type\":[\"null\",3]}",
       "/type/1: expected the name of a JSON type, got the number 3"},
      {"{\"properties\":[]}",
       "/properties: expected an object, got an array of 0 items"},
      {"{\"properties\":{\"a\":{\"minimum\":\"x\"}}}",
       "/properties/a/minimum: expected a number, got the string \"x\""},
      {"{\"properties\":{\"a\":null}}",
       "/properties/a: expected a schema (an object or a boolean), got null"},
      {"{\"required\":\"a\"}",
       "/required: expected an array of names, got the string \"a\""},
      {"{\"required\":[\"a\",1]}",
       "/required/1: expected a name, got the number 1"},
      {"{\"additionalProperties\":1}",
       "/additionalProperties: expected a schema (an object or a boolean), got "
       "the number 1"},
      {"{\"items\":[{}]}",
       "/items: expected a schema (an object or a boolean), got an array of 1 "
       "item"},
      {"{\"enum\":{}}",
       "/enum: expected an array, got an object with 0 members"},
      {"{\"exclusiveMinimum\":true}",
       "/exclusiveMinimum: expected a number, got true"},
      {"{\"minLength\":-1}",
       "/minLength: expected a whole number, not negative, got the number -1"},
      {"{\"maxItems\":1.5}",
       "/maxItems: expected a whole number, not negative, got the number 1.5"},
      {"{\"uniqueItems\":1}",
       "/uniqueItems: expected a boolean, got the number 1"},
      {"{\"anyOf\":[]}",
       "/anyOf: expected an array of schemas, got an array of 0 items"},
      {"{\"allOf\":[{},{\"oneOf\":3}]}",
       "/allOf/1/oneOf: expected an array of schemas, got the number 3"},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    mcp_error err;
    assert_int_equal(compile_code(list[i].schema, &err), MCP_ERR_SCHEMA);
    assert_string_equal(err.message, list[i].message);
  }
}

/* A caller compiled before max_errors was there has shorter options. */
static void old_options(void **state) {
  (void)state;
  const mcp_validate_options options = {.size = sizeof(size_t),
                                        .max_errors = 1};
  mcp_validator *validator = compile("{\"items\":false}");
  mcp_doc *doc = parse("[1,2]");
  mcp_builder *errors = mcp_builder_new(NULL);
  assert_int_equal(
      mcp_validator_check(validator, mcp_doc_root(doc), &options, errors),
      MCP_ERR_SCHEMA);
  assert_non_null(strstr(mcp_builder_text(errors, NULL), "at index 1"));
  mcp_builder_free(errors);
  mcp_doc_free(doc);
  mcp_validator_unref(validator);
}

static void bad_arguments(void **state) {
  (void)state;
  mcp_validator *validator = compile("{}");
  mcp_builder *errors = mcp_builder_new(NULL);
  mcp_error err;
  const mcp_validate_options sizeless = {.max_errors = 1};
  assert_int_equal(mcp_validator_check(validator, NULL, &sizeless, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_validator_new(&validator, NULL, NULL, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_int_equal(mcp_validator_check(NULL, NULL, NULL, errors),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_validator_accepts(NULL, NULL), 0);
  /* No value is no value of any type. */
  assert_int_equal(mcp_validator_accepts(validator, NULL), 0);
  assert_int_equal(mcp_validator_check(validator, NULL, NULL, errors),
                   MCP_ERR_SCHEMA);
  assert_non_null(strstr(mcp_builder_text(errors, NULL), "got nothing"));
  /* The builder has its one value already. */
  assert_int_equal(mcp_validator_check(validator, NULL, NULL, errors),
                   MCP_ERR_INVALID);
  mcp_builder_free(errors);
  assert_ptr_equal(mcp_validator_ref(validator), validator);
  mcp_validator_unref(validator);
  mcp_validator_unref(validator);
  mcp_validator_unref(NULL);
  assert_null(mcp_validator_ref(NULL));
}

/* --- threads ------------------------------------------------------------ */

typedef struct sharing {
  mcp_validator *validator;
  const mcp_json *value;
} sharing;

/* Returns NULL when every validation accepted. */
static void *validate_often(void *userdata) {
  const sharing *shared = userdata;
  void *failed = NULL;
  for (int i = 0; i < 1000; i++) {
    mcp_validator *validator = mcp_validator_ref(shared->validator);
    if (!mcp_validator_accepts(validator, shared->value)) {
      failed = userdata;
    }
    mcp_validator_unref(validator);
  }
  return failed;
}

static void shared_between_threads(void **state) {
  (void)state;
  mcp_doc *doc = parse("{\"a\":[1,2,3]}");
  sharing shared = {compile("{\"required\":[\"a\"],\"minProperties\":1}"),
                    mcp_doc_root(doc)};
  pthread_t threads[4];
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, validate_often, &shared),
                     0);
  }
  for (size_t i = 0; i < 4; i++) {
    void *failed;
    assert_int_equal(pthread_join(threads[i], &failed), 0);
    assert_null(failed);
  }
  mcp_validator_unref(shared.validator);
  mcp_doc_free(doc);
}

/* --- memory ------------------------------------------------------------- */

static const char *const sample_schema =
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"},"
    "\"b\":{\"enum\":[1,2]},\"c\":{\"anyOf\":[{\"const\":1},true]}},"
    "\"required\":[\"a\",\"b\"]}";

static int scenario(const mcp_allocator *allocator, void *userdata) {
  const mcp_doc *doc = userdata;
  mcp_error err;
  mcp_validator *validator = NULL;
  int rc = mcpi_validator_new(&validator, mcp_doc_root(doc), allocator, &err);
  if (rc != 0) {
    assert_int_equal(err.code, rc);
    assert_null(validator);
    return rc;
  }
  mcp_builder *errors = mcp_builder_new(allocator);
  /* A schema is no sample of itself: its members a and b are missing. */
  rc = errors == NULL
           ? MCP_ERR_NOMEM
           : mcp_validator_check(validator, mcp_doc_root(doc), NULL, errors);
  mcp_builder_free(errors);
  mcp_validator_unref(validator);
  return rc == MCP_ERR_SCHEMA ? 0 : rc;
}

static void out_of_memory(void **state) {
  (void)state;
  mcp_doc *doc = parse(sample_schema);
  assert_true(failing_alloc_rerun(scenario, doc) > 6);
  mcp_doc_free(doc);
}

static void validation_allocates_nothing(void **state) {
  (void)state;
  failing_alloc alloc;
  mcp_validator *validator = NULL;
  mcp_doc *schema = parse(sample_schema);
  mcp_doc *value = parse("{\"a\":1,\"b\":2,\"c\":3}");
  failing_alloc_init(&alloc);
  assert_int_equal(mcpi_validator_new(&validator, mcp_doc_root(schema),
                                      &alloc.allocator, NULL),
                   0);
  size_t calls = atomic_load(&alloc.calls);
  assert_int_equal(atomic_load(&alloc.live_blocks), 5);
  assert_true(mcp_validator_accepts(validator, mcp_doc_root(value)));
  assert_false(mcp_validator_accepts(validator, mcp_doc_root(schema)));
  assert_int_equal(atomic_load(&alloc.calls), calls);
  mcp_validator_unref(validator);
  assert_int_equal(atomic_load(&alloc.live_blocks), 0);
  mcp_doc_free(schema);
  mcp_doc_free(value);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types),
      cmocka_unit_test(booleans),
      cmocka_unit_test(bounds),
      cmocka_unit_test(lengths),
      cmocka_unit_test(choices),
      cmocka_unit_test(objects),
      cmocka_unit_test(arrays),
      cmocka_unit_test(combinations),
      cmocka_unit_test(others_are_passed_over),
      cmocka_unit_test(whole_errors),
      cmocka_unit_test(max_errors),
      cmocka_unit_test(max_message),
      cmocka_unit_test(long_texts_are_cut),
      cmocka_unit_test(long_lists_are_cut),
      cmocka_unit_test(long_pointers_are_cut),
      cmocka_unit_test(many_properties),
      cmocka_unit_test(too_many_required),
      cmocka_unit_test(deep),
      cmocka_unit_test(too_costly),
      cmocka_unit_test(too_costly_in_each_part),
      cmocka_unit_test(malformed),
      cmocka_unit_test(old_options),
      cmocka_unit_test(bad_arguments),
      cmocka_unit_test(shared_between_threads),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(validation_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
