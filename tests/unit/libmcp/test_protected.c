/* SPDX-License-Identifier: MIT */
/* A server that demands tokens, with the library's own HTTP server and its own
 * checks. A client speaks bytes. */
#include "support/cm.h"

#include <mcp/mcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANNA "0123456789abcdef-anna"
#define BERT "0123456789abcdef-bert"

enum { SIZE = 16384 };

static mcp_loop *loop;
static mcp_server *server;
static mcp_http_listener *listener;
static int port;
static int fd = -1;
static char got[SIZE];
static size_t got_len;
static mcp_token_check *kept;

/* --- the server ---------------------------------------------------------- */

static int on_who(mcp_call *call, void *userdata) {
  return mcp_call_reply_textf(call, "<%s|%s>", mcp_call_principal(call),
                              mcp_call_scopes(call));
}

static void begin(const mcp_protect_options *protect, uint32_t threads) {
  mcp_error err = {0};
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .wires =
                                     MCP_HTTP_STREAMABLE | MCP_HTTP_WEBSOCKET,
                                 .protect = protect};
  const mcp_http_listen_options options = {.size =
                                               sizeof(mcp_http_listen_options),
                                           .address = "127.0.0.1:0",
                                           .threads = threads,
                                           .http = &http};
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = "who",
                         .handler = on_who,
                         .scopes = "read"};
  loop = mcp_loop_new(NULL, NULL);
  server = mcp_server_new("protected", "1", NULL, NULL);
  assert_int_equal(mcp_server_add_tool(server, &tool, NULL), 0);
  listener = mcp_server_listen_http(server, loop, &options, &err);
  assert_string_equal(err.message, "");
  sscanf(mcp_http_listener_url(listener), "http://127.0.0.1:%d/", &port);
}

static int end(void **state) {
  if (fd >= 0) {
    close(fd);
    fd = -1;
  }
  mcp_http_listener_free(listener);
  mcp_server_free(server);
  mcp_loop_free(loop);
  listener = NULL;
  server = NULL;
  loop = NULL;
  kept = NULL;
  return 0;
}

#define PROTECTED_TEST(name) TEST_WITH(name, NULL, end)

/* --- the client ---------------------------------------------------------- */

