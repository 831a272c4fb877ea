/* SPDX-License-Identifier: MIT */
/* Regular expressions of ECMA-262. */
#include "support/cm.h"

#include "schema/validator.h"
#include <mcp/mcp.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

static int match(const char *pattern, const char *text) {
  void *regex = NULL;
  size_t offset = 0;
  assert_int_equal(mcp_regex_pcre2()->compile(NULL, pattern, strlen(pattern),
                                              &regex, &offset),
                   0);
  size_t steps = SIZE_MAX;
  int found = mcp_regex_pcre2()->match(regex, text, strlen(text), &steps);
  mcp_regex_pcre2()->release(regex);
  return found;
}

TEST(patterns_mean_what_ecmascript_says) {
  assert_int_equal(match("b", "abc"), 1); /* anywhere */
  assert_int_equal(match("^b", "abc"), 0);
  assert_int_equal(match("c$", "abc\n"), 0);        /* only at the very end */
  assert_int_equal(match("^\\d+$", "\xD9\xA1"), 0); /* ASCII digits alone */
  assert_int_equal(match("^.$", "\xF0\x9F\x98\x80"), 1); /* one character */
  assert_int_equal(match("^\\u0041$", "A"), 1);
  assert_int_equal(match("^\\u{1F600}$", "\xF0\x9F\x98\x80"), 1);
  assert_int_equal(match("^\\x41$", "A"), 1);
  assert_int_equal(match("a[]b", "ab"), 0);
  assert_int_equal(match("a[^]b", "a\nb"), 1);
  assert_int_equal(match("^\\p{L}+$", "\xC3\xA9t\xC3\xA9"), 1);
  assert_int_equal(match("^(a)|\\1b$", "b"), 1); /* an unset group is empty */
  assert_int_equal(match("^\\/x$", "/x"), 1);
  assert_int_equal(match("^a.b$", "a\rb"), 0);
  assert_int_equal(match("", ""), 1);
}

TEST(a_broken_pattern_tells_where) {
  void *regex = NULL;
  size_t offset = 0;
  assert_int_equal(mcp_regex_pcre2()->compile(NULL, "ab(c", 4, &regex, &offset),
                   MCP_ERR_PARSE);
  assert_int_equal(offset, 4);
  assert_null(regex);
}

TEST(a_large_pattern_is_no_broken_one) {
  const char *pattern = "^((a{1,999}b){999}c){999}$";
  void *regex = NULL;
  size_t offset = 0;
  assert_int_equal(mcp_regex_pcre2()->compile(NULL, pattern, strlen(pattern),
                                              &regex, &offset),
                   MCP_ERR_LIMIT);
  assert_null(regex);
}

TEST(an_evil_pattern_gives_up) {
  uint64_t started = uv_hrtime();
  assert_int_equal(
      match("^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"),
      MCP_ERR_LIMIT);
  assert_true(uv_hrtime() - started < UINT64_C(5000000000));
  char deep[400];
  memset(deep, '(', sizeof(deep));
  void *regex = NULL;
  size_t offset = 0;
  assert_int_equal(
      mcp_regex_pcre2()->compile(NULL, deep, sizeof(deep), &regex, &offset),
      MCP_ERR_PARSE);
}

/* At all places of the text together, and of a validation's steps. */
TEST(steps_are_counted) {
  static char text[20000];
  void *regex = NULL;
  size_t offset = 0;
  size_t steps = 1000;
  for (size_t i = 0; i + 16 < sizeof(text); i += 16) {
    memcpy(text + i, "abababababababae", 16);
  }
  assert_int_equal(match("(a|b|ab)*[cd]", text), MCP_ERR_LIMIT);
  assert_int_equal(match("ab+", "aaaaaaaaaaaaaac"), 0);
  assert_int_equal(
      mcp_regex_pcre2()->compile(NULL, "(a|b|ab)*[cd]", 13, &regex, &offset),
      0);
  assert_int_equal(mcp_regex_pcre2()->match(regex, "ab", 2, &steps), 0);
  assert_in_range(steps, 900, 999);
  assert_int_equal(mcp_regex_pcre2()->match(regex, text, 160, &steps),
                   MCP_ERR_LIMIT);
  assert_int_equal(steps, 0);
  mcp_regex_pcre2()->release(regex);
}

static void match_many(void *regex) {
  for (int i = 0; i < 1000; i++) {
    size_t steps = SIZE_MAX;
    assert_int_equal(mcp_regex_pcre2()->match(regex, "xxabbby", 7, &steps), 1);
  }
}

TEST(threads_match_at_once) {
  void *regex = NULL;
  size_t offset = 0;
  uv_thread_t threads[4];
  assert_int_equal(
      mcp_regex_pcre2()->compile(NULL, "ab+y$", 5, &regex, &offset), 0);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(uv_thread_create(&threads[i], match_many, regex), 0);
  }
  for (int i = 0; i < 4; i++) {
    uv_thread_join(&threads[i]);
  }
  mcp_regex_pcre2()->release(regex);
}

/* Each string of many is matched within the limit of one. */
TEST(a_validation_pays_for_its_patterns) {
  static char text[40000] = "[\"\"";
  size_t len = strlen(text);
  const char *items = "{\"items\":{\"not\":{\"pattern\":\"^(a|b|ab)*[cd]\"}}}";
  for (int i = 0; i < 1000; i++) {
    len += (size_t)sprintf(text + len, ",\"abababababababababababababe\"");
  }
  strcpy(text + len, "]");
  mcp_doc *schema = mcp_doc_parse(items, strlen(items), NULL, NULL, NULL);
  assert_non_null(schema);
  mcp_doc *value = mcp_doc_parse(text, len + 1, NULL, NULL, NULL);
  assert_non_null(value);
  mcp_validator *validator =
      mcp_validator_new(mcp_doc_root(schema), NULL, NULL);
  assert_non_null(validator);
  assert_int_equal(
      mcp_validator_check(validator, mcp_doc_root(value), NULL, NULL),
      MCP_ERR_LIMIT);
  mcp_validator_unref(validator);
  mcp_doc_free(value);
  mcp_doc_free(schema);
}

static size_t size_of_schema(const char *text) {
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  assert_non_null(doc);
  mcp_validator *validator = mcp_validator_new(mcp_doc_root(doc), NULL, NULL);
  assert_non_null(validator);
  size_t size = mcpi_validator_size(validator);
  mcp_validator_unref(validator);
  mcp_doc_free(doc);
  return size;
}

/* A short one may take much. */
TEST(its_memory_counts) {
  size_t little = size_of_schema("{\"pattern\":\"(ab){1000}\"}");
  size_t less = size_of_schema("{\"pattern\":\"ababababab\"}");
  assert_true(little > less + 10000);
}

static int on_call(mcp_call *call, void *userdata) {
  return mcp_call_reply(call);
}

TEST(a_tools_broken_pattern_is_told_at_once) {
  mcp_server *server = mcp_server_new("s", "1", NULL, NULL);
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = "t",
                         .input = MCP_OBJECT(MCP_STRING(
                             "a", NULL, .more = "\"pattern\":\"ab(c\"")),
                         .handler = on_call};
  assert_int_equal(mcp_server_add_tool(server, &tool, NULL), MCP_ERR_SCHEMA);
  assert_string_equal(
      mcp_server_error(server)->message,
      "tool \"t\": input: /properties/a/pattern: \"ab(c\" is not "
      "a regular expression (ECMA-262): error at byte 4");
  mcp_server_free(server);
}
