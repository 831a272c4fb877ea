/* SPDX-License-Identifier: MIT */
#include "codec/uri_template.h"

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

typedef struct match_case {
  const char *text;
  const char *uri;
  const char *words; /* NULL: no match */
} match_case;

static const match_case cases[] = {
    /* Literals. */
    {"", "", ""},
    {"", "a", NULL},
    {"abc", "abc", ""},
    {"abc", "ab", NULL},
    {"abc", "abcd", NULL},
    {"a\xC3\xA9", "a%C3%A9", ""},
    {"a%20b", "a%20b", ""},
    /* Simple values. */
    {"{x}", "abc", "x=abc"},
    {"{x}", "", NULL},
    {"{x}", "a/b", NULL},
    {"{x}", "a?b", NULL},
    {"{x}", "a#b", NULL},
    {"{x}", "a b", NULL},
    {"{x}", "a%2Fb", "x=a/b"},
    {"{x}", "a%20%C3%A9", "x=a \xC3\xA9"},
    {"{x}", "a%2", NULL},
    {"{x}", "a%zz", NULL},
    {"{x}", "\xC3\xA9", NULL},
    {"{x}", "-._~", "x=-._~"},
    {"users/{id}", "users/7", "id=7"},
    {"users/{id}", "users/", NULL},
    {"users/{id}", "users/7/8", NULL},
    {"users/{id}/posts/{post}", "users/7/posts/8", "id=7 post=8"},
    {"{a}-{b}", "x-y", "a=x b=y"},
    {"{a}-{b}", "x-y-z", "a=x b=y-z"},
    {"{a}{b}", "xyz", "a=x b=yz"},
    {"{a}.txt", "x.txt.txt", "a=x.txt"},
    {"{x,y}", "1,2", "x=1 y=2"},
    {"{x,y}", "1", "x=1 y=-"},
    {"{x,y}", "1,2,3", NULL},
    {"{x,y}", "1,", "x=1 y="},
    {"{x,y}", ",2", NULL},
    /* Reserved. */
    {"{+x}", "a/b?c#d", "x=a/b?c#d"},
    {"{+x}", "", NULL},
    {"{+x}", "a b", NULL},
    {"file:///{+path}", "file:///a/b.txt", "path=a/b.txt"},
    {"file:///{+path}", "file:///a%20b%2Fc", "path=a b/c"},
    {"{+path}/{name}", "a/b/c", "path=a/b name=c"},
    {"{+a}-{b}/c", "x-y/z-w/c", "a=x-y/z b=w"},
    {"{+a}/x/{b}", "p/x/q/x/r", "a=p/x/q b=r"},
    {"{+x,y}", "1,2,3", "x=1 y=2,3"},
    {"{+base}index", "http://e.com/index", "base=http://e.com/"},
    /* Fragment, label, path. */
    {"x{#f}", "x#a/b", "f=a/b"},
    {"x{#f}", "x", "f=-"},
    {"x{#f}", "x#", "f="},
    {"x{#f,g}", "x#a,b", "f=a g=b"},
    {"x{.a}", "x.y", "a=y"},
    {"x{.a,b}", "x.y.z", "a=y b=z"},
    {"x{.a,b}", "x.y", "a=y b=-"},
    {"x{.a,b}", "x", "a=- b=-"},
    {"x{.a,b}", "x.y.z.w", "a=y b=z.w"},
    {"x{/a,b}", "x/y/z", "a=y b=z"},
    {"x{/a,b}", "x/y", "a=y b=-"},
    {"x{/a,b}", "x/y/z/w", NULL},
    {"x{/a,b}", "x/", "a= b=-"},
    {"x{/a,b}", "x//z", "a= b=z"},
    {"x{/a,b}", "x/y/", "a=y b="},
    {"x{/a}/end", "x//end", "a="},
    {"x{/a}/end", "x/y/end", "a=y"},
    {"x{/a}/end", "x/end", "a=-"},
    /* Named, in any order, each at most once. */
    {"s{?q,lang}", "s?q=1&lang=en", "q=1 lang=en"},
    {"s{?q,lang}", "s?lang=en&q=1", "q=1 lang=en"},
    {"s{?q,lang}", "s?lang=en", "q=- lang=en"},
    {"s{?q,lang}", "s", "q=- lang=-"},
    {"s{?q,lang}", "s?", NULL},
    {"s{?q,lang}", "s?q=", "q= lang=-"},
    {"s{?q,lang}", "s?q", NULL},
    {"s{?q,lang}", "s?q=1&q=2", NULL},
    {"s{?q,lang}", "s?other=1", NULL},
    {"s{?q,lang}", "s?q=1&", NULL},
    {"s{?q,lang}", "s?q=1;lang=2", NULL},
    {"s{?q}", "s?q=a%26b%3D", "q=a&b="},
    {"s{?q}", "s?q=a,b", NULL},
    {"s{?q,q2}", "s?q2=a&q=b", "q=b q2=a"},
    {"s?x=1{&q}", "s?x=1&q=2", "q=2"},
    {"s?x=1{&q}", "s?x=1", "q=-"},
    {"s{?q}-end", "s?q=a-end-end", "q=a-end"},
    {"s{?q}-end", "s-end", "q=-"},
    {"s{?a}{#f}", "s?a=1#2", "a=1 f=2"},
    {"s{;a,b}", "s;a=1;b=2", "a=1 b=2"},
    {"s{;a,b}", "s;b;a=1", "a=1 b="},
    {"s{;a,ab}", "s;ab", "a=- ab="},
    {"s{;a,ab}", "s;ab;a", "a= ab="},
    {"{?a}{&b}", "?a=1&b=2", "a=1 b=2"},
    /* The same name again, and level 4. */
    {"{x}/{x}", "a/a", "x=a"},
    {"{x}/{x}", "a/b", NULL},
    {"{x:1}/{x}", "v/value", "x=value"},
    {"{x}/{x:3}", "value/val", "x=value"},
    {"{x:1}/{x}", "w/value", NULL},
    {"{x:1}/{x:3}/{x}", "v/val/value", "x=value"},
    {"{x:3}/{x:1}", "val/v", "x=val"},
    {"{x*}", "abc", "x=abc"},
    {"{x}{?x}", "a?x=a", "x=a"},
    {"{x}{?x}", "a?x=b", NULL},
    /* Values that are not text. */
    {"{x}", "%00", NULL},
    {"{x}", "a%FF", NULL},
    {"{x}", "%C3", NULL},
    {"{x}", "%ED%A0%80", NULL},
    {"{+x}", "%C3%28", NULL},
};

SCRATCH_TEST(uris_match_or_do_not) {
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const match_case *c = &cases[i];
    const char *words = match(c->text, c->uri, strlen(c->uri));
    if ((words == NULL) != (c->words == NULL) ||
        (words != NULL && strcmp(words, c->words) != 0)) {
      fail_msg("%s and %s: %s", c->text, c->uri, words ? words : "no match");
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
