/* SPDX-License-Identifier: MIT */
#include "codec/http_origin.h"

#include "support/cm.h"
#include "support/guarded.h"
#include "support/scratch.h"
#include <mcp/error.h>

static void check_host(const char *text, const char *name, int port) {
  size_t len = strlen(text);
  char *copy = guarded_copy(text, len);
  mcpi_header_host host;
  assert_int_equal(mcpi_header_host_parse(&host, mcpi_str_n(copy, len)), 0);
  assert_true(mcpi_str_eq(host.name, mcpi_str_z(name)));
  assert_int_equal(host.port, port);
  guarded_free(copy, len);
}

TEST(hosts_are_split) {
  check_host("localhost", "localhost", -1);
  check_host("localhost:8080", "localhost", 8080);
  check_host("Example.org:0", "Example.org", 0);
  check_host("a-b_c.example:65535", "a-b_c.example", 65535);
  check_host("127.0.0.1:080", "127.0.0.1", 80);
  check_host("[::1]", "[::1]", -1);
  check_host("[2001:DB8::7.7.7.7]:443", "[2001:DB8::7.7.7.7]", 443);
}

TEST(other_texts_are_no_hosts) {
  static const char *const bad[] = {
      "",
      ":",
      ":80",
      "a:",
      "a:b",
      "a:65536",
      "a:-1",
      "a:+1",
      "a: 1",
      "a:1 ",
      "a:1:2",
      "::1",
      "[::1",
      "::1]",
      "[]",
      "[::1]80",
      "[::1]:",
      "[::1]x",
      "[::g]",
      "[fe80::1%25lo]",
      "user@a",
      "a/b",
      "a b",
      "a?",
      "a#",
      "a,b",
      "a\\b",
      "[[::1]]",
      "%6cocalhost",
      "\xC3\xA4.example",
      "a\x7F",
      "a\t",
      "a:99999999999999999999",
      "[::1]:99999",
  };
  mcpi_header_host host;
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    size_t len = strlen(bad[i]);
    char *copy = guarded_copy(bad[i], len);
    assert_int_equal(mcpi_header_host_parse(&host, mcpi_str_n(copy, len)),
                     MCP_ERR_PARSE);
    guarded_free(copy, len);
  }
  assert_int_equal(mcpi_header_host_parse(&host, mcpi_str_n(NULL, 0)),
                   MCP_ERR_PARSE);
  assert_int_equal(mcpi_header_host_parse(&host, MCPI_STR("a\0b")),
                   MCP_ERR_PARSE);
}

TEST(names_have_a_limit) {
  char name[254];
  mcpi_header_host host;
  memset(name, 'a', sizeof(name));
  assert_int_equal(mcpi_header_host_parse(&host, mcpi_str_n(name, 253)), 0);
  assert_int_equal(mcpi_header_host_parse(&host, mcpi_str_n(name, 254)),
                   MCP_ERR_PARSE);
}

TEST(loopback_names_are_listed) {
  static const char *const good[] = {
      "localhost",       "LocalHost",  "127.0.0.1", "127.0.0.0",
      "127.255.255.255", "127.1.20.3", "[::1]",
  };
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_true(mcpi_header_is_loopback(mcpi_str_z(good[i])));
  }
}

TEST(nothing_else_is_loopback) {
  static const char *const bad[] = {
      "",
      "localhost.",
      "localhost.example.org",
      "xlocalhost",
      "a.localhost",
      "localhos",
      "127.0.0.1.example.org",
      "127.0.0.1.",
      "127.0.0",
      "127.1",
      "127.0.0.256",
      "127.0.0.01",
      "127.0.0.1000",
      "127.0.00.1",
      "127.0..1",
      "127.0.0.0x1",
      "0177.0.0.1",
      "2130706433",
      "128.0.0.1",
      "0.0.0.0",
      "10.0.0.1",
      "::1",
      "[::]",
      "[::2]",
      "[::1",
      "[0:0:0:0:0:0:0:1]",
      "[::ffff:127.0.0.1]",
      "127.0.0.1:80",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_false(mcpi_header_is_loopback(mcpi_str_z(bad[i])));
  }
}

