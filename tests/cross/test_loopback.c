/* SPDX-License-Identifier: MIT */
/* A server and clients over loopback sockets, as each system has them: HTTP,
 * WebSockets and lines over TCP. Everything is in one process and one loop. */
#include "support/cm.h"
#include "support/libmcp/certs.h"

#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mcp_loop *loop;
static mcp_server *server;
static mcp_http_listener *http;
static mcp_socket_listener *lines;

static int on_echo(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, mcp_call_string(call, "text"));
}

static int begin(void **state) {
  mcp_error err = {0};
  loop = mcp_loop_new(NULL, NULL);
  server = mcp_server_new("echo", "1.0.0", NULL, NULL);
  assert_non_null(loop);
  assert_non_null(server);
  assert_int_equal(
      mcp_server_add_tool(
          server,
          &(mcp_tool){.size = sizeof(mcp_tool),
                      .name = "echo",
                      .input = MCP_OBJECT(MCP_STRING("text", "any text")),
                      .handler = on_echo},
          &err),
      0);
  return 0;
}

static int end(void **state) {
  mcp_http_listener_free(http);
  mcp_socket_listener_free(lines);
  mcp_server_free(server);
  mcp_loop_free(loop);
  http = NULL;
  lines = NULL;
  return 0;
}

static void listen_http(int with_tls) {
  mcp_error err = {0};
  const mcp_http_options endpoint = {.size = sizeof(endpoint),
                                     .wires = MCP_HTTP_STREAMABLE |
                                              MCP_HTTP_WEBSOCKET};
  const mcp_http_listen_options options = {
      .size = sizeof(options),
      .address = "127.0.0.1:0",
      .http = &endpoint,
      .tls_cert = with_tls ? in_folder("server.crt") : NULL,
      .tls_key = with_tls ? in_folder("server.key") : NULL};
  http = mcp_server_listen_http(server, loop, &options, &err);
  if (http == NULL) {
    fail_msg("%s", err.message);
  }
}

static void listen_lines(void) {
  mcp_error err = {0};
  const mcp_socket_listen_options options = {.size = sizeof(options),
                                             .address = "127.0.0.1:0"};
  lines = mcp_server_listen_socket(server, loop, &options, &err);
  if (lines == NULL) {
    fail_msg("%s", err.message);
  }
}

/* A string of JSON with `len` letters x. */
static char *arguments_of(size_t len) {
  static const char before[] = "{\"text\":\"\xc3\xa4";
  char *text = malloc(sizeof(before) + len + 3);
  assert_non_null(text);
  memcpy(text, before, sizeof(before) - 1);
  memset(text + sizeof(before) - 1, 'x', len);
  memcpy(text + sizeof(before) - 1 + len, "\"}", 3);
  return text;
}

static void call_echo(mcp_client *client, size_t len) {
  mcp_result *result = NULL;
  mcp_error err = {0};
  char *arguments = arguments_of(len);
  int rc = mcp_sync_call_tool(client, "echo", arguments, NULL, &result, &err);
  if (rc != 0) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(strlen(mcp_result_text(result)), len + 2);
  assert_memory_equal(mcp_result_text(result), "\xc3\xa4", 2);
  mcp_result_unref(result);
  free(arguments);
}

static void talk_with(const char *url, const mcp_http_client_options *options) {
  mcp_error err = {0};
  mcp_client *client = mcp_client_new(loop, "test", "1.0.0", NULL, NULL);
  assert_non_null(client);
  int rc = mcp_sync_connect_url(client, url, options, &err);
  if (rc != 0) {
    fail_msg("%s: %s", url, err.message);
  }
  call_echo(client, 1);
  call_echo(client, 1000000); /* more than a socket takes at once */
  for (int i = 0; i < 20; i++) {
    call_echo(client, 100);
  }
  mcp_sync_close(client);
  mcp_client_free(client);
}

static void talk(const char *url) {
  talk_with(url, NULL);
}

TEST_WITH(a_client_calls_a_tool_over_http, begin, end) {
  listen_http(0);
  talk(mcp_http_listener_url(http));
}

TEST_WITH(a_client_calls_a_tool_over_a_websocket, begin, end) {
  char url[200];
  listen_http(0);
  snprintf(url, sizeof(url), "ws%s", mcp_http_listener_url(http) + 4);
  talk(url);
}

TEST_WITH(a_client_calls_a_tool_over_tls, begin, end) {
  const mcp_http_client_options options = {.size = sizeof(options),
                                           .ca_file = in_folder("server.crt")};
  listen_http(1);
  talk_with(mcp_http_listener_url(http), &options);
}

TEST_WITH(a_server_with_another_certificate_is_refused, begin, end) {
  const mcp_http_client_options options = {.size = sizeof(options),
                                           .ca_file = in_folder("other.crt")};
  mcp_error err = {0};
  listen_http(1);
  mcp_client *client = mcp_client_new(loop, "test", "1.0.0", NULL, NULL);
  assert_int_not_equal(
      mcp_sync_connect_url(client, mcp_http_listener_url(http), &options, &err),
      0);
  assert_non_null(strstr(err.message, "certificate"));
  mcp_client_free(client);
}

TEST_WITH(a_client_calls_a_tool_over_tcp, begin, end) {
  listen_lines();
  talk(mcp_socket_listener_url(lines));
}

TEST_WITH(two_clients_are_connected_at_once, begin, end) {
  mcp_client *clients[2];
  listen_http(0);
  for (int i = 0; i < 2; i++) {
    clients[i] = mcp_client_new(loop, "test", "1.0.0", NULL, NULL);
    assert_int_equal(mcp_sync_connect_url(
                         clients[i], mcp_http_listener_url(http), NULL, NULL),
                     0);
  }
  for (int i = 0; i < 10; i++) {
    call_echo(clients[i % 2], 10);
  }
  for (int i = 0; i < 2; i++) {
    mcp_sync_close(clients[i]);
    mcp_client_free(clients[i]);
  }
}

TEST_WITH(an_address_that_is_taken_is_an_error, begin, end) {
  mcp_error err = {0};
  listen_http(0);
  const char *url = mcp_http_listener_url(http);
  char address[64];
  snprintf(address, sizeof(address), "%.*s", (int)strcspn(url + 7, "/"),
           url + 7);
  const mcp_http_listen_options options = {.size = sizeof(options),
                                           .address = address};
  assert_null(mcp_server_listen_http(server, loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_IO);
  assert_non_null(strstr(err.message, "address already in use"));
}

TEST_WITH(a_server_that_has_gone_is_an_error, begin, end) {
  mcp_error err = {0};
  char url[200];
  listen_http(0);
  snprintf(url, sizeof(url), "%s", mcp_http_listener_url(http));
  mcp_http_listener_free(http);
  http = NULL;
  mcp_client *client = mcp_client_new(loop, "test", "1.0.0", NULL, NULL);
  assert_int_not_equal(mcp_sync_connect_url(client, url, NULL, &err), 0);
  mcp_client_free(client);
}

TEST_WITH(a_tcp_server_that_has_gone_is_an_error, begin, end) {
  mcp_error err = {0};
  char url[200];
  listen_lines();
  snprintf(url, sizeof(url), "%s", mcp_socket_listener_url(lines));
  mcp_socket_listener_free(lines);
  lines = NULL;
  mcp_client *client = mcp_client_new(loop, "test", "1.0.0", NULL, NULL);
  assert_int_not_equal(mcp_sync_connect_url(client, url, NULL, &err), 0);
  assert_non_null(strstr(err.message, "connection refused"));
  mcp_client_free(client);
}

int main(void) {
  return tests_run(make_all, remove_all);
}
