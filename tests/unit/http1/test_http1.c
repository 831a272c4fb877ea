/* SPDX-License-Identifier: MIT */
/* The HTTP/1.1 server: requests, answers, connections. */
#include "core/loop.h"
#include "support/libmcp/http_rig.h"
#include "support/libmcp/recorder.h"
#include <fcntl.h>
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

static void expect_echo(const char *body) {
  char length[48];
  snprintf(length, sizeof(length), "Content-Length: %zu\r\n\r\n", strlen(body));
  http_expect(&r, "HTTP/1.1 200 OK\r\nDate: ");
  http_expect(&r, length);
  http_expect(&r, body);
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

/* --- requests ------------------------------------------------------------ */

FIXTURE_TEST(a_request_comes_as_it_was_sent) {
  http_rig_connect(&r);
  http_send(&r, "POST /mcp?a=b HTTP/1.1\r\nHost: x:1\r\nEmpty:\r\n"
                "X-Blanks: \t a b \t \r\ncontent-length: 5\r\n\r\nhello");
  expect_echo("hello");
  assert_string_equal(r.log, "POST /mcp?a=b|Host=x:1|Empty=|X-Blanks=a b|"
                             "content-length=5|{hello}\n");
}

/* The second request waits in `ahead`, and is longer than the first block. */
FIXTURE_TEST(heads_are_overwritten_before_they_are_freed) {
  char request[3000];
  char filler[2000];
  memset(filler, 'f', sizeof(filler) - 1);
  filler[sizeof(filler) - 1] = '\0';
  snprintf(request, sizeof(request),
           "GET / HTTP/1.1\r\nHost: x\r\n"
           "Authorization: Bearer hidden\r\n\r\n"
           "GET / HTTP/1.1\r\nHost: x\r\n"
           "Authorization: Bearer hidden\r\nX: %s\r\n\r\n",
           filler);
  r.alloc.secret = "hidden";
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, request);
  HTTP_WAIT(&r, r.body_count == 1);
  http_answer(&r, 200, "one");
  HTTP_WAIT(&r, r.body_count == 2);
  http_answer(&r, 200, "two");
  http_expect(&r, "two");
  http_rig_end(&r);
  size_t left = r.alloc.left_secrets;
  http_rig_begin(&r);
  assert_int_equal(left, 0);
}

