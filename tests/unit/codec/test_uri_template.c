/* SPDX-License-Identifier: MIT */
#include "codec/uri_template.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"
#include <stdio.h>
#include <stdlib.h>

static int try_compile(const char *text, size_t len, mcp_error *err) {
  mcpi_uri_template *tpl = NULL;
  char *copy = guarded_copy(text, len);
  int rc = mcpi_uri_template_new(&tpl, mcpi_str_n(copy, len),
                                 mcp_allocator_default(), err);
  assert_true((rc == 0) == (tpl != NULL));
  mcpi_uri_template_free(tpl);
  guarded_free(copy, len);
  return rc;
}

TEST(names_are_told_once_each) {
  static const char *const names[] = {"a", "b.c", "_d", "%41x", "e"};
  mcpi_uri_template *tpl = NULL;
  char text[] = "x{a,b.c:3}{/a*}{?_d,%41x}{+e}{b.c}";
  assert_int_equal(mcpi_uri_template_new(&tpl, mcpi_str_z(text),
                                         mcp_allocator_default(), NULL),
                   0);
  memset(text, 0, sizeof(text)); /* the template has a copy */
  assert_int_equal(mcpi_uri_template_var_count(tpl), 5);
  for (size_t i = 0; i < 5; i++) {
    assert_true(
        mcpi_str_eq(mcpi_uri_template_var_name(tpl, i), mcpi_str_z(names[i])));
  }
  mcpi_uri_template_free(tpl);
  mcpi_uri_template_free(NULL);
}

TEST(good_templates_compile) {
  static const char *const texts[] = {
      "",       "plain",      "{a}",        "{a:1}",     "{a:9999}",
      "{a*}",   "{+a}{#b}",   "{.a}{/b}",   "{;a}{?b}",  "{&c}",
      "%20{a}", "\xC3\xA9",   "it's",       "{a.b.c,d}", "{%C3%A9}",
      "{0}{_}", "a[b]c;=@!$", "{?a,b*,c:2}"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_int_equal(try_compile(texts[i], strlen(texts[i]), NULL), 0);
  }
}

TEST(bad_templates_are_refused_where_they_break) {
  static const struct {
    const char *text;
    size_t offset;
  } cases[] = {
      {"{", 1},     {"{}", 1},     {"a{b", 3},        {"a}", 1},
      {"{a", 2},    {"{a,", 3},    {"{a,}", 3},       {"{a b}", 2},
      {"{a.}", 3},  {"{.}", 2},    {"{..a}", 2},      {"{=a}", 1},
      {"{,a}", 1},  {"{!a}", 1},   {"{@a}", 1},       {"{|a}", 1},
      {"{a:}", 3},  {"{a:0}", 3},  {"{a:01}", 3},     {"{a:10000}", 7},
      {"{a:x}", 3}, {"{a**}", 3},  {"{a:3*}", 4},     {"{a*:3}", 3},
      {"{{a}}", 1}, {"a b", 1},    {"a\tb", 1},       {"%2", 0},
      {"%zz", 0},   {"a<b", 1},    {"a>b", 1},        {"a\"b", 1},
      {"a\\b", 1},  {"a^b", 1},    {"a`b", 1},        {"a|b", 1},
      {"\x7F", 0},  {"ab\xFF", 2}, {"{\xC3\xA9}", 1}, {"{%4}", 1},
      {"{a-b}", 2}, {"\xC3", 0},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    mcp_error err;
    int rc = try_compile(cases[i].text, strlen(cases[i].text), &err);
    if (rc != MCP_ERR_PARSE || err.offset != cases[i].offset) {
      fail_msg("%s: %d at %d", cases[i].text, rc, (int)err.offset);
    }
  }
  assert_int_equal(try_compile("a\0b", 3, NULL), MCP_ERR_PARSE);
  assert_int_equal(try_compile("{a\0}", 4, NULL), MCP_ERR_PARSE);
}

TEST(the_length_has_a_limit) {
  char *text = malloc(4097);
  memset(text, 'x', 4097);
  assert_int_equal(try_compile(text, 4096, NULL), 0);
  assert_int_equal(try_compile(text, 4097, NULL), MCP_ERR_LIMIT);
  free(text);
}

/* So many expressions, or so many variables in one. */
static size_t put_vars(char *text, int count, int in_one) {
  size_t len = 0;
  for (int i = 0; i < count; i++) {
    const char *before = in_one && i > 0 ? "," : "{";
    const char *behind = in_one && i < count - 1 ? "" : "}";
    len += (size_t)sprintf(text + len, "%sv%d%s", before, i, behind);
  }
  return len;
}

TEST(variables_have_a_limit) {
  char text[1024];
  for (int in_one = 0; in_one < 2; in_one++) {
    assert_int_equal(try_compile(text, put_vars(text, 64, in_one), NULL), 0);
    for (int count = 65; count < 70; count++) {
      size_t len = put_vars(text, count, in_one);
      assert_int_equal(try_compile(text, len, NULL), MCP_ERR_LIMIT);
    }
  }
  memset(text, ',', sizeof(text)); /* these are no variables */
  assert_int_equal(try_compile(text, sizeof(text), NULL), 0);
  memset(text, '{', sizeof(text));
  assert_int_equal(try_compile(text, sizeof(text), NULL), MCP_ERR_PARSE);
}

static int compile_once(const mcp_allocator *allocator, void *userdata) {
  mcpi_uri_template *tpl = NULL;
  int rc = mcpi_uri_template_new(&tpl, mcpi_str_z(userdata), allocator, NULL);
  mcpi_uri_template_free(tpl);
  return rc;
}

TEST(failures_are_survived) {
  char text[] = "file:///{+path}{?q,lang}";
  assert_int_equal(failing_alloc_rerun(compile_once, text), 1);
}
