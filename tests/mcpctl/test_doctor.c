/* SPDX-License-Identifier: MIT */
#include "doctor/judge.h"
#include "doctor/report.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

TEST(each_rule_is_complete_and_has_an_id_of_its_own) {
  for (size_t i = 0; i < CTL_RULES; i++) {
    const ctl_doctor_rule *rule = &ctl_doctor_rules[i];
    assert_non_null(rule->id);
    assert_non_null(rule->text);
    assert_non_null(rule->where);
    assert_non_null(rule->remedy);
    assert_non_null(ctl_doctor_level_name(rule->level));
    assert_non_null(ctl_doctor_group_name(rule->group));
    for (size_t k = 0; k < i; k++) {
      assert_string_not_equal(rule->id, ctl_doctor_rules[k].id);
    }
    assert_true(i == 0 || rule->group >= ctl_doctor_rules[i - 1].group);
  }
}

TEST(names_of_tools_have_few_characters) {
  static const struct {
    const char *name;
    int is_name;
    int is_for_hosts;
  } cases[] = {{"add", 1, 1},      {"a-b_C9", 1, 1}, {"a.b", 1, 0},
               {"", 0, 0},         {"a b", 0, 0},    {"a,b", 0, 0},
               {"\xc3\xa4", 0, 0}, {"a/b", 0, 0}};
  char name[130];
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    size_t len = strlen(cases[i].name);
    assert_int_equal(ctl_doctor_is_tool_name(cases[i].name, len),
                     cases[i].is_name);
    assert_int_equal(ctl_doctor_is_host_name(cases[i].name, len),
                     cases[i].is_for_hosts);
  }
  memset(name, 'x', sizeof(name));
  assert_true(ctl_doctor_is_host_name(name, 64));
  assert_false(ctl_doctor_is_host_name(name, 65));
  assert_true(ctl_doctor_is_tool_name(name, 128));
  assert_false(ctl_doctor_is_tool_name(name, 129));
  assert_false(ctl_doctor_is_tool_name("a\0b", 3));
}

TEST(a_uri_has_a_scheme) {
  static const char *const good[] = {"file:///a", "note:1", "a+b-c.d:x"};
  static const char *const bad[] = {"",     "/etc/hosts", "a",    ":x",
                                    "1a:x", "a b:c",      "a:b c"};
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_true(ctl_doctor_is_uri(good[i]));
  }
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_false(ctl_doctor_is_uri(bad[i]));
  }
}

/* Parses a value and calls a function with it. */
static int is_right(int (*judge)(const mcp_json *value), const char *text) {
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  assert_non_null(doc);
  int answer = judge(mcp_doc_root(doc));
  mcp_doc_free(doc);
  return answer;
}

TEST(templates_are_those_of_rfc_6570) {
  assert_true(is_right(ctl_doctor_is_template, "\"city://{name}{?a,b*}\""));
  assert_false(is_right(ctl_doctor_is_template, "\"city://{name\""));
}

TEST(hints_are_true_or_false) {
  assert_true(ctl_doctor_are_annotations(NULL));
  assert_true(is_right(ctl_doctor_are_annotations, "{}"));
  assert_true(is_right(ctl_doctor_are_annotations,
                       "{\"readOnlyHint\":true,\"title\":\"x\",\"x\":1}"));
  assert_false(is_right(ctl_doctor_are_annotations, "[]"));
  assert_false(is_right(ctl_doctor_are_annotations, "{\"title\":1}"));
  assert_false(
      is_right(ctl_doctor_are_annotations, "{\"openWorldHint\":\"no\"}"));
}

static int is_block(const mcp_json *value) {
  return ctl_doctor_block_fault(value) == NULL;
}

