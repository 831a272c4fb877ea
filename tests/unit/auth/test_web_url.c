/* SPDX-License-Identifier: MIT */
#include "auth/web_url.h"

#include "support/cm.h"
#include "support/scratch.h"

static int check(const char *url, mcp_error *err) {
  return mcpi_web_url_check(mcpi_str_z(url), "token_endpoint", err);
}

SCRATCH_TEST(https_and_loopback_may_be_used) {
  static const char *const urls[] = {
      "https://example.com",       "https://example.com/a/b?c=d",
      "HTTPS://Example.COM:8443/", "https://[2606:4700::1]/x",
      "https://10.0.0.1/",         "http://localhost:1234/mcp",
      "http://127.0.0.1",          "http://[::1]:80/",
      "http://LOCALHOST/",         "http://127.5.6.7:1/",
      "https://1.example/",        "https://a.0xg/",
      "https://a:65535/%zz",       "https://example.com./"};
  mcp_error err;
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    if (check(urls[i], &err) != 0) {
      fail_msg("%s", err.message);
    }
  }
}

SCRATCH_TEST(other_urls_are_refused) {
  static const char *const urls[] = {"",
                                     "example.com",
                                     "/path",
                                     "//example.com/",
                                     "ftp://example.com/",
                                     "javascript:alert(1)",
                                     "data:text/html,x",
                                     "file:///etc/passwd",
                                     "http://example.com/",
                                     "http://localhost.evil.com/",
                                     "http://127.0.0.1.evil.com/",
                                     "http://127.1/",
                                     "http://2130706433/",
                                     "http://[::ffff:127.0.0.1]/",
                                     "http://10.0.0.1/",
                                     "http://127.0.0.1@evil.com/",
                                     "https://user@example.com/",
                                     "https://user:pw@example.com/",
                                     "https://example.com/#fragment",
                                     "https://example.com#",
                                     "https://exa mple.com/",
                                     "https://example.com/a b",
                                     "https://example.com/\r\nX: y",
                                     "https://example.com\\@evil.com/",
                                     "https://ex%61mple.com/",
                                     "https://example.com:x/",
                                     "https://example.com:/",
                                     "https://example.com:65536/",
                                     "https://",
                                     "https:///path",
                                     "https://\xc3\xa9.example/",
                                     " https://example.com/",
                                     "https://[fe80::1%25eth0]/",
                                     "http://localhost./",
                                     "https://example.com:0/",
                                     "https://exam\tple.com/",
                                     "https://example.com/<x>",
                                     "https://example.com/\"",
                                     "https://example.com/`x`",
                                     "https://example.com/{x|y}^"};
  mcp_error err;
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    if (check(urls[i], &err) != MCP_ERR_REFUSED) {
      fail_msg("\"%s\" is accepted", urls[i]);
    }
    assert_non_null(strstr(err.message, "token_endpoint"));
  }
}

/* Resolvers read these as 127.0.0.1 or 10.0.0.1, or not at all. */
SCRATCH_TEST(a_host_that_is_a_number_must_be_a_plain_address) {
  static const char *const hosts[] = {
      "127.1",      "10.1",         "0x7f.1",
      "0X7F000001", "2130706433",   "0177.0.0.1",
      "127.0.0.01", "1.2.3.4.5",    "127.0.0.1.",
      "0x",         "a.127",        "a.0xa",
      "[::1::]",    "[1.2.3.4]",    "[10.0.0.1::1]",
      "[12345::]",  "[127.0.0.1:]", "256.256.256.0",
      "1.2.3.256",  "[:]"};
  for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
    const char *url = scratch_join("https://", hosts[i], "/");
    mcp_error err;
    if (check(url, &err) != MCP_ERR_REFUSED ||
        mcpi_web_url_is_public(mcpi_str_z(url))) {
      fail_msg("\"%s\" is accepted", url);
    }
  }
}