FIXTURE_TEST(requests_without_body_are_whole) {
  http_rig_connect(&r);
  http_send(&r, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  expect_echo("");
  http_send(&r, "DELETE /s HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  expect_echo("");
  assert_string_equal(r.log, "GET /|Host=x|{}\n"
                             "DELETE /s|Host=x|Content-Length=0|{}\n");
}

FIXTURE_TEST(whole_urls_stand_for_their_path) {
  http_rig_connect(&r);
  http_send(&r, "GET http://X:80/a?b HTTP/1.1\r\nHost: x:80\r\n\r\n"
                "GET HTTPS://x HTTP/1.1\r\nHost: x\r\n\r\n"
                "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n");
  HTTP_WAIT(&r, r.body_count == 3);
  assert_string_equal(r.log, "GET /a?b|Host=x:80|{}\nGET /|Host=x|{}\n"
                             "OPTIONS *|Host=x|{}\n");
}

/* There is nothing to upgrade to. */
FIXTURE_TEST(upgrades_are_passed_over) {
  http_rig_connect(&r);
  http_send(&r, POST "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                     "Content-Length: 5\r\n\r\nhello" HELLO
                     "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n" HELLO);
  HTTP_WAIT(&r, r.body_count == 4);
}

FIXTURE_TEST(chunks_become_one_body) {
  http_rig_connect(&r);
  http_send(&r, POST "Transfer-Encoding: Chunked\r\n\r\n"
                     "3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n");
  expect_echo("abcde");
  assert_non_null(strstr(r.log, "Transfer-Encoding=Chunked|{abcde}"));
  http_send(&r, HELLO);
  expect_echo("hello");
}

/* The same requests come however the bytes are cut, a byte at a time too. */
FIXTURE_TEST(cuts_do_not_matter) {
  static const char text[] =
      "\r\n" HELLO "GET /b HTTP/1.1\r\nHost: y\r\nA: \r\n\r\n" POST
      "Transfer-Encoding: chunked\r\n\r\n4;a=\"b\"\r\nwiki\r\n5\r\npedia\r\n0"
      "\r\nT: v\r\n\r\n" HELLO;
  static const char expected[] =
      "POST /mcp|Host=x|Content-Length=5|{hello}\nGET /b|Host=y|A=|{}\n"
      "POST /mcp|Host=x|Transfer-Encoding=chunked|{wikipedia}\n"
      "POST /mcp|Host=x|Content-Length=5|{hello}\n";
  size_t len = sizeof(text) - 1;
  for (size_t cut = 0; cut <= len; cut++) {
    http_rig_connect(&r);
    r.log_len = 0;
    http_send_n(&r, text, cut);
    http_turn(&r);
    http_send_n(&r, text + cut, len - cut);
    HTTP_WAIT(&r, r.log_len == sizeof(expected) - 1);
    assert_string_equal(r.log, expected);
  }
  http_rig_connect(&r);
  r.log_len = 0;
  for (size_t i = 0; i < len; i++) {
    http_send_n(&r, text + i, 1);
    http_turn(&r);
  }
  assert_string_equal(r.log, expected);
}

FIXTURE_TEST(large_bodies_come_whole) {
  const size_t size = 3 * 1024 * 1024;
  char *body = malloc(size);
  memset(body, 'x', size);
  http_rig_connect(&r);
  http_send(&r, POST "Content-Length: 3145728\r\n\r\n");
  http_send_n(&r, body, size);
  http_expect(&r, "Content-Length: 3145728\r\n\r\n");
  HTTP_WAIT(&r, r.got_len == size);
  assert_memory_equal(r.got, body, size);
  free(body);
}

/* --- answers ------------------------------------------------------------- */

FIXTURE_TEST(head_has_the_length_but_no_body) {
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  HTTP_WAIT(&r, r.body_count == 1);
  http_answer(&r, 200, "hello");
  http_expect(&r, "Content-Length: 5\r\n\r\n");
  http_send(&r, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  HTTP_WAIT(&r, r.body_count == 2);
  r.responder->begin(r.exchange, 200, NULL, 0);
  r.responder->write(r.exchange, "hello", 5);
  r.responder->end(r.exchange);
  http_expect(&r, "Transfer-Encoding: chunked\r\n\r\n");
  http_turn(&r);
  http_step(&r);
  assert_string_equal(r.got, "");
}

/* Each write is a packet here: with two, the second waits for the first one's
 * acknowledgement. */
static void connect_by_packets(void) {
  int fds[2];
  assert_int_equal(http_rig_make_server(&r), 0);
  assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds),
                   0);
  assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
  assert_int_equal(mcpi_http1_serve(r.http1, fds[1], "unix"), 0);
  http_rig_use(&r, fds[0]);
  r.is_deaf = 1;
}

/* The next packet, with a zero behind it. */
static const char *take_packet(void) {
  static char packet[64 * 1024];
  ssize_t len = -1;
  HTTP_WAIT(&r, (len = recv(r.client, packet, sizeof(packet) - 1, 0)) > 0);
  packet[len] = '\0';
  return packet;
}

static void begins(const char *text, const char *with) {
  assert_memory_equal(text, with, strlen(with));
}

static void ends(const char *text, const char *with) {
  assert_true(strlen(text) >= strlen(with));
  assert_string_equal(text + strlen(text) - strlen(with), with);
}

/* All that comes until it ends so. The clock may tick between two pieces, and
 * then they do not go together. Returns in how many packets it came. */
static int take_until(const char *end) {
  char all[1024] = "";
  int count = 0;
  while (strstr(all, end) == NULL) {
    const char *packet = take_packet();
    assert_true(strlen(all) + strlen(packet) < sizeof(all));
    strcat(all, packet);
    count++;
  }
  ends(all, end);
  return count;
}

FIXTURE_TEST(head_and_body_are_one_write) {
  connect_by_packets();
  http_send(&r, HELLO);
  const char *packet = take_packet();
  begins(packet, "HTTP/1.1 200 OK\r\n");
  ends(packet, "\r\n\r\nhello");
}

static void answer_in_pieces(http_rig *rig) {
  rig->responder->begin(rig->exchange, 200, NULL, 0);
  rig->responder->write(rig->exchange, "one", 3);
  rig->responder->write(rig->exchange, "two", 3);
  rig->responder->end(rig->exchange);
}

FIXTURE_TEST(pieces_given_together_are_one_write) {
  r.mode = HTTP_DEFER;
  r.in_body = answer_in_pieces;
  connect_by_packets();
  int together = 0;
  for (int i = 0; i < 100; i++) {
    http_send(&r, HELLO);
    together += take_until("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n") == 1;
  }
  assert_true(together > 0);
}

/* Others may have taken all the room there is for what waits. */
FIXTURE_TEST(without_room_they_go_one_by_one) {
  r.mode = HTTP_DEFER;
  r.in_body = answer_in_pieces;
  r.limits.max_waiting = 100000;
  connect_by_packets();
  mcpi_holder *whole = &mcpi_http1_waiting(r.http1)->accounts.whole;
  mcpi_holder_add(whole, MCPI_HELD_BYTES, r.limits.max_waiting);
  http_send(&r, HELLO);
  ends(take_packet(), "\r\n\r\n");
  assert_string_equal(take_packet(), "3\r\none\r\n");
  assert_string_equal(take_packet(), "3\r\ntwo\r\n");
  assert_string_equal(take_packet(), "0\r\n\r\n");
  assert_int_equal(r.gone_count, 0);
  mcpi_holder_remove(whole, MCPI_HELD_BYTES, r.limits.max_waiting);
}

static void take_time(void) {
  int64_t since_ms = mcpi_loop_now(r.loop);
  while (mcpi_loop_now(r.loop) == since_ms) {
  }
}

static void answer_slowly(http_rig *rig) {
  rig->responder->begin(rig->exchange, 200, NULL, 0);
  rig->responder->write(rig->exchange, "one", 3);
  take_time();
  rig->responder->write(rig->exchange, "two", 3);
  take_until("\r\n\r\n3\r\none\r\n");
  take_until("3\r\ntwo\r\n");
  rig->responder->end(rig->exchange);
}

FIXTURE_TEST(a_handler_is_heard_while_it_works) {
  r.mode = HTTP_DEFER;
  r.in_body = answer_slowly;
  connect_by_packets();
  http_send(&r, HELLO);
  begins(take_packet(), "0\r\n\r\n");
}

static void answer_at_length(http_rig *rig) {
  static char text[32 * 1024];
  memset(text, 'x', sizeof(text));
  rig->responder->begin(rig->exchange, 200, NULL, 0);
  rig->responder->write(rig->exchange, text, sizeof(text));
  rig->responder->write(rig->exchange, "two", 3);
}

/* max_queue limits the bytes that a client does not read. It does not limit the
 * bytes that wait for more of the answer. */
FIXTURE_TEST(a_long_piece_waits_for_nothing) {
  r.mode = HTTP_DEFER;
  r.in_body = answer_at_length;
  r.limits.max_queue = 100;
  connect_by_packets();
  http_send(&r, HELLO);
  ends(take_packet(), "\r\n\r\n");
  begins(take_packet(), "8000\r\nxxx");
  begins(take_packet(), "3\r\ntwo\r\n");
}

static void break_off_behind_a_piece(http_rig *rig) {
  rig->responder->begin(rig->exchange, 200, NULL, 0);
  rig->responder->write(rig->exchange, "one", 3);
  rig->responder->abort(rig->exchange);
}

FIXTURE_TEST(what_was_given_before_the_break_arrives) {
  r.mode = HTTP_DEFER;
  r.in_body = break_off_behind_a_piece;
  connect_by_packets();
  http_send(&r, HELLO);
  take_until("\r\n\r\n3\r\none\r\n");
}

static void answer_and_free(http_rig *rig) {
  answer_in_pieces(rig);
  http_rig_free_server(rig);
}

FIXTURE_TEST(so_does_what_was_given_before_the_end) {
  r.mode = HTTP_DEFER;
  r.in_body = answer_and_free;
  connect_by_packets();
  http_send(&r, HELLO);
  take_until("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
}

FIXTURE_TEST(no_content_has_no_length) {
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->respond(r.exchange, 204, NULL, 0, NULL, 0);
  http_expect(&r, "HTTP/1.1 204 No Content\r\n");
  http_expect(&r, "GMT\r\n\r\n");
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 2);
  r.responder->respond(r.exchange, 202, NULL, 0, NULL, 0);
  http_expect(&r, "HTTP/1.1 202 Accepted\r\n");
  http_expect(&r, "Content-Length: 0\r\n\r\n");
}

FIXTURE_TEST(fields_cannot_be_smuggled_into_answers) {
  static const mcp_http_header headers[] = {
      {"Good", "a\tb"},  {"Bad", "a\r\nSet-Cookie: b"},
      {"Bad", "a\nb"},   {"Bad\r\nWorse", "a"},
      {"Bad name", "a"}, {"", "a"},
      {"Also-Good", ""},
  };
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->respond(r.exchange, 200, headers, 7, "x", 1);
  http_expect(&r, "GMT\r\nGood: a\tb\r\nAlso-Good: \r\nContent-Length: 1\r\n"
                  "\r\nx");
}

FIXTURE_TEST(pieces_go_out_at_once) {
  static const mcp_http_header type = {"Content-Type", "text/event-stream"};
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->begin(r.exchange, 200, &type, 1);
  http_expect(&r, "Content-Type: text/event-stream\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n");
  r.responder->write(r.exchange, "0123456789abcdef", 16);
  http_expect(&r, "10\r\n0123456789abcdef\r\n");
  r.responder->write(r.exchange, "", 0); /* would be the last */
  r.responder->write(r.exchange, "x", 1);
  http_expect(&r, "1\r\nx\r\n");
  r.responder->end(r.exchange);
  http_expect(&r, "0\r\n\r\n");
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 2);
  http_answer(&r, 200, "next");
  http_expect(&r, "\r\n\r\nnext");
}

