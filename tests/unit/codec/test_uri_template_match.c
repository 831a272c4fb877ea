/* SPDX-License-Identifier: MIT */
#include "codec/uri_template.h"

#include "support/case_file.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"
#include "support/scratch.h"
#include <stdio.h>
#include <stdlib.h>

static mcpi_uri_template *compile(const char *text) {
  mcpi_uri_template *tpl = NULL;
  assert_int_equal(mcpi_uri_template_new(&tpl, mcpi_str_z(text),
                                         mcp_allocator_default(), NULL),
                   0);
  return tpl;
}

/* What came out, in words: "a=1 b=2", with - for an absent variable; NULL when
 * there is no match. Valid until the next call. */
static const char *match(const char *text, const char *uri, size_t len) {
  static char words[32768];
  mcpi_span spans[64];
  mcpi_uri_template *tpl = compile(text);
  char *copy = guarded_copy(uri, len);
  size_t out = 0;
  mcpi_buf *values = scratch_buf();
  mcpi_buf_lit(values, "before");
  words[0] = '\0';
  int rc = mcpi_uri_template_match(tpl, mcpi_str_n(copy, len), values, spans);
  assert_int_equal(values->error, 0);
  for (size_t i = 0; rc && i < mcpi_uri_template_var_count(tpl); i++) {
    mcpi_str name = mcpi_uri_template_var_name(tpl, i);
    mcpi_str value = MCPI_STR("-");
    if (spans[i].offset != SIZE_MAX) {
      assert_true(spans[i].offset >= 6);
      assert_true(spans[i].offset + spans[i].len <= values->len);
      value = mcpi_str_n(values->data + spans[i].offset, spans[i].len);
    }
    out += (size_t)sprintf(words + out, "%s%.*s=%.*s", i > 0 ? " " : "",
                           (int)name.len, name.ptr, (int)value.len, value.ptr);
  }
  assert_memory_equal(values->data, "before", 6);
  assert_true(rc || values->len == 6);
  guarded_free(copy, len);
  mcpi_uri_template_free(tpl);
  return rc ? words : NULL;
}

/* What is matched, after a template; the template ends there. */
static const char *split(char *text) {
  char *arrow = text != NULL ? strstr(text, " =>") : NULL;
  if (arrow == NULL) {
    return NULL;
  }
  *arrow = '\0';
  return arrow + strlen(" =>") + (arrow[3] == ' ');
}

/* Lines: `match TEMPLATE => URI`, then `= WORDS`; or `unmatched TEMPLATE =>
 * URI`. */
static void run(void **state) {
  for (char *line = strtok(*state, "\n"); line != NULL;
       line = strtok(NULL, "\n")) {
    char *text = case_after(line, "match");
    int matches = text != NULL;
    text = matches ? text : case_after(line, "unmatched");
    const char *uri = split(text);
    char *wanted = matches ? strtok(NULL, "\n") : NULL;
    assert_non_null(uri);
    const char *words = match(text, uri, strlen(uri));
    if (!matches) {
      assert_null(words);
      continue;
    }
    assert_true(wanted != NULL && wanted[0] == '=');
    wanted += wanted[1] == ' ' ? 2 : 1;
    if (words == NULL || strcmp(words, wanted) != 0) {
      fail_msg("%s and %s: %s", text, uri, words ? words : "no match");
    }
  }
}

SCRATCH_TEST(a_nul_in_the_uri_does_not_match) {
  assert_null(match("{x}", "a\0b", 3));
  assert_null(match("{+x}", "a\0b", 3));
}

SCRATCH_TEST(null_is_an_empty_uri) {
  mcpi_span spans[2];
  mcpi_uri_template *tpl = compile("{?a}{#b}");
  mcpi_buf *values = scratch_buf();
  assert_true(mcpi_uri_template_match(tpl, mcpi_str_z(NULL), values, spans));
  assert_int_equal(spans[0].offset, SIZE_MAX);
  assert_int_equal(spans[1].offset, SIZE_MAX);
  mcpi_uri_template_free(tpl);
}

SCRATCH_TEST(the_length_has_a_limit) {
  static char uri[MCPI_URI_MAX + 1];
  memset(uri, 'x', sizeof(uri));
  assert_non_null(match("{x}", uri, MCPI_URI_MAX));
  assert_null(match("{x}", uri, MCPI_URI_MAX + 1));
}

/* What a backtracking matcher would not come to the end of. */
SCRATCH_TEST(no_uri_takes_long) {
  static char uri[MCPI_URI_MAX];
  char text[64 * 5 + 4] = "";
  for (int i = 0; i < 64; i++) {
    sprintf(text + strlen(text), "{%s%c%d}", i % 2 ? "+" : "", 'a', i % 10);
  }
  strcat(text, "!");
  memset(uri, 'a', sizeof(uri));
  assert_null(match(text, uri, sizeof(uri)));
  for (size_t i = 0; i < sizeof(uri); i++) {
    uri[i] = "?&a="[i % 4];
  }
  assert_null(match("{?a}{&b,c,d}{+e}{&f}!", uri, sizeof(uri)));
}

/* Each expansion of texts matches, and gives these texts back where they are
 * unambiguous. */
SCRATCH_TEST(what_is_expanded_matches) {
  static const char *const texts[] = {"x/{a}/{b}", "{+a}!{b}", "x{/a,b}",
                                      "s{?a,b}",   "s{;a,b}",  "{a,b}",
                                      "s{#a}{?b}"};
  srand(2);
  for (int round = 0; round < 3000; round++) {
    char json[64];
    char expected[64];
    const char *text = texts[round % 7];
    int a = rand() % 1000;
    int b = rand() % 1000;
    sprintf(json, "{\"a\":\"%d \xC3\xA9\",\"b\":%d}", a, b);
    sprintf(expected, "a=%d \xC3\xA9 b=%d", a, b);
    mcp_doc *doc = mcp_doc_parse(json, strlen(json), NULL, NULL, NULL);
    assert_non_null(doc);
    mcpi_uri_template *tpl = compile(text);
    mcpi_buf *uri = scratch_buf();
    assert_int_equal(
        mcpi_uri_template_expand(tpl, mcp_doc_root(doc), uri, NULL), 0);
    if (strstr(text, "#") == NULL) {
      assert_string_equal(match(text, uri->data, uri->len), expected);
    } else {
      assert_non_null(match(text, uri->data, uri->len));
    }
    mcpi_uri_template_free(tpl);
    mcp_doc_free(doc);
  }
}

static int match_once(const mcp_allocator *allocator, void *userdata) {
  mcpi_span spans[2];
  mcpi_buf values;
  mcpi_buf_init(&values, allocator, SIZE_MAX);
  int matches =
      mcpi_uri_template_match(userdata, MCPI_STR("a/1?q=2"), &values, spans);
  int rc = values.error;
  assert_int_equal(matches, rc == 0);
  mcpi_buf_deinit(&values);
  return rc;
}

SCRATCH_TEST(failures_are_survived) {
  mcpi_uri_template *tpl = compile("a/{x}{?q}");
  assert_int_equal(failing_alloc_rerun(match_once, tpl), 1);
  mcpi_uri_template_free(tpl);
}

int main(void) {
  case_files_add("tests/unit/codec/uri_template_match.txt", run,
                 scratch_teardown);
  return tests_run(NULL, NULL);
}