static void send_text(const char *text) {
  struct sockaddr_in to = {.sin_family = AF_INET,
                           .sin_port = htons((uint16_t)port),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (fd >= 0) {
    close(fd);
  }
  fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  got_len = 0;
  got[0] = '\0';
}

/* Turns the loop until the answer has this text. */
static void await(const char *text) {
  for (int turns = 0; strstr(got, text) == NULL && turns < 3000; turns++) {
    ssize_t len = recv(fd, got + got_len, SIZE - 1 - got_len, MSG_DONTWAIT);
    if (len > 0) {
      got_len += (size_t)len;
      got[got_len] = '\0';
    } else {
      mcp_loop_wait(loop, 10);
    }
  }
  if (strstr(got, text) == NULL) {
    fail_msg("no \"%s\" in: %s", text, got);
  }
}

static void ask_who(const char *token) {
  static const char body[] =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
      "\"name\":\"who\",\"_meta\":{"
      "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
  char request[2048];
  snprintf(request, sizeof(request),
           "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s%s%s"
           "Content-Type: application/json\r\nAccept: application/json, "
           "text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
           "Mcp-Method: tools/call\r\nMcp-Name: who\r\n"
           "Content-Length: %zu\r\n\r\n%s",
           port, token != NULL ? "Authorization: Bearer " : "",
           token != NULL ? token : "", token != NULL ? "\r\n" : "",
           strlen(body), body);
  send_text(request);
}

/* --- fixed tokens -------------------------------------------------------- */

static void serve_a_token_file(uint32_t threads) {
  char path[] = "/tmp/mcp-protected-XXXXXX";
  int file = mkstemp(path);
  static const char text[] =
      "# two clients\n" ANNA " anna read write\n" BERT " bert\n";
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
  const mcp_protect_options protect = {.size = sizeof(mcp_protect_options),
                                       .token_file = path};
  begin(&protect, threads);
  unlink(path);
  for (uint32_t i = 0; i < 2 * threads; i++) {
    ask_who(ANNA);
    await("<anna|read write>");
    ask_who(NULL);
    await("HTTP/1.1 401 ");
    await("WWW-Authenticate: Bearer\r\n");
    ask_who(BERT);
    await("HTTP/1.1 403 ");
    await("error=\"insufficient_scope\"");
    await("scope=\"read\"");
    ask_who("0123456789abcdef-nobody");
    await("HTTP/1.1 401 ");
    await("error=\"invalid_token\"");
    assert_null(strstr(got, "nobody"));
  }
}

PROTECTED_TEST(one_thread_serves_a_token_file) {
  serve_a_token_file(1);
}

PROTECTED_TEST(several_threads_serve_a_token_file) {
  serve_a_token_file(3);
}

/* Only a libmcp with libcurl can fetch keys. */
#define JWKS                                                                   \
  "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":"                     \
  "\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"

PROTECTED_TEST(the_metadata_can_be_read) {
  const mcp_protect_options protect = {.size = sizeof(mcp_protect_options),
                                       .issuer = "https://login.example",
                                       .jwks = JWKS,
                                       .scopes = "read"};
  char expected[200];
  begin(&protect, 1);
  char request[200];
  snprintf(request, sizeof(request),
           "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\n"
           "Host: localhost:%d\r\n\r\n",
           port);
  send_text(request);
  snprintf(expected, sizeof(expected),
           "{\"resource\":\"http://localhost:%d/mcp\","
           "\"authorization_servers\":[\"https://login.example\"]",
           port);
  await(expected);
  await("\"scopes_supported\":[\"read\"]");
  ask_who(NULL);
  await("HTTP/1.1 401 ");
  snprintf(expected, sizeof(expected),
           "Bearer scope=\"read\", resource_metadata=\"http://127.0.0.1:%d/"
           ".well-known/oauth-protected-resource/mcp\"",
           port);
  await(expected);
}

PROTECTED_TEST(a_wrong_option_is_named) {
  const mcp_protect_options protect = {.size = sizeof(mcp_protect_options),
                                       .issuer = "ftp://x"};
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .protect = &protect};
  const mcp_http_listen_options options = {.size =
                                               sizeof(mcp_http_listen_options),
                                           .address = "127.0.0.1:0",
                                           .http = &http};
  mcp_error err;
  loop = mcp_loop_new(NULL, NULL);
  server = mcp_server_new("protected", "1", NULL, NULL);
  assert_null(mcp_server_listen_http(server, loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_memory_equal(err.message, "issuer", 6);
}

/* --- the program's check ------------------------------------------------- */

static void on_check(mcp_token_check *check, const char *token,
                     void *userdata) {
  assert_string_equal(token, ANNA);
  kept = check;
}

static void await_check(void) {
  for (int turns = 0; kept == NULL && turns < 3000; turns++) {
    mcp_loop_wait(loop, 10);
  }
  assert_non_null(kept);
}

static void accept_anna(void) {
  const mcp_token_facts facts = {
      .size = sizeof(mcp_token_facts), .principal = "anna", .scopes = "read"};
  mcp_token_check *check = kept;
  kept = NULL;
  assert_int_equal(mcp_token_accept(check, &facts, NULL), 0);
}

static const mcp_protect_options asks = {.size = sizeof(mcp_protect_options),
                                         .introspection_ms = UINT32_MAX,
                                         .check_token = on_check};

PROTECTED_TEST(the_program_may_answer_later) {
  begin(&asks, 1);
  ask_who(ANNA);
  await_check();
  mcp_loop_wait(loop, 0);
  assert_int_equal(got_len, 0);
  accept_anna();
  await("<anna|read>");
  ask_who(ANNA);
  await_check();
  mcp_token_refuse(kept, "not today");
  await("HTTP/1.1 401 ");
  await("error_description=\"not today\"");
}

PROTECTED_TEST(a_websocket_may_wait_for_the_program) {
  char request[400];
  begin(&asks, 1);
  snprintf(request, sizeof(request),
           "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
           "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
           "Authorization: Bearer " ANNA "\r\n\r\n",
           port);
  send_text(request);
  await_check();
  accept_anna();
  await("HTTP/1.1 101 ");
  await("\r\n\r\n");
  /* A ping, masked by zeros. */
  assert_int_equal(write(fd, "\x89\x82\0\0\0\0hi", 8), 8);
  await("\x8a\x02hi");
}

/* The listener is freed while the program still has the check. */
PROTECTED_TEST(the_listener_may_go_first) {
  begin(&asks, 1);
  ask_who(ANNA);
  await_check();
  mcp_http_listener_free(listener);
  listener = NULL;
  const mcp_token_facts facts = {.size = sizeof(mcp_token_facts),
                                 .principal = "anna"};
  assert_int_equal(mcp_token_accept(kept, &facts, NULL), MCP_ERR_GONE);
}
