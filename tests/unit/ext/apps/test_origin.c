/* SPDX-License-Identifier: MIT */
/* Origins, and what must not pass as one: each text that is taken stands in a
 * Content-Security-Policy as it is. */
#include "ext/apps/origin.h"

#include "support/cm.h"
#include "support/guarded.h"

/* The text ends at an unmapped page. */
static int is_valid(const char *text, size_t len) {
  char *copy = guarded_copy(text, len);
  int is = mcpi_origin_is_valid(mcpi_str_n(copy, len));
  guarded_free(copy, len);
  return is;
}

static void assert_refused(const char *text) {
  if (is_valid(text, strlen(text))) {
    print_error("taken: %s\n", text);
    fail();
  }
}

TEST(origins_are_taken) {
  static const char *const good[] = {
      "https://example.com",        "https://a",
      "http://localhost:3000",      "http://127.0.0.1:8080",
      "wss://realtime.example.com", "ws://example.com:1",
      "https://example.com:65535",  "https://*.example.com",
      "https://*.example.com:443",  "HTTPS://Api.Example.COM",
      "https://a-b.c--d.e0"};
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_true(is_valid(good[i], strlen(good[i])));
  }
}

TEST(what_would_end_a_source_or_a_directive_is_refused) {
  static const char *const bad[] = {"https://a.example; script-src *",
                                    "https://a.example;",
                                    "https://a.example,https://b.example",
                                    "https://a.example *",
                                    "https://a.example\tb",
                                    "https://a.example\n",
                                    "https://a.example\r\nSet-Cookie: a=b",
                                    " https://a.example",
                                    "https://a.example'unsafe-eval'",
                                    "https://a.example\"",
                                    "https://a.example<",
                                    "'unsafe-eval'",
                                    "'self'",
                                    "'none'"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_refused(bad[i]);
  }
  assert_false(is_valid("https://a\0.example", 18));
}

TEST(what_stands_for_more_than_names_below_one_is_refused) {
  static const char *const bad[] = {
      "*",          "https:",        "https://",      "https://*",
      "https://*.", "*.example.com", "https://*:443", "https://a.*",
      "https://*a", "https://**.a",  "https://*.*.a", "https://a.example:*",
      "data:",      "blob:",         "*://a.example", "filesystem:"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_refused(bad[i]);
  }
}

TEST(other_forms_are_refused) {
  static const char *const bad[] = {"",
                                    "example.com",
                                    "//example.com",
                                    "ftp://example.com",
                                    "javascript://example.com",
                                    "https:/example.com",
                                    "https://example.com/",
                                    "https://example.com/path",
                                    "https://example.com?q",
                                    "https://example.com#f",
                                    "https://user@example.com",
                                    "https://.example.com",
                                    "https://example.com.",
                                    "https://a..b",
                                    "https://-a.example",
                                    "https://a-.example",
                                    "https://a_b.example",
                                    "https://%61.example",
                                    "https://[::1]",
                                    "https://\xC3\xA4.example",
                                    "https://example.com:",
                                    "https://example.com:0",
                                    "https://example.com:00000",
                                    "https://example.com:65536",
                                    "https://example.com:100000",
                                    "https://example.com:0000000080",
                                    "https://example.com:-1",
                                    "https://example.com:8a"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_refused(bad[i]);
  }
}

/* Writes a host of that many characters, in labels of that length, after
 * https:// and returns the length of all. */
static size_t put_host(char *to, size_t host_len, size_t label_len) {
  memcpy(to, "https://", 8);
  for (size_t i = 0; i < host_len; i++) {
    to[8 + i] = i % (label_len + 1) == label_len ? '.' : 'a';
  }
  return 8 + host_len;
}

TEST(names_have_the_limits_of_dns) {
  char text[400];
  assert_true(is_valid(text, put_host(text, 63, 63)));
  assert_false(is_valid(text, put_host(text, 64, 64)));
  assert_true(is_valid(text, put_host(text, 253, 49)));
  assert_false(is_valid(text, put_host(text, 254, 50)));
}