static int matches(const char *origin, const char *allowed) {
  int is = mcpi_header_origin_matches(mcpi_str_z(origin), mcpi_str_z(allowed));
  assert_int_equal(
      mcpi_header_origin_matches(mcpi_str_z(allowed), mcpi_str_z(origin)), is);
  return is;
}

TEST(equal_origins_match) {
  assert_true(matches("https://app.example", "https://app.example"));
  assert_true(matches("https://app.example", "HTTPS://App.Example:443"));
  assert_true(matches("http://app.example:80", "http://app.example"));
  assert_true(matches("http://[::1]:8080", "http://[::1]:8080"));
  assert_true(matches("vscode-webview://abc", "vscode-webview://ABC"));
  assert_true(matches("null", "null"));
}

TEST(other_origins_do_not) {
  static const char *const pairs[][2] = {
      {"http://app.example", "https://app.example"},
      {"https://app.example:80", "https://app.example"},
      {"https://app.example:8443", "https://app.example"},
      {"https://x.app.example", "https://app.example"},
      {"https://app.example.org", "https://app.example"},
      {"https://app.example.", "https://app.example"},
      {"https://xapp.example", "https://app.example"},
      {"null", "https://app.example"},
      {"null", "NULL"},
      {"null", "*"},
      {"", ""},
      {"*", "*"},
      {"https://app.example", "*"},
      {"https://app.example/", "https://app.example"},
      {"https://app.example/", "https://app.example/"},
      {"https://a@app.example", "https://app.example"},
      {"https:app.example", "https:app.example"},
      {"://a", "://a"},
      {"1http://a", "1http://a"},
      {"a://b", "a://b:1"},
      {"https://a https://b", "https://a"},
  };
  for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
    assert_false(matches(pairs[i][0], pairs[i][1]));
  }
  assert_false(
      mcpi_header_origin_matches(mcpi_str_n(NULL, 0), MCPI_STR("null")));
}

TEST(origins_are_split) {
  mcpi_header_origin origin;
  assert_int_equal(mcpi_header_origin_parse(&origin, MCPI_STR("https://a.b")),
                   0);
  assert_true(mcpi_str_eq(origin.scheme, MCPI_STR("https")));
  assert_true(mcpi_str_eq(origin.host.name, MCPI_STR("a.b")));
  assert_int_equal(origin.host.port, 443);
  assert_int_equal(mcpi_header_origin_parse(&origin, MCPI_STR("x+y-1.z://a")),
                   0);
  assert_int_equal(origin.host.port, -1);
  assert_int_equal(mcpi_header_origin_parse(&origin, MCPI_STR("null")),
                   MCP_ERR_PARSE);
}

SCRATCH_TEST(origins_are_written_in_their_shortest_form) {
  static const char *const origins[][2] = {
      {"HTTPS://Example.COM", "https://example.com"},
      {"https://example.com:443", "https://example.com"},
      {"https://example.com:80", "https://example.com:80"},
      {"http://[::1]:65535", "http://[::1]:65535"},
      {"x://a:0", "x://a:0"},
      {"x://a", "x://a"}};
  for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++) {
    mcpi_buf *out = scratch_buf();
    mcpi_header_origin origin;
    assert_int_equal(
        mcpi_header_origin_parse(&origin, mcpi_str_z(origins[i][0])), 0);
    mcpi_header_origin_put(out, &origin);
    assert_string_equal(scratch_str(out), origins[i][1]);
  }
}

static int is_loopback(const char *origin) {
  return mcpi_header_origin_is_loopback(mcpi_str_z(origin));
}

TEST(pages_of_this_machine_are_known) {
  assert_true(is_loopback("http://localhost:6274"));
  assert_true(is_loopback("https://127.0.0.1"));
  assert_true(is_loopback("HTTP://[::1]:1"));
  assert_false(is_loopback("http://localhost.example.org"));
  assert_false(is_loopback("http://evil.example"));
  assert_false(is_loopback("http://localhost@evil.example"));
  assert_false(is_loopback("http://localhost:1/evil.example"));
  assert_false(is_loopback("ftp://localhost"));
  assert_false(is_loopback("null"));
  assert_false(is_loopback("localhost"));
  assert_false(is_loopback(""));
}
