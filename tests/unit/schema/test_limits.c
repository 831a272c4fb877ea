/* SPDX-License-Identifier: MIT */
/* What a schema and a validation may cost, at and past each limit, and hostile
 * schemas and values: each ends with an error, in well under a second without
 * sanitizers. */
#include "support/failing_alloc.h"
#include "support/plain_regex.h"
#include "support/schema_check.h"
#include "support/scratch.h"
#include <stdio.h>
#include <string.h>

#define TOO_COSTLY "the value is too large or too deep to be checked"

static int code_of(const char *schema, const mcp_validator_options *options,
                   mcp_error *err) {
  mcp_validator *validator;
  return scratch_compile(&validator, schema, options, err);
}

/* Checks a value once, in one of the ways. */
static int check_code(const char *schema, const char *value,
                      const mcp_validator_options *options) {
  return mcp_validator_check(scratch_validator(schema, options),
                             scratch_json(value), NULL, NULL);
}

static int defaults_code(const char *schema, const char *value,
                         const mcp_validator_options *options) {
  return mcp_validator_apply_defaults(scratch_validator(schema, options),
                                      scratch_json(value), NULL,
                                      scratch_builder());
}

/* --- the options ---------------------------------------------------------- */

SCRATCH_TEST(max_nodes_limits_subschemas) {
  mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                   .max_nodes = 4};
  mcp_error err;
  assert_int_equal(code_of("{'allOf':[{},{},{}]}", &options, &err), 0);
  assert_int_equal(code_of("{'allOf':[{},{},{},{}]}", &options, &err),
                   MCP_ERR_LIMIT);
  assert_string_equal(err.message,
                      "/allOf/3: a schema of more than 4 subschemas");
  /* A place that is referred to twice is one. */
  assert_int_equal(code_of("{'allOf':[{'$ref':'#/$defs/a'},{'$ref':'#/$defs/a'}"
                           "],'$defs':{'a':{}}}",
                           &options, &err),
                   0);
  char *at = scratch_repeat("{'prefixItems':[{}", ",{}", 99998, "]}");
  char *past = scratch_repeat("{'prefixItems':[{}", ",{}", 99999, "]}");
  assert_int_equal(code_of(at, NULL, &err), 0);
  assert_int_equal(code_of(past, NULL, &err), MCP_ERR_LIMIT);
}

SCRATCH_TEST(max_depth_limits_the_descent) {
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .max_depth = 3};
  const char *schema = "{'items':{'$ref':'#'},'type':'array'}";
  assert_int_equal(check_code(schema, "[[[]]]", &options), 0);
  assert_int_equal(check_code(schema, "[[[[]]]]", &options), MCP_ERR_LIMIT);
  /* Subschemas of the same value, too. */
  const schema_case list[] = {
      {"{'allOf':[{'allOf':[{'minimum':1}]}]}", "1", NULL},
      {"{'allOf':[{'allOf':[{'allOf':[{'minimum':1}]}]}]}", "1", TOO_COSTLY},
      {"{'not':{'not':{'not':{'minimum':1}}}}", "1", TOO_COSTLY},
      {"{'anyOf':[true,{'allOf':[{'allOf':[{'minimum':1}]}]}]}", "1", NULL},
      {"{'anyOf':[{'allOf':[{'allOf':[{'minimum':1}]}]},true]}", "1",
       TOO_COSTLY},
  };
  SCHEMA_EXPECT(list, &options);
  const char *fills = "{'properties':{'a':{'$ref':'#'},'b':{'default':1}}}";
  assert_int_equal(defaults_code(fills, "{'a':{}}", &options), 0);
  assert_int_equal(defaults_code(fills, "{'a':{'a':{}}}", &options),
                   MCP_ERR_LIMIT);
}

SCRATCH_TEST(max_bytes_limits_all_documents) {
  const mcp_json *doc = scratch_json("{'type':'null'}");
  const mcp_schema_document document = {.uri = "http://x/a", .schema = doc};
  mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                   .max_bytes = strlen("{'type':'null'}")};
  mcp_error err;
  assert_int_equal(code_of("{'type':'null'}", &options, &err), 0);
  assert_int_equal(code_of("{'type':'array'}", &options, &err), MCP_ERR_LIMIT);
  /* Of all documents together, but only of those that are needed. */
  const char *refers = "{'$ref':'http://x/a'}";
  options.documents = &document;
  options.document_count = 1;
  options.max_bytes = strlen(refers) + strlen("{'type':'null'}");
  assert_int_equal(code_of(refers, &options, &err), 0);
  options.max_bytes--;
  assert_int_equal(code_of(refers, &options, &err), MCP_ERR_LIMIT);
  assert_int_equal(code_of("{'const':'xxxxxxxxxxxx'}", &options, &err), 0);
}

