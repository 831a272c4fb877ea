/* SPDX-License-Identifier: MIT */
#include "line/target.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL: it is not a target. */
static void check_read(const char *word, const char *read) {
  char text[64];
  snprintf(text, sizeof(text), "%s", word);
  assert_int_equal(ctl_target_read(text), read != NULL);
  assert_string_equal(text, read != NULL ? read : word);
}

TEST(schemes_are_read_in_any_case) {
  check_read("HTTP://Host/Path", "http://Host/Path");
  check_read("Sse+Https://H/", "sse+https://H/");
  check_read("TCP://Host:1", "tcp://Host:1");
  check_read("Unix:/A/B", "unix:/A/B");
  check_read("GOPHER://h", "gopher://h"); /* for the library to refuse */
  check_read("info", NULL);
  check_read("Host:80/mcp", NULL);
  assert_true(ctl_target_is_known("WSS://h"));
  assert_true(ctl_target_is_known("unix:x"));
  assert_false(ctl_target_is_known("file:///x"));
  assert_false(ctl_target_is_known("a=http://x"));
}

TEST(sockets_have_addresses) {
  assert_string_equal(ctl_target_socket("tcp://[::1]:80"), "[::1]:80");
  assert_string_equal(ctl_target_socket("unix:/a://b"), "unix:/a://b");
  assert_null(ctl_target_socket("http://h:80"));
}

static void check_shown(const char *target, const char *expected) {
  char *shown = ctl_target_shown(target);
  assert_string_equal(shown, expected);
  free(shown);
}

TEST(a_url_may_have_a_user) {
  assert_true(ctl_target_has_user("http://me:secret@h/"));
  assert_true(ctl_target_has_user("sse+http://me@h"));
  assert_false(ctl_target_has_user("http://h/p@q"));
  assert_false(ctl_target_has_user("http://h?a@b"));
  assert_false(ctl_target_has_user("unix:/a://b@c"));
}

TEST(sse_is_a_kind_of_http) {
  assert_string_equal(ctl_target_web("sse+https://h/p"), "https://h/p");
  assert_string_equal(ctl_target_web("ws://h/p"), "ws://h/p");
}

TEST(urls_of_one_server_are_the_same) {
  assert_true(ctl_target_is_same("wss://Host:443/p?q", "https://host/p"));
  assert_true(ctl_target_is_same("sse+http://me@h:80/", "http://h"));
  assert_true(ctl_target_is_same("http://h:/p#x", "http://h/p"));
  assert_true(ctl_target_is_same("http://[::1]:8080/p", "http://[::1]:8080/p"));
  assert_false(ctl_target_is_same("http://h/p", "https://h/p"));
  assert_false(ctl_target_is_same("http://h:443/p", "http://h/p"));
  assert_false(ctl_target_is_same("http://h/p", "http://h/P"));
  assert_false(ctl_target_is_same("http://h/p", "http://h/p/"));
  assert_false(ctl_target_is_same("http://h/p", "http://ho/p"));
}

TEST(secrets_are_not_shown) {
  check_shown("https://me:secret@h/p@q?key=secret#x", "https://h/p@q");
  check_shown("ws://h?a@b", "ws://h");
  check_shown("tcp://h:1", "tcp://h:1");
  check_shown("unix:/a@b?c", "unix:/a@b?c");
  check_shown("unix:/a://b@c", "unix:/a://b@c");
}
