/* SPDX-License-Identifier: MIT */
#include "codec/uri.h"

#include "support/failing_alloc.h"
#include "support/guarded.h"
#include "support/scratch.h"
#include <mcp/error.h>

/* --- splitting ----------------------------------------------------------- */

/* NULL: the part is absent. */
typedef struct split_case {
  const char *text;
  const char *scheme;
  const char *authority;
  const char *path;
  const char *query;
  const char *fragment;
} split_case;

static void check_part(const char *text, mcpi_str part, const char *expected) {
  int is_same = expected == NULL ? part.ptr == NULL
                                 : part.ptr != NULL &&
                                       mcpi_str_eq(part, mcpi_str_z(expected));
  if (!is_same) {
    fail_msg("%s: \"%.*s\" is not \"%s\"", text, (int)part.len,
             part.ptr != NULL ? part.ptr : "",
             expected != NULL ? expected : "(absent)");
  }
}

SCRATCH_TEST(any_text_has_parts) {
  static const split_case cases[] = {
      {"", NULL, NULL, "", NULL, NULL},
      {"http://a/b?c#d", "http", "a", "/b", "c", "d"},
      {"http://u:p@a:80", "http", "u:p@a:80", "", NULL, NULL},
      {"http://[::1]:80/", "http", "[::1]:80", "/", NULL, NULL},
      {"urn:a:b", "urn", NULL, "a:b", NULL, NULL},
      {"a:", "a", NULL, "", NULL, NULL},
      {"a+b-c.1:d", "a+b-c.1", NULL, "d", NULL, NULL},
      {"file:///a", "file", "", "/a", NULL, NULL},
      {"//", NULL, "", "", NULL, NULL},
      {"//a?b", NULL, "a", "", "b", NULL},
      {"//a#b", NULL, "a", "", NULL, "b"},
      {"/a:b", NULL, NULL, "/a:b", NULL, NULL},
      {"a/b:c", NULL, NULL, "a/b:c", NULL, NULL},
      {"?a:b", NULL, NULL, "", "a:b", NULL},
      {"#a:b?c", NULL, NULL, "", NULL, "a:b?c"},
      {"?#", NULL, NULL, "", "", ""},
      {"a?b?c#d#e", NULL, NULL, "a", "b?c", "d#e"},
      {":a", NULL, NULL, ":a", NULL, NULL},
      {"1a:b", NULL, NULL, "1a:b", NULL, NULL},
      {"a_b:c", NULL, NULL, "a_b:c", NULL, NULL},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const split_case *c = &cases[i];
    size_t len = strlen(c->text);
    char *copy = guarded_copy(c->text, len);
    mcpi_uri uri;
    mcpi_uri_split(mcpi_str_n(copy, len), &uri);
    check_part(c->text, uri.scheme, c->scheme);
    check_part(c->text, uri.authority, c->authority);
    check_part(c->text, uri.path, c->path);
    check_part(c->text, uri.query, c->query);
    check_part(c->text, uri.fragment, c->fragment);
    guarded_free(copy, len);
  }
  mcpi_uri uri;
  mcpi_uri_split(mcpi_str_n(NULL, 0), &uri);
  check_part("(null)", uri.path, "");
}

/* --- resolving ----------------------------------------------------------- */

typedef struct resolve_case {
  const char *reference;
  const char *expected;
} resolve_case;

static void check_resolve(const char *base, const char *reference,
                          const char *expected) {
  size_t base_len = strlen(base);
  size_t len = strlen(reference);
  char *base_copy = guarded_copy(base, base_len);
  char *copy = guarded_copy(reference, len);
  mcpi_buf *buf = scratch_buf();
  mcpi_uri_resolve(buf, mcpi_str_n(base_copy, base_len), mcpi_str_n(copy, len));
  assert_int_equal(buf->error, 0);
  mcpi_buf_putc(buf, '\0');
  if (strcmp(buf->data, expected) != 0) {
    fail_msg("%s beside %s: %s", reference, base, buf->data);
  }
  guarded_free(copy, len);
  guarded_free(base_copy, base_len);
}

static void check_cases(const char *base, const resolve_case *cases,
                        size_t count) {
  for (size_t i = 0; i < count; i++) {
    check_resolve(base, cases[i].reference, cases[i].expected);
  }
}

#define CHECK_CASES(base, cases)                                               \
  check_cases(base, cases, sizeof(cases) / sizeof((cases)[0]))

