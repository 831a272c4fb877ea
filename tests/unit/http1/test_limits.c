/* SPDX-License-Identifier: MIT */
/* The HTTP/1.1 server: what it refuses, limits, deadlines, memory. */
#include "platform/uv_loop.h"
#include "support/libmcp/http_rig.h"
#include "support/libmcp/recorder.h"
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define POST "POST /mcp HTTP/1.1\r\nHost: x\r\n"
#define HELLO POST "Content-Length: 5\r\n\r\nhello"

static http_rig r;

static int begin(void **state) {
  http_rig_begin(&r);
  return 0;
}

static int end(void **state) {
  http_rig_end(&r);
  return 0;
}

/* --- malformed requests -------------------------------------------------- */

typedef struct refused {
  const char *request;
  size_t len;
  int status;
} refused;

/* nginx answers all of them in the same way, with two exceptions: it accepts
 * bare line feeds, and a POST without length. */
#define ROW(status, text)                                                      \
  { text, sizeof(text) - 1, status }
static const refused malformed[] = {
    ROW(400, POST
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ROW(400, POST
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
    ROW(400, POST "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
    ROW(400, POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
    ROW(400, POST "Content-Length: +7\r\n\r\n1234567"),
    ROW(400, POST "Content-Length: 7x\r\n\r\n1234567"),
    ROW(400, POST "Content-Length: -1\r\n\r\n"),
    ROW(400, POST "Content-Length: 0x5\r\n\r\nhello"),
    ROW(400, POST "Content-Length: 5, 5\r\n\r\nhello"),
    ROW(400, POST "Content-Length: 5 5\r\n\r\nhello"),
    ROW(400, POST "Content-Length:\r\n\r\n"),
    ROW(400, POST "Content-Length: 18446744073709551623\r\n\r\n1234567"),
    ROW(400, POST "Content-Length : 5\r\n\r\nhello"),
    ROW(400, POST " Content-Length: 5\r\n\r\nhello"),
    ROW(400, POST "A: b\r\n c: d\r\n\r\n"), /* a folded line */
    ROW(400, POST ": no name\r\n\r\n"),
    ROW(400, POST "no colon\r\n\r\n"),
    ROW(400, POST "a b: c\r\n\r\n"),
    ROW(400, "POST /mcp HTTP/1.1\nHost: x\nContent-Length: 5\n\nhello"),
    ROW(400, POST "A: b\nC: d\r\n\r\n"),
    ROW(400, POST "A: b\rC: d\r\n\r\n"),
    ROW(400, POST "A: b\r\n\n"),
    ROW(400, POST "A: b\r\n\rX"),
    ROW(400, POST "A: a\0b\r\n\r\n"),
    ROW(400, POST "A\0: b\r\n\r\n"),
    ROW(400, POST "A: a\x01"
                  "b\r\n\r\n"),
    ROW(400, POST "A: a\x7F"
                  "b\r\n\r\n"),
    ROW(400, POST "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
    ROW(501, POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    ROW(501, POST "Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n"),
    ROW(501, POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    ROW(400,
        POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
             "0\r\n\r\n"),
    ROW(400, POST "Transfer-Encoding: \x0B"
                  "chunked\r\n\r\n0\r\n\r\n"),
    ROW(400, POST "Transfer-Encoding: chunked\r\n\r\nx\r\n\r\n"),
    ROW(400, POST "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n"),
    ROW(400, POST "Transfer-Encoding: chunked\r\n\r\n5\r\nhellox\r\n0\r\n\r\n"),
    ROW(400, POST "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n"),
    ROW(400, POST "Transfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n"),
    ROW(400,
        POST "Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\nhello"),
    ROW(400,
        "POST /mcp HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ROW(400, "GET / HTTP/1.1\r\n\r\n"), /* no Host */
    ROW(400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    ROW(400, "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
    ROW(400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
    ROW(400, "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n"),
    ROW(400, "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"),
    ROW(400, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    ROW(400, "GET / HTTP/1.1\r\nHost: \xC3\xA4\r\n\r\n"),
    ROW(400, "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "GET /\x7F HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "GET * HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "GET http://y/a HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "GET http://x/a HTTP/1.0\r\n\r\n"),
    ROW(400, "GET http://x?a HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "GET http://x@y/ HTTP/1.1\r\nHost: y\r\n\r\n"),
    ROW(400, "GET http:///a HTTP/1.1\r\nHost:\r\n\r\n"),
    ROW(400, "GET ftp://x/a HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "GET  HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "GET / HTTP/1.1 \r\nHost: x\r\n\r\n"),
    ROW(505, "GET /\r\n\r\n"), /* HTTP/0.9 */
    ROW(400, "GET / HTTPS/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "GET / HTTP/1.x\r\nHost: x\r\n\r\n"),
    ROW(505, "GET / HTTP/1.2\r\nHost: x\r\n\r\n"),
    ROW(505, "GET / HTTP/0.9\r\nHost: x\r\n\r\n"),
    ROW(505, "GET / HTTP/2.0\r\nHost: x\r\n\r\n"),
    ROW(505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ROW(501, "BREW / HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(501, "get / HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(501, "POS / HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(501, "POSTS / HTTP/1.1\r\nHost: x\r\n\r\n"),
    ROW(400, "\x16\x03\x01\x02\x00\x01"), /* TLS */
    ROW(400, "\"}\r\n"),
    ROW(411, POST "\r\nhello"),
    ROW(411, "POST /mcp HTTP/1.0\r\n\r\nhello"),
    ROW(417, POST "Expect: something\r\nContent-Length: 5\r\n\r\nhello"),
};

/* The status of the answer that has come; 0: there is none. */
static int status_of_answer(void) {
  return strncmp(r.got, "HTTP/1.1 ", 9) == 0 ? atoi(r.got + 9) : 0;
}

static void expect_refusal(const refused *row) {
  http_rig_connect(&r);
  http_send_n(&r, row->request, row->len);
  HTTP_WAIT(&r, r.is_over);
  if (status_of_answer() != row->status) {
    fail_msg("%d, not %d: %s", status_of_answer(), row->status, row->request);
  }
  assert_non_null(strstr(r.got, "Content-Type: text/plain; charset=utf-8\r\n"));
  http_expect_refusal(&r, row->status);
  http_expect(&r, "\r\n\r\nThe ");
  assert_int_equal(r.got[r.got_len - 1], '\n');
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

FIXTURE_TEST(malformed_requests_are_refused) {
  for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
    expect_refusal(&malformed[i]);
  }
  assert_int_equal(r.body_count, 0);
  assert_int_equal(r.gone_count, r.head_count);
}

/* --- limits -------------------------------------------------------------- */

/* A GET whose head has so many bytes. */
static char *head_of(size_t len) {
  static const char begin_text[] = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
  char *head = malloc(len + 1);
  memset(head, 'a', len);
  memcpy(head, begin_text, sizeof(begin_text) - 1);
  memcpy(head + len - 4, "\r\n\r\n", 5);
  return head;
}

FIXTURE_TEST(long_heads_are_refused) {
  const size_t limit = 200;
  r.limits.max_head = (uint32_t)limit;
  char *head = head_of(limit);
  http_rig_connect(&r);
  http_send(&r, head);
  http_send(&r, head);
  HTTP_WAIT(&r, r.body_count == 2);
  free(head);
  head = head_of(limit + 1);
  http_rig_connect(&r);
  http_send(&r, head);
  http_expect_refusal(&r, 431);
  http_rig_connect(&r); /* cut within, no request gets more than its own */
  http_send_n(&r, head, limit - 1);
  http_turn(&r);
  http_send(&r, head + limit - 1);
  http_expect_refusal(&r, 431);
  free(head);
  assert_int_equal(r.head_count, 2);
}

FIXTURE_TEST(long_targets_are_refused) {
  char target[400];
  memset(target, 'a', sizeof(target));
  memcpy(target, "GET /", 5);
  r.limits.max_head = 200;
  http_rig_connect(&r);
  http_send_n(&r, target, sizeof(target));
  http_expect_refusal(&r, 414);
}

static void send_with_headers(int count) {
  http_send(&r, "GET / HTTP/1.1\r\nHost: x\r\n");
  for (int i = 1; i < count; i++) {
    http_send(&r, "A: b\r\n");
  }
  http_send(&r, "\r\n");
}

FIXTURE_TEST(many_headers_are_refused) {
  r.limits.max_headers = 10;
  http_rig_connect(&r);
  send_with_headers(10);
  HTTP_WAIT(&r, r.body_count == 1);
  send_with_headers(11);
  http_expect_refusal(&r, 431);
}

FIXTURE_TEST(long_bodies_are_refused) {
  r.limits.max_body = 5;
  http_rig_connect(&r);
  http_send(&r, HELLO POST "Transfer-Encoding: chunked\r\n\r\n"
                           "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
  HTTP_WAIT(&r, r.body_count == 2);
  http_rig_connect(&r);
  http_send(&r, POST "Content-Length: 6\r\n\r\nhello!");
  http_expect_refusal(&r, 413);
  assert_int_equal(r.head_count, 2); /* nobody was asked */
  http_rig_connect(&r);
  http_send(&r, POST "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n4\r\nllo!");
  http_expect_refusal(&r, 413);
  assert_int_equal(r.head_count, 3);
  assert_int_equal(r.gone_count, 1);
}

/* max_body is 5 here: none of it needs to come. */
FIXTURE_TEST(a_chunk_past_the_limit_is_refused_by_its_size) {
  r.limits.max_body = 5;
  http_rig_connect(&r);
  http_send(&r, POST "Transfer-Encoding: chunked\r\n\r\n6\r\n");
  http_expect_refusal(&r, 413);
  http_rig_connect(&r);
  http_send(&r, POST "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n4\r\n");
  http_expect_refusal(&r, 413);
  http_rig_connect(&r);
  http_send(&r, POST "Transfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n");
  http_expect_refusal(&r, 413);
  http_rig_connect(&r);
  http_send(&r, POST "Transfer-Encoding: chunked\r\n\r\n"
                     "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
  http_expect(&r, "hello");
}

FIXTURE_TEST(blanks_in_the_request_line_are_counted) {
  static const char *const lines[] = {
      "GET  / HTTP/1.1\r\n", "GET /  HTTP/1.1\r\n", "GET / HTTP/1.1 \r\n",
      "\r\n\r\nGET  / HTTP/1.1\r\n"};
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
    for (size_t cut = 0; cut < strlen(lines[i]); cut++) {
      http_rig_connect(&r);
      http_send_n(&r, lines[i], cut);
      http_turn(&r);
      http_send(&r, &lines[i][cut]);
      http_send(&r, "Host: x\r\n\r\n");
      http_expect_refusal(&r, 400);
    }
  }
  assert_int_equal(r.head_count, 0);
  http_rig_connect(&r);
  http_send(&r, "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nA: b c d e\r\n\r\n");
  http_expect(&r, "HTTP/1.1 200 OK");
}

FIXTURE_TEST(empty_lines_do_not_restart_the_idle_clock) {
  r.limits.idle_ms = 200;
  http_rig_connect(&r);
  uint64_t began = uv_hrtime();
  while (!r.is_over) {
    assert_true(uv_hrtime() - began < UINT64_C(30000000000));
    http_send(&r, "\r\n");
    http_step(&r);
  }
}

static void send_many(const char *text, int count) {
  for (int i = 0; i < count && !r.is_over; i++) {
    http_send(&r, text);
    http_step(&r);
  }
}

/* Without a limit, a chunked request could continue indefinitely without a
 * single body byte. */
FIXTURE_TEST(chunks_cannot_be_all_framing) {
  r.limits.max_head = 200;
  http_rig_connect(&r);
  http_send(&r, POST "Transfer-Encoding: chunked\r\n\r\n5;a=");
  send_many("bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", 100);
  http_expect_refusal(&r, 431);
  http_rig_connect(&r);
  http_send(&r, POST "Transfer-Encoding: chunked\r\n\r\n0\r\n");
  send_many("Trailer: aaaaaaaaaaaaaaaaaaaaaaaaa\r\n", 100);
  http_expect_refusal(&r, 431);
  http_rig_connect(&r); /* small ones are well */
  http_send(&r, POST "Transfer-Encoding: chunked\r\n\r\n");
  send_many("1\r\na\r\n", 500);
  http_send(&r, "0\r\n\r\n");
  HTTP_WAIT(&r, r.body_count == 1);
}

/* --- deadlines ----------------------------------------------------------- */

/* Total, not idle: dripping without end does not help. */
static int drip(void) {
  send(r.client, "a", 1, MSG_NOSIGNAL);
  return r.is_over;
}

FIXTURE_TEST(slow_heads_are_refused) {
  r.limits.head_ms = 50;
  r.limits.max_head = 100 * 1024 * 1024;
  http_rig_connect(&r);
  http_send(&r, "GET / HTTP/1.1\r\nHost: x\r\nA: ");
  HTTP_WAIT(&r, drip());
  http_expect_refusal(&r, 408);
  assert_int_equal(r.head_count, 0);
}

FIXTURE_TEST(an_empty_line_begins_no_request) {
  r.limits.head_ms = 50;
  r.limits.idle_ms = 200;
  http_rig_connect(&r);
  http_send(&r, HELLO "\r\n");
  http_expect(&r, "hello");
  http_expect_end(&r, ""); /* no 408 */
  http_rig_connect(&r);
  http_send(&r, "\r");
  http_turn(&r);
  http_send(&r, "\n\r\n" HELLO);
  http_expect(&r, "hello");
}

FIXTURE_TEST(slow_bodies_are_refused) {
  r.limits.body_ms = 50;
  http_rig_connect(&r);
  http_send(&r, POST "Content-Length: 3000000\r\n\r\n");
  HTTP_WAIT(&r, drip());
  http_expect_refusal(&r, 408);
  assert_int_equal(r.gone_count, 1);
  r.mode = HTTP_REFUSE; /* one that is skipped has been answered */
  http_rig_connect(&r);
  http_send(&r, POST "Content-Length: 60000\r\n\r\n");
  http_expect(&r, "\r\n\r\nno");
  HTTP_WAIT(&r, r.is_over);
  assert_string_equal(r.got, "");
}

FIXTURE_TEST(idle_connections_are_closed) {
  r.limits.idle_ms = 20;
  http_rig_connect(&r);
  http_expect_end(&r, "");
}

FIXTURE_TEST(an_answer_begins_a_new_idle_time) {
  r.limits.idle_ms = 400;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  http_expect(&r, "hello");
  http_expect_end(&r, "");
}

FIXTURE_TEST(a_request_under_way_is_not_idle) {
  r.limits.idle_ms = 400;
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  uint64_t began = uv_hrtime();
  HTTP_WAIT(&r, uv_hrtime() - began > UINT64_C(1000000000));
  assert_false(r.is_over);
  http_answer(&r, 200, "there");
  http_expect(&r, "there");
}

static int pour(const char bytes[65536], size_t *sent) {
  ssize_t n = send(r.client, bytes, 65536, MSG_NOSIGNAL);
  *sent += n > 0 ? (size_t)n : 0;
  return mcpi_http1_connection_count(r.http1) == 0;
}

FIXTURE_TEST(lingering_is_bounded) {
  char *bytes = calloc(1, 65536);
  http_rig_connect(&r); /* who never closes is waited for, but not for long */
  http_send(&r, "nonsense\r\n\r\n");
  http_expect_refusal(&r, 501);
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
  http_rig_connect(&r); /* nor for many bytes */
  http_send(&r, "nonsense\r\n\r\n");
  size_t sent = 0;
  HTTP_WAIT(&r, pour(bytes, &sent));
  assert_true(sent < 32 * 1024 * 1024);
  free(bytes);
}

/* --- clients that do not read -------------------------------------------- */

static void begin_stream(void) {
  int size = 4096;
  r.mode = HTTP_DEFER;
  http_rig_connect_tcp(&r);
  setsockopt(r.client, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->begin(r.exchange, 200, NULL, 0);
}

FIXTURE_TEST(who_does_not_read_in_time_is_given_up) {
  char *bytes = calloc(1, 8 * 1024 * 1024);
  r.limits.write_ms = 50;
  begin_stream();
  r.responder->write(r.exchange, bytes, 8 * 1024 * 1024);
  assert_true(r.responder->queued(r.exchange) > 0);
  for (uint64_t began = uv_hrtime(); r.gone_count == 0;) {
    assert_true(uv_hrtime() - began < UINT64_C(30000000000));
    assert_int_equal(mcp_loop_wait(r.loop, 100), 0);
  }
  assert_int_equal(mcpi_http1_connection_count(r.http1), 0);
  free(bytes);
}

FIXTURE_TEST(what_waits_to_be_read_is_bounded) {
  const size_t step = 64 * 1024;
  char *bytes = calloc(1, step);
  size_t written = 0;
  r.limits.max_queue = 256 * 1024;
  begin_stream();
  while (r.gone_count == 0) {
    r.responder->write(r.exchange, bytes, step);
    written += step;
    assert_true(r.responder->queued(r.exchange) <= r.limits.max_queue);
    assert_true(written < (size_t)64 * 1024 * 1024);
    http_turn(&r);
  }
  free(bytes);
}

/* --- what waits in all connections -------------------------------------- */

enum { MANY = 4 };

/* Connections that each keep so much of a body waiting, as far as they may. */
static void fill(int clients[MANY], const char *bytes, size_t len) {
  for (int i = 0; i < MANY; i++) {
    http_rig_connect(&r);
    clients[i] = dup(r.client);
    http_send(&r, POST "Content-Length: 100000\r\n\r\n");
    http_send_n(&r, bytes, len);
    http_turn(&r);
  }
}

static void release(const int clients[MANY]) {
  for (int i = 0; i < MANY; i++) {
    close(clients[i]);
  }
  http_close_client(&r);
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
}

FIXTURE_TEST(bodies_together_are_bounded) {
  static char bytes[40 * 1000];
  int clients[MANY];
  r.limits.max_waiting = 100 * 1000;
  fill(clients, bytes, 20 * 1000);
  assert_int_equal(mcpi_http1_connection_count(r.http1), MANY);
  http_rig_connect(&r); /* there is as much left as each of them has */
  http_send(&r, POST "Content-Length: 40000\r\n\r\n");
  http_send_n(&r, bytes, 30 * 1000);
  http_expect_refusal(&r, 503);
  http_rig_connect(&r); /* what comes in one piece does not wait */
  http_send(&r, HELLO);
  http_expect(&r, "hello");
  release(clients);
  http_rig_connect(&r); /* and when they are gone there is room again */
  http_send(&r, POST "Content-Length: 40000\r\n\r\n");
  http_send_n(&r, bytes, 30 * 1000);
  http_turn(&r);
  http_send_n(&r, bytes, 10 * 1000);
  http_expect(&r, "Content-Length: 40000\r\n");
}

FIXTURE_TEST(half_bodies_of_one_address_leave_room_for_another) {
  enum { GREEDY = 20, SIZE = 100 * 1024 };
  static char bytes[SIZE];
  int clients[GREEDY];
  r.limits.max_connections = 2 * GREEDY;
  r.limits.max_waiting = 1024 * 1024;
  for (int i = 0; i < GREEDY; i++) {
    http_rig_connect_from(&r, "192.0.2.1:4711");
    clients[i] = dup(r.client);
    http_send(&r, POST "Content-Length: 102400\r\n\r\n");
    http_send_n(&r, bytes, 48 * 1024);
    http_turn(&r);
  }
  http_rig_connect_from(&r, "192.0.2.2:4711");
  http_send(&r, POST "Content-Length: 102400\r\n\r\n");
  http_send_n(&r, bytes, SIZE - 1);
  http_turn(&r);
  http_send_n(&r, bytes, 1);
  http_expect(&r, "Content-Length: 102400\r\n");
  for (int i = 0; i < GREEDY; i++) {
    close(clients[i]);
  }
}

/* Connects and returns the client's end; -1: the server refused it. */
static int reach_from(const char *peer) {
  int fds[2];
  make_socketpair(fds);
  if (mcpi_http1_serve(r.http1, fds[1], peer) != 0) {
    char byte;
    assert_int_equal(read(fds[0], &byte, 1), 0);
    close(fds[0]);
    return -1;
  }
  return fds[0];
}

FIXTURE_TEST(one_address_leaves_connections_for_another) {
  enum { MAX = 40 };
  int clients[MAX / 2];
  r.limits.max_connections = MAX;
  assert_int_equal(http_rig_make_server(&r), 0);
  for (int i = 0; i < MAX / 2; i++) {
    clients[i] = reach_from("192.0.2.1:4711");
    assert_true(clients[i] >= 0);
  }
  assert_int_equal(r.refused_count, 0);
  assert_int_equal(reach_from("192.0.2.1:4712"), -1);
  assert_int_equal(r.refused_count, 1);
  assert_non_null(
      strstr(r.refused,
             "192.0.2.1:4712: a connection was refused: this client has 20 of "
             "the 40 connections"));
  http_rig_connect_from(&r, "192.0.2.2:4711");
  http_send(&r, HELLO);
  http_expect(&r, "HTTP/1.1 200");
  close(clients[0]);
  close(clients[1]); /* the other has one, so the share is 19 now */
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == MAX / 2 - 1);
  clients[1] = reach_from("192.0.2.1:4713");
  assert_true(clients[1] >= 0);
  for (int i = 1; i < MAX / 2; i++) {
    close(clients[i]);
  }
}

FIXTURE_TEST(answers_together_are_bounded) {
  enum { SIZE = 8 * 1024 * 1024 };
  char *bytes = calloc(1, SIZE);
  r.limits.max_waiting = SIZE;
  begin_stream();
  r.responder->write(r.exchange, bytes, SIZE);
  HTTP_WAIT(&r, r.gone_count == 1);
  free(bytes);
}

/* However long, and read by pieces. */
FIXTURE_TEST(a_long_answer_may_wait_alone) {
  const size_t size = 8 * 1024 * 1024;
  char *bytes = malloc(size);
  memset(bytes, 'x', size);
  r.limits.max_queue = 1000;
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, HELLO HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->respond(r.exchange, 200, NULL, 0, bytes, size);
  http_turn(&r);
  assert_int_equal(r.head_count, 1); /* the next waits until it is read */
  http_expect(&r, "\r\n\r\n");
  HTTP_WAIT(&r, r.got_len == size);
  assert_memory_equal(r.got, bytes, size);
  HTTP_WAIT(&r, r.body_count == 2);
  free(bytes);
}

/* --- memory -------------------------------------------------------------- */

/* A new server and connection; whether there was memory for both. */
static int connect_short_of_memory(void) {
  http_rig_free_server(&r);
  int fds[2];
  make_socketpair(fds);
  http_rig_use(&r, fds[0]);
  if (http_rig_make_server(&r) != 0) {
    close(fds[1]);
    return 0;
  }
  return mcpi_http1_serve(r.http1, fds[1], "unix") == 0;
}

/* An answer that must be queued to a request that must be copied. */
FIXTURE_TEST(out_of_memory_is_survived) {
  static const char head[] = POST "Content-Length: 400000\r\n\r\n";
  char *request = head_of(sizeof(head) - 1 + 400000);
  memcpy(request, head, sizeof(head) - 1);
  int is_answered = 0;
  for (size_t i = 1; !is_answered; i++) {
    r.alloc.fail_at = r.alloc.calls + i;
    if (connect_short_of_memory()) {
      http_send_n(&r, request, sizeof(head) - 1 + 400000);
      HTTP_WAIT(&r, r.is_over || r.got_len > 400000);
    }
    is_answered = r.got_len > 400000;
    http_rig_free_server(&r);
    http_turn(&r);
    mcpi_pool_trim(&r.loop->pool, 0);
    assert_true(i < 100);
  }
  assert_true(r.alloc.failures > 5);
  free(request);
}