FIXTURE_TEST(close_ends_the_answer_and_the_connection) {
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->begin(r.exchange, 200, NULL, 0);
  http_expect(&r, "Transfer-Encoding: chunked\r\n\r\n");
  r.responder->write(r.exchange, "x", 1);
  r.responder->close(r.exchange);
  http_expect_end(&r, "1\r\nx\r\n0\r\n\r\n");
  assert_int_equal(r.gone_count, 0);
}

FIXTURE_TEST(http10_is_answered_without_chunks) {
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->begin(r.exchange, 200, NULL, 0);
  r.responder->write(r.exchange, "abc", 3);
  r.responder->end(r.exchange);
  http_expect(&r, "GMT\r\nConnection: close\r\n\r\n");
  http_expect_end(&r, "abc");
}

FIXTURE_TEST(an_aborted_answer_is_not_taken_for_whole) {
  r.mode = HTTP_DEFER;
  http_rig_connect_tcp(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->begin(r.exchange, 200, NULL, 0);
  r.responder->write(r.exchange, "abc", 3);
  http_expect(&r, "chunked\r\n\r\n");
  r.responder->abort(r.exchange);
  http_expect_end(&r, "3\r\nabc\r\n");
  http_rig_connect_tcp(&r);
  http_send(&r, "GET / HTTP/1.0\r\n\r\n");
  HTTP_WAIT(&r, r.body_count == 2);
  r.responder->begin(r.exchange, 200, NULL, 0);
  http_expect(&r, "\r\n\r\n");
  r.responder->abort(r.exchange);
  http_expect_end(&r, "");
  assert_true(r.is_reset);
  assert_int_equal(r.gone_count, 0);
}

FIXTURE_TEST(refusals_keep_the_connection_when_the_body_is_short) {
  r.mode = HTTP_REFUSE;
  http_rig_connect(&r);
  http_send(&r, POST "Content-Length: 10\r\n\r\n12345");
  http_expect(&r, "HTTP/1.1 403 Forbidden");
  http_expect(&r, "\r\n\r\nno");
  http_send(&r, "67890" HELLO);
  http_expect(&r, "HTTP/1.1 403 Forbidden");
  assert_int_equal(r.body_count, 0);
  assert_int_equal(r.gone_count, 0);
}

/* The client may send all of it before it reads. */
FIXTURE_TEST(refusals_of_long_bodies_can_be_read) {
  char *body = calloc(1, 500000);
  r.mode = HTTP_REFUSE;
  http_rig_connect_tcp(&r);
  http_send(&r, POST "Content-Length: 500000\r\n\r\n");
  http_send_n(&r, body, 500000);
  http_expect(&r, "HTTP/1.1 403 Forbidden");
  http_expect(&r, "Connection: close\r\n");
  http_expect_end(&r, "Content-Length: 2\r\n\r\nno");
  assert_false(r.is_reset);
  http_close_client(&r);
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
  free(body);
}

FIXTURE_TEST(who_does_not_answer_is_answered_for) {
  r.mode = HTTP_MUTE;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  http_expect_refusal(&r, 500);
}

/* --- 100 (Continue) ------------------------------------------------------ */

#define EXPECT POST "Expect: 100-Continue\r\nContent-Length: 5\r\n\r\n"

FIXTURE_TEST(who_expects_100_is_told_to_go_on) {
  http_rig_connect(&r);
  http_send(&r, EXPECT);
  http_expect(&r, "HTTP/1.1 100 Continue\r\n\r\n");
  http_send(&r, "hello");
  expect_echo("hello");
}

FIXTURE_TEST(nobody_is_told_to_go_on_who_has) {
  http_rig_connect(&r);
  http_send(&r, EXPECT "he");
  http_turn(&r);
  http_send(&r, "llo");
  HTTP_WAIT(&r, r.body_count == 1);
  http_step(&r);
  assert_null(strstr(r.got, "100 Continue"));
  expect_echo("hello");
}

/* It may send the body or not, so the connection cannot be used any more. */
FIXTURE_TEST(who_is_refused_is_not_told_to_go_on) {
  r.mode = HTTP_REFUSE;
  http_rig_connect(&r);
  http_send(&r, EXPECT);
  HTTP_WAIT(&r, r.is_over);
  assert_null(strstr(r.got, "100 Continue"));
  http_expect_refusal(&r, 403);
}

/* --- pipelining ---------------------------------------------------------- */

FIXTURE_TEST(pipelined_requests_wait_for_a_deferred_answer) {
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: "
                "x\r\n\r\nGET /3 HTTP/1.1\r\nHos");
  HTTP_WAIT(&r, r.body_count == 1);
  http_send(&r, "t: x\r\n\r\n");
  http_turn(&r);
  assert_int_equal(r.head_count, 1);
  http_answer(&r, 200, "one");
  assert_int_equal(r.head_count, 1); /* not inside the responder */
  http_expect(&r, "\r\n\r\none");
  HTTP_WAIT(&r, r.body_count == 2);
  http_answer(&r, 200, "two");
  http_expect(&r, "\r\n\r\ntwo");
  HTTP_WAIT(&r, r.body_count == 3);
  http_answer(&r, 200, "three");
  http_expect(&r, "\r\n\r\nthree");
  assert_string_equal(r.log, "GET /1|Host=x|{}\nGET /2|Host=x|{}\n"
                             "GET /3|Host=x|{}\n");
}

