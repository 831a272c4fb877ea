/* SPDX-License-Identifier: MIT */
#include "common/exit.h"
#include "diff/compat.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

/* The tests write JSON with ' for ". NULL: there is no value. */
static mcp_doc *parse(const char *json) {
  if (json == NULL) {
    return NULL;
  }
  char *text = strdup(json);
  assert_non_null(text);
  for (char *at = text; *at != '\0'; at++) {
    *at = *at == '\'' ? '"' : *at;
  }
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  assert_non_null(doc);
  free(text);
  return doc;
}

static const mcp_json *root(const mcp_doc *doc) {
  return doc != NULL ? mcp_doc_root(doc) : NULL;
}

typedef struct row {
  ctl_rule *rule;
  const char *before;
  const char *after;
  int effect;
} row;

#define SAME CTL_EFFECT_NONE
#define WIDER CTL_EFFECT_WIDER
#define NARROWER CTL_EFFECT_NARROWER
#define OTHER CTL_EFFECT_OTHER
#define UNKNOWN CTL_EFFECT_UNKNOWN
#define INSIDE CTL_EFFECT_INSIDE

static const row rows[] = {
    {ctl_rule_type, "'string'", "'string'", SAME},
    {ctl_rule_type, "'string'", "'number'", OTHER},
    {ctl_rule_type, "'number'", "'integer'", NARROWER},
    {ctl_rule_type, "'integer'", "'number'", WIDER},
    {ctl_rule_type, "'integer'", "['integer','null']", WIDER},
    {ctl_rule_type, "['integer','null']", "'integer'", NARROWER},
    {ctl_rule_type, "['null','string']", "['string','null']", SAME},
    {ctl_rule_type, "['integer','number']", "'number'", SAME},
    {ctl_rule_type, NULL, "'object'", NARROWER},
    {ctl_rule_type, "'object'", NULL, WIDER},
    {ctl_rule_type, NULL,
     "['null','boolean','number','string','array','object']", SAME},
    {ctl_rule_type, "'text'", "'string'", UNKNOWN},
    {ctl_rule_type, "'string'", "['string',7]", UNKNOWN},
    {ctl_rule_type, "'string'", "[]", UNKNOWN},

    {ctl_rule_enum, "['a']", "['a','b']", WIDER},
    {ctl_rule_enum, "['a','b']", "['a']", NARROWER},
    {ctl_rule_enum, "['a','b']", "['b','a']", SAME},
    {ctl_rule_enum, "['a','b']", "['a','c']", OTHER},
    {ctl_rule_enum, "[1]", "[1.0]", SAME},
    {ctl_rule_enum, NULL, "['a']", NARROWER},
    {ctl_rule_enum, "['a']", NULL, WIDER},
    {ctl_rule_enum, "['a']", "'a'", UNKNOWN},

    {ctl_rule_minimum, "1", "2", NARROWER},
    {ctl_rule_minimum, "1", "0.5", WIDER},
    {ctl_rule_minimum, "1", "1.0", SAME},
    {ctl_rule_minimum, NULL, "0", NARROWER},
    {ctl_rule_minimum, "0", NULL, WIDER},
    {ctl_rule_minimum, "true", "1", UNKNOWN},
    {ctl_rule_minimum, "9007199254740992", "9007199254740993", UNKNOWN},
    {ctl_rule_minimum, "1e400", "2e400", UNKNOWN},
    {ctl_rule_maximum, "1", "2", WIDER},
    {ctl_rule_maximum, "2", "1", NARROWER},
    {ctl_rule_maximum, NULL, "1", NARROWER},
    {ctl_rule_maximum, "1", NULL, WIDER},
    {ctl_rule_min_len, NULL, "0", SAME},
    {ctl_rule_min_len, "0", NULL, SAME},
    {ctl_rule_min_len, "0", "1", NARROWER},
    {ctl_rule_min_len, "1", "0", WIDER},
    {ctl_rule_min_len, "1", "2", NARROWER},

    {ctl_rule_flag, NULL, "false", SAME},
    {ctl_rule_flag, NULL, "true", NARROWER},
    {ctl_rule_flag, "true", "false", WIDER},
    {ctl_rule_flag, "true", "1", UNKNOWN},
    {ctl_rule_limit, "'^a'", "'^a'", SAME},
    {ctl_rule_limit, NULL, "'^a'", NARROWER},
    {ctl_rule_limit, "'^a'", NULL, WIDER},
    {ctl_rule_limit, "'^a'", "'^b'", UNKNOWN},

    {ctl_rule_schema, NULL, "true", SAME},
    {ctl_rule_schema, "{}", "true", SAME},
    {ctl_rule_schema, NULL, "false", NARROWER},
    {ctl_rule_schema, "false", "{}", WIDER},
    {ctl_rule_schema, "false", "{'type':'string'}", WIDER},
    {ctl_rule_schema, "{'type':'string'}", "false", NARROWER},
    {ctl_rule_schema, "{'type':'string'}", NULL, WIDER},
    {ctl_rule_schema, "true", "{'type':'string'}", NARROWER},
    {ctl_rule_schema, "{'type':'string'}", "{'type':'number'}", INSIDE},
    {ctl_rule_schema, "[{}]", "[{}]", SAME},
    {ctl_rule_schema, "[{}]", "{}", UNKNOWN},
    {ctl_rule_any_of, "[{'a':1}]", "[{'a':1},{'b':1}]", WIDER},
    {ctl_rule_any_of, "[{'a':1},{'b':1}]", "[{'b':1}]", NARROWER},
    {ctl_rule_any_of, "[{'a':1},{'b':1}]", "[{'b':1},{'a':1}]", SAME},
    {ctl_rule_any_of, "[{'a':1}]", "[{'b':1}]", INSIDE},
    {ctl_rule_any_of, "[{'a':1}]", "[{'b':1},{'c':1}]", UNKNOWN},
    {ctl_rule_any_of, NULL, "[{'b':1}]", NARROWER},
    {ctl_rule_any_of, "[{'b':1}]", NULL, WIDER},
    {ctl_rule_any_of, "[{'b':1}]", "{}", UNKNOWN},
    {ctl_rule_all_of, "[{'a':1}]", "[{'a':1},{'b':1}]", NARROWER},
    {ctl_rule_all_of, "[{'a':1},{'b':1}]", "[{'b':1}]", WIDER},
    {ctl_rule_all_of, NULL, "[{'b':1}]", NARROWER},

    {ctl_rule_default, NULL, "true", SAME},
    {ctl_rule_default, "true", "false", OTHER},
    {ctl_rule_default, "true", NULL, OTHER},
    {ctl_rule_wording, "'a'", "'b'", CTL_EFFECT_WORDING},
    {ctl_rule_wording, "'a'", "'a'", SAME},
    {ctl_rule_unknown, "'a'", "'b'", UNKNOWN},
    {ctl_rule_unknown, "'a'", NULL, UNKNOWN},
    {ctl_rule_unknown, "'a'", "'a'", SAME},
};