SCRATCH_TEST(an_error_shows_neither_query_nor_password) {
  mcp_error err;
  check("https://example.com/path#secret", &err);
  assert_non_null(strstr(err.message, "example.com/path\""));
  assert_null(strstr(err.message, "secret"));
  check("http://user:secret@example.com/path?token=secret", &err);
  assert_non_null(strstr(err.message, "example.com/path\""));
  assert_null(strstr(err.message, "secret"));
}

SCRATCH_TEST(a_url_has_a_limit) {
  char url[MCPI_WEB_URL_MAX + 2];
  mcp_error err;
  memset(url, 'a', sizeof(url));
  memcpy(url, "https://a/", 10);
  url[MCPI_WEB_URL_MAX] = '\0';
  assert_int_equal(check(url, &err), 0);
  url[MCPI_WEB_URL_MAX] = 'a';
  url[MCPI_WEB_URL_MAX + 1] = '\0';
  assert_int_equal(check(url, &err), MCP_ERR_REFUSED);
  assert_non_null(strstr(err.message, "too long"));
}

SCRATCH_TEST(only_a_slash_is_no_path) {
  assert_false(mcpi_web_url_has_path(MCPI_STR("https://a")));
  assert_false(mcpi_web_url_has_path(MCPI_STR("https://a/")));
  assert_false(mcpi_web_url_has_path(MCPI_STR("https://a?b/c")));
  assert_true(mcpi_web_url_has_path(MCPI_STR("https://a/b")));
}

SCRATCH_TEST(public_means_not_known_to_be_private) {
  assert_true(mcpi_web_url_is_public(MCPI_STR("https://example.com/")));
  assert_true(mcpi_web_url_is_public(MCPI_STR("https://8.8.8.8/")));
  assert_true(mcpi_web_url_is_public(MCPI_STR("https://[2606:4700::1]/")));
  assert_true(mcpi_web_url_is_public(MCPI_STR("https://notlocalhost/")));
  assert_true(mcpi_web_url_is_public(MCPI_STR("https://localhost.a/")));
  assert_false(mcpi_web_url_is_public(MCPI_STR("http://localhost/")));
  assert_false(mcpi_web_url_is_public(MCPI_STR("https://LocalHost./")));
  assert_false(mcpi_web_url_is_public(MCPI_STR("https://a.localhost/")));
  assert_false(mcpi_web_url_is_public(MCPI_STR("https://a.localhost.:1/")));
  assert_false(mcpi_web_url_is_public(MCPI_STR("https://[::ffff:10.0.0.1]/")));
  assert_false(mcpi_web_url_is_public(MCPI_STR("https://[64:ff9b::a00:1]/")));
  assert_false(mcpi_web_url_is_public(MCPI_STR("https://[2002:a00:1::]/")));
  assert_false(mcpi_web_url_is_public(MCPI_STR("https://10.1.2.3/")));
  assert_false(mcpi_web_url_is_public(MCPI_STR("https://169.254.169.254/")));
  assert_false(mcpi_web_url_is_public(MCPI_STR("https://[fe80::1]/")));
  assert_true(mcpi_web_url_is_loopback(MCPI_STR("http://127.0.0.1:80/")));
  assert_false(mcpi_web_url_is_loopback(MCPI_STR("https://10.1.2.3/")));
}

SCRATCH_TEST(origins_are_in_their_shortest_form) {
  static const char *const urls[][2] = {
      {"HTTPS://Example.COM/a?b", "https://example.com"},
      {"https://example.com:443/", "https://example.com"},
      {"https://example.com:80", "https://example.com:80"},
      {"http://localhost:80/x", "http://localhost"},
      {"http://[::1]:65535/x", "http://[::1]:65535"}};
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    mcpi_buf *out = scratch_buf();
    mcpi_web_url_put_origin(out, mcpi_str_z(urls[i][0]));
    assert_string_equal(scratch_str(out), urls[i][1]);
  }
  assert_true(mcpi_web_url_has_same_origin(MCPI_STR("https://A:443/x"),
                                           MCPI_STR("https://a/y")));
  assert_false(mcpi_web_url_has_same_origin(MCPI_STR("https://a/"),
                                            MCPI_STR("http://a/")));
  assert_false(mcpi_web_url_has_same_origin(MCPI_STR("https://a/"),
                                            MCPI_STR("https://a.b/")));
}

