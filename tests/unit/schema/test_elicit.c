/* SPDX-License-Identifier: MIT */
/* schema/elicit.c: the restricted schemas of forms, and defaults. */
#include "support/scratch.h"

#include "schema/elicit.h"
#include "schema/validator.h"
#include "support/failing_alloc.h"
#include "support/plain_regex.h"
#include <mcp/schema.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static mcpi_form_rules rules;

static int compile(const char *form, int which, const mcp_allocator *allocator,
                   mcp_validator **out, mcp_error *err) {
  const mcp_json *doc = scratch_plain_json(form);
  err->message[0] = '\0';
  *out = NULL;
  int rc = mcpi_form_compile(out, doc, &rules, which, allocator, err);
  assert_int_equal(*out != NULL, rc == 0);
  return rc;
}

static int check(const char *form, int which, mcp_error *err) {
  mcp_validator *validator;
  int rc = compile(form, which, mcp_allocator_default(), &validator, err);
  mcp_validator_unref(validator);
  return rc;
}

static void expect_fine(const char *form, int which) {
  mcp_error err;
  if (check(form, which, &err) != 0) {
    fail_msg("%s: %s", form, err.message);
  }
}

static void expect_failure(const char *form, int which, const char *message) {
  mcp_error err;
  int rc = check(form, which, &err);
  if (rc != MCP_ERR_SCHEMA) {
    fail_msg("%s: %d, \"%s\"", form, rc, err.message);
  }
  assert_int_equal(err.code, MCP_ERR_SCHEMA);
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

SCRATCH_TEST(plain_forms_have_single_values) {
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
  plain_regex_provide();
  for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
    for (int which = 0; which < MCPI_FORM_COUNT; which++) {
      expect_fine(form(properties[i]), which);
    }
  }
}

/* 2025-06-18 does not name defaults and titled choices, and so does not forbid
 * them either. */
SCRATCH_TEST(rich_forms_have_choices_of_several) {
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
  for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
    expect_fine(form(properties[i]), MCPI_FORM_OURS);
    expect_fine(form(properties[i]), MCPI_FORM_RICH);
    if (strstr(properties[i], "array") == NULL) {
      expect_fine(form(properties[i]), MCPI_FORM_PLAIN);
    } else {
      expect_failure(form(properties[i]), MCPI_FORM_PLAIN,
                     "/properties/p/type: expected one of \"string\", "
                     "\"number\", \"integer\", \"boolean\", got the string "
                     "\"array\"");
    }
  }
}

SCRATCH_TEST(whole_forms_are_accepted) {
  static const char *const forms[] = {
      "{\"type\":\"object\",\"properties\":{}}",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
      "\"required\":[\"a\"],\"additionalProperties\":false}",
      "{\"$schema\":\"" MCP_DRAFT_07
      "\",\"type\":\"object\",\"properties\":{}}"};
  for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
    for (int which = 0; which < MCPI_FORM_COUNT; which++) {
      expect_fine(forms[i], which);
    }
  }
}

/* Where the protocol is silent others may say more than we do. */
SCRATCH_TEST(peers_may_add_keywords) {
  static const char *const forms[] = {
      "{\"type\":\"object\",\"title\":\"Form\",\"additionalProperties\":true,"
      "\"properties\":{\"a\":{\"type\":\"integer\",\"exclusiveMinimum\":0,"
      "\"examples\":[1]},\"b\":{\"type\":\"string\",\"x-order\":1}}}",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
      "\"oneOf\":[{\"const\":\"a\",\"title\":\"A\",\"description\":\"D\"}]}}}",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\","
      "\"minimum\":1,\"default\":0}},\"required\":[\"b\"]}",
  };
  mcp_error err;
  for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
    expect_fine(forms[i], MCPI_FORM_PLAIN);
    expect_fine(forms[i], MCPI_FORM_RICH);
    assert_int_equal(check(forms[i], MCPI_FORM_OURS, &err), MCP_ERR_SCHEMA);
  }
}