SCRATCH_TEST(max_steps_limits_a_validation) {
  mcp_validator_options options = {.size = sizeof(mcp_validator_options)};
  char *few = scratch_repeat("[0.5", ",@", 50, "]");
  char *many = scratch_repeat("[0.5", ",@", 200, "]");
  options.max_steps = 150;
  assert_int_equal(check_code("{'items':{'minimum':0}}", few, &options), 0);
  assert_int_equal(check_code("{'items':{'minimum':0}}", many, &options),
                   MCP_ERR_LIMIT);
  /* A value that was not checked is not accepted, by any keyword. */
  const schema_case list[] = {
      {"{'not':{'items':{'minimum':0}}}", many, TOO_COSTLY},
      {"{'anyOf':[{'items':{'minimum':1}},true]}", few, NULL},
      {"{'anyOf':[{'items':{'minimum':0}},true]}", many, TOO_COSTLY},
      {"{'if':{'items':{'minimum':0}},'then':true,'else':true}", many,
       TOO_COSTLY},
      {"{'contains':{'minimum':200}}", many, TOO_COSTLY},
      {"{'contains':{'minimum':0},'minContains':0,'maxContains':9}", many,
       TOO_COSTLY},
      {"{'uniqueItems':true}", many, TOO_COSTLY},
      {"{'unevaluatedItems':{'minimum':0}}", many, TOO_COSTLY},
      {"{'items':{'enum':['x','y','z','w']}}", few,
       "/0: expected one of 'x', 'y', 'z', 'w', got the number 0.5"},
  };
  SCHEMA_EXPECT(list, &options);
  assert_int_equal(defaults_code("{'items':{'items':true}}", few, &options), 0);
  assert_int_equal(defaults_code("{'items':{'items':true}}", many, &options),
                   MCP_ERR_LIMIT);
}

/* An aborted validation reports nothing about the rest. */
SCRATCH_TEST(an_aborted_validation_reports_nothing_else) {
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .max_steps = 40};
  char *items = scratch_repeat("[0", ",@", 60, "]");
  char *members = scratch_repeat("{'x':0", ",'a@':@", 60, "}");
  char *names = scratch_repeat("{'properties':{'x':{}", ",'a@':{}", 60,
                               "},'additionalProperties':false}");
  char *texts = scratch_repeat("{'enum':['y'", ",'a@'", 60, "]}");
  char *needs =
      scratch_repeat("{'dependentRequired':{'x':['x'", ",'a@'", 60, "]}}");
  char *unevaluated = scratch_repeat("{'properties':{'x':{}", ",'a@':{}", 60,
                                     "},'unevaluatedProperties':false}");
  const schema_case list[] = {
      {texts, "'z'", TOO_COSTLY},
      {names, members, TOO_COSTLY},
      {unevaluated, members, TOO_COSTLY},
      {needs, members, TOO_COSTLY},
      {"{'contains':{'minimum':200}}", items, TOO_COSTLY},
      {"{'not':{'contains':{'minimum':200}}}", items, TOO_COSTLY},
      {"{'anyOf':[{'contains':{'minimum':200}}]}", items, TOO_COSTLY},
      {"{'propertyNames':{'maxLength':9}}", members, TOO_COSTLY},
      {"{'additionalProperties':{'minimum':0}}", members, TOO_COSTLY},
      {"{'patternProperties':{'^a':{'minimum':0}}}", members, TOO_COSTLY},
  };
  SCHEMA_EXPECT(list, &options);
}

SCRATCH_TEST(required_names_have_a_limit) {
  mcp_error err;
  char *at = scratch_repeat("{'required':['x'", ",'name-@'", 1023, "]}");
  char *past = scratch_repeat("{'required':['x'", ",'name-@'", 1024, "]}");
  assert_int_equal(code_of(at, NULL, &err), 0);
  assert_int_equal(code_of(past, NULL, &err), MCP_ERR_LIMIT);
  assert_string_equal(err.message,
                      "/required: a schema requires 1025 members, limit 1024");
}

