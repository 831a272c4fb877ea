/* SPDX-License-Identifier: MIT */
/* WebSockets of a client, as transports: what tests/wire/web/websocket.txt does
 * not show. */
#include "unit/http_client/kit.h"

#include "support/failing_alloc.h"
#include "wires/websocket/handshake.h"

#include <errno.h>
#include <mcp/http.h>

static recorder near; /* the client's end */
static recorder far;  /* the fake's */
static mcp_http_client_options options;

/* --- a server that upgrades ---------------------------------------------- */

static void answer_upgrade(request *asked) {
  mcp_transport *transport = asked->responder->upgrade(asked->exchange, 100000);
  recorder_start(&far, transport);
}

static int set_up(void **state) {
  near = (recorder){.keeps = 1};
  far = (recorder){.keeps = 1};
  options = (mcp_http_client_options){.size = sizeof(mcp_http_client_options)};
  begin(state);
  fake.answer = answer_upgrade;
  return 0;
}

static void drop(recorder *end_of) {
  if (end_of->transport != NULL) {
    end_of->transport->release(end_of->transport);
  }
  recorder_deinit(end_of);
}

static int tear_down(void **state) {
  drop(&near);
  drop(&far);
  return end(state);
}

static const char *url_of(const char *with) {
  static char url[128];
  snprintf(url, sizeof(url), "ws%s%s", strchr(fake.url, ':'), with);
  return url;
}

static void start(void) {
  mcp_error err = {0};
  mcp_transport *transport =
      mcp_transport_websocket(fake.loop, url_of(""), &options, &err);
  assert_string_equal(err.message, "");
  recorder_start(&near, transport);
}

static void open_it(void) {
  start();
  WAIT_UNTIL(fake.loop, far.transport != NULL);
}

#define FIXTURE_TEST(name) TEST_WITH(name, set_up, tear_down)

/* --- opening ------------------------------------------------------------- */

FIXTURE_TEST(the_origin_is_a_websockets) {
  char expected[64];
  open_it();
  snprintf(expected, sizeof(expected), "ws%.*s",
           (int)strcspn(strchr(fake.url, ':'), "m") - 1, strchr(fake.url, ':'));
  assert_string_equal(near.transport->origin(near.transport), expected);
}

FIXTURE_TEST(an_era_is_found_over_it) {
  static const uint32_t policies[] = {MCP_POLICY_AUTO, MCP_POLICY_MODERN,
                                      MCP_POLICY_LEGACY};
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .wires = MCP_HTTP_WEBSOCKET};
  for (uint32_t threads = 1; threads <= 2; threads++) {
    const mcp_http_listen_options listen = {.size =
                                                sizeof(mcp_http_listen_options),
                                            .address = "127.0.0.1:0",
                                            .http = &http,
                                            .threads = threads};
    mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
    mcp_http_listener *listener =
        mcp_server_listen_http(server, fake.loop, &listen, NULL);
    assert_non_null(listener);
    for (size_t i = 0; i < 3; i++) {
      char url[64];
      mcp_error err = {0};
      snprintf(url, sizeof(url), "ws%s", mcp_http_listener_url(listener) + 4);
      begin_client(policies[i]);
      assert_int_equal(mcp_sync_connect_url(client, url, NULL, &err), 0);
      assert_string_equal(mcp_client_revision(client),
                          policies[i] == MCP_POLICY_LEGACY ? "2025-11-25"
                                                           : "2026-07-28");
      assert_int_equal(mcp_sync_close(client), 0);
      mcp_client_free(client);
      client = NULL;
    }
    mcp_http_listener_free(listener);
    mcp_server_free(server);
  }
}