TEST(rules) {
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    mcp_doc *before = parse(rows[i].before);
    mcp_doc *after = parse(rows[i].after);
    int effect = rows[i].rule(root(before), root(after));
    if (effect != rows[i].effect) {
      print_error("row %zu: %s to %s\n", i, rows[i].before, rows[i].after);
    }
    assert_int_equal(effect, rows[i].effect);
    mcp_doc_free(before);
    mcp_doc_free(after);
  }
}

TEST(what_effects_mean_for_givers_and_readers) {
  static const int verdicts[][3] = {
      {CTL_EFFECT_NONE, CTL_COMPATIBLE, CTL_COMPATIBLE},
      {CTL_EFFECT_WORDING, CTL_WORDING, CTL_WORDING},
      {CTL_EFFECT_WIDER, CTL_COMPATIBLE, CTL_BREAKING},
      {CTL_EFFECT_NARROWER, CTL_BREAKING, CTL_COMPATIBLE},
      {CTL_EFFECT_OTHER, CTL_BREAKING, CTL_BREAKING},
      {CTL_EFFECT_UNKNOWN, CTL_BREAKING, CTL_BREAKING}};
  for (size_t i = 0; i < sizeof(verdicts) / sizeof(*verdicts); i++) {
    const int *verdict = verdicts[i];
    assert_int_equal(ctl_compat_verdict(verdict[0], CTL_GIVEN), verdict[1]);
    assert_int_equal(ctl_compat_verdict(verdict[0], CTL_RETURNED), verdict[2]);
  }
}