SCRATCH_TEST(a_divisor_has_limited_digits) {
  mcp_error err;
  char *at = scratch_repeat("{'multipleOf':1", "1", 143, "}");
  char *past = scratch_repeat("{'multipleOf':1", "1", 144, "}");
  /* A point does not count as a digit, nor do zeros at the ends. */
  char *point = scratch_repeat("{'multipleOf':1.", "1", 143, "e400}");
  char *point_past = scratch_repeat("{'multipleOf':1.", "1", 144, "e400}");
  char *zeros = scratch_repeat("{'multipleOf':1", "0", 1000, "}");
  assert_int_equal(code_of(at, NULL, &err), 0);
  assert_int_equal(code_of(zeros, NULL, &err), 0);
  assert_int_equal(code_of(point, NULL, &err), 0);
  assert_int_equal(code_of(past, NULL, &err), MCP_ERR_LIMIT);
  assert_string_equal(err.message,
                      "/multipleOf: multipleOf has more than 144 digits");
  assert_int_equal(code_of(point_past, NULL, &err), MCP_ERR_LIMIT);
}

/* --- hostile schemas ------------------------------------------------------ */

SCRATCH_TEST(many_anchors_and_references) {
  mcp_error err;
  char *anchors =
      scratch_repeat("{'$defs':{'x':true", ",'@':{'$anchor':'a@'}", 40000, "}");
  char *refs =
      scratch_repeat(",'allOf':[true", ",{'$ref':'#a39999'}", 40000, "]}");
  char *schema = scratch_join(anchors, refs, "");
  assert_int_equal(code_of(schema, NULL, &err), MCP_ERR_LIMIT);
  assert_string_equal(err.message, "the schema costs too much to compile");
}

SCRATCH_TEST(many_pointers) {
  mcp_error err;
  char *defs = scratch_repeat("{'$defs':{'x':true", ",'d@':true", 90000, "}");
  char *refs = scratch_repeat(",'allOf':[true", ",{'$ref':'#/$defs/d89999'}",
                              9000, "]}");
  char *schema = scratch_join(defs, refs, "");
  assert_int_equal(code_of(schema, NULL, &err), MCP_ERR_LIMIT);
  /* A large schema that means well has some. */
  defs = scratch_repeat("{'$defs':{'x':true", ",'d@':true", 1000, "}");
  refs = scratch_repeat(",'allOf':[true", ",{'$ref':'#/$defs/d@'}", 1000, "]}");
  schema = scratch_join(defs, refs, "");
  assert_int_equal(code_of(schema, NULL, &err), 0);
}

/* Which each of many numbers is compared with. */
SCRATCH_TEST(long_bounds) {
  char *value = scratch_repeat("[0", ",0", 2000, "]");
  static const char *const list[] = {"{'items':{'minimum':-1",
                                     "{'items':{'exclusiveMaximum':1",
                                     "{'items':{'multipleOf':1"};
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    char *schema = scratch_repeat(list[i], "0", 100000, "}}");
    assert_int_equal(check_code(schema, value, NULL), MCP_ERR_LIMIT);
  }
}

/* One default of many places is written in each. */
SCRATCH_TEST(large_defaults) {
  static const char *const list[][3] = {{"'", "x", "'"},
                                        {"{'a':[0", ",0", "]}"}};
  char *value = scratch_repeat("[{}", ",{}", 1000, "]");
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    char *head =
        scratch_join("{'items':{'properties':{'x':{'$ref':'#/$defs/d'}}},"
                     "'$defs':{'d':{'default':",
                     list[i][0], "");
    char *tail = scratch_join(list[i][2], "}}}", "");
    char *schema = scratch_repeat(head, list[i][1], 100000, tail);
    assert_int_equal(defaults_code(schema, "[{},{}]", NULL), 0);
    assert_int_equal(defaults_code(schema, value, NULL), MCP_ERR_LIMIT);
  }
}

/* Much beside a reference that many others lead to. */
SCRATCH_TEST(a_long_detour) {
  char *beside = scratch_repeat("{'$defs':{'y':true,'x':{'$ref':'#/$defs/y'",
                                ",'x@':0", 90000, "}}");
  char *refs =
      scratch_repeat(",'allOf':[true", ",{'$ref':'#/$defs/x'}", 90000, "]}");
  char *schema = scratch_join(beside, refs, "");
  assert_int_equal(check_code(schema, "1", NULL), 0);
}