/* Bytes that the server takes without reading for good. */
static size_t send_until_blocked(void) {
  char bytes[1024];
  size_t sent = 0;
  memset(bytes, 'a', sizeof(bytes));
  for (int i = 0; i < 20; i++) {
    ssize_t n;
    while ((n = send(r.client, bytes, sizeof(bytes), MSG_NOSIGNAL)) > 0) {
      sent += (size_t)n;
    }
    http_turn(&r);
  }
  return sent;
}

FIXTURE_TEST(what_is_sent_ahead_is_bounded) {
  int size = 4096;
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  setsockopt(r.client, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  assert_true(send_until_blocked() < 200 * 1024);
  assert_true(r.alloc.live_bytes < 400 * 1024);
  /* The server notices nevertheless that the client leaves. */
  http_close_client(&r);
  HTTP_WAIT(&r, r.gone_count == 1);
  assert_int_equal(mcpi_http1_connection_count(r.http1), 0);
}

/* --- clients that go ----------------------------------------------------- */

FIXTURE_TEST(a_client_that_goes_is_noticed_at_once) {
  r.mode = HTTP_DEFER;
  for (size_t i = 0; i < 8; i++) {
    http_rig_connect_tcp(&r);
    if (i & 1) { /* while the body is read */
      http_send(&r, POST "Content-Length: 5\r\n\r\nhe");
    } else {
      http_send(&r, HELLO);
    }
    HTTP_WAIT(&r, r.head_count == i + 1);
    if (i & 2) {
      r.responder->begin(r.exchange, 200, NULL, 0);
      r.responder->write(r.exchange, "x", 1);
    }
    if (i & 4) {
      http_reset_client(&r);
    } else {
      http_close_client(&r);
    }
    HTTP_WAIT(&r, r.gone_count == i + 1);
    assert_int_equal(mcpi_http1_connection_count(r.http1), 0);
  }
}

/* It would not be told apart from one that has gone. */
FIXTURE_TEST(half_a_client_awaits_nothing) {
  http_rig_connect(&r);
  http_send(&r, HELLO);
  shutdown(r.client, SHUT_WR);
  expect_echo("hello"); /* at once, so it is there */
  http_expect_end(&r, "");
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  shutdown(r.client, SHUT_WR);
  HTTP_WAIT(&r, r.gone_count == 1);
  http_expect_end(&r, "");
}

/* Writing finds that the client has gone before reading does. */
FIXTURE_TEST(a_failed_write_is_told_later) {
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  r.responder->begin(r.exchange, 200, NULL, 0);
  http_close_client(&r);
  r.responder->write(r.exchange, "x", 1);
  assert_int_equal(r.gone_count, 0);
  HTTP_WAIT(&r, r.gone_count == 1);
}

/* --- the end ------------------------------------------------------------- */

static void free_it(http_rig *rig) {
  http_rig_free_server(rig);
}

FIXTURE_TEST(it_may_be_freed_in_each_callback) {
  r.mode = HTTP_DEFER;
  r.in_head = free_it;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.gone_count == 1);
  r.in_head = NULL;
  r.in_body = free_it;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.gone_count == 2);
  r.in_body = NULL;
  r.in_gone = free_it;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 2);
  http_close_client(&r);
  HTTP_WAIT(&r, r.gone_count == 3);
  r.in_gone = NULL;
  r.mode = HTTP_REFUSE;
  r.in_head = free_it;
  http_rig_connect(&r);
  http_send(&r, HELLO HELLO);
  HTTP_WAIT(&r, r.head_count == 4);
  r.in_head = NULL;
  r.mode = HTTP_ECHO;
  r.in_body = free_it;
  http_rig_connect(&r);
  http_send(&r, HELLO HELLO);
  HTTP_WAIT(&r, r.body_count == 3);
  assert_int_equal(r.gone_count, 4);
}

