/* SPDX-License-Identifier: MIT */
#include "fetch/curl/url.h"

#include "support/cm.h"
#include <string.h>

TEST(only_urls_of_web_servers_without_user_and_fragment_are_accepted) {
  static const char *const fine[] = {"http://a", "https://a.example:8443/b?c=d",
                                     "http://[::1]:80/", "http://127.0.0.1/"};
  static const char *const wrong[] = {
      "",          "a",           "http://",         "http:///a",
      "http:/a",   "http:a",      "ftp://a/",        "file:///a",
      "//a",       "http://a b",  "http://u@a/",     "http://u:p@a/",
      "http://@a", "http://[::1", "http://a:99999/", "http://a/#f"};
  for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
    assert_true(mcpi_fetch_is_url(fine[i]));
  }
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    assert_false(mcpi_fetch_is_url(wrong[i]));
  }
}

TEST(an_origin_is_scheme_host_and_port) {
  static const struct {
    const char *a;
    const char *b;
    int is_same;
  } cases[] = {
      {"http://a/b", "http://a/c?d#e", 1},
      {"http://a", "http://a:80/", 1},
      {"https://a:443/", "https://A", 1},
      {"http://[::1]:8/", "http://[::1]:8/x", 1},
      {"http://a/", "https://a/", 0},
      {"http://a:80/", "https://a:80/", 0},
      {"http://a/", "http://a:81/", 0},
      {"http://a/", "http://b/", 0},
      {"http://a.example/", "http://a.example.org/", 0},
      {"http://a/", "http://u@a/", 0},
      {"http://a/", "http://:p@a/", 0},
      {"http://a/", "ftp://a:80/", 0},
      {"http://a/", "", 0},
      {"http://a\\@b/", "http://b/", 0},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(mcpi_fetch_is_same_origin(cases[i].a, cases[i].b),
                     cases[i].is_same);
  }
}

TEST(an_address_in_a_url_is_found) {
  static const uint8_t mapped[16] = {0, 0, 0,    0,    0,   0, 0, 0,
                                     0, 0, 0xff, 0xff, 127, 0, 0, 1};
  static const uint8_t loopback[16] = {0, 0, 0, 0, 0, 0, 0, 0,
                                       0, 0, 0, 0, 0, 0, 0, 1};
  uint8_t address[16];
  assert_true(mcpi_fetch_url_address("http://127.0.0.1:1/", address));
  assert_memory_equal(address, mapped, 16);
  assert_true(mcpi_fetch_url_address("https://[::1]/", address));
  assert_memory_equal(address, loopback, 16);
  assert_false(mcpi_fetch_url_address("http://localhost/", address));
  assert_false(mcpi_fetch_url_address("127.0.0.1", address));
}

TEST(the_loopback_interface_is_known) {
  static const char *const local[] = {
      "http://127.0.0.1:1/",   "https://127.255.255.255/",
      "http://[::1]/",         "http://[::ffff:127.0.0.1]/",
      "http://LOCALHOST:80/a", "http://localhost./",
      "http://a.localhost/"};
  static const char *const others[] = {"http://128.0.0.1/",
                                       "http://126.255.255.255/",
                                       "http://[::2]/",
                                       "http://[::127.0.0.1]/",
                                       "http://alocalhost/",
                                       "http://localhost.example/",
                                       "http://127.0.0.1.example/",
                                       "http://localhos/",
                                       "http://a/?localhost",
                                       "localhost",
                                       "http://localhost@a/"};
  for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
    assert_true(mcpi_fetch_is_loopback(local[i]));
  }
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
    assert_false(mcpi_fetch_is_loopback(others[i]));
  }
}