SCRATCH_TEST(many_resources_and_references) {
  mcp_error err;
  char *resources = scratch_repeat("{'$id':'http://x/root','$defs':{'x':true",
                                   ",'@':{'$id':'r@'}", 40000, "}");
  char *refs =
      scratch_repeat(",'allOf':[true", ",{'$ref':'r39999'}", 40000, "]}");
  char *schema = scratch_join(resources, refs, "");
  assert_int_equal(code_of(schema, NULL, &err), MCP_ERR_LIMIT);
}

/* Each of them would have a copy of the long URI. */
SCRATCH_TEST(resources_below_a_long_uri) {
  mcp_error err;
  char *id = scratch_repeat("{'$id':'http://x/", "x", 1000000, "/',");
  char *inner =
      scratch_repeat("'$defs':{'x':true", ",'@':{'$id':'r@'}", 40000, "}}");
  char *schema = scratch_join(id, inner, "");
  assert_int_equal(code_of(schema, NULL, &err), MCP_ERR_LIMIT);
  /* So would each reference, for a moment. */
  inner = scratch_repeat("'allOf':[true", ",{'$ref':'?'}", 40000,
                         "],'$defs':{'x':{'$id':'?'}}}");
  schema = scratch_join(id, inner, "");
  assert_int_equal(code_of(schema, NULL, &err), MCP_ERR_LIMIT);
}

/* Those of one name have one list of where they may lead. */
SCRATCH_TEST(many_dynamic_references) {
  mcp_error err;
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .allocator = &alloc.allocator};
  char *anchors =
      scratch_repeat("{'$dynamicAnchor':'a','$defs':{'x':true",
                     ",'@':{'$id':'r@','$dynamicAnchor':'a'}", 2500, "}");
  char *refs = scratch_repeat(",'prefixItems':[true", ",{'$dynamicRef':'#a'}",
                              2500, "]}");
  mcp_validator *validator = mcp_validator_new(
      scratch_json(scratch_join(anchors, refs, "")), &options, &err);
  assert_non_null(validator);
  mcp_validator_unref(validator);
  assert_true(atomic_load(&alloc.peak_bytes) < 8u << 20);
}

SCRATCH_TEST(many_dynamic_names) {
  mcp_error err;
  char *anchors = scratch_repeat("{'$defs':{'x':true",
                                 ",'@':{'$dynamicAnchor':'a@'}", 20000, "}");
  char *refs = scratch_repeat(",'prefixItems':[true", ",{'$dynamicRef':'#a@'}",
                              20000, "]}");
  char *schema = scratch_join(anchors, refs, "");
  assert_int_equal(code_of(schema, NULL, &err), MCP_ERR_LIMIT);
}

/* Each of many items asks all resources for the anchor. */
SCRATCH_TEST(many_dynamic_anchors) {
  char *schema = scratch_repeat(
      "{'items':{'$dynamicRef':'#a'},'$defs':{'y':{'$dynamicAnchor':'a'}",
      ",'@':{'$id':'r@','$dynamicAnchor':'a'}", 20000, "}}");
  char *value = scratch_repeat("[0", ",0", 500000, "]");
  assert_int_equal(check_code(schema, value, NULL), MCP_ERR_LIMIT);
}

/* Names that differ in the middle alone lie in the same slot. */
SCRATCH_TEST(names_that_collide) {
  mcp_error err;
  char *schema = scratch_repeat("{'properties':{'x':true",
                                ",'prefixes1@suffixes':true", 9000, "}}");
  int rc = code_of(schema, NULL, &err);
  assert_true(rc == 0 || rc == MCP_ERR_LIMIT);
  /* Long ones cost more to tell apart. */
  char *middle = scratch_repeat("", "m", 4000, "");
  char *piece = scratch_join(",'prefixes", middle, "1@suffixes':true");
  schema = scratch_repeat("{'properties':{'x':true", piece, 3900, "}}");
  rc = code_of(schema, NULL, &err);
  assert_true(rc == 0 || rc == MCP_ERR_LIMIT);
}

