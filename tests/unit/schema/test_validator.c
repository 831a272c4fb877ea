/* SPDX-License-Identifier: MIT */
/* schema/validator.c with compile.c and report.c: which values are accepted,
 * and what is reported about others. */
#include "schema/validator.h"

#include "support/failing_alloc.h"
#include "support/schema_check.h"
#include "support/scratch.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Validates in all three ways, which must agree. Returns what was written. */
static const char *check(const char *schema, const char *value,
                         const mcp_validate_options *options, int code) {
  const mcp_validator *validator = scratch_validator(schema, NULL);
  const mcp_json *root = scratch_json(value);
  mcp_builder *errors = scratch_builder();
  assert_int_equal(mcp_validator_check(validator, root, options, errors), code);
  assert_int_equal(mcp_validator_check(validator, root, NULL, NULL), code);
  assert_int_equal(mcp_validator_accepts(validator, root), code == 0);
  return mcp_builder_text(errors, NULL);
}

static void expect(const char *schema, const char *value, const char *message) {
  const schema_case one = {schema, value, message};
  schema_expect(&one, 1, NULL);
}

/* --- keywords ----------------------------------------------------------- */

SCRATCH_TEST(type_names_the_types) {
  static const schema_case list[] = {
      {"{}", "null", NULL},
      {"{'type':'null'}", "null", NULL},
      {"{'type':'boolean'}", "false", NULL},
      {"{'type':'string'}", "''", NULL},
      {"{'type':'array'}", "[]", NULL},
      {"{'type':'object'}", "{}", NULL},
      {"{'type':'number'}", "1.5", NULL},
      {"{'type':'number'}", "18446744073709551616", NULL},
      {"{'type':'integer'}", "1", NULL},
      {"{'type':'integer'}", "-1.0", NULL},
      {"{'type':'integer'}", "1e3", NULL},
      {"{'type':'integer'}", "18446744073709551616", NULL},
      {"{'type':['string','integer']}", "2", NULL},
      {"{'type':['integer','number']}", "2.5", NULL},
      {"{'type':'number'}", "'x'", "/: expected a number, got the string 'x'"},
      {"{'type':'integer'}", "1.5",
       "/: expected an integer, got the number 1.5"},
      {"{'type':'integer'}", "true", "/: expected an integer, got true"},
      {"{'type':'string'}", "[1,2]",
       "/: expected a string, got an array of 2 items"},
      {"{'type':'string'}", "[1]",
       "/: expected a string, got an array of 1 item"},
      {"{'type':['null','string','integer']}", "{'a':1}",
       "/: expected a string or an integer or null, got an object with 1 "
       "member"},
      {"{'type':'boolean'}", "null", "/: expected a boolean, got null"},
      {"{'type':'object'}", "-0.5",
       "/: expected an object, got the number -0.5"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(a_boolean_schema_accepts_all_or_nothing) {
  static const schema_case list[] = {
      {"true", "[{}]", NULL},
      {"false", "1", "/: no value is allowed here"},
      {"{'properties':{'a':false,'b':true}}", "{'b':1}", NULL},
      {"{'properties':{'a':false}}", "{'a':1}", "/a: no value is allowed here"},
      {"{'items':false}", "[]", NULL},
      {"{'items':false}", "[1]", "/: nothing may stand at index 0"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(bounds_are_exact) {
  static const schema_case list[] = {
      {"{'minimum':2}", "2", NULL},
      {"{'maximum':2}", "2.0", NULL},
      {"{'minimum':2}", "'1'", NULL},
      {"{'exclusiveMinimum':2}", "2.5", NULL},
      {"{'exclusiveMaximum':2}", "-3", NULL},
      {"{'maximum':10}", "11", "/: 11 is more than the maximum 10"},
      {"{'minimum':0.5}", "0.25", "/: 0.25 is less than the minimum 0.5"},
      {"{'exclusiveMaximum':2}", "2", "/: 2 is not less than 2"},
      {"{'exclusiveMinimum':2}", "2.0", "/: 2.0 is not more than 2"},
      /* A double does not tell these apart. */
      {"{'maximum':9007199254740992}", "9007199254740993",
       "/: 9007199254740993 is more than the maximum 9007199254740992"},
      {"{'minimum':0}", "123456789012345678901234567890", NULL},
      {"{'maximum':100}", "123456789012345678901234567890",
       "/: 123456789012345678901234567890 is more than the maximum 100"},
      {"{'maximum':100}", "1234567890123456789012345678901234567890123",
       "/: (too long to show) is more than the maximum 100"},
      {"{'minimum':-5}", "-1e400", "/: -1e400 is less than the minimum -5"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(lengths_count_characters_items_and_members) {
  static const schema_case list[] = {
      {"{'minLength':2,'maxLength':2}", "'ab'", NULL},
      {"{'maxLength':2}", "'\xc3\xa9\xf0\x9f\x98\x80'", NULL},
      {"{'minLength':2.0}", "'ab'", NULL},
      {"{'maxLength':1e30}", "'ab'", NULL},
      {"{'minLength':1}", "5", NULL},
      {"{'minLength':2}", "'\xf0\x9f\x98\x80'",
       "/: the string '\xf0\x9f\x98\x80' has 1 character, the minimum is 2"},
      {"{'maxLength':0}", "'ab'",
       "/: the string 'ab' has 2 characters, the maximum is 0"},
      {"{'minLength':1e30}", "'ab'",
       "/: the string 'ab' has 2 characters, the minimum is 1e30"},
      {"{'minItems':1,'maxItems':2}", "[1,2]", NULL},
      {"{'minItems':1}", "[]", "/: the array has 0 items, the minimum is 1"},
      {"{'maxItems':1}", "[1,2]", "/: the array has 2 items, the maximum is 1"},
      {"{'minProperties':1,'maxProperties':1}", "{'a':1}", NULL},
      {"{'minProperties':1}", "{}",
       "/: the object has 0 members, the minimum is 1"},
      {"{'maxProperties':0}", "{'a':1}",
       "/: the object has 1 member, the maximum is 0"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(enum_and_const_compare_values) {
  static const schema_case list[] = {
      {"{'enum':['a',2,null,{'x':[1]}]}", "2.0", NULL},
      {"{'enum':['a',2,null,{'x':[1]}]}", "{'x':[1.0]}", NULL},
      {"{'const':null}", "null", NULL},
      {"{'enum':['words','bytes',3]}", "'lines'",
       "/: expected one of 'words', 'bytes', 3, got the string 'lines'"},
      {"{'enum':[]}", "1", "/: expected one of nothing, got the number 1"},
      {"{'const':'on'}", "true", "/: expected 'on', got true"},
      {"{'const':[1]}", "[]",
       "/: expected an array of 1 item, got an array of 0 items"},
      {"{'const':false}", "0", "/: expected false, got the number 0"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(properties_and_required_concern_members) {
#define CLOSED                                                                 \
  "{'properties':{'size':{'type':'integer'},'b':{}},'required':['b'],'"        \
  "additionalProperties':false}"
  static const schema_case list[] = {
      {CLOSED, "{'b':1,'size':2}", NULL},
      {CLOSED, "[]", NULL},
      {CLOSED, "{'size':2}", "/: missing the required member 'b'"},
      {CLOSED, "{'b':1,'foo':2}",
       "/: unknown member 'foo'; known are 'size', 'b'"},
      {CLOSED, "{'b':1,'size':'x'}",
       "/size: expected an integer, got the string 'x'"},
      {"{'additionalProperties':false}", "{}", NULL},
      {"{'additionalProperties':false}", "{'a':1}",
       "/: unknown member 'a'; no members are known"},
      {"{'additionalProperties':true}", "{'a':1}", NULL},
      {"{'properties':{'a':{}},'additionalProperties':{'type':'null'}}",
       "{'a':1,'b':2}", "/b: expected null, got the number 2"},
      /* Required names may be other members. */
      {"{'required':['z','a']}", "{'a':1,'z':2}", NULL},
      {"{'required':['z','a']}", "{'a':1}",
       "/: missing the required member 'z'"},
      {"{'required':['a'],'additionalProperties':false}", "{'a':1}",
       "/: unknown member 'a'; no members are known"},
      {"{'required':[]}", "{}", NULL},
      {"{'required':[''],'properties':{'':{'type':'null'}}}", "{'':null}",
       NULL},
      /* A name that comes twice does not stand for another. */
      {"{'required':['a','b']}", "{'a':1,'a':2}",
       "/: missing the required member 'b'"},
      {"{'properties':{'a':{'type':'null'}}}", "{'a':null,'a':2}",
       "/a: expected null, got the number 2"},
      {"{'properties':{'a\\u0000b':{'type':'null'}}}", "{'a\\u0000c':1,'a':1}",
       NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(items_and_unique_items_concern_items) {
  static const schema_case list[] = {
      {"{'items':{'type':'string'}}", "['a','b']", NULL},
      {"{'items':{'type':'string'}}", "{'a':1}", NULL},
      {"{'items':{'type':'string'}}", "['a',1]",
       "/1: expected a string, got the number 1"},
      {"{'uniqueItems':true}", "[1,'1',[1],{'a':1},true,1.5]", NULL},
      {"{'uniqueItems':false}", "[1,1]", NULL},
      {"{'uniqueItems':true}", "[0,{'a':1,'b':2},{'b':2,'a':1.0}]",
       "/: the items 1 and 2 are equal, all must differ"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(alternatives_are_combined) {
#define TITLED                                                                 \
  "{'oneOf':[{'const':'r','title':'Red'},{'const':'g','title':'Green'}]}"
#define OPTIONAL                                                               \
  "{'anyOf':[{'type':'null'},{'type':'object','required':['a']}]}"
  static const schema_case list[] = {
      {TITLED, "'r'", NULL},
      {TITLED, "'b'", "/: expected one of 'r', 'g', got the string 'b'"},
      {OPTIONAL, "null", NULL},
      {OPTIONAL, "{'a':1}", NULL},
      /* The type tells which alternative was meant. */
      {OPTIONAL, "{}", "/: missing the required member 'a'"},
      {OPTIONAL, "3", "/: expected an object or null, got the number 3"},
      {"{'anyOf':[{'type':'integer'},{'type':'null'}]}", "'3'",
       "/: expected an integer or null, got the string '3'"},
      {"{'anyOf':[{'maxLength':1},{'const':'xx'}]}", "'ab'",
       "/: expected what one of the 2 alternatives of anyOf describes, got the "
       "string 'ab'"},
      {"{'anyOf':[{'minimum':5},{'maximum':3}]}", "2", NULL},
      {"{'oneOf':[{'minimum':1},{'maximum':3}]}", "2",
       "/: the number 2 fits more than one of the 2 alternatives of oneOf, "
       "where only one may fit"},
      {"{'oneOf':[{'minimum':1},{'maximum':3}]}", "4", NULL},
      {"{'oneOf':[{'type':'integer'},{'type':'string'}]}", "1.5",
       "/: expected an integer, got the number 1.5"},
      {"{'allOf':[{'minimum':1},{'maximum':3}]}", "2", NULL},
      {"{'allOf':[{'minimum':1},{'maximum':3}]}", "4",
       "/: 4 is more than the maximum 3"},
      {"{'anyOf':[true]}", "1", NULL},
      {"{'anyOf':[false]}", "1",
       "/: expected what one of the 1 alternatives of anyOf describes, got the "
       "number 1"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(unknown_keywords_are_ignored) {
  static const schema_case list[] = {
      {"{'x':[],'Type':'null','id':3,'$comment':1}", "1", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* --- errors ------------------------------------------------------------- */

SCRATCH_TEST(an_error_has_two_pointers_a_keyword_and_a_message) {
  const char *errors =
      check("{'properties':{'a/b':{'items':{'maximum':10}},'n':{}},"
            "'required':['n','m'],'additionalProperties':false,"
            "'anyOf':[{'type':'null'},{'minProperties':9}]}",
            "{'a/b':[1,{},12],'~x':0}", NULL, MCP_ERR_SCHEMA);
  const mcp_json *wanted = scratch_json(
      "[{'instance':'/a~1b/2','schema':'/properties/a~1b/items/maximum',"
      "'keyword':'maximum','message':'/a~1b/2: 12 is more than the maximum "
      "10'},"
      "{'instance':'','schema':'/additionalProperties','keyword':"
      "'additionalProperties','message':'/: unknown member \\'~x\\'; known are "
      "\\'a/b\\', \\'n\\''},"
      "{'instance':'','schema':'/required','keyword':'required','message':"
      "'/: missing the required member \\'n\\''},"
      "{'instance':'','schema':'/required','keyword':'required','message':"
      "'/: missing the required member \\'m\\''},"
      "{'instance':'','schema':'/anyOf/1/minProperties','keyword':"
      "'minProperties','message':'/: the object has 2 members, the minimum is "
      "9'}]");
  assert_true(mcp_json_equal(scratch_json(errors), wanted));
}

SCRATCH_TEST(max_errors_limits_the_errors) {
  static const struct {
    const char *schema;
    const char *value;
    uint32_t max_errors;
    size_t count;
  } cases[] = {
      {"{'items':false,'minItems':50}", "[1,2,3,4,5,6,7,8,9,10,11,12]", 0, 8},
      {"{'items':false,'minItems':50}", "[1,2,3,4,5,6,7,8,9,10,11,12]", 1, 1},
      {"{'items':false,'minItems':50}", "[1,2,3,4,5,6,7,8,9,10,11,12]", 12, 12},
      {"{'items':false,'minItems':50}", "[1,2,3,4,5,6,7,8,9,10,11,12]", 100,
       13},
      {"{'required':['a','b','c']}", "{}", 2, 2},
      {"{'allOf':[false,false,false]}", "{}", 2, 2},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const mcp_validate_options options = {.size = sizeof(mcp_validate_options),
                                          .max_errors = cases[i].max_errors};
    const char *errors =
        check(cases[i].schema, cases[i].value, &options, MCP_ERR_SCHEMA);
    assert_int_equal(mcp_json_size(scratch_json(errors)), cases[i].count);
  }
}

SCRATCH_TEST(max_message_cuts_messages_between_characters) {
  const char *whole = "/0: expected an integer, got the string \"\xC3\xA9\"";
  const uint32_t len = (uint32_t)strlen(whole);
  const struct {
    uint32_t max_message;
    uint32_t len;
  } cases[] = {{0, len}, {5000, len}, {len, len}, {11, 11}, {len - 2, len - 3}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const mcp_validate_options options = {.size = sizeof(mcp_validate_options),
                                          .max_message = cases[i].max_message};
    const mcp_json *errors =
        scratch_json(check("{'items':{'type':'integer'}}", "['\xC3\xA9']",
                           &options, MCP_ERR_SCHEMA));
    const char *message =
        mcp_json_string(mcp_json_pointer(errors, "/0/message"));
    assert_int_equal(strlen(message), cases[i].len);
    assert_memory_equal(message, whole, cases[i].len);
  }
}

/* --- sizes -------------------------------------------------------------- */

SCRATCH_TEST(long_texts_are_cut) {
  expect("{'type':'null'}",
         scratch_repeat("'\xc3\xa9", "\xe2\x82\xac", 1000, "'"),
         scratch_repeat("/: expected null, got the string '\xc3\xa9",
                        "\xe2\x82\xac", 19, "'..."));
}

SCRATCH_TEST(long_lists_are_cut) {
  char *schema = scratch_repeat("{'enum':['first'", ",'value-@'", 500, "]}");
  const char *errors = check(schema, "1", NULL, MCP_ERR_SCHEMA);
  assert_non_null(strstr(errors, "expected one of \\\"first\\\", \\\"value-0"));
  assert_non_null(strstr(errors, " more, got the number 1\""));
  assert_true(strlen(errors) < 600);
}

/* A pointer past 1 KB ends at an ancestor, and so is a valid pointer. */
SCRATCH_TEST(long_pointers_end_at_an_ancestor) {
  const char *name = scratch_repeat("'", "x", 600, "'");
  char value[4096];
  char schema[4096];
  snprintf(value, sizeof(value), "{%s:{%s:1}}", name, name);
  snprintf(schema, sizeof(schema),
           "{'properties':{%s:{'properties':{%s:false}}}}", name, name);
  const mcp_json *first =
      mcp_json_at(scratch_json(check(schema, value, NULL, MCP_ERR_SCHEMA)), 0);
  assert_int_equal(strlen(mcp_json_string(mcp_json_get(first, "instance"))),
                   601);
  assert_true(strlen(mcp_json_string(mcp_json_get(first, "message"))) < 200);
}

SCRATCH_TEST(a_schema_may_have_many_properties) {
  char *begin =
      scratch_repeat("{'properties':{'x':false", ",'name-@':{'const':@}", 1024,
                     "},'required':['y'");
  char *schema = scratch_repeat(begin, ",'name-@'", 1023, "]}");
  char *value = scratch_repeat("{'y':null", ",'name-@':@", 1024, "}");
  expect(schema, value, NULL);
  strstr(value, "'name-1022'")[1] = 'N';
  expect(schema, value, "/: missing the required member 'name-1022'");
}

SCRATCH_TEST(values_are_checked_at_every_depth) {
  char *schema = scratch_repeat("", "{'items':", 127, "{'maximum':1}");
  char *value = scratch_repeat("", "[", 127, "2");
  expect(scratch_repeat(schema, "}", 127, ""),
         scratch_repeat(value, "]", 127, ""),
         scratch_repeat("", "/0", 60, "...: 2 is more than the maximum 1"));
}

SCRATCH_TEST(a_value_that_costs_too_much_is_refused) {
  static const char message[] =
      "/: the value is too large or too deep to be checked";
  const struct {
    const char *schema;
    const char *value;
    const char *message;
  } cases[] = {
      {"{'uniqueItems':true}", scratch_repeat("[-1", ",@", 50000, "]"), NULL},
      {"{'uniqueItems':true}", scratch_repeat("[-1", ",@", 150000, "]"),
       message},
      /* Each item takes long. */
      {scratch_repeat("{'items':{'enum':[-1", ",@", 4000, ",'x']}}"),
       scratch_repeat("['x'", ",'x'", 4000, "]"), message},
      /* One text is looked at often. */
      {scratch_repeat("{'allOf':[{}", ",{'minLength':300000}", 1000, "]}"),
       scratch_repeat("'", "x", 1000000, "'"), message},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char *errors = check(cases[i].schema, cases[i].value, NULL,
                               cases[i].message != NULL ? MCP_ERR_LIMIT : 0);
    assert_true(cases[i].message == NULL ||
                strstr(errors, cases[i].message) != NULL);
  }
}

/* --- schemas at fault --------------------------------------------------- */

SCRATCH_TEST(a_malformed_schema_names_the_place) {
  static const schema_fault list[] = {
      {"1", "/: expected a schema (an object or a boolean), got the number 1"},
      {"{'type':'any'}",
       "/type: expected the name of a JSON type, got the string 'any'"},
      {"{'type':[]}",
       "/type: expected at least one type, got an array of 0 items"},
      {"{'type':['null',3]}",
       "/type/1: expected the name of a JSON type, got the number 3"},
      {"{'properties':[]}",
       "/properties: expected an object, got an array of 0 items"},
      {"{'properties':{'a':{'minimum':'x'}}}",
       "/properties/a/minimum: expected a number, got the string 'x'"},
      {"{'properties':{'a':null}}",
       "/properties/a: expected a schema (an object or a boolean), got null"},
      {"{'required':'a'}",
       "/required: expected an array of names, got the string 'a'"},
      {"{'required':['a',1]}",
       "/required/1: expected a name, got the number 1"},
      {"{'additionalProperties':1}",
       "/additionalProperties: expected a schema (an object or a boolean), got "
       "the number 1"},
      {"{'items':[{}]}", "/items: expected a schema (an object or a boolean), "
                         "got an array of 1 item"},
      {"{'enum':{}}", "/enum: expected an array, got an object with 0 members"},
      {"{'exclusiveMinimum':true}",
       "/exclusiveMinimum: expected a number, got true"},
      {"{'minLength':-1}",
       "/minLength: expected a whole number, not negative, got the number -1"},
      {"{'maxItems':1.5}",
       "/maxItems: expected a whole number, not negative, got the number 1.5"},
      {"{'uniqueItems':1}",
       "/uniqueItems: expected a boolean, got the number 1"},
      {"{'anyOf':[]}",
       "/anyOf: expected an array of schemas, got an array of 0 items"},
      {"{'allOf':[{},{'oneOf':3}]}",
       "/allOf/1/oneOf: expected an array of schemas, got the number 3"},
  };
  SCHEMA_EXPECT_FAULTS(list, MCP_ERR_SCHEMA, NULL);
}

/* A program compiled before max_errors was there has shorter options. */
SCRATCH_TEST(shorter_options_are_taken) {
  const mcp_validate_options options = {.size = sizeof(size_t),
                                        .max_errors = 1};
  assert_non_null(
      strstr(check("{'items':false}", "[1,2]", &options, MCP_ERR_SCHEMA),
             "at index 1"));
}

SCRATCH_TEST(bad_arguments_are_refused) {
  mcp_validator *validator = scratch_validator("{}", NULL);
  mcp_builder *errors = scratch_builder();
  mcp_error err;
  const mcp_validate_options sizeless = {.max_errors = 1};
  assert_int_equal(mcp_validator_check(validator, NULL, &sizeless, NULL),
                   MCP_ERR_INVALID);
  assert_null(mcp_validator_new(NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "the schema is NULL");
  assert_null(mcp_validator_new(NULL, NULL, NULL));
  assert_int_equal(mcp_validator_check(NULL, NULL, NULL, errors),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_validator_accepts(NULL, NULL), 0);
  /* NULL is not a value of any type. */
  assert_int_equal(mcp_validator_accepts(validator, NULL), 0);
  assert_int_equal(mcp_validator_check(validator, NULL, NULL, errors),
                   MCP_ERR_SCHEMA);
  assert_non_null(strstr(mcp_builder_text(errors, NULL), "got nothing"));
  /* The builder has its one value already. */
  assert_int_equal(mcp_validator_check(validator, NULL, NULL, errors),
                   MCP_ERR_INVALID);
  assert_ptr_equal(mcp_validator_ref(validator), validator);
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

SCRATCH_TEST(threads_may_share_a_validator) {
  sharing shared = {
      scratch_validator("{'required':['a'],'minProperties':1}", NULL),
      scratch_json("{'a':[1,2,3]}")};
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
}

/* --- memory ------------------------------------------------------------- */

static const char sample_schema[] =
    "{'type':'object','properties':{'a':{'type':'number'},"
    "'b':{'enum':[1,2]},'c':{'anyOf':[{'const':1},true]}},"
    "'required':['a','b']}";

/* The schema is not a sample of itself: its members a and b are missing. */
static int compile_and_check(const mcp_allocator *allocator, void *userdata) {
  const mcp_json *schema = userdata;
  mcp_error err;
  mcp_validator *validator = NULL;
  int rc = mcpi_validator_new(&validator, schema, allocator, &err);
  if (rc != 0) {
    assert_int_equal(err.code, rc);
    assert_null(validator);
    return rc;
  }
  mcp_builder *errors = mcp_builder_new(allocator, NULL);
  rc = errors == NULL ? MCP_ERR_NOMEM
                      : mcp_validator_check(validator, schema, NULL, errors);
  mcp_builder_free(errors);
  mcp_validator_unref(validator);
  return rc == MCP_ERR_SCHEMA ? 0 : rc;
}

SCRATCH_TEST(failed_allocations_are_reported) {
  void *schema = (void *)scratch_json(sample_schema);
  assert_true(failing_alloc_rerun(compile_and_check, schema) > 6);
}

SCRATCH_TEST(validation_allocates_nothing) {
  failing_alloc alloc;
  mcp_validator *validator = NULL;
  const mcp_json *schema = scratch_json(sample_schema);
  failing_alloc_init(&alloc);
  assert_int_equal(
      mcpi_validator_new(&validator, schema, &alloc.allocator, NULL), 0);
  size_t calls = atomic_load(&alloc.calls);
  assert_int_equal(atomic_load(&alloc.live_blocks), 5);
  assert_true(
      mcp_validator_accepts(validator, scratch_json("{'a':1,'b':2,'c':3}")));
  assert_false(mcp_validator_accepts(validator, schema));
  assert_int_equal(atomic_load(&alloc.calls), calls);
  mcp_validator_unref(validator);
  assert_int_equal(atomic_load(&alloc.live_blocks), 0);
}
