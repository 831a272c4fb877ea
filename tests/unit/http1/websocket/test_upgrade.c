/* SPDX-License-Identifier: MIT */
/* Connections of the HTTP/1.1 server that become WebSockets. */
#include "support/libmcp/http_rig.h"
#include "support/libmcp/recorder.h"
#include <mcp/error.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The example of RFC 6455, 1.3. */
#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define ACCEPT "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
#define VERSION "Sec-WebSocket-Version: 13\r\n"
#define UPGRADE "Upgrade: websocket\r\nConnection: Upgrade\r\n"
#define GET "GET /mcp HTTP/1.1\r\nHost: x\r\n"
#define OPEN GET UPGRADE VERSION KEY "\r\n"
#define POST "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"
/* Masked by zeros. */
#define HELLO "\x81\x85\0\0\0\0hello"
#define HELLO_LEN 11
#define BYE "\x88\x82\0\0\0\0\x03\xe8"
#define BYE_LEN 8

static http_rig r;
static recorder owner;
static size_t refusals;
static size_t max_message;

static void upgrade(http_rig *rig) {
  if (strncmp(rig->log + rig->log_len - 4, "{hi}", 4) == 0 ||
      strstr(rig->log, "POST") != NULL) {
    rig->log_len = 0;
    return;
  }
  mcp_transport *transport =
      rig->responder->upgrade(rig->exchange, max_message);
  if (transport == NULL) {
    refusals++;
  } else {
    recorder_start(&owner, transport);
  }
}

static int begin(void **state) {
  http_rig_begin(&r);
  r.mode = HTTP_DEFER;
  r.in_body = upgrade;
  owner = (recorder){.keeps = 1, .echoes = 1};
  refusals = 0;
  max_message = 1000;
  return 0;
}

static int end(void **state) {
  http_rig_free_server(&r);
  if (owner.transport != NULL) {
    owner.transport->release(owner.transport);
  }
  recorder_deinit(&owner);
  http_rig_end(&r);
  return 0;
}

static void open_it(void) {
  http_rig_connect(&r);
  http_send(&r, OPEN);
  http_expect(&r, "HTTP/1.1 101 Switching Protocols\r\nDate: ");
  http_expect(&r, "\r\n\r\n");
  assert_non_null(owner.transport);
}