/* 2^n visits of one value. */
SCRATCH_TEST(doublings) {
  static const struct {
    const char *keyword;
    const char *value;
  } list[] = {{"allOf", "1"}, {"anyOf", "0"}, {"oneOf", "0"}};
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    /* Each leads twice to the one inside. */
    const char *schema = "{'minimum':1}";
    for (int depth = 0; depth < 60; depth++) {
      char head[160];
      snprintf(head, sizeof(head), "{'$id':'http://x/%d','$defs':{'n':", depth);
      char tail[160];
      snprintf(tail, sizeof(tail),
               "},'%s':[{'$ref':'#/$defs/n'},{'$ref':'#/$defs/n'}]}",
               list[i].keyword);
      schema = scratch_join(head, schema, tail);
    }
    assert_int_equal(check_code(schema, list[i].value, NULL), MCP_ERR_LIMIT);
  }
}

SCRATCH_TEST(doublings_of_unevaluated) {
  const char *schema = "{'unevaluatedProperties':{'type':'integer'}}";
  for (int depth = 0; depth < 60; depth++) {
    schema =
        scratch_join("{'$id':'http://x/a','$defs':{'n':", schema,
                     "},'anyOf':[{'$ref':'#/$defs/n'},{'$ref':'#/$defs/n'}],"
                     "'unevaluatedProperties':{'type':'integer'}}");
  }
  assert_int_equal(check_code(schema, "{'a':1,'b':2}", NULL), MCP_ERR_LIMIT);
}

/* As deep as JSON may be, and as references in a row lead. */
SCRATCH_TEST(deep_recursion) {
  const char *schema = "{'$ref':'#/$defs/a0','$defs':{";
  for (int i = 0; i < 2000; i++) {
    char piece[96];
    snprintf(piece, sizeof(piece), "'a%d':{'minimum':0,'$ref':'#/$defs/a%d'},",
             i, i + 1);
    schema = scratch_join(schema, piece, "");
  }
  char *whole = scratch_join(schema, "'a2000':{'minimum':0}", "}}");
  assert_int_equal(check_code(whole, "1", NULL), MCP_ERR_LIMIT);
  mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                   .max_depth = 2002};
  assert_int_equal(check_code(whole, "1", &options), 0);
  options.max_depth--;
  assert_int_equal(check_code(whole, "1", &options), MCP_ERR_LIMIT);
}