FIXTURE_TEST(urls_are_checked) {
  static const char *const urls[] = {
      NULL, "", "ws:", "http://x/y", "wsx://x", "ws://", "ws://a b/"};
  mcp_error err;
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    assert_null(mcp_transport_websocket(fake.loop, urls[i], NULL, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
  }
}

FIXTURE_TEST(headers_are_checked) {
  const char *const mine[] = {"Sec-WebSocket-Key: x", NULL};
  const char *const upgrade[] = {"upgrade: x", NULL};
  mcp_error err;
  options.headers = mine;
  assert_null(mcp_transport_websocket(fake.loop, url_of(""), &options, &err));
  assert_string_equal(err.message,
                      "headers: Sec-WebSocket-Key is the transport's own");
  options.headers = upgrade;
  assert_null(mcp_transport_websocket(fake.loop, url_of(""), &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
}

/* --- the owner ----------------------------------------------------------- */

FIXTURE_TEST(it_may_never_be_started) {
  mcp_transport *transport =
      mcp_transport_websocket(fake.loop, url_of(""), NULL, NULL);
  assert_int_equal(transport->send(transport, "x", 1, NULL), MCP_ERR_CLOSED);
  mcp_transport_free(transport);
}

FIXTURE_TEST(it_may_be_released_at_any_time) {
  for (int turns = 0; turns < 12; turns++) {
    start();
    for (int i = 0; i < turns; i++) {
      mcp_loop_wait(fake.loop, 1);
    }
    drop(&near);
    for (int i = 0; i < 20; i++) {
      mcp_loop_wait(fake.loop, 0);
    }
    drop(&far);
  }
}

/* --- a server that says what a test wants -------------------------------- */

static int raw_fd = -1;
static char raw_text[4096];
static size_t raw_len;

static void on_raw(uv_poll_t *poll, int status, int events) {
  raw_fd = accept4(fake.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static int read_raw(const char *until) {
  mcp_loop_wait(fake.loop, 1);
  ssize_t got = raw_fd < 0 ? 0
                           : read(raw_fd, raw_text + raw_len,
                                  sizeof(raw_text) - 1 - raw_len);
  raw_len += got > 0 ? (size_t)got : 0;
  raw_text[raw_len] = '\0';
  return strstr(raw_text, until) != NULL;
}

static void say(const char *text, size_t len) {
  assert_int_equal(send(raw_fd, text, len, MSG_NOSIGNAL), len);
}

static void begin_raw(void) {
  raw_fd = -1;
  raw_len = 0;
  raw_text[0] = '\0';
  uv_poll_start(&fake.poll, UV_READABLE, on_raw);
  start();
  while (!read_raw("\r\n\r\n")) {
  }
}

static void end_raw(void) {
  close(raw_fd);
  drop(&near);
  near = (recorder){.keeps = 1};
}

/* The answer that opens it; $ stands for what the key calls for. */
static void say_head(const char *head) {
  char key[MCPI_WS_KEY_SIZE];
  char accept[MCPI_WS_ACCEPT_SIZE];
  char text[1024];
  const char *at = strstr(raw_text, "Sec-WebSocket-Key: ") + 19;
  memcpy(key, at, MCPI_WS_KEY_SIZE - 1);
  key[MCPI_WS_KEY_SIZE - 1] = '\0';
  mcpi_ws_accept(key, accept);
  size_t len = 0;
  for (; *head != '\0'; head++) {
    len += (size_t)snprintf(text + len, sizeof(text) - len,
                            *head == '$' ? "%s" : "%.1s",
                            *head == '$' ? accept : head);
  }
  say(text, len);
}

/* The server has not read all that came: its system resets the connection. */
FIXTURE_TEST(a_reason_before_a_reset_is_reported) {
  static const char crash[] = "\x88\x07\x03\xf3"
                              "crash";
  char byte;
  begin_raw();
  say_head("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
           "Connection: Upgrade\r\nSec-WebSocket-Accept: $\r\n\r\n");
  recorder_send(&near, "{}");
  WAIT_UNTIL(fake.loop, recv(raw_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1);
  say(crash, sizeof(crash) - 1);
  close(raw_fd);
  raw_fd = -1;
  assert_int_equal(near.transport->send(near.transport, "{}", 2, NULL),
                   MCP_ERR_CLOSED);
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(near.close_error.code, MCP_ERR_CLOSED);
  assert_string_equal(near.close_error.message,
                      "the peer closed the WebSocket with 1011: crash");
  end_raw();
}

/* --- what waits ---------------------------------------------------------- */

FIXTURE_TEST(much_may_wait) {
  enum { SIZE = 90000, COUNT = 100 };
  char *message = malloc(SIZE + 1);
  memset(message, 'x', SIZE);
  message[SIZE] = '\0';
  far.keeps = 0;
  open_it();
  for (int i = 0; i < COUNT; i++) {
    recorder_send(&near, message);
  }
  assert_true(near.transport->queued(near.transport) > 0);
  near.transport->close(near.transport);
  WAIT_UNTIL(fake.loop, near.close_count == 1 && far.close_count == 1);
  assert_int_equal(far.message_bytes, SIZE * COUNT);
  assert_int_equal(near.close_error.code, 0);
  free(message);
}

FIXTURE_TEST(past_its_limit_none_is_taken) {
  char message[1000];
  int rc = 0;
  memset(message, 'x', sizeof(message));
  options.max_queue = 5000;
  start();
  mcp_transport *transport = near.transport;
  while (rc == 0) {
    rc = transport->send(transport, message, sizeof(message), NULL);
  }
  assert_int_equal(rc, MCP_ERR_LIMIT);
  assert_true(transport->queued(transport) <= 5000 + 100);
  WAIT_UNTIL(fake.loop, far.message_count > 0);
}

FIXTURE_TEST(long_messages_come_whole) {
  enum { SIZE = 3000000 };
  char *message = malloc(SIZE + 1);
  memset(message, 'x', SIZE);
  message[SIZE] = '\0';
  open_it();
  recorder_send(&far, message);
  WAIT_UNTIL(fake.loop, near.message_count == 1);
  assert_string_equal(recorder_message(&near, 0), message);
  free(message);
}

/* --- memory -------------------------------------------------------------- */

static int talk(const mcp_allocator *allocator, void *userdata) {
  const mcp_loop_options own = {.size = sizeof(mcp_loop_options),
                                .allocator = allocator};
  mcp_error err = {0};
  mcp_loop *loop = mcp_loop_new(&own, NULL);
  if (loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcp_transport *transport =
      mcp_transport_websocket(loop, url_of(""), &options, &err);
  int rc = err.code;
  near = (recorder){.keeps = 1};
  if (transport != NULL) {
    recorder_own(&near, transport);
    rc = transport->start(transport, &err);
    rc = rc != 0 ? rc : transport->send(transport, "hello", 5, NULL);
    while (rc == 0 && near.close_count == 0 && far.message_count == 0) {
      mcp_loop_wait(loop, 1);
      mcp_loop_wait(fake.loop, 0);
    }
    rc = rc != 0 ? rc : near.close_error.code;
    drop(&near);
  }
  mcp_loop_free(loop);
  while (far.transport != NULL && far.close_count == 0) {
    mcp_loop_wait(fake.loop, 1);
  }
  recorder_deinit(&far);
  far.keeps = 1;
  while (fake.count > 0) {
    free(fake.requests[--fake.count].body);
  }
  return rc != 0 ? MCP_ERR_NOMEM : 0;
}

FIXTURE_TEST(each_allocation_may_fail) {
  assert_true(failing_alloc_rerun(talk, NULL) > 10);
}