/* What the macros make is a form. */
SCRATCH_TEST(a_built_form_is_accepted) {
  mcp_builder *builder = scratch_builder();
  const mcp_schema *stated =
      MCP_OBJECT(MCP_STRING("name", "Yours", .more = "\"minLength\":1"),
                 MCP_BOOLEAN("sure", NULL, .optional = 1),
                 MCP_STRING("how", NULL, .values = MCP_VALUES("now", "later")));
  assert_int_equal(mcp_schema_build(stated, NULL, builder, NULL), 0);
  expect_fine(mcp_builder_text(builder, NULL), MCPI_FORM_OURS);
}

SCRATCH_TEST(forms_that_are_not_flat_objects_are_refused) {
  static const struct {
    const char *form;
    const char *message;
  } list[] = {
      {"[]", "/: expected an object, got an array of 0 items"},
      {"{\"type\":\"object\"}",
       "/: missing the required member \"properties\""},
      {"{\"type\":\"array\",\"properties\":{}}",
       "/type: expected \"object\", got the string \"array\""},
      {"{\"type\":\"object\",\"properties\":[]}",
       "/properties: expected an object, got an array of 0 items"},
      {"{\"type\":\"object\",\"properties\":{},\"required\":[1]}",
       "/required/0: expected a name, got the number 1"},
      {"{\"type\":\"object\",\"properties\":{},\"$schema\":\"x\"}",
       "/$schema: the draft \"x\" is not known; its meta-schema can be given "
       "as a "
       "document"},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    for (int which = 0; which < MCPI_FORM_COUNT; which++) {
      expect_failure(list[i].form, which, list[i].message);
    }
  }
  expect_failure("{\"type\":\"object\",\"properties\":{},\"required\":[\"a\"]}",
                 MCPI_FORM_OURS,
                 "/required/0: expected the name of a property, got the string "
                 "\"a\"");
  expect_failure(
      "{\"type\":\"object\",\"properties\":{},\"anyOf\":[]}", MCPI_FORM_OURS,
      "/: unknown member \"anyOf\"; known are \"$schema\", \"type\", "
      "\"properties\", \"required\", \"additionalProperties\"");
  expect_failure("{\"type\":\"object\",\"properties\":{},"
                 "\"additionalProperties\":true}",
                 MCPI_FORM_OURS,
                 "/additionalProperties: no value is allowed here");
}

typedef struct refusal {
  const char *property;
  const char *message;
} refusal;