/* Bytes that come, whatever they are. */
static void expect_bytes(const char *bytes, size_t len) {
  HTTP_WAIT(&r, r.got_len >= len || r.is_over);
  assert_true(r.got_len >= len);
  assert_memory_equal(r.got, bytes, len);
  memmove(r.got, r.got + len, r.got_len - len + 1);
  r.got_len -= len;
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

/* --- the handshake ------------------------------------------------------- */

FIXTURE_TEST(it_is_answered_as_the_example) {
  http_rig_connect(&r);
  http_send(&r, OPEN);
  http_expect(&r, "HTTP/1.1 101 Switching Protocols\r\nDate: ");
  http_expect(&r, " GMT\r\n");
  HTTP_WAIT(&r, strstr(r.got, "\r\n\r\n") != NULL);
  assert_string_equal(
      r.got, "Upgrade: websocket\r\nConnection: Upgrade\r\n" ACCEPT "\r\n");
}

FIXTURE_TEST(mcp_is_chosen_where_it_is_offered) {
  static const struct {
    const char *offers;
    int is_chosen;
  } rows[] = {
      {"Sec-WebSocket-Protocol: mcp\r\n", 1},
      {"Sec-WebSocket-Protocol: chat, mcp ,x\r\n", 1},
      {"Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: mcp\r\n", 1},
      {"Sec-WebSocket-Protocol: MCP, mcp2\r\n", 0},
      {"Sec-WebSocket-Protocol: chat\r\n", 0},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    char request[512];
    snprintf(request, sizeof(request), GET UPGRADE VERSION KEY "%s\r\n",
             rows[i].offers);
    http_rig_connect(&r);
    http_send(&r, request);
    http_expect(&r, ACCEPT);
    HTTP_WAIT(&r, strstr(r.got, "\r\n") != NULL);
    assert_string_equal(r.got, rows[i].is_chosen
                                   ? "Sec-WebSocket-Protocol: mcp\r\n\r\n"
                                   : "\r\n");
    http_close_client(&r);
    HTTP_WAIT(&r, owner.transport == NULL);
    owner.close_count = 0;
  }
}

FIXTURE_TEST(headers_may_be_written_otherwise) {
  http_rig_connect(&r);
  http_send(&r, GET "UPGRADE: WebSocket\r\nconnection: keep-alive, UPGRADE\r\n"
                    "sec-websocket-version: 13\r\nsec-websocket-KEY:  "
                    "dGhlIHNhbXBsZSBub25jZQ==  \r\n\r\n");
  http_expect(&r, ACCEPT);
}

FIXTURE_TEST(a_bad_one_is_refused) {
  static const struct {
    const char *headers;
    int status;
    const char *why;
  } rows[] = {
      {"Upgrade: websocket\r\n" VERSION KEY, 400,
       "Connection: Upgrade is missing"},
      {"Upgrade: websocket\r\nConnection: keep-alive\r\n" VERSION KEY, 400,
       "Connection: Upgrade is missing"},
      {UPGRADE KEY, 426, "Sec-WebSocket-Version must be 13"},
      {UPGRADE KEY "Sec-WebSocket-Version: 8\r\n", 426,
       "Sec-WebSocket-Version must be 13"},
      {UPGRADE KEY "Sec-WebSocket-Version: 13, 8\r\n", 426,
       "Sec-WebSocket-Version must be 13"},
      {UPGRADE VERSION, 400, "is not 16 bytes in Base64"},
      {UPGRADE VERSION "Sec-WebSocket-Key: \r\n", 400,
       "is not 16 bytes in Base64"},
      {UPGRADE VERSION "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=\r\n", 400,
       "is not 16 bytes in Base64"},
      {UPGRADE VERSION "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQAA\r\n", 400,
       "is not 16 bytes in Base64"},
      {UPGRADE VERSION "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j*Q==\r\n", 400,
       "is not 16 bytes in Base64"},
      {UPGRADE VERSION KEY KEY, 400,
       "a header occurs twice that must occur once"},
      {UPGRADE VERSION VERSION KEY, 400,
       "a header occurs twice that must occur once"},
      {UPGRADE VERSION KEY "Content-Length: 2\r\n", 400,
       "the request has a body"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    char text[512];
    http_rig_connect(&r);
    snprintf(text, sizeof(text), GET "%s\r\n%s", rows[i].headers,
             strstr(rows[i].headers, "Length") != NULL ? "ab" : "");
    http_send(&r, text);
    snprintf(text, sizeof(text), "HTTP/1.1 %d ", rows[i].status);
    http_expect(&r, text);
    if (rows[i].status == 426) {
      http_expect(&r, "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Version: 13\r\n");
    }
    http_expect(&r, rows[i].why);
    assert_int_equal(refusals, i + 1);
    http_send(&r, POST); /* the connection still works */
    http_turn(&r);
    http_answer(&r, 200, "still here");
    http_expect(&r, "still here");
  }
}

FIXTURE_TEST(http_1_0_has_none) {
  http_rig_connect(&r);
  http_send(&r, "GET /mcp HTTP/1.0\r\nHost: x\r\n" UPGRADE VERSION KEY "\r\n");
  http_expect(&r, "HTTP/1.1 400 ");
  http_expect(&r, "HTTP/1.1 is needed");
}

/* --- messages ------------------------------------------------------------ */

FIXTURE_TEST(messages_come_and_go) {
  open_it();
  for (int i = 0; i < 3; i++) {
    http_send_n(&r, HELLO, HELLO_LEN);
    expect_bytes("\x81\x05hello", 7);
  }
  assert_int_equal(owner.message_count, 3);
  assert_int_equal(mcpi_http1_connection_count(r.http1), 1);
  assert_int_equal(r.gone_count, 0);
}

/* Behind the request in one segment, wherever that is cut. */
FIXTURE_TEST(early_frames_are_heard) {
  static const char text[] = OPEN HELLO HELLO;
  const size_t len = sizeof(OPEN) - 1 + 2 * HELLO_LEN;
  for (size_t cut = sizeof(GET); cut <= len; cut++) {
    http_rig_connect(&r);
    http_send_n(&r, text, cut);
    http_turn(&r);
    http_send_n(&r, text + cut, len - cut);
    http_expect(&r, "\r\n\r\n");
    expect_bytes("\x81\x05hello\x81\x05hello", 14);
    http_close_client(&r);
    HTTP_WAIT(&r, owner.transport == NULL);
    owner.close_count = 0;
  }
}

/* Request and frames wait until what came before them is answered. */
FIXTURE_TEST(it_may_wait_behind_another) {
  http_rig_connect(&r);
  http_send_n(&r, POST OPEN HELLO, sizeof(POST OPEN) - 1 + HELLO_LEN);
  HTTP_WAIT(&r, r.body_count == 1);
  assert_null(owner.transport);
  http_answer(&r, 200, "first");
  http_expect(&r, "first");
  http_expect(&r, ACCEPT "\r\n");
  expect_bytes("\x81\x05hello", 7);
}

/* --- decisions that take time --------------------------------------------- */

/* As when an endpoint waits for the check of a token. */
static void ask_and_wait(const char *bytes, size_t len) {
  size_t before = r.body_count;
  r.in_body = NULL;
  r.log_len = 0;
  http_rig_connect(&r);
  http_send_n(&r, bytes, len);
  HTTP_WAIT(&r, r.body_count == before + 1);
  http_turn(&r);
  assert_null(owner.transport);
}

FIXTURE_TEST(it_may_be_decided_later) {
  static const char text[] = OPEN HELLO;
  for (int early = 0; early < 2; early++) {
    ask_and_wait(text, sizeof(OPEN) - 1 + (early ? HELLO_LEN : 0));
    upgrade(&r);
    http_expect(&r, ACCEPT "\r\n");
    if (!early) {
      http_send_n(&r, HELLO, HELLO_LEN);
    }
    expect_bytes("\x81\x05hello", 7);
    http_close_client(&r);
    HTTP_WAIT(&r, owner.transport == NULL);
    owner.close_count = 0;
  }
}

FIXTURE_TEST(a_bad_one_is_refused_later) {
  static const char *const requests[] = {
      GET "Upgrade: websocket\r\n" VERSION KEY "\r\n",
      GET UPGRADE VERSION "\r\n", GET VERSION KEY "\r\n"};
  for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
    ask_and_wait(requests[i], strlen(requests[i]));
    upgrade(&r);
    http_expect(&r, "HTTP/1.1 400 ");
    http_send(&r, POST); /* the connection still works */
    http_turn(&r);
    http_answer(&r, 200, "still here");
    http_expect(&r, "still here");
    http_close_client(&r);
  }
}

FIXTURE_TEST(an_ordinary_answer_may_come_later_too) {
  ask_and_wait(OPEN, sizeof(OPEN) - 1);
  http_answer(&r, 401, "no");
  http_expect(&r, "no");
  http_send(&r, POST);
  http_turn(&r);
  http_answer(&r, 200, "still here");
  http_expect(&r, "still here");
}

FIXTURE_TEST(a_client_may_leave_before_the_decision) {
  ask_and_wait(OPEN, sizeof(OPEN) - 1);
  http_close_client(&r);
  HTTP_WAIT(&r, r.gone_count == 1);
}

FIXTURE_TEST(a_message_has_a_limit) {
  static const struct {
    size_t asked;
    size_t max_body;
  } rows[] = {{4, 1000}, {1000, 4}};
  for (size_t i = 0; i < 2; i++) {
    max_message = rows[i].asked;
    r.limits.max_body = rows[i].max_body;
    open_it();
    http_send_n(&r, HELLO, HELLO_LEN);
    expect_bytes("\x88\x19\x03\xf1the message is too long", 27);
    HTTP_WAIT(&r, r.is_over);
    assert_int_equal(owner.close_error.code, MCP_ERR_LIMIT);
    owner.close_count = 0;
    http_close_client(&r);
    http_rig_free_server(&r);
  }
}

enum { PART = 30000 };

/* A fragment of zeros. */
static void send_part(int first) {
  static char part[8 + PART];
  memcpy(part, (const char[]){(char)first, '\xfe', PART >> 8, PART & 255}, 4);
  http_send_n(&r, part, sizeof(part));
  http_turn(&r);
}

/* Incomplete messages wait as bodies and answers do, within the memory that is
 * left. */
FIXTURE_TEST(half_messages_have_a_limit_together) {
  max_message = 1000000;
  owner.echoes = 0;
  owner.keeps = 0;
  r.limits.max_waiting = 100000;
  open_it();
  for (size_t i = 1; i <= 5; i++) {
    send_part(0x01);
    send_part(0x80);
    HTTP_WAIT(&r, owner.message_count == i);
    assert_int_equal(owner.message_bytes, i * 2 * PART);
  }
  send_part(0x01);
  send_part(0x00);
  expect_bytes("\x88\x18\x03\xf5too many messages wait", 26);
  HTTP_WAIT(&r, owner.close_count == 1);
  assert_int_equal(owner.close_error.code, MCP_ERR_LIMIT);
}

/* Nobody is closed for what others have come to need since. */
FIXTURE_TEST(what_waits_already_may_wait) {
  max_message = 1000000;
  owner.echoes = 0;
  owner.keeps = 0;
  r.limits.max_waiting = 100000;
  open_it();
  mcpi_quota *waiting = mcpi_http1_waiting(r.http1);
  mcpi_share other;
  assert_int_equal(mcpi_share_init(&other, waiting, NULL, NULL), 0);
  send_part(0x01);
  HTTP_WAIT(&r, mcpi_quota_used(waiting) == PART);
  mcpi_holder_add(&other.holder, MCPI_HELD_BYTES, 50000);
  http_send_n(&r, "\x89\x80\0\0\0\0", 6); /* a ping in between */
  expect_bytes("\x8a\x00", 2);
  mcpi_share_deinit(&other);
  send_part(0x80);
  HTTP_WAIT(&r, owner.message_count == 1);
  assert_int_equal(owner.close_count, 0);
}

/* So do messages that it does not read. */
FIXTURE_TEST(what_is_not_read_counts_too) {
  static char message[20000];
  r.limits.max_waiting = 100000;
  open_it();
  r.is_deaf = 1;
  mcp_transport *transport = owner.transport;
  const mcpi_quota *waiting = mcpi_http1_waiting(r.http1);
  size_t most = 0;
  while (owner.close_count == 0) { /* fills the socket first */
    transport->send(transport, message, sizeof(message), NULL);
    assert_int_equal(mcpi_quota_used(waiting), transport->queued(transport));
    most = mcpi_quota_used(waiting) > most ? mcpi_quota_used(waiting) : most;
    mcp_loop_wait(r.loop, 0);
  }
  assert_in_range(most, 25000, 50000); /* half is for the others */
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
  HTTP_WAIT(&r, mcpi_quota_used(waiting) == 0);
}

/* --- ends ---------------------------------------------------------------- */

FIXTURE_TEST(the_client_may_close) {
  open_it();
  http_send_n(&r, BYE, BYE_LEN);
  expect_bytes("\x88\x02\x03\xe8", 4);
  HTTP_WAIT(&r, r.is_over);
  assert_false(r.is_reset);
  assert_int_equal(owner.close_count, 1);
  assert_int_equal(owner.close_error.code, 0);
  assert_null(owner.transport);
  http_close_client(&r);
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
}

FIXTURE_TEST(the_server_may_close) {
  open_it();
  owner.transport->close(owner.transport);
  expect_bytes("\x88\x02\x03\xe9", 4);
  assert_int_equal(owner.close_count, 0);
  http_send_n(&r, BYE, BYE_LEN);
  HTTP_WAIT(&r, r.is_over);
  assert_int_equal(owner.close_count, 1);
  assert_int_equal(owner.close_error.code, 0);
}

FIXTURE_TEST(a_client_that_goes_is_gone) {
  open_it();
  http_close_client(&r);
  HTTP_WAIT(&r, owner.close_count == 1);
  assert_int_equal(owner.close_error.code, MCP_ERR_CLOSED);
  assert_int_equal(mcpi_http1_connection_count(r.http1), 0);
  assert_int_equal(r.gone_count, 0);
}

/* With what it was sent still on its way. */
FIXTURE_TEST(so_it_is_in_the_midst_of_it) {
  max_message = 100000;
  open_it();
  r.is_deaf = 1;
  static char message[50000];
  memset(message, 'x', sizeof(message));
  mcp_transport *transport = owner.transport;
  while (transport->queued(transport) == 0) {
    assert_int_equal(transport->send(transport, message, sizeof(message), NULL),
                     0);
  }
  shutdown(r.client, SHUT_WR);
  HTTP_WAIT(&r, owner.close_count == 1);
}

FIXTURE_TEST(who_reads_nothing_is_given_up) {
  static char message[50000];
  int rc = 0;
  r.limits.max_queue = 1000000;
  r.limits.write_ms = 1;
  open_it();
  r.is_deaf = 1;
  mcp_transport *transport = owner.transport;
  while (rc == 0) {
    rc = transport->send(transport, message, sizeof(message), NULL);
  }
  assert_int_equal(rc, MCP_ERR_LIMIT);
  assert_true(transport->queued(transport) <= 1000000);
  HTTP_WAIT(&r, owner.close_count == 1);
}

FIXTURE_TEST(what_waits_is_sent_when_it_closes) {
  static char message[500000];
  memset(message, 'x', sizeof(message));
  open_it();
  r.is_deaf = 1;
  mcp_transport *transport = owner.transport;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(transport->send(transport, message, sizeof(message), NULL),
                     0);
  }
  transport->close(transport);
  http_turn(&r);
  assert_int_equal(owner.close_count, 0);
  r.is_deaf = 0;
  HTTP_WAIT(&r, r.got_len == 4 * (sizeof(message) + 10) + 4);
  assert_memory_equal(r.got + r.got_len - 4, "\x88\x02\x03\xe9", 4);
  http_send_n(&r, BYE, BYE_LEN);
  HTTP_WAIT(&r, owner.close_count == 1);
  assert_int_equal(owner.close_error.code, 0);
}

