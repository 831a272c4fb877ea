/* SPDX-License-Identifier: MIT */
/* schema/elicit.c: the restricted schemas of forms, and defaults. Lines of
 * forms/elicit.txt are
 *
 *   form SCHEMA     a form
 *   property SCHEMA a form with that property
 *   fine KINDS      it is a form of each of these kinds: ours, rich, plain
 *   refused KINDS   it is not of these kinds; the next line says why
 *   = MESSAGE
 */
#include "support/scratch.h"

#include "schema/elicit.h"
#include "schema/validator.h"
#include "support/case_file.h"
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

/* Calls one of the two for each kind that the words name. */
static void expect_kinds(const char *text, const char *words,
                         const char *message) {
  static const char *const names[MCPI_FORM_COUNT] = {[MCPI_FORM_OURS] = "ours",
                                                     [MCPI_FORM_RICH] = "rich",
                                                     [MCPI_FORM_PLAIN] =
                                                         "plain"};
  int count = 0;
  for (int which = 0; which < MCPI_FORM_COUNT; which++) {
    if (strstr(words, names[which]) == NULL) {
      continue;
    }
    count++;
    if (message != NULL) {
      expect_failure(text, which, message);
    } else {
      expect_fine(text, which);
    }
  }
  assert_true(count > 0);
}

static void run(void **state) {
  size_t checks = 0;
  const char *text = NULL;
  for (char *line = strtok(*state, "\n"), *rest; line != NULL;
       line = strtok(NULL, "\n")) {
    if ((rest = case_after(line, "form")) != NULL) {
      text = rest;
    } else if ((rest = case_after(line, "property")) != NULL) {
      text = form(rest);
    } else if ((rest = case_after(line, "fine")) != NULL) {
      expect_kinds(text, rest, NULL);
      checks++;
    } else if ((rest = case_after(line, "refused")) != NULL) {
      line = strtok(NULL, "\n");
      const char *message = line != NULL ? case_after(line, "=") : NULL;
      if (message == NULL) {
        fail_msg("no line \"= MESSAGE\" follows \"refused %s\"", rest);
      }
      expect_kinds(text, rest, message);
      checks++;
    } else {
      fail_msg("this line has no meaning: %s", line);
    }
  }
  assert_true(checks > 0);
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
  plain_regex_provide();
  case_files_add("tests/unit/schema/forms/elicit.txt", run, scratch_teardown);
  return tests_run(NULL, forget_rules);
}