SCRATCH_TEST(properties_of_other_types_are_refused) {
  static const refusal all[] = {
      {"true", "/properties/p: expected an object, got true"},
      {"{}", "/properties/p: missing the required member \"type\""},
      {"{\"type\":\"string\",\"minLength\":-1}",
       "/properties/p/minLength: expected a whole number, not negative, got "
       "the number -1"},
      {"{\"type\":\"string\",\"title\":1}",
       "/properties/p/title: expected a string, got the number 1"},
      {"{\"type\":\"number\",\"minimum\":\"1\"}",
       "/properties/p/minimum: expected a number, got the string \"1\""},
      {"{\"type\":\"string\",\"format\":\"ipv4\"}",
       "/properties/p/format: expected one of \"email\", \"uri\", \"date\", "
       "\"date-time\", got the string \"ipv4\""},
      {"{\"type\":\"string\",\"enum\":[]}",
       "/properties/p/enum: the array has 0 items, the minimum is 1"},
      {"{\"type\":\"string\",\"enum\":[\"a\",1]}",
       "/properties/p/enum/1: expected a string, got the number 1"},
      {"{\"type\":\"string\",\"enumNames\":[\"A\"]}",
       "/properties/p: missing the required member \"enum\""},
      {"{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\"}]}",
       "/properties/p/oneOf/0: missing the required member \"title\""},
      {"{\"type\":\"string\",\"oneOf\":[]}",
       "/properties/p/oneOf: the array has 0 items, the minimum is 1"},
      {"{\"type\":\"string\",\"default\":1}",
       "/properties/p/default: expected a string, got the number 1"},
      {"{\"type\":\"number\",\"default\":\"1\"}",
       "/properties/p/default: expected a number, got the string \"1\""},
      {"{\"type\":\"boolean\",\"default\":0}",
       "/properties/p/default: expected a boolean, got the number 0"},
  };
  static const refusal rich[] = {
      {"{\"type\":\"object\",\"properties\":{}}",
       "/properties/p/type: expected one of \"string\", \"number\", "
       "\"integer\", \"boolean\", \"array\", got the string \"object\""},
      {"{\"type\":\"array\"}",
       "/properties/p: missing the required member \"items\""},
      {"{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
       "/properties/p/items: missing the required member \"enum\""},
      {"{\"type\":\"array\",\"items\":{\"type\":\"number\",\"enum\":[\"a\"]}}",
       "/properties/p/items/type: expected \"string\", got the string "
       "\"number\""},
      {"{\"type\":\"array\",\"items\":{\"enum\":[\"a\"]}}",
       "/properties/p/items: missing the required member \"type\""},
      {"{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\"]},"
       "\"default\":\"a\"}",
       "/properties/p/default: expected an array, got the string \"a\""},
  };
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    for (int which = 0; which < MCPI_FORM_COUNT; which++) {
      expect_failure(form(all[i].property), which, all[i].message);
    }
  }
  for (size_t i = 0; i < sizeof(rich) / sizeof(rich[0]); i++) {
    expect_failure(form(rich[i].property), MCPI_FORM_OURS, rich[i].message);
    expect_failure(form(rich[i].property), MCPI_FORM_RICH, rich[i].message);
  }
}

/* Forms of ours that nobody could answer, or with unknown keywords. */
SCRATCH_TEST(our_forms_are_checked_strictly) {
  static const refusal list[] = {
      {"{\"type\":\"number\",\"minLength\":1}",
       "/properties/p: unknown member \"minLength\"; known are \"type\", "
       "\"title\", \"description\", \"minimum\", \"maximum\", \"default\""},
      {"{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\","
       "\"x\":1}]}",
       "/properties/p/oneOf/0: unknown member \"x\"; known are \"const\", "
       "\"title\""},
      {"{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"}],"
       "\"enum\":[\"a\"]}",
       "/properties/p/enum: no value is allowed here"},
      {"{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"a\"],"
       "\"anyOf\":[{\"const\":\"a\",\"title\":\"A\"}]}}",
       "/properties/p/items/enum: no value is allowed here"},
      {"{\"type\":\"string\",\"enum\":[\"a\"],\"enumNames\":[]}",
       "/properties/p/enumNames: expected a name for each value of enum, got "
       "an array of 0 items"},
      {"{\"type\":\"integer\",\"default\":1.5}",
       "/properties/p/default: expected an integer, got the number 1.5"},
      {"{\"type\":\"integer\",\"minimum\":1,\"default\":0}",
       "/properties/p/default: 0 is less than the minimum 1"},
      {"{\"type\":\"string\",\"format\":\"email\",\"default\":\"me\"}",
       "/properties/p/default: the string \"me\" is not of the format "
       "\"email\""},
      {"{\"type\":\"string\",\"enum\":[\"a\"],\"default\":\"b\"}",
       "/properties/p/default: expected one of \"a\", got the string \"b\""},
      {"{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"}],"
       "\"default\":\"A\"}",
       "/properties/p/default: expected \"a\", got the string \"A\""},
      {"{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"a\",\"title\":"
       "\"A\"}]},\"default\":[\"a\",\"c\"]}",
       "/properties/p/default/1: expected \"a\", got the string \"c\""},
  };
  mcp_error err;
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    expect_failure(form(list[i].property), MCPI_FORM_OURS, list[i].message);
    if (check(form(list[i].property), MCPI_FORM_RICH, &err) != 0) {
      fail_msg("%s: %s", list[i].property, err.message);
    }
  }
}

/* --- answers ------------------------------------------------------------ */