/* A circle that only a dynamic reference closes is found when it is run. */
SCRATCH_TEST(a_dynamic_circle) {
  const schema_case list[] = {
      {"{'$id':'http://x/a','$dynamicAnchor':'n','$ref':'b','$defs':{'b':{"
       "'$id':'b','allOf':[{'$dynamicRef':'#n'}],'$defs':{'n':{"
       "'$dynamicAnchor':'n'}}}}}",
       "1", TOO_COSTLY},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* --- hostile values ------------------------------------------------------- */

/* All of one hash where hashes are of doubles: integers of many digits. */
SCRATCH_TEST(items_whose_hashes_collide) {
  char *value =
      scratch_repeat("[0", ",1234567890123456789012345678@0000", 9000, "]");
  int rc = check_code("{'uniqueItems':true}", value, NULL);
  assert_true(rc == 0 || rc == MCP_ERR_LIMIT);
  /* Past the largest double all are infinite. */
  value = scratch_repeat("[0", ",1@e400", 9000, "]");
  assert_int_equal(check_code("{'uniqueItems':true}", value, NULL),
                   MCP_ERR_LIMIT);
}

SCRATCH_TEST(numbers_of_many_digits) {
  static const char *const schemas[] = {"{'minimum':1}", "{'multipleOf':7}",
                                        "{'type':'integer'}", "{'const':1e400}",
                                        "{'uniqueItems':true}"};
  char *number = scratch_repeat("1", "0", 1000000, "1");
  for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
    char *piece = scratch_join(",", schemas[i], "");
    char *schema = scratch_repeat("{'allOf':[true", piece, 2000, "]}");
    int rc = check_code(schema, number, NULL);
    assert_true(rc == MCP_ERR_LIMIT || rc == MCP_ERR_SCHEMA || i == 4);
  }
}

/* A long string, looked at again and again. */
SCRATCH_TEST(long_strings) {
  char *letters = scratch_repeat("", "x", 1000000, "");
  char *string = scratch_join("'", letters, "'");
  char *other = scratch_join("'", letters, "y'");
  char *object = scratch_join("{", other, ":1}");
  char *end = scratch_join("],'$defs':{'s':{'const':", string, "}}}");
  char *same =
      scratch_repeat("{'allOf':[true", ",{'$ref':'#/$defs/s'}", 60000, end);
  assert_int_equal(check_code(same, string, NULL), MCP_ERR_LIMIT);
  end = scratch_join("],'$defs':{'s':{'enum':['z',", string, "]}}}");
  same = scratch_repeat("{'allOf':[true", ",{'$ref':'#/$defs/s'}", 60000, end);
  assert_int_equal(check_code(same, string, NULL), MCP_ERR_LIMIT);
  end = scratch_join("],'$defs':{'s':{'properties':{", other, ":true}}}}");
  same = scratch_repeat("{'allOf':[true", ",{'$ref':'#/$defs/s'}", 60000, end);
  assert_int_equal(check_code(same, object, NULL), MCP_ERR_LIMIT);
  end = scratch_join("],'$defs':{'s':{'dependentRequired':{", other, ":[]}}}}");
  same = scratch_repeat("{'allOf':[true", ",{'$ref':'#/$defs/s'}", 60000, end);
  assert_int_equal(check_code(same, object, NULL), MCP_ERR_LIMIT);
}

/* Alternatives that a member tells apart, with much to tell apart. */
SCRATCH_TEST(long_and_many_tags) {
  mcp_error err;
  char *many = scratch_repeat(
      "{'oneOf':[true", ",{'properties':{'k':{'const':'a@'}}}", 30000, "]}");
  memcpy(strstr(many, "true,"), "     ", 5);
  assert_int_equal(code_of(many, NULL, &err), 0);
  many = scratch_repeat("{'properties':{'a':true,'b':true,'c':true,'d':true,"
                        "'e':true},'oneOf':[true",
                        ",{'properties':{'k':{'const':'a@'}}}", 30000, "]}");
  memcpy(strstr(many, "[true,"), "[     ", 6);
  assert_int_equal(code_of(many, NULL, &err), 0);
  char *letters = scratch_repeat("", "x", 1000000, "");
  char *start =
      scratch_join("{'$defs':{'s':{'oneOf':[{'properties':{'k':{'const':'",
                   letters, "y'}}},{'properties':{'k':{'const':'");
  char *end = scratch_join(start, letters, "z'}}}]}},'allOf':[true");
  char *schema = scratch_repeat(end, ",{'$ref':'#/$defs/s'}", 60000, "]}");
  char *value = scratch_join("{'k':'", letters, "z'}");
  assert_int_equal(check_code(schema, value, NULL), MCP_ERR_LIMIT);
}

/* A long object or array, gone over again and again. */
SCRATCH_TEST(long_containers) {
  char *object = scratch_repeat("{'a':1", ",'x@':1", 200000, "}");
  char *array = scratch_repeat("[1", ",1", 900000, "]");
  char *required =
      scratch_repeat("{'allOf':[true", ",{'required':['a']}", 50000, "]}");
  char *closed = scratch_repeat("{'additionalProperties':true,'allOf':[true",
                                ",{'unevaluatedProperties':{}}", 1000, "]}");
  const struct {
    const char *schema;
    const char *value;
  } list[] = {
      {required, object},
      {closed, object},
      {"{'unevaluatedItems':true}", array},
      {"{'items':true,'unevaluatedItems':false}", array},
      {"{'contains':true,'unevaluatedItems':false}", array},
      {"{'allOf':[{'items':true}],'unevaluatedItems':false}", array},
      {"{'unevaluatedProperties':true}", object},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    int rc = check_code(list[i].schema, list[i].value, NULL);
    assert_int_equal(rc, i < 2 ? MCP_ERR_LIMIT : 0);
  }
}

/* Sixty schemas describe each of many members. */
SCRATCH_TEST(defaults_by_many_schemas) {
  char *inner = scratch_repeat("{'additionalProperties':{'allOf':[true",
                               ",{'minimum':@}", 60, "]}}");
  char *object = scratch_repeat("{'a':1", ",'x@':1", 400000, "}");
  assert_int_equal(defaults_code(inner, object, NULL), MCP_ERR_LIMIT);
}

int main(void) {
  plain_regex_provide();
  return tests_run(NULL, NULL);
}