SCRATCH_TEST(well_known_documents_have_three_places) {
  static const struct {
    const char *url;
    mcpi_well_known form;
    const char *wanted;
  } cases[] = {
      {"https://a/p/q", MCPI_WELL_KNOWN_INSERTED,
       "https://a/.well-known/n/p/q"},
      {"https://a/p/q", MCPI_WELL_KNOWN_APPENDED,
       "https://a/p/q/.well-known/n"},
      {"https://a/p/q", MCPI_WELL_KNOWN_ROOT, "https://a/.well-known/n"},
      {"https://a", MCPI_WELL_KNOWN_INSERTED, "https://a/.well-known/n"},
      {"https://a/", MCPI_WELL_KNOWN_APPENDED, "https://a/.well-known/n"},
      {"https://A:444/p/?q=r", MCPI_WELL_KNOWN_INSERTED,
       "https://A:444/.well-known/n/p"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    mcpi_buf *out = scratch_buf();
    mcpi_web_url_put_well_known(out, mcpi_str_z(cases[i].url), "n",
                                cases[i].form);
    assert_string_equal(scratch_str(out), cases[i].wanted);
  }
}

SCRATCH_TEST(a_resource_covers_paths_below_it) {
  static const struct {
    const char *resource;
    const char *server;
    int covers;
  } cases[] = {{"https://a/mcp", "https://a/mcp", 1},
               {"https://a", "https://a/mcp", 1},
               {"https://a/", "https://a/mcp", 1},
               {"https://a/mcp/", "https://a/mcp", 1},
               {"https://A:443/mcp", "https://a/mcp", 1},
               {"https://a/mcp", "https://a/mcp/x", 1},
               {"https://a/mcp", "https://a/mcp?x=y", 1},
               {"https://a/mcp", "https://a/mcp2", 0},
               {"https://a/mcp/x", "https://a/mcp", 0},
               {"https://a/other", "https://a/mcp", 0},
               {"https://a/MCP", "https://a/mcp", 0},
               {"https://b/mcp", "https://a/mcp", 0},
               {"http://a/mcp", "https://a/mcp", 0},
               {"https://a:444/mcp", "https://a/mcp", 0},
               {"https://a/mcp#x", "https://a/mcp", 0},
               {"", "https://a/mcp", 0},
               {"rubbish", "https://a/mcp", 0}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    if (mcpi_web_url_covers(mcpi_str_z(cases[i].resource),
                            mcpi_str_z(cases[i].server)) != cases[i].covers) {
      fail_msg("%s, %s", cases[i].resource, cases[i].server);
    }
  }
}

SCRATCH_TEST(targets_are_compared_without_query) {
  assert_true(mcpi_web_url_is_same_target(MCPI_STR("https://a/x?y"),
                                          MCPI_STR("HTTPS://A:443/x#z")));
  assert_true(mcpi_web_url_is_same_target(MCPI_STR("https://a"),
                                          MCPI_STR("https://a/")));
  assert_false(mcpi_web_url_is_same_target(MCPI_STR("https://a/x"),
                                           MCPI_STR("https://a/x/")));
  assert_false(mcpi_web_url_is_same_target(MCPI_STR("https://a/x"),
                                           MCPI_STR("https://a/X")));
  assert_false(mcpi_web_url_is_same_target(MCPI_STR("https://a/x"),
                                           MCPI_STR("https://b/x")));
  assert_false(mcpi_web_url_is_same_target(MCPI_STR(""), MCPI_STR("")));
}