SCRATCH_TEST(formats_of_answers_are_asserted) {
  static const struct {
    const char *format;
    const char *right;
    const char *wrong;
  } list[] = {
      {"email", "\"me@example.com\"", "\"me\""},
      {"uri", "\"https://example.com/\"", "\"example\""},
      {"date", "\"2024-02-29\"", "\"2023-02-29\""},
      {"date-time", "\"2024-02-29T12:00:00Z\"", "\"2024-02-29\""},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    char text[100];
    mcp_validator *validator;
    mcp_error err;
    snprintf(text, sizeof(text), "{\"type\":\"string\",\"format\":\"%s\"}",
             list[i].format);
    assert_int_equal(compile(form(text), MCPI_FORM_RICH,
                             mcp_allocator_default(), &validator, &err),
                     0);
    snprintf(text, sizeof(text), "{\"p\":%s}", list[i].right);
    const mcp_json *doc = scratch_plain_json(text);
    assert_int_equal(mcpi_validator_explain(validator, doc, &err), 0);
    snprintf(text, sizeof(text), "{\"p\":%s}", list[i].wrong);
    doc = scratch_plain_json(text);
    assert_int_equal(mcpi_validator_explain(validator, doc, &err),
                     MCP_ERR_SCHEMA);
    snprintf(text, sizeof(text),
             "/p: the string %s is not of the format \"%s\"", list[i].wrong,
             list[i].format);
    assert_string_equal(err.message, text);
    mcp_validator_unref(validator);
  }
}

/* --- memory ------------------------------------------------------------- */

static int scenario(const mcp_allocator *allocator, void *userdata) {
  mcpi_form_rules own = {{NULL}};
  mcp_validator *validator = NULL;
  mcp_error err;
  int rc = mcpi_form_compile(&validator, userdata, &own, MCPI_FORM_OURS,
                             allocator, &err);
  assert_true(rc == 0 || err.code == MCP_ERR_NOMEM);
  mcp_validator_unref(validator);
  mcpi_form_rules_deinit(&own);
  return rc;
}

SCRATCH_TEST(failed_allocations_are_reported) {
  const mcp_json *doc =
      scratch_plain_json(form("{\"type\":\"string\",\"default\":\"a\"}"));
  assert_true(failing_alloc_rerun(scenario, (void *)doc) > 10);
}

/* Rules are compiled once. */
SCRATCH_TEST(rules_are_kept) {
  expect_fine(form("{\"type\":\"string\"}"), MCPI_FORM_PLAIN);
  mcp_validator *before = atomic_load(&rules.compiled[MCPI_FORM_PLAIN]);
  assert_non_null(before);
  expect_fine(form("{\"type\":\"number\"}"), MCPI_FORM_PLAIN);
  assert_ptr_equal(atomic_load(&rules.compiled[MCPI_FORM_PLAIN]), before);
}

typedef struct sharing {
  mcpi_form_rules rules;
  const mcp_json *form;
} sharing;

static void *compile_many(void *userdata) {
  sharing *shared = userdata;
  size_t bad = 0;
  for (int i = 0; i < 20; i++) {
    mcp_validator *validator = NULL;
    bad += mcpi_form_compile(&validator, shared->form, &shared->rules,
                             i % MCPI_FORM_COUNT, mcp_allocator_default(),
                             NULL) != 0;
    mcp_validator_unref(validator);
  }
  return (void *)bad;
}

SCRATCH_TEST(threads_share_rules) {
  sharing shared = {
      .form = scratch_plain_json("{\"type\":\"object\",\"properties\":{}}")};
  pthread_t threads[4];
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, compile_many, &shared),
                     0);
  }
  for (size_t i = 0; i < 4; i++) {
    void *bad;
    assert_int_equal(pthread_join(threads[i], &bad), 0);
    assert_null(bad);
  }
  mcpi_form_rules_deinit(&shared.rules);
}

static int forget_rules(void **state) {
  mcpi_form_rules_deinit(&rules);
  return 0;
}

int main(void) {
  return tests_run(NULL, forget_rules);
}
