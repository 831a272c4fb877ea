/* SPDX-License-Identifier: MIT */
/* Connecting by a URL: which wire is behind it. Those of HTTP have tests of
 * their own. */
#include "unit/http_client/kit.h"

#include <errno.h>
#include <mcp/socket.h>

static mcp_server *server;
static mcp_socket_listener *listener;
static char path[64];

static int set_up(void **state) {
  snprintf(path, sizeof(path), "/tmp/mcp-url-%d", (int)getpid());
  begin(state);
  server = mcp_server_new("test", "1", NULL, NULL);
  begin_client(MCP_POLICY_AUTO);
  return 0;
}

static int tear_down(void **state) {
  mcp_sync_close(client);
  mcp_client_free(client);
  client = NULL;
  mcp_socket_listener_free(listener);
  listener = NULL;
  mcp_server_free(server);
  return end(state);
}

/* The URL that the listener gives is the one to connect to. */
static const char *serve_at(const char *address, uint32_t dialect) {
  const mcp_socket_listen_options options = {
      .size = sizeof(mcp_socket_listen_options),
      .address = address,
      .dialect = dialect};
  listener = mcp_server_listen_socket(server, fake.loop, &options, NULL);
  assert_non_null(listener);
  return mcp_socket_listener_url(listener);
}

#define URL_TEST(name) TEST_WITH(name, set_up, tear_down)

URL_TEST(a_tcp_url_is_a_socket) {
  const char *url = serve_at("127.0.0.1:0", MCP_DIALECT_MCP);
  assert_memory_equal(url, "tcp://", 6);
  assert_int_equal(mcp_sync_connect_url(client, url, NULL, NULL), 0);
  assert_int_equal(mcp_socket_listener_connection_count(listener), 1);
}

URL_TEST(a_scheme_may_be_written_in_capitals) {
  char url[64];
  snprintf(url, sizeof(url), "TCP%s",
           serve_at("127.0.0.1:0", MCP_DIALECT_MCP) + 3);
  assert_int_equal(mcp_sync_connect_url(client, url, NULL, NULL), 0);
}

URL_TEST(a_unix_url_is_a_socket) {
  char address[80];
  snprintf(address, sizeof(address), "unix:%s", path);
  const char *url = serve_at(address, MCP_DIALECT_MCP);
  assert_string_equal(url, address);
  ended.size = 0;
  assert_int_equal(
      mcp_client_connect_url(client, url, NULL, note_done, NULL, NULL), 0);
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, 0);
}

URL_TEST(a_failed_connection_keeps_the_error_number) {
  mcp_error err = {0};
  assert_int_equal(
      mcp_sync_connect_url(client, "unix:/no/such/socket", NULL, &err),
      MCP_ERR_CLOSED);
  assert_int_equal(err.status, ENOENT);
}

URL_TEST(a_socket_may_have_a_dialect) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .dialect = MCP_DIALECT_MCP_CORE};
  mcp_error err = {0};
  const char *url = serve_at("127.0.0.1:0", MCP_DIALECT_MCP_CORE);
  assert_int_equal(mcp_sync_connect_url(client, url, &options, NULL), 0);
  assert_int_equal(mcp_sync_call_tool(client, "none", NULL, NULL, NULL, &err),
                   MCP_ERR_REMOTE);
}

URL_TEST(a_socket_has_the_limits_of_the_options) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .max_message = 10};
  const char *url = serve_at("127.0.0.1:0", MCP_DIALECT_MCP);
  assert_int_equal(
      mcp_client_connect_url(client, url, &options, NULL, NULL, NULL), 0);
  WAIT_UNTIL(fake.loop, error_count > 0);
  assert_int_equal(last_error.code, MCP_ERR_LIMIT);
}

/* The program would believe them to be in force. */
URL_TEST(what_a_socket_does_not_have_is_refused) {
  static const char *const token[] = {"Authorization: Bearer secret", NULL};
  const mcp_http_client_options rows[] = {
      {.size = sizeof(mcp_http_client_options), .headers = token},
      {.size = sizeof(mcp_http_client_options), .proxy = "http://127.0.0.1:1"},
      {.size = sizeof(mcp_http_client_options), .ca_file = "ca.pem"},
      {.size = sizeof(mcp_http_client_options), .cert_file = "cert.pem"},
      {.size = sizeof(mcp_http_client_options), .dialect = 99},
  };
  const char *url = serve_at("127.0.0.1:0", MCP_DIALECT_MCP);
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mcp_error err = {0};
    assert_int_equal(mcp_sync_connect_url(client, url, &rows[i], &err),
                     MCP_ERR_INVALID);
    assert_null(strstr(err.message, "secret"));
  }
}

URL_TEST(an_unknown_scheme_is_refused) {
  static const char *const urls[] = {"ftp://x/", "tcp:x", "tcp://",
                                     "unix:",    "",      "/mcp"};
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    assert_int_equal(mcp_sync_connect_url(client, urls[i], NULL, NULL),
                     MCP_ERR_INVALID);
  }
  assert_int_equal(mcp_sync_connect_url(client, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_sync_connect_url(NULL, "tcp://x:1", NULL, NULL),
                   MCP_ERR_INVALID);
}