FIXTURE_TEST(a_dead_client_is_found_out) {
  r.limits.ping_ms = 1;
  r.limits.pong_ms = 20;
  open_it();
  expect_bytes("\x89\0", 2);
  HTTP_WAIT(&r, owner.close_count == 1);
  assert_int_equal(owner.close_error.code, MCP_ERR_TIMEOUT);
  HTTP_WAIT(&r, r.is_over);
}

/* It pings without end and reads nothing: the answers do not pile up. */
FIXTURE_TEST(a_flood_of_pings_takes_no_memory) {
  static char pings[6 * 10000];
  for (size_t i = 0; i < sizeof(pings); i += 6) {
    memcpy(pings + i, "\x89\x80\0\0\0\0", 6);
  }
  r.limits.max_queue = 100;
  open_it();
  r.is_deaf = 1;
  mcp_transport *transport = owner.transport;
  static char message[500000];
  do { /* fills the socket */
    assert_int_equal(transport->send(transport, message, sizeof(message), NULL),
                     0);
  } while (transport->queued(transport) == 0);
  size_t queued = transport->queued(transport);
  for (int i = 0; i < 20; i++) {
    http_send_n(&r, pings, sizeof(pings));
    http_turn(&r);
  }
  assert_int_equal(owner.close_count, 0);
  assert_true(transport->queued(transport) <= queued);
}