static void abort_it(http_rig *rig) {
  rig->responder->abort(rig->exchange);
}

FIXTURE_TEST(it_may_be_aborted_in_each_callback) {
  r.mode = HTTP_DEFER;
  r.in_head = abort_it;
  http_rig_connect(&r);
  http_send(&r, HELLO HELLO);
  http_expect_end(&r, "");
  r.in_head = NULL;
  r.in_body = abort_it;
  http_rig_connect(&r);
  http_send(&r, HELLO HELLO);
  http_expect_end(&r, "");
  assert_int_equal(r.head_count, 2);
  assert_int_equal(r.gone_count, 0);
}

FIXTURE_TEST(draining_lets_answers_end) {
  r.mode = HTTP_DEFER;
  http_rig_connect(&r);
  int idle = r.client;
  r.client = -1;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  HTTP_WAIT(&r, r.body_count == 1);
  mcpi_http1_drain(r.http1, NULL, NULL);
  assert_int_equal(mcpi_http1_connection_count(r.http1), 1);
  http_answer(&r, 200, "last");
  http_expect(&r, "Connection: close\r\n");
  http_expect_end(&r, "Content-Length: 4\r\n\r\nlast");
  http_close_client(&r);
  HTTP_WAIT(&r, mcpi_http1_connection_count(r.http1) == 0);
  close(idle);
}

