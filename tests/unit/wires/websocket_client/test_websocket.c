/* SPDX-License-Identifier: MIT */
/* WebSockets of a client: how they open, to whom, and how they end. */
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

static void answer_403(request *asked) {
  respond(asked, 403, "no");
}

static void answer_503(request *asked) {
  respond(asked, 503, "later");
}

static void answer_404(request *asked) {
  respond(asked, 404, "not here");
}

static void answer_elsewhere(request *asked) {
  const mcp_http_header where[] = {{"Location", "/elsewhere"}};
  asked->responder->respond(asked->exchange, 307, where, 1, NULL, 0);
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

/* It does not open: why. */
static const mcp_error *fails(void (*answer)(request *asked)) {
  fake.answer = answer;
  start();
  recorder_send(&near, "lost");
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  return &near.close_error;
}

#define FIXTURE_TEST(name) TEST_WITH(name, set_up, tear_down)

/* --- opening ------------------------------------------------------------- */

FIXTURE_TEST(messages_go_both_ways) {
  start();
  recorder_send(&near, "early");
  WAIT_UNTIL(fake.loop, far.message_count == 1);
  recorder_send(&far, "answer");
  WAIT_UNTIL(fake.loop, near.message_count == 1);
  assert_string_equal(recorder_message(&far, 0), "early");
  assert_string_equal(recorder_message(&near, 0), "answer");
  near.transport->close(near.transport);
  WAIT_UNTIL(fake.loop, near.close_count == 1 && far.close_count == 1);
  assert_int_equal(near.close_error.code, 0);
  assert_int_equal(far.close_error.code, 0);
}

FIXTURE_TEST(the_request_is_the_programs_too) {
  const char *const headers[] = {"Authorization: Bearer abc", "X-Empty:", NULL};
  options.headers = headers;
  open_it();
  assert_string_equal(last_asked()->method, "GET");
  assert_string_equal(last_asked()->target, "/mcp?key=secret");
  assert_string_equal(last_asked()->secret, "Bearer abc");
  assert_memory_equal(last_asked()->host, "127.0.0.1:", 10);
}

FIXTURE_TEST(a_user_in_the_url_is_told) {
  char url[128];
  snprintf(url, sizeof(url), "WS://Aladdin:open%%20sesame@%s",
           strchr(fake.url, '/') + 2);
  recorder_start(&near,
                 mcp_transport_websocket(fake.loop, url, &options, NULL));
  WAIT_UNTIL(fake.loop, far.transport != NULL);
  assert_string_equal(last_asked()->secret,
                      "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

FIXTURE_TEST(the_origin_is_a_websockets) {
  char expected[64];
  open_it();
  snprintf(expected, sizeof(expected), "ws%.*s",
           (int)strcspn(strchr(fake.url, ':'), "m") - 1, strchr(fake.url, ':'));
  assert_string_equal(near.transport->origin(near.transport), expected);
}

FIXTURE_TEST(a_dialect_is_spoken) {
  options.dialect = MCP_DIALECT_MCP_CORE;
  start();
  recorder_send(&near, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":"
                       "\"tools/call\",\"params\":{\"name\":\"add\"}}");
  WAIT_UNTIL(fake.loop, far.message_count == 1);
  assert_string_equal(recorder_message(&far, 0), "{\"id\":1,\"name\":\"add\"}");
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

/* --- what does not open -------------------------------------------------- */

FIXTURE_TEST(a_status_says_why) {
  static const struct {
    void (*answer)(request *asked);
    int status;
    int code;
  } rows[] = {{answer_403, 403, MCP_ERR_REFUSED},
              {answer_503, 503, MCP_ERR_IO},
              {answer_404, 404, MCP_ERR_PROTOCOL},
              {answer_elsewhere, 307, MCP_ERR_PROTOCOL}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    char expected[128];
    const mcp_error *err = fails(rows[i].answer);
    snprintf(expected, sizeof(expected), "ws%.*s answered HTTP %d",
             (int)strcspn(strchr(fake.url, ':'), "?"), strchr(fake.url, ':'),
             rows[i].status);
    assert_int_equal(err->code, rows[i].code);
    assert_int_equal(err->status, rows[i].status);
    assert_memory_equal(err->message, expected, strlen(expected));
    assert_int_equal(strstr(err->message, "/elsewhere: ") != NULL,
                     rows[i].status == 307);
    drop(&near);
  }
  assert_int_equal(fake.count, 4);
}

FIXTURE_TEST(a_client_is_told_too) {
  mcp_error err;
  fake.answer = answer_403;
  begin_client(MCP_POLICY_AUTO);
  assert_int_not_equal(mcp_sync_connect_url(client, url_of(""), NULL, &err), 0);
  assert_non_null(strstr(err.message, "answered HTTP 403"));
  assert_int_equal(fake.count, 1);
}

FIXTURE_TEST(nobody_may_be_there) {
  char url[64];
  uv_poll_stop(&fake.poll);
  snprintf(url, sizeof(url), "ws://127.0.0.1:1/mcp");
  recorder_start(&near,
                 mcp_transport_websocket(fake.loop, url, &options, NULL));
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(near.close_error.code, MCP_ERR_IO);
  assert_memory_equal(near.close_error.message, "ws://127.0.0.1:1/mcp: ", 22);
}

/* It takes the connection, and says nothing. */
FIXTURE_TEST(opening_has_its_time) {
  options.connect_timeout_ms = 20;
  uv_poll_stop(&fake.poll);
  start();
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(near.close_error.code, MCP_ERR_TIMEOUT);
}

FIXTURE_TEST(closing_while_it_opens_is_an_end) {
  uv_poll_stop(&fake.poll);
  start();
  mcp_loop_wait(fake.loop, 0);
  near.transport->close(near.transport);
  assert_int_equal(near.close_count, 1);
  assert_int_equal(near.close_error.code, 0);
}

/* Nobody answers the handshake: it is not connected, whatever is spoken, and
 * its end waits for nothing. */
FIXTURE_TEST(a_client_is_not_connected_before) {
  static const uint32_t dialects[] = {MCP_DIALECT_MCP, MCP_DIALECT_MCP_CORE};
  uv_poll_stop(&fake.poll);
  options.close_wait_ms = 600000;
  for (size_t i = 0; i < 2; i++) {
    begin_client(MCP_POLICY_AUTO);
    options.dialect = dialects[i];
    ended.size = 0;
    closed_count = 0;
    assert_int_equal(mcp_client_connect_url(client, url_of(""), &options,
                                            note_done, NULL, NULL),
                     0);
    for (int turns = 0; turns < 10; turns++) {
      mcp_loop_wait(fake.loop, 10);
    }
    assert_int_equal(ended.size, 0);
    assert_int_equal(
        mcp_client_call_tool(client, "t", NULL, NULL, note_done, NULL, NULL),
        MCP_ERR_CLOSED);
    mcp_client_close(client);
    WAIT_UNTIL(fake.loop, closed_count == 1);
    mcp_client_free(client);
    client = NULL;
  }
}

FIXTURE_TEST(a_client_of_a_dialect_is_told_why) {
  mcp_error err;
  fake.answer = answer_403;
  options.dialect = MCP_DIALECT_MCP_CORE;
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(mcp_sync_connect_url(client, url_of(""), &options, &err),
                   MCP_ERR_REFUSED);
  assert_non_null(strstr(err.message, "answered HTTP 403"));
}

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

#define H101 "HTTP/1.1 101 Switching Protocols\r\n"
#define UPGRADE "Upgrade: websocket\r\nConnection: Upgrade\r\n"
#define ACCEPT "Sec-WebSocket-Accept: $\r\n"

FIXTURE_TEST(its_request_is_as_it_must_be) {
  begin_raw();
  char *key = strstr(raw_text, "Sec-WebSocket-Key: ") + 19;
  assert_memory_equal(key + MCPI_WS_KEY_SIZE - 1, "\r\n", 2);
  key[MCPI_WS_KEY_SIZE - 1] = '\0';
  assert_true(mcpi_ws_is_key(key));
  char expected[512];
  snprintf(expected, sizeof(expected),
           "GET /mcp?key=secret HTTP/1.1\r\nHost: %.*s\r\n" UPGRADE
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mcp\r\n"
           "Sec-WebSocket-Key: ",
           (int)strcspn(fake.url + 7, "/"), fake.url + 7);
  assert_memory_equal(raw_text, expected, strlen(expected));
  end_raw();
}

FIXTURE_TEST(an_answer_is_checked) {
  static const struct {
    const char *head;
    int code; /* 0: it opens */
    const char *why;
  } rows[] = {
      {H101 UPGRADE ACCEPT "\r\n", 0, NULL},
      {"HTTP/1.1 100 Continue\r\n\r\n" H101 UPGRADE ACCEPT "\r\n", 0, NULL},
      {"HTTP/1.1 101\r\nupgrade: WebSocket\r\nCONNECTION: x, "
       "upgrade\r\nsec-websocket-accept:  $ \r\n"
       "Sec-WebSocket-Protocol: mcp\r\n\r\n",
       0, NULL},
      {H101 UPGRADE "\r\n", MCP_ERR_PROTOCOL, "Accept is not our key's"},
      {H101 UPGRADE "Sec-WebSocket-Accept: x\r\n\r\n", MCP_ERR_PROTOCOL,
       "Accept is not our key's"},
      {H101 UPGRADE ACCEPT ACCEPT "\r\n", MCP_ERR_PROTOCOL,
       "Accept is not our key's"},
      {H101 "Connection: Upgrade\r\n" ACCEPT "\r\n", MCP_ERR_PROTOCOL,
       "upgrades to no WebSocket"},
      {H101 "Upgrade: websocket\r\n" ACCEPT "\r\n", MCP_ERR_PROTOCOL,
       "upgrades to no WebSocket"},
      {H101 UPGRADE ACCEPT "Sec-WebSocket-Protocol: chat\r\n\r\n",
       MCP_ERR_PROTOCOL, "was not offered"},
      {H101 UPGRADE ACCEPT
       "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
       MCP_ERR_PROTOCOL, "was not offered"},
      {"HTTP/1.1 200 OK\r\n" UPGRADE ACCEPT "\r\n", MCP_ERR_PROTOCOL,
       "answered HTTP 200"},
      {"HTTP/1.0 101 OK\r\n" UPGRADE ACCEPT "\r\n", MCP_ERR_PROTOCOL,
       "does not speak HTTP/1.1"},
      {"HTTP/1.1 1x1 OK\r\n\r\n", MCP_ERR_PROTOCOL, "does not speak HTTP/1.1"},
      {"hello\r\n\r\n", MCP_ERR_PROTOCOL, "does not speak HTTP/1.1"},
      {"\r\n\r\n", MCP_ERR_PROTOCOL, "does not speak HTTP/1.1"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    begin_raw();
    say_head(rows[i].head);
    if (rows[i].code == 0) {
      say("\x81\x02hi", 4);
      WAIT_UNTIL(fake.loop, near.message_count == 1);
    } else {
      WAIT_UNTIL(fake.loop, near.close_count == 1);
      if (near.close_error.code != rows[i].code ||
          strstr(near.close_error.message, rows[i].why) == NULL) {
        fail_msg("row %zu: %d %s", i, near.close_error.code,
                 near.close_error.message);
      }
    }
    end_raw();
  }
}

FIXTURE_TEST(a_long_answer_is_not_read) {
  char line[1024];
  begin_raw();
  memset(line, 'x', sizeof(line));
  say(H101, sizeof(H101) - 1);
  while (near.close_count == 0) {
    send(raw_fd, line, sizeof(line), MSG_NOSIGNAL);
    mcp_loop_wait(fake.loop, 0);
  }
  assert_int_equal(near.close_error.code, MCP_ERR_LIMIT);
  end_raw();
}

FIXTURE_TEST(frames_may_come_with_the_answer) {
  begin_raw();
  say_head(H101 UPGRADE ACCEPT "\r\n\x81\x02hi\x81\x02ho");
  WAIT_UNTIL(fake.loop, near.message_count == 2);
  end_raw();
}

static const char crash[] = "\x88\x07\x03\xf3"
                            "crash";

static void crash_is_told(void) {
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(near.close_error.code, MCP_ERR_CLOSED);
  assert_string_equal(near.close_error.message,
                      "the peer closed the WebSocket with 1011: crash");
}

FIXTURE_TEST(a_reason_reaches_the_program) {
  begin_raw();
  say_head(H101 UPGRADE ACCEPT "\r\n");
  say(crash, sizeof(crash) - 1);
  crash_is_told();
  end_raw();
}

/* The server has not read all that came: its system resets the connection. */
FIXTURE_TEST(a_reason_before_a_reset_does_too) {
  char byte;
  begin_raw();
  say_head(H101 UPGRADE ACCEPT "\r\n");
  recorder_send(&near, "{}");
  WAIT_UNTIL(fake.loop, recv(raw_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1);
  say(crash, sizeof(crash) - 1);
  close(raw_fd);
  raw_fd = -1;
  assert_int_equal(near.transport->send(near.transport, "{}", 2, NULL),
                   MCP_ERR_CLOSED);
  crash_is_told();
  end_raw();
}

FIXTURE_TEST(a_server_that_vanishes_is_told_of) {
  begin_raw();
  say_head(H101 UPGRADE ACCEPT "\r\n");
  recorder_send(&near, "x");
  mcp_loop_wait(fake.loop, 0);
  close(raw_fd);
  raw_fd = -1;
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_not_equal(near.close_error.code, 0);
  assert_memory_equal(near.close_error.message, "ws://127.0.0.1:", 15);
  drop(&near);
}

FIXTURE_TEST(a_dead_server_is_found_out) {
  options.ping_ms = 5;
  options.pong_ms = 20;
  begin_raw();
  say_head(H101 UPGRADE ACCEPT "\r\n");
  WAIT_UNTIL(fake.loop, near.close_count == 1);
  assert_int_equal(near.close_error.code, MCP_ERR_TIMEOUT);
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

FIXTURE_TEST(a_message_has_a_limit) {
  options.max_message = 4;
  open_it();
  recorder_send(&far, "hello");
  WAIT_UNTIL(fake.loop, near.close_count == 1 && far.close_count == 1);
  assert_int_equal(near.close_error.code, MCP_ERR_LIMIT);
  assert_string_equal(
      far.close_error.message,
      "the peer closed the WebSocket with 1009: the message is too long");
}

/* --- requests under way -------------------------------------------------- */

FIXTURE_TEST(requests_end_with_the_socket) {
  begin_client(MCP_POLICY_LEGACY);
  ended = (mcp_outcome){0};
  assert_int_equal(mcp_client_connect_url(client, url_of(""), &options,
                                          note_done, NULL, NULL),
                   0);
  WAIT_UNTIL(fake.loop, far.message_count == 1);
  drop(&far);
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, MCP_ERR_CLOSED);
  assert_int_equal(
      mcp_client_list_tools(client, NULL, note_done, NULL, NULL) != 0, 1);
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
