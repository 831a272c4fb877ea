/* SPDX-License-Identifier: MIT */
/* What a program may ask of the HTTP client: URLs and headers are checked, and
 * callbacks may end the client. tests/wire/web has what goes over the wire. */
#include "unit/http_client/kit.h"

/* --- what is checked ------------------------------------------------------ */

WEB_TEST(headers_that_are_malformed_or_reserved_are_refused) {
  const char *const bad[][2] = {{"x", NULL},
                                {"a b: c", NULL},
                                {"X: a\r\nY: b", NULL},
                                {"mcp-session-id: x", NULL}};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    const mcp_http_client_options options = {
        .size = sizeof(mcp_http_client_options), .headers = bad[i]};
    mcp_error err = {0};
    assert_null(mcp_transport_http(fake.loop, fake.url, &options, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
  }
  const char *const second[] = {"X: a", "y", NULL};
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .headers = second};
  mcp_error err = {0};
  assert_null(mcp_transport_http(fake.loop, fake.url, &options, &err));
  assert_string_equal(err.message, "headers[1] is not \"Name: value\"");
}

WEB_TEST(a_port_that_is_not_one_is_quoted_but_no_password) {
  const char *const secret[] = {
      "http://me:s3cr/et@127.0.0.1/", "http://me:s3cr?et@127.0.0.1/",
      "http://me:s3cr#et@127.0.0.1:80/", "http://me:99999/word@127.0.0.1/"};
  mcp_error err = {0};
  for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++) {
    assert_null(mcp_transport_http(fake.loop, secret[i], NULL, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
    assert_non_null(strstr(err.message, "the port is not a number"));
    assert_null(strstr(err.message, "s3cr"));
    assert_null(strstr(err.message, "99999"));
  }
  assert_null(
      mcp_transport_http(fake.loop, "http://me:word@[::1]:99999/", NULL, &err));
  assert_string_equal(err.message,
                      "url: the port \"99999\" is not a number from 1 to "
                      "65535");
  assert_null(
      mcp_transport_http(fake.loop, "http://127.0.0.1:0/mcp", NULL, &err));
  assert_string_equal(err.message,
                      "url: the port \"0\" is not a number from 1 to 65535");
  assert_null(mcp_transport_http(fake.loop, "http://[::1/mcp", NULL, &err));
  assert_non_null(
      strstr(err.message, "url: \"http://[::1/mcp\" is not a valid URL: "));
}

WEB_TEST(urls_are_checked) {
  const char *const bad[] = {"", "mcp", "ftp://x/", "file:///etc/passwd",
                             "http://"};
  mcp_error err = {0};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_null(mcp_transport_http(fake.loop, bad[i], NULL, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
  }
  assert_null(mcp_transport_http(fake.loop, "ftp://x/", NULL, &err));
  assert_string_equal(err.message,
                      "url: \"ftp://x/\" is not an http:// or https:// URL");
  assert_null(mcp_transport_http(fake.loop, NULL, NULL, &err));
  assert_null(mcp_transport_sse(fake.loop, NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  mcp_transport *never = mcp_transport_http(fake.loop, fake.url, NULL, &err);
  assert_non_null(never);
  mcp_transport_free(never);
}

static void expect_refused(const char *url, const char *message) {
  mcp_error err = {0};
  assert_int_equal(mcp_sync_connect_url(client, url, NULL, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, message);
}

WEB_TEST(a_refused_url_is_quoted_and_the_schemes_are_listed) {
  static const char schemes[] =
      "does not begin with http://, https://, ws://, wss://, sse+http://, "
      "sse+https://, tcp:// or unix:";
  const char *const urls[][2] = {
      {"", ""},
      {"foo", "foo"},
      {"ftp://x/a", "ftp://x/a"},
      {"UNIX:/run/x", "UNIX:/run/x"},
      {"ws:x", "ws:x"},
      {"sse+ftp://x/", "sse+ftp://x/"},
      {"ftp://x/?key=s3cret", "ftp://x/..."},
      {"ftp://x/#s3cret", "ftp://x/..."},
      {"ftp://me:s3cret@x/", "ftp://..."},
      {"me:s3cret@x/?to=ftp://y", "..."},
      {"me:s3cret@x", "..."},
  };
  begin_client(MCP_POLICY_AUTO);
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    char message[MCP_ERROR_TEXT_SIZE];
    snprintf(message, sizeof(message), "url: \"%s\" %s", urls[i][1], schemes);
    expect_refused(urls[i][0], message);
  }
  expect_refused(NULL, "url is NULL");
}

WEB_TEST(a_url_that_is_not_valid_is_quoted_as_the_program_wrote_it) {
  begin_client(MCP_POLICY_AUTO);
  expect_refused("http://",
                 "url: \"http://\" is not a valid URL: No host part in the "
                 "URL");
  expect_refused("wss://?s3cret",
                 "url: \"wss://...\" is not a valid URL: No host part in the "
                 "URL");
}

WEB_TEST(a_url_that_is_too_long_is_refused_with_its_length) {
  char url[9000];
  memset(url, 'x', sizeof(url) - 1);
  memcpy(url, "http://x/", 9);
  url[sizeof(url) - 1] = '\0';
  begin_client(MCP_POLICY_AUTO);
  expect_refused(url, "url: its 8999 bytes are more than the limit of 8191");
}

WEB_TEST(urls_of_http_sse_are_checked) {
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(mcp_sync_connect_url(client, "sse+ftp://x/", NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_sync_connect_url(client, "sse+", NULL, NULL),
                   MCP_ERR_INVALID);
}

/* --- callbacks ------------------------------------------------------------ */

static void close_on_error(mcp_client *told, const mcp_error *err,
                           void *userdata) {
  mcp_client_close(told);
}

static void connect_closing(uint32_t policy, void (*answer)(request *asked)) {
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .policy = policy,
                                      .on_error = close_on_error,
                                      .on_closed = note_closed};
  fake.answer = answer;
  client = mcp_client_new(fake.loop, "test", "1", &options, NULL);
  assert_int_equal(mcp_sync_connect_url(client, fake.url, NULL, NULL), 0);
}

static void answer_odd_tool(request *asked) {
  if (asks(asked, "tools/list")) {
    respond_result(
        asked,
        "{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\","
        "\"tools\":[{\"name\":\"bad\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}},"
        "{\"name\":\"good\",\"inputSchema\":{\"type\":\"object\"}}]}");
  } else {
    answer_modern(asked);
  }
}

WEB_TEST(a_report_may_close_the_client) {
  connect_closing(MCP_POLICY_AUTO, answer_odd_tool);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL),
                   MCP_ERR_CLOSED);
}

static void answer_hostile(request *asked) {
  if (asks(asked, "notifications/initialized")) {
    respond(asked, 400, "");
  } else {
    answer_legacy(asked);
  }
}

/* After the close the client opens no stream. */
WEB_TEST(a_report_may_close_the_client_when_the_handshake_is_refused) {
  connect_closing(MCP_POLICY_LEGACY, answer_hostile);
  WAIT_UNTIL(fake.loop, closed_count == 1);
  for (size_t i = 0; i < fake.count; i++) {
    assert_string_not_equal(fake.requests[i].method, "GET");
  }
}

static void free_client(mcp_client *told, const mcp_outcome *outcome,
                        void *userdata) {
  mcp_client_free(told);
  client = NULL;
}

WEB_TEST(a_client_may_be_freed_in_a_completion) {
  must_connect(MCP_POLICY_LEGACY, answer_legacy);
  mcp_client_list_tools(client, NULL, free_client, NULL, NULL);
  while (client != NULL) {
    mcp_loop_wait(fake.loop, 10);
  }
}