/* RFC 3986, 5.4.1 and 5.4.2, without the fragments. */
SCRATCH_TEST(references_mean_what_rfc_3986_says) {
  static const resolve_case normal[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q"},
      {"g#s", "http://a/b/c/g"},
      {"g?y#s", "http://a/b/c/g?y"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
  };
  static const resolve_case abnormal[] = {
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/./x", "http://a/b/c/g"},
      {"g#s/../x", "http://a/b/c/g"},
      {"http:g", "http:g"},
  };
  CHECK_CASES("http://a/b/c/d;p?q", normal);
  CHECK_CASES("http://a/b/c/d;p?q", abnormal);
}

SCRATCH_TEST(bases_are_of_all_kinds) {
  check_resolve("http://a", "g", "http://a/g");
  check_resolve("http://a", "?q", "http://a?q");
  check_resolve("http://a?b", "", "http://a?b");
  check_resolve("http://a?b#c", "", "http://a?b");
  check_resolve("http://a/b?x/y", "g", "http://a/g");
  check_resolve("http://a/b", "//c", "http://c");
  check_resolve("http://a/b", "//c/../d", "http://c/d");
  check_resolve("http://a/b", "http://c/./d/..", "http://c/");
  check_resolve("file:///a/b", "c", "file:///a/c");
  check_resolve("urn:a:b", "#c", "urn:a:b");
  check_resolve("urn:a:b", "c", "urn:c");
  check_resolve("urn:a/b", "../c", "urn:/c");
  check_resolve("", "a/b#c", "a/b");
  check_resolve("", "", "");
  check_resolve("", "http://a#b", "http://a");
  check_resolve("a/b", "c", "a/c");
  check_resolve("/a/b", "../../../c", "/c");
}

static int resolve_scenario(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  mcpi_uri_resolve(&buf,
                   MCPI_STR("http://example.org/a/rather/long/path/to/merge"),
                   MCPI_STR("../../another/rather/long/path/to/merge?with=a"));
  int rc = buf.error;
  assert_true(rc != 0 ||
              mcpi_str_eq(mcpi_str_n(buf.data, buf.len),
                          MCPI_STR("http://example.org/a/rather/long/another/"
                                   "rather/long/path/to/merge?with=a")));
  mcpi_buf_deinit(&buf);
  return rc;
}

SCRATCH_TEST(memory_may_run_out) {
  assert_true(failing_alloc_rerun(resolve_scenario, NULL) >= 2);
}

SCRATCH_TEST(a_limit_is_kept) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 10);
  mcpi_uri_resolve(&buf, MCPI_STR("http://a/b"), MCPI_STR("c"));
  assert_int_equal(buf.error, 0);
  mcpi_buf_clear(&buf);
  mcpi_uri_resolve(&buf, MCPI_STR("http://a/b"), MCPI_STR("cd"));
  assert_int_equal(buf.error, MCP_ERR_LIMIT);
  mcpi_buf_deinit(&buf);
}

/* --- %XX ----------------------------------------------------------------- */

static int decode(const char *text, size_t len, const char *expected,
                  size_t expected_len) {
  char *copy = guarded_copy(text, len);
  mcpi_buf *buf = scratch_buf();
  int rc = mcpi_uri_put_decoded(buf, mcpi_str_n(copy, len));
  if (rc == 0) {
    assert_true(mcpi_str_eq(mcpi_str_n(buf->data, buf->len),
                            mcpi_str_n(expected, expected_len)));
  }
  guarded_free(copy, len);
  return rc;
}

SCRATCH_TEST(encoded_bytes_are_decoded) {
  assert_int_equal(decode("", 0, "", 0), 0);
  assert_int_equal(decode("a%41%5a%5A+", 11, "aAZZ+", 5), 0);
  assert_int_equal(decode("%00%ff%C3%A9", 12, "\0\xFF\xC3\xA9", 4), 0);
  assert_int_equal(decode("%2541", 5, "%41", 3), 0); /* once */
  static const char *const bad[] = {"%",    "%4",   "a%",  "%4g",  "%g4",
                                    "%%41", "% 41", "%-1", "%0x41"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(decode(bad[i], strlen(bad[i]), "", 0), MCP_ERR_PARSE);
  }
}

SCRATCH_TEST(each_byte_comes_back) {
  for (int byte = 0; byte < 256; byte++) {
    char text[3];
    mcpi_uri_encode(text, (char)byte);
    assert_true(mcpi_uri_is_encoded(text, 3));
    assert_false(mcpi_uri_is_encoded(text, 2));
    assert_int_equal(mcpi_uri_decode(text), byte);
  }
}

SCRATCH_TEST(characters_have_their_classes) {
  static const char reserved[] = ":/?#[]@!$&'()*+,;=";
  static const char marks[] = "-._~";
  for (int c = 0; c < 256; c++) {
    int is_alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                   (c >= 'a' && c <= 'z');
    int is_mark = c != 0 && strchr(marks, c) != NULL;
    int is_reserved = c != 0 && strchr(reserved, c) != NULL;
    assert_int_equal(mcpi_uri_is_unreserved((char)c) != 0, is_alnum || is_mark);
    assert_int_equal(mcpi_uri_is_reserved((char)c) != 0, is_reserved);
  }
}

TEST(slashes_at_the_end_of_a_path_are_cut_off) {
  assert_true(
      mcpi_str_eq(mcpi_uri_trim_path(MCPI_STR("/a/b//")), MCPI_STR("/a/b")));
  assert_true(mcpi_str_eq(mcpi_uri_trim_path(MCPI_STR("/a")), MCPI_STR("/a")));
  assert_int_equal(mcpi_uri_trim_path(MCPI_STR("/")).len, 0);
  assert_int_equal(mcpi_uri_trim_path(MCPI_STR("")).len, 0);
}