FIXTURE_TEST(connection_close_is_heeded) {
  http_rig_connect(&r);
  http_send(&r, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" HELLO);
  http_expect(&r, "Connection: close\r\n");
  http_expect_end(&r, "Content-Length: 0\r\n\r\n");
  assert_int_equal(r.head_count, 1);
}

/* --- memory -------------------------------------------------------------- */

FIXTURE_TEST(a_stream_of_requests_asks_for_no_memory) {
  http_rig_connect(&r);
  http_send(&r, HELLO);
  expect_echo("hello");
  size_t before = r.alloc.calls;
  for (int i = 0; i < 50; i++) {
    http_send(&r, HELLO);
    expect_echo("hello");
  }
  assert_int_equal(r.alloc.calls, before);
}

FIXTURE_TEST(idle_connections_hold_little) {
  enum { COUNT = 100 };
  int fds[COUNT];
  r.limits.max_connections = COUNT + 1;
  http_rig_connect(&r);
  http_send(&r, HELLO);
  expect_echo("hello");
  size_t before = r.alloc.live_bytes;
  for (int i = 0; i < COUNT; i++) {
    fds[i] = r.client;
    r.client = -1;
    http_rig_connect(&r);
    http_send(&r, HELLO);
    expect_echo("hello");
  }
  size_t each = (r.alloc.live_bytes - before) / COUNT;
  assert_true(each < 1536);
  for (int i = 0; i < COUNT; i++) {
    close(fds[i]);
  }
}

FIXTURE_TEST(too_many_connections_are_closed) {
  int fds[2];
  r.limits.max_connections = 1;
  http_rig_connect(&r);
  make_socketpair(fds);
  assert_int_equal(mcpi_http1_serve(r.http1, fds[0], "unix"), MCP_ERR_LIMIT);
  char byte;
  assert_int_equal(read(fds[1], &byte, 1), 0);
  close(fds[1]);
}