FIXTURE_TEST(draining_waits_for_its_end) {
  open_it();
  mcpi_http1_drain(r.http1, NULL, NULL);
  http_send_n(&r, HELLO, HELLO_LEN);
  expect_bytes("\x81\x05hello", 7);
  owner.transport->close(owner.transport);
  expect_bytes("\x88\x02\x03\xe9", 4);
  http_send_n(&r, BYE, BYE_LEN);
  HTTP_WAIT(&r, r.is_over);
  http_close_client(&r);
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
}

FIXTURE_TEST(the_end_of_the_server_is_told) {
  open_it();
  http_rig_free_server(&r);
  assert_int_equal(owner.close_count, 1);
  expect_bytes("\x88\x02\x03\xe9", 4);
  HTTP_WAIT(&r, r.is_over);
}

static void free_server(recorder *self) {
  http_rig_free_server(&r);
}

FIXTURE_TEST(it_may_end_inside_a_message) {
  open_it();
  owner.on_message = free_server;
  http_send_n(&r, HELLO HELLO, 2 * HELLO_LEN);
  HTTP_WAIT(&r, r.is_over);
  assert_int_equal(owner.message_count, 1);
  assert_int_equal(owner.close_count, 1);
}

static void release_it(recorder *self) {
  mcp_transport *transport = self->transport;
  self->transport = NULL;
  transport->release(transport);
}

