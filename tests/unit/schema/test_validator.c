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
      "'additionalProperties','message':'unknown member \\'~x\\'; known are "
      "\\'a/b\\', \\'n\\''},"
      "{'instance':'','schema':'/required','keyword':'required','message':"
      "'missing the required member \\'n\\''},"
      "{'instance':'','schema':'/required','keyword':'required','message':"
      "'missing the required member \\'m\\''},"
      "{'instance':'','schema':'/anyOf/1/minProperties','keyword':"
      "'minProperties','message':'the object has 2 members, the minimum is "
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
         scratch_repeat("expected null, got the string '\xc3\xa9",
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
  expect(schema, value, "missing the required member 'name-1022'");
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
      "the value is too large or too deep to be checked";
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