TEST(blocks_have_what_their_type_needs) {
  static const char *const good[] = {
      "{\"type\":\"text\",\"text\":\"\"}",
      "{\"type\":\"text\",\"text\":\"\\u0000\"}",
      ("{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"text\":"
       "\"a\\u0000b\"}}"),
      "{\"type\":\"image\",\"data\":\"AP+A\",\"mimeType\":\"image/png\"}",
      "{\"type\":\"audio\",\"data\":\"\",\"mimeType\":\"audio/wav\"}",
      "{\"type\":\"image\",\"data\":\"YQ==\",\"mimeType\":\"image/png\"}",
      "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"text\":\"\"}}",
      "{\"type\":\"resource_link\",\"uri\":\"a:b\",\"name\":\"n\"}"};
  static const char *const bad[] = {
      "7",
      "{}",
      "{\"type\":\"text\"}",
      "{\"type\":\"video\"}",
      "{\"type\":\"image\",\"data\":\"YQ==\"}",
      "{\"type\":\"image\",\"data\":\"YQ=\",\"mimeType\":\"image/png\"}",
      "{\"type\":\"image\",\"data\":\"Y*==\",\"mimeType\":\"image/png\"}",
      "{\"type\":\"image\",\"mimeType\":\"image/png\"}",
      "{\"type\":\"resource\"}",
      "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\"}}",
      "{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"blob\":\"?\"}}",
      "{\"type\":\"resource_link\",\"uri\":\"a:b\"}",
      "{\"type\":\"resource_link\",\"name\":\"n\"}"};
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_true(is_right(is_block, good[i]));
  }
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_false(is_right(is_block, bad[i]));
  }
}

TEST(loopback_is_this_machine) {
  static const char *const here[] = {
      "http://localhost/mcp", "http://LOCALHOST:1/", "http://127.0.0.1:80",
      "https://127.1.2.3",    "http://[::1]:8/mcp",  "http://u:p@localhost/x"};
  static const char *const there[] = {
      "http://localhost.example/", "http://example/127.0.0.1",
      "http://1270.example", "http://[::2]/", "http://localhost@example/"};
  for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); i++) {
    assert_true(ctl_doctor_is_loopback(here[i]));
  }
  for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
    assert_false(ctl_doctor_is_loopback(there[i]));
  }
}

static void assert_metadata(const char *challenge, const char *url) {
  char *found = ctl_doctor_metadata_url(challenge);
  if (url == NULL) {
    assert_null(found);
  } else {
    assert_string_equal(found, url);
  }
  free(found);
}

TEST(a_challenge_names_the_metadata) {
  assert_metadata("Bearer resource_metadata=\"https://a/b,c\", scope=\"x\"",
                  "https://a/b,c");
  assert_metadata("Bearer realm=x, Resource_Metadata=https://a/b, scope=y",
                  "https://a/b");
  assert_metadata("Bearer resource_metadata=\"https://a", "https://a");
  assert_metadata("Basic realm=\"x\"", NULL);
}

TEST(ids_of_sessions_are_long_and_different) {
  assert_true(ctl_doctor_is_guessable("1", "2"));
  assert_true(ctl_doctor_is_guessable("abcdefghijklmnop", "abcdefghijklmnoq"));
  assert_true(ctl_doctor_is_guessable("abcdefghijklmnop", "x"));
  assert_false(ctl_doctor_is_guessable("5b3cf4ab99a0416d", "f0a8837d61cc4a02"));
}

TEST(a_date_is_compared_with_the_clock) {
  assert_int_equal(ctl_doctor_clock_gap("Thu, 01 Jan 1970 00:01:00 GMT", 100),
                   -40);
  assert_int_equal(
      ctl_doctor_clock_gap("Sun, 06 Nov 1994 08:49:37 GMT", 784111770), 7);
  assert_true(ctl_doctor_clock_gap("yesterday", 0) == INT64_MIN);
}

/* Adds three findings of a rule, of which one is shown. */
static void add_three(ctl_doctor_report *report) {
  ctl_doctor_begin(report, "stdio", "2025-11-25");
  ctl_doctor_add(report, CTL_RULE_PING, "a", 1);
  ctl_doctor_add(report, CTL_RULE_PING, "b", 1);
  ctl_doctor_add(report, CTL_RULE_PING, "c", 1);
}

TEST(findings_that_are_not_shown_count_once_for_all_connections) {
  ctl_doctor_report report = {0};
  add_three(&report);
  add_three(&report);
  assert_int_equal(report.finding_count, 1);
  assert_int_equal(report.findings[0].seen_in, 3);
  assert_int_equal(report.more[CTL_RULE_PING], 2);
  ctl_doctor_report_deinit(&report);
}

int main(void) {
  return tests_run(NULL, NULL);
}