FIXTURE_TEST(it_may_be_released_inside_a_message) {
  open_it();
  owner.on_message = release_it;
  owner.echoes = 0;
  http_send_n(&r, HELLO HELLO, 2 * HELLO_LEN);
  expect_bytes("\x88\x02\x03\xe9", 4);
  HTTP_WAIT(&r, r.is_over);
  assert_int_equal(owner.message_count, 1);
  assert_int_equal(owner.close_count, 0);
}

/* --- memory -------------------------------------------------------------- */

FIXTURE_TEST(a_steady_stream_asks_for_no_memory) {
  open_it();
  owner.keeps = 0;
  size_t calls = 0;
  for (int i = 0; i < 100; i++) {
    calls = i == 10 ? r.alloc.calls : calls;
    http_send_n(&r, HELLO HELLO, 2 * HELLO_LEN);
    expect_bytes("\x81\x05hello\x81\x05hello", 14);
  }
  assert_int_equal(r.alloc.calls, calls);
}

/* Half a message is longer than the free blocks. Its sender is not at fault
 * when the server has no room for it. */
FIXTURE_TEST(lack_of_memory_is_told) {
  static const char told[] = "\x88\x0f\x03\xf3out of memory";
  static char half[60000] = "\x01\xfe\xea\x58"; /* with its head */
  max_message = sizeof(half);
  open_it();
  r.alloc.fail_at = r.alloc.calls + 1;
  http_send_n(&r, half, sizeof(half));
  expect_bytes(told, sizeof(told) - 1);
  HTTP_WAIT(&r, r.is_over);
  assert_int_equal(r.alloc.failures, 1);
  assert_int_equal(owner.close_count, 1);
  assert_int_equal(owner.close_error.code, MCP_ERR_NOMEM);
}

/* The allocation 1, 2, 3... from the request on fails: the client gets its
 * answer, an error, or the end of the connection. */
FIXTURE_TEST(it_survives_without_memory) {
  size_t failures = 0;
  for (size_t at = 1; at == 1 || failures > 0; at++) {
    http_rig_connect(&r);
    failures = r.alloc.failures;
    r.alloc.fail_at = r.alloc.calls + at;
    http_send_n(&r, OPEN HELLO, sizeof(OPEN) - 1 + HELLO_LEN);
    HTTP_WAIT(&r, r.is_over || strstr(r.got, "HTTP/1.1 503") != NULL ||
                      strstr(r.got, "\x81\x05hello") != NULL ||
                      owner.message_count > 0);
    r.alloc.fail_at = 0;
    failures = r.alloc.failures - failures;
    http_close_client(&r);
    HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
    assert_null(owner.transport);
    recorder_deinit(&owner);
    owner = (recorder){.keeps = 1, .echoes = 1};
  }
}