TEST(hints) {
  static const struct {
    const char *hint;
    const char *before;
    const char *after;
    int verdict;
  } hints[] = {
      {"readOnlyHint", "{'readOnlyHint':true}", "{}", CTL_BREAKING},
      {"readOnlyHint", "{'readOnlyHint':true}", NULL, CTL_BREAKING},
      {"readOnlyHint", "{'readOnlyHint':true}", "{'readOnlyHint':false}",
       CTL_BREAKING},
      {"readOnlyHint", "{'readOnlyHint':true}", "{'readOnlyHint':1}",
       CTL_BREAKING},
      {"readOnlyHint", NULL, "{'readOnlyHint':true}", CTL_COMPATIBLE},
      {"readOnlyHint", NULL, "{'readOnlyHint':false}", CTL_COMPATIBLE},
      {"destructiveHint", "{'destructiveHint':false}",
       "{'destructiveHint':true}", CTL_BREAKING},
      {"destructiveHint", "{'destructiveHint':false}", NULL, CTL_BREAKING},
      {"destructiveHint", NULL, "{'destructiveHint':true}", CTL_COMPATIBLE},
      {"destructiveHint", "{'destructiveHint':false}", "{'readOnlyHint':true}",
       CTL_COMPATIBLE},
      {"destructiveHint", "{'readOnlyHint':true}", "{'destructiveHint':true}",
       CTL_BREAKING},
      {"idempotentHint", "{'idempotentHint':true}", NULL, CTL_BREAKING},
      {"idempotentHint", NULL, "{'idempotentHint':true}", CTL_COMPATIBLE},
      {"openWorldHint", "{'openWorldHint':false}", "{}", CTL_BREAKING},
      {"openWorldHint", "{}", "{'openWorldHint':false}", CTL_COMPATIBLE},
      {"otherHint", "{}", "{}", CTL_BREAKING},
  };
  for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
    mcp_doc *before = parse(hints[i].before);
    mcp_doc *after = parse(hints[i].after);
    assert_int_equal(ctl_compat_hint(hints[i].hint, root(before), root(after)),
                     hints[i].verdict);
    mcp_doc_free(before);
    mcp_doc_free(after);
  }
  assert_true(ctl_compat_is_hint("openWorldHint"));
  assert_false(ctl_compat_is_hint("title"));
}

static void expect_support(const char *before, const char *after, int verdict) {
  mcp_doc *was = parse(before);
  mcp_doc *is = parse(after);
  assert_int_equal(ctl_compat_task_support(root(was), root(is)), verdict);
  mcp_doc_free(was);
  mcp_doc_free(is);
}

TEST(task_support) {
  expect_support(NULL, "'optional'", CTL_COMPATIBLE);
  expect_support(NULL, "'forbidden'", CTL_COMPATIBLE);
  expect_support(NULL, "'required'", CTL_BREAKING);
  expect_support("'optional'", NULL, CTL_BREAKING);
  expect_support("'optional'", "'required'", CTL_BREAKING);
  expect_support("'required'", "'optional'", CTL_COMPATIBLE);
  expect_support("'required'", "'forbidden'", CTL_BREAKING);
  expect_support("'optional'", "7", CTL_BREAKING);
}
