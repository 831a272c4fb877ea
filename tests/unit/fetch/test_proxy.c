/* SPDX-License-Identifier: MIT */
#include "fetch/curl/url.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

static int clear_environment(void **state) {
  static const char *const names[] = {
      "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
      "all_proxy",  "ALL_PROXY",  "no_proxy",    "NO_PROXY"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    unsetenv(names[i]);
  }
  return 0;
}

#define PROXY_TEST(name) TEST_WITH(name, clear_environment, clear_environment)

#define assert_choice(proxy, url, expected)                                    \
  assert_string_equal(mcpi_fetch_choose_proxy(proxy, url), expected)

PROXY_TEST(without_variables_there_is_no_proxy) {
  assert_choice(NULL, "http://a/", "");
  assert_choice("", "http://a/", "");
  assert_choice("http://p", "http://a/", "http://p");
}

PROXY_TEST(each_scheme_has_its_variables) {
  setenv("HTTP_PROXY", "never", 1);
  setenv("ALL_PROXY", "all", 1);
  assert_choice(NULL, "http://a/", "all");
  assert_choice(NULL, "https://a/", "all");
  setenv("all_proxy", "lower", 1);
  assert_choice(NULL, "http://a/", "lower");
  setenv("HTTPS_PROXY", "secure", 1);
  assert_choice(NULL, "http://a/", "lower");
  assert_choice(NULL, "https://a/", "secure");
  setenv("https_proxy", "lower-secure", 1);
  assert_choice(NULL, "https://a/", "lower-secure");
  setenv("http_proxy", "plain", 1);
  assert_choice(NULL, "http://a/", "plain");
  assert_choice("given", "http://a/", "given");
  assert_choice("", "http://a/", "");
}

static int has_proxy(const char *list, const char *url) {
  setenv("no_proxy", list, 1);
  return mcpi_fetch_choose_proxy("http://p", url)[0] != '\0';
}

PROXY_TEST(no_proxy_names_hosts_and_domains) {
  static const char url[] = "http://b.a.example:80/c";
  static const char *const without[] = {
      "*",          "b.a.example",    "B.A.EXAMPLE", "a.example",
      ".a.example", "example",        "x,a.example", "x a.example",
      "x, example", ", , a.example,", "a.example.",  ".example."};
  static const char *const with[] = {
      "",    "x",   "ample",       "b.a",        "c.b.a.example", "..",
      ",,,", "x,*", "*.a.example", "a.example/", "b.a.exampl",    "a-example"};
  for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
    assert_false(has_proxy(without[i], url));
  }
  for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
    assert_true(has_proxy(with[i], url));
  }
  assert_false(has_proxy("a.example", "http://a.example./"));
}

PROXY_TEST(no_proxy_names_addresses) {
  assert_false(has_proxy("10.0.0.1", "http://10.0.0.1/"));
  assert_false(has_proxy("2001:db8::1", "http://[2001:db8::1]/"));
  assert_true(has_proxy("2001:db8::2", "http://[2001:db8::1]/"));
  assert_true(has_proxy("10.0.0.0/8", "http://10.0.0.1/"));
}

PROXY_TEST(the_upper_case_list_counts_too) {
  setenv("NO_PROXY", "a", 1);
  assert_choice("http://p", "http://a/", "");
  setenv("no_proxy", "b", 1);
  assert_choice("http://p", "http://a/", "http://p");
}

PROXY_TEST(a_url_that_is_not_valid_has_no_proxy) {
  assert_choice("http://p", "http://", "");
}

/* Codes and tokens go there in clear text. */
PROXY_TEST(the_loopback_interface_has_no_proxy) {
  setenv("all_proxy", "all", 1);
  assert_choice(NULL, "http://127.0.0.1:80/", "");
  assert_choice(NULL, "https://[::1]/", "");
  assert_choice("http://p", "http://localhost/", "");
  assert_choice("http://p", "http://localhost.example/", "http://p");
}
