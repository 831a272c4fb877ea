/* SPDX-License-Identifier: MIT */
/* A server on stream sockets, spoken to by plain descriptors. */
#include "net/address.h"
#include "support/failing_alloc.h"
#include "support/libmcp/recorder.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mcp/call.h>
#include <mcp/socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A call of the tool "who", without session. */
#define META                                                                   \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","     \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define CALL                                                                   \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"       \
  "\"name\":\"who\"," META "}}\n"

static mcp_loop *loop;
static mcp_server *server;
static mcp_socket_listener *listener;
static char folder[32];
static int call_count;
static mcp_call *deferred; /* by "wait" */
static size_t traced;
static mcp_error reported; /* the last */
static int report_count;
static mcp_socket_listen_options options; /* of the listener */
static int client;                        /* -1: not connected */

static int on_who(mcp_call *call, void *userdata) {
  call_count++;
  const char *principal = mcp_call_principal(call);
  const char *peer = mcp_call_peer(call);
  return mcp_call_reply_textf(call, "%s at %s",
                              principal != NULL ? principal : "nobody", peer);
}

static int on_wait(mcp_call *call, void *userdata) {
  deferred = call;
  return mcp_call_defer(call);
}

static void on_report(mcp_server *about, const mcp_error *err, void *userdata) {
  assert_ptr_equal(about, server);
  reported = *err;
  report_count++;
}

static mcp_server *make_server(void) {
  const mcp_server_options reporting = {.size = sizeof(mcp_server_options),
                                        .on_report = on_report};
  mcp_server *made = mcp_server_new("sockets", "1", &reporting, NULL);
  mcp_server_add_tool(
      made,
      &(mcp_tool){.size = sizeof(mcp_tool), .name = "who", .handler = on_who},
      NULL);
  mcp_server_add_tool(
      made,
      &(mcp_tool){.size = sizeof(mcp_tool), .name = "wait", .handler = on_wait},
      NULL);
  assert_null(mcp_server_error(made));
  return made;
}

static int begin(void **state) {
  loop = loop_begin();
  listener = NULL;
  call_count = 0;
  deferred = NULL;
  traced = 0;
  report_count = 0;
  options = (mcp_socket_listen_options){
      .size = sizeof(mcp_socket_listen_options), .address = "127.0.0.1:0"};
  client = -1;
  server = make_server();
  snprintf(folder, sizeof(folder), "/tmp/socket-XXXXXX");
  assert_non_null(mkdtemp(folder));
  return 0;
}

static void leave(void) {
  if (client >= 0) {
    close(client);
  }
  client = -1;
}

static int end(void **state) {
  leave();
  mcp_socket_listener_free(listener);
  mcp_call_drop(deferred);
  mcp_server_free(server);
  loop_end(loop);
  assert_int_equal(rmdir(folder), 0);
  return 0;
}

static void serve(void) {
  mcp_error err = {0};
  listener = mcp_server_listen_socket(server, loop, &options, &err);
  if (listener == NULL) {
    fail_msg("%s", err.message);
  }
}

/* A connection to the listener, from a loopback address; NULL: any. */
static int reach_from(const char *source) {
  const char *url = mcp_socket_listener_url(listener);
  mcpi_address address;
  url += strncmp(url, "tcp://", 6) == 0 ? 6 : 0;
  assert_int_equal(mcpi_address_parse(&address, url, NULL), 0);
  int fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (source != NULL) {
    struct sockaddr_in from = {.sin_family = AF_INET};
    assert_int_equal(inet_pton(AF_INET, source, &from.sin_addr), 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
  }
  assert_int_equal(
      connect(fd, (struct sockaddr *)&address.storage, address.len), 0);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

static int reach(void) {
  return reach_from(NULL);
}

static void serve_client(void) {
  serve();
  client = reach();
}

/* What comes on the descriptor, up to a line feed or its end. */
static const char *await_line(int fd) {
  static char line[2000];
  size_t len = 0;
  ssize_t got = -1;
  line[0] = '\0';
  while (got != 0 && (len == 0 || line[len - 1] != '\n')) {
    assert_true(len < sizeof(line) - 1);
    WAIT_UNTIL(loop, (got = read(fd, line + len, 1)) >= 0 || errno != EAGAIN);
    if (got < 0) {
      break; /* reset */
    }
    len += (size_t)got;
    line[len] = '\0';
  }
  return line;
}

static void expect_in(const char *text, const char *part) {
  if (strstr(text, part) == NULL) {
    fail_msg("no \"%s\" in %s", part, text);
  }
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

/* --- serving ------------------------------------------------------------- */

FIXTURE_TEST(tcp_is_served) {
  serve();
  expect_in(mcp_socket_listener_url(listener), "tcp://127.0.0.1:");
  client = reach();
  write_text(client, CALL CALL);
  expect_in(await_line(client), "nobody at 127.0.0.1:");
  expect_in(await_line(client), "nobody at 127.0.0.1:");
  assert_int_equal(mcp_socket_listener_connection_count(listener), 1);
  leave();
  WAIT_UNTIL(loop, mcp_socket_listener_connection_count(listener) == 0);
}

FIXTURE_TEST(the_kernel_says_who_is_at_a_unix_socket) {
  char address[64];
  char expected[64];
  snprintf(address, sizeof(address), "unix:%s/socket", folder);
  snprintf(expected, sizeof(expected), "\"uid:%" PRIuMAX " at unix pid %d\"",
           (uintmax_t)getuid(), (int)getpid());
  options.address = address;
  serve();
  assert_string_equal(mcp_socket_listener_url(listener), address);
  client = reach();
  write_text(client, CALL);
  expect_in(await_line(client), expected);
}

FIXTURE_TEST(both_eras_are_served) {
  serve_client();
  write_text(client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                     "\"params\":{\"protocolVersion\":\"2025-06-18\","
                     "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\","
                     "\"version\":\"1\"}}}\n");
  expect_in(await_line(client), "\"protocolVersion\":\"2025-06-18\"");
  write_text(client, "{\"jsonrpc\":\"2.0\",\"method\":"
                     "\"notifications/initialized\"}\n" CALL);
  expect_in(await_line(client), "nobody at");
}

static void on_trace(mcp_server *from, const mcp_traced_message *message,
                     void *userdata) {
  assert_ptr_equal(from, server);
  assert_int_equal(message->size, sizeof(mcp_traced_message));
  assert_int_equal(strncmp(message->peer, "127.0.0.1:", 10), 0);
  assert_null(message->session);
  assert_true(message->len > 0);
  assert_ptr_equal(userdata, &traced);
  traced += message->is_sent ? 100 : 1;
}

FIXTURE_TEST(messages_are_traced) {
  options.on_trace = on_trace;
  options.userdata = &traced;
  serve_client();
  write_text(client, CALL);
  expect_in(await_line(client), "nobody");
  assert_int_equal(traced, 101);
}

/* --- what is not served -------------------------------------------------- */

/* Expects one answer and the end, and a report to the program. */
static void expect_refusal(const char *answer, const char *why) {
  expect_in(await_line(client), answer);
  assert_string_equal(await_line(client), "");
  assert_int_equal(call_count, 0);
  leave();
  WAIT_UNTIL(loop, mcp_socket_listener_connection_count(listener) == 0);
  assert_int_equal(report_count, 1);
  assert_int_equal(strncmp(reported.message, "127.0.0.1:", 10), 0);
  expect_in(reported.message, why);
}

/* A page in a browser can send this to any port of its machine. */
FIXTURE_TEST(a_web_page_reaches_no_tool) {
  serve_client();
  write_text(client, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                     "Content-Type: text/plain\r\n\r\n" CALL);
  expect_refusal("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,"
                 "\"message\":\"the first line of a connection is not a "
                 "JSON object; the connection is closed\"}}\n",
                 ": the first line of a connection is not a JSON object");
}

FIXTURE_TEST(it_is_told_so_in_the_dialect) {
  options.dialect = MCP_DIALECT_MCP_CORE;
  serve_client();
  write_text(client, "GET / HTTP/1.1\r\n\r\n{\"name\":\"who\"}\n");
  expect_in(await_line(client), "first line of a connection");
  assert_string_equal(await_line(client), "");
  assert_int_equal(call_count, 0);
}

/* Nor by a first line that is too long to be looked at. */
FIXTURE_TEST(a_long_first_line_reaches_no_tool) {
  char line[1200];
  const mcp_stream_options stream = {.size = sizeof(mcp_stream_options),
                                     .max_line = 1000};
  options.stream = &stream;
  serve();
  memset(line, 'a', sizeof(line));
  line[sizeof(line) - 2] = '\n';
  line[sizeof(line) - 1] = '\0';
  client = reach();
  write_text(client, line);
  write_text(client, CALL);
  expect_refusal("\"a line is longer than 1000 bytes\"",
                 ": a line is longer than 1000 bytes");
}

/* In the mcp-core dialect answers are known by their order: a line that is lost
 * has one too. */
FIXTURE_TEST(a_lost_line_has_its_answer) {
  char line[1200];
  options.dialect = MCP_DIALECT_MCP_CORE;
  const mcp_stream_options stream = {.size = sizeof(mcp_stream_options),
                                     .max_line = 1000};
  options.stream = &stream;
  serve();
  memset(line, 'a', sizeof(line));
  line[sizeof(line) - 2] = '\n';
  line[sizeof(line) - 1] = '\0';
  client = reach();
  write_text(client, "{\"name\":\"who\"}\n");
  expect_in(await_line(client), "nobody at");
  write_text(client, line);
  write_text(client, "{\"name\":\"who\"}\n");
  expect_in(await_line(client), "longer than 1000 bytes");
  expect_in(await_line(client), "nobody at");
}

static mcp_call *next_call; /* answered while the first answer is shown */

static void on_answer_shown(mcp_server *from, const mcp_traced_message *message,
                            void *userdata) {
  mcp_call *call = next_call;
  if (message->is_sent && call != NULL) {
    next_call = NULL;
    assert_int_equal(mcp_call_reply_text(call, "two"), 0);
  }
}

/* The trace callback may answer another call while it shows an answer. */
FIXTURE_TEST(answers_may_be_given_while_one_is_shown) {
  options.dialect = MCP_DIALECT_MCP_CORE;
  options.on_trace = on_answer_shown;
  serve_client();
  write_text(client, "{\"name\":\"wait\"}\n");
  WAIT_UNTIL(loop, deferred != NULL);
  mcp_call *first = deferred;
  deferred = NULL;
  write_text(client, "{\"name\":\"wait\"}\n");
  WAIT_UNTIL(loop, deferred != NULL);
  next_call = deferred;
  deferred = NULL;
  assert_int_equal(mcp_call_reply_text(first, "one"), 0);
  expect_in(await_line(client), "one");
  expect_in(await_line(client), "two");
  write_text(client, "{\"name\":\"who\"}\n");
  expect_in(await_line(client), "nobody at");
}

/* Nor does such a client keep others out: half a line is not a line. */
FIXTURE_TEST(who_says_nothing_is_closed) {
  options.max_connections = 2;
  options.first_message_ms = 50;
  serve();
  int silent = reach();
  int slow = reach();
  write_text(slow, "{\"jsonrpc\":");
  WAIT_UNTIL(loop, mcp_socket_listener_connection_count(listener) == 2);
  assert_string_equal(await_line(silent), "");
  assert_string_equal(await_line(slow), "");
  close(silent);
  close(slow);
  WAIT_UNTIL(loop, mcp_socket_listener_connection_count(listener) == 0);
}

static void expect_report(const char *text) {
  WAIT_UNTIL(loop, report_count > 0);
  assert_non_null(strstr(reported.message, text));
}

FIXTURE_TEST(half_a_line_has_a_time_limit) {
  options.line_ms = 50;
  serve_client();
  write_text(client, CALL "{\"jsonrpc\"");
  expect_in(await_line(client), "nobody");
  assert_string_equal(await_line(client), "");
  expect_report("a line did not end within 50 ms (line_ms)");
}

/* Each line has the whole time, though every read ends within one. */
FIXTURE_TEST(lines_that_end_in_time_have_no_limit) {
  static const size_t half = sizeof(CALL) / 2;
  static const size_t rest = sizeof(CALL) - 1 - sizeof(CALL) / 2;
  char text[sizeof(CALL)]; /* read at once: an end, and half of the next line */
  options.line_ms = 2000;
  serve_client();
  memcpy(text, &CALL[half], rest);
  memcpy(text + rest, CALL, half);
  uint64_t began = uv_hrtime();
  assert_int_equal(write(client, CALL, half), half);
  while (uv_hrtime() - began < UINT64_C(2500000000)) {
    mcp_loop_wait(loop, 50);
    assert_int_equal(write(client, text, rest + half), rest + half);
    expect_in(await_line(client), "nobody");
  }
  assert_int_equal(report_count, 0);
}

FIXTURE_TEST(a_client_that_does_not_read_has_a_time_limit) {
  options.write_ms = 50;
  serve_client();
  enum { LEN = sizeof(CALL) - 1 };
  static char calls[200 * LEN];
  size_t at = 0;
  int size = 4096;
  for (size_t i = 0; i < sizeof(calls); i += LEN) {
    memcpy(&calls[i], CALL, LEN);
  }
  setsockopt(client, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
  fcntl(client, F_SETFL, O_NONBLOCK);
  uint64_t began = uv_hrtime();
  while (report_count == 0) {
    assert_true(uv_hrtime() - began < UINT64_C(30000000000));
    ssize_t sent = write(client, &calls[at], sizeof(calls) - at);
    at = sent > 0 ? (at + (size_t)sent) % sizeof(calls) : at;
    mcp_loop_wait(loop, 0);
  }
  expect_report("the peer read nothing of ");
  assert_non_null(strstr(reported.message, "for 50 ms (write_ms)"));
}

/* The silent one came later, and its time is over. */
FIXTURE_TEST(who_has_spoken_may_be_silent) {
  options.first_message_ms = 1000;
  serve_client();
  write_text(client, CALL);
  expect_in(await_line(client), "nobody");
  int silent = reach();
  assert_string_equal(await_line(silent), "");
  write_text(client, CALL);
  expect_in(await_line(client), "nobody");
  close(silent);
}

/* Once a client has shown that it is one, a bad line is what it is anywhere. */
FIXTURE_TEST(a_later_line_may_be_wrong) {
  serve_client();
  write_text(client, " \t" CALL "no json\n" CALL);
  expect_in(await_line(client), "nobody");
  expect_in(await_line(client), "-32700");
  expect_in(await_line(client), "nobody");
}

FIXTURE_TEST(one_too_many_is_closed) {
  options.max_connections = 1;
  serve();
  int first = reach();
  write_text(first, CALL);
  expect_in(await_line(first), "nobody");
  int second = reach();
  assert_string_equal(await_line(second), "");
  close(first);
  close(second);
  WAIT_UNTIL(loop, mcp_socket_listener_connection_count(listener) == 0);
  int third = reach();
  write_text(third, CALL);
  expect_in(await_line(third), "nobody");
  close(third);
}

/* One client sends half a line, another one too: there is room for one of them,
 * which takes half of it, and for all that is whole. */
FIXTURE_TEST(what_waits_in_all_has_a_limit) {
  enum { HALF = 60 * 1024 };
  options.max_waiting = (size_t)2 * 64 * 1024; /* a line's memory doubles */
  serve();
  char *half = calloc(1, HALF + 1);
  memset(half, ' ', HALF);
  half[0] = '{';
  int greedy = reach();
  int late = reach();
  write_text(greedy, CALL);
  expect_in(await_line(greedy), "nobody");
  write_text(late, CALL);
  expect_in(await_line(late), "nobody");
  write_text(greedy, half);
  write_text(late, half);
  for (int i = 0; i < 10; i++) { /* both are read */
    mcp_loop_wait(loop, 10);
  }
  write_text(late, "}\n" CALL);
  const char *line = await_line(late);
  if (strstr(line, "out of memory") == NULL) { /* the other came too late */
    write_text(greedy, "}\n");
    expect_in(await_line(greedy), "out of memory");
  } else {
    expect_in(await_line(late), "nobody");
  }
  free(half);
  close(greedy);
  close(late);
}

/* A client that sends as much as it can takes no other client's room. */
FIXTURE_TEST(half_of_it_is_for_others) {
  enum { MUCH = 90 * 1024, LITTLE = 30 * 1024 }; /* 128 and 32 KB of memory */
  options.max_waiting = (size_t)140 * 1024;
  serve();
  char *text = calloc(1, MUCH + 1);
  memset(text, ' ', MUCH);
  int greedy = reach();
  int late = reach();
  write_text(greedy, CALL);
  expect_in(await_line(greedy), "nobody");
  write_text(late, CALL);
  expect_in(await_line(late), "nobody");
  write_text(greedy, text);
  for (int i = 0; i < 10; i++) { /* it is read */
    mcp_loop_wait(loop, 10);
  }
  text[LITTLE] = '\0';
  write_text(late, text);
  for (int i = 0; i < 10; i++) {
    mcp_loop_wait(loop, 10);
  }
  write_text(late, CALL);
  expect_in(await_line(late), "nobody");
  expect_in(await_line(greedy), "out of memory for a line");
  free(text);
  close(greedy);
  close(late);
}

/* Blanks of a line whose rest has not come. */
static void write_blanks(int fd, size_t len) {
  char *blanks = malloc(len + 1);
  memset(blanks, ' ', len);
  blanks[len] = '\0';
  write_text(fd, blanks);
  free(blanks);
}

static void call_who(int fd) {
  write_text(fd, CALL);
  expect_in(await_line(fd), "nobody");
}

FIXTURE_TEST(half_lines_of_one_address_leave_room_for_another) {
  enum { GREEDY = 20 };
  int fds[GREEDY];
  options.max_waiting = (size_t)1024 * 1024;
  serve();
  for (int i = 0; i < GREEDY; i++) {
    fds[i] = reach_from("127.0.0.1");
    call_who(fds[i]);
    write_blanks(fds[i], 40 * 1024);
  }
  int other = reach_from("127.0.0.2");
  call_who(other); /* what was sent before is read by then */
  write_blanks(other, 100 * 1024);
  write_text(other, CALL);
  expect_in(await_line(other), "nobody at 127.0.0.2:");
  close(other);
  for (int i = 0; i < GREEDY; i++) {
    close(fds[i]);
  }
}

/* They have sent a message, so first_message_ms does not close them. */
FIXTURE_TEST(one_address_leaves_connections_for_another) {
  enum { MAX = 40 };
  int fds[MAX / 2];
  options.max_connections = MAX;
  serve();
  for (int i = 0; i < MAX / 2; i++) {
    fds[i] = reach_from("127.0.0.1");
    call_who(fds[i]);
  }
  assert_int_equal(report_count, 0);
  int late = reach_from("127.0.0.1");
  assert_string_equal(await_line(late), "");
  assert_int_equal(report_count, 1);
  assert_int_equal(reported.code, MCP_ERR_LIMIT);
  expect_report("a connection was refused: this client has 20 of the 40 "
                "connections");
  int other = reach_from("127.0.0.2");
  write_text(other, CALL);
  expect_in(await_line(other), "nobody at 127.0.0.2:");
  close(other);
  close(late);
  for (int i = 0; i < MAX / 2; i++) {
    close(fds[i]);
  }
}

FIXTURE_TEST(idle_connections_keep_little_memory) {
  enum { IDLE = 14 };
  int fds[IDLE];
  options.max_waiting = (size_t)1024 * 1024;
  serve();
  for (int i = 0; i < IDLE; i++) {
    fds[i] = reach();
    write_blanks(fds[i], 60 * 1024);
    mcp_loop_wait(loop, 10);
    call_who(fds[i]);
  }
  int busy = reach();
  call_who(busy);
  write_blanks(busy, 100 * 1024);
  call_who(busy);
  close(busy);
  for (int i = 0; i < IDLE; i++) {
    close(fds[i]);
  }
}

FIXTURE_TEST(bad_options_are_refused) {
  mcp_error err = {0};
  options.address = NULL;
  assert_null(mcp_server_listen_socket(server, loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  expect_in(err.message, "address: missing");
  assert_null(mcp_server_listen_socket(server, loop, NULL, &err));
  assert_null(mcp_server_listen_socket(NULL, loop, &options, &err));
  options.address = "example.org:80";
  assert_null(mcp_server_listen_socket(server, loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  expect_in(err.message, "example.org:80");
  options.address = "127.0.0.1:0";
  options.dialect = 9;
  assert_null(mcp_server_listen_socket(server, loop, &options, &err));
  assert_string_equal(
      err.message, "dialect: 9 is not a dialect; use a value of MCP_DIALECT_*");
  const mcp_stream_options stream = {.size = 0, .max_line = 1000};
  options.dialect = MCP_DIALECT_MCP;
  options.stream = &stream;
  assert_null(mcp_server_listen_socket(server, loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "stream: mcp_stream_options has no size: set its member "
                      "size to sizeof(mcp_stream_options)");
}

/* Those of a program that was compiled when max_queue did not exist. */
FIXTURE_TEST(older_stream_options_are_accepted) {
  char line[102];
  mcp_stream_options stream = {.size = offsetof(mcp_stream_options, max_queue),
                               .max_line = 100,
                               .max_queue = 1};
  options.dialect = MCP_DIALECT_MCP_CORE;
  options.stream = &stream;
  serve();
  stream.max_line = 1; /* it was copied */
  client = reach();
  write_text(client, "{\"name\":\"who\"}\n");
  expect_in(await_line(client), "nobody at");
  memset(line, 'a', sizeof(line));
  line[sizeof(line) - 1] = '\0';
  write_text(client, line);
  write_text(client, "\n");
  expect_in(await_line(client), "a line is longer than 100 bytes");
}

/* --- the end ------------------------------------------------------------- */

static int drained; /* what on_drained has told */

static void count_up(mcp_socket_listener *from, void *userdata) {
  int *count = userdata;
  assert_ptr_equal(from, listener);
  (*count)++;
}

FIXTURE_TEST(draining_waits_for_the_last) {
  drained = 0;
  serve_client();
  write_text(client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                     "\"params\":{\"name\":\"wait\"," META "}}\n");
  WAIT_UNTIL(loop, deferred != NULL);
  mcp_server_drain(server, 10000);
  mcp_socket_listener_drain(listener, count_up, &drained);
  assert_int_equal(drained, 0);
  mcp_call_reply_text(deferred, "at last");
  deferred = NULL;
  expect_in(await_line(client), "at last");
  assert_string_equal(await_line(client), "");
  WAIT_UNTIL(loop, drained == 1);
}

FIXTURE_TEST(draining_an_idle_one_is_done_at_once) {
  drained = 0;
  serve();
  mcp_socket_listener_drain(listener, count_up, &drained);
  assert_int_equal(drained, 1);
}

FIXTURE_TEST(freeing_it_ends_its_connections) {
  serve();
  int idle = reach();
  int busy = reach();
  write_text(busy, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                   "\"params\":{\"name\":\"wait\"," META "}}\n");
  WAIT_UNTIL(loop, deferred != NULL &&
                       mcp_socket_listener_connection_count(listener) == 2);
  mcp_socket_listener_free(listener);
  listener = NULL;
  assert_string_equal(await_line(idle), "");
  assert_string_equal(await_line(busy), "");
  assert_int_equal(mcp_call_is_cancelled(deferred), 1);
  close(idle);
  close(busy);
}

static int on_free(mcp_call *call, void *userdata) {
  mcp_socket_listener_free(listener);
  listener = NULL;
  return mcp_call_reply_text(call, "gone");
}

FIXTURE_TEST(it_may_be_freed_by_a_call_that_came_by_it) {
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool), .name = "free", .handler = on_free},
      NULL);
  serve_client();
  write_text(client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                     "\"params\":{\"name\":\"free\"," META "}}\n");
  assert_string_equal(await_line(client), "");
  assert_null(listener);
}

/* --- out of memory ------------------------------------------------------- */

static int serve_and_ask(void) {
  mcp_error err = {0};
  listener = mcp_server_listen_socket(server, loop, &options, &err);
  if (listener == NULL) {
    return MCP_ERR_NOMEM;
  }
  int fd = reach();
  write_text(fd, CALL);
  const char *line = await_line(fd); /* or an error, or the end */
  close(fd);
  return strstr(line, "nobody at") != NULL ? 0 : MCP_ERR_NOMEM;
}

static int serve_once(const mcp_allocator *allocator, void *userdata) {
  const mcp_loop_options of_loop = {.size = sizeof(mcp_loop_options),
                                    .allocator = allocator};
  mcp_loop *usual = loop;
  loop = mcp_loop_new(&of_loop, NULL);
  int rc = loop != NULL ? serve_and_ask() : MCP_ERR_NOMEM;
  mcp_socket_listener_free(listener);
  listener = NULL;
  mcp_server_free(server);
  server = make_server();
  mcp_loop_free(loop);
  loop = usual;
  return rc;
}

FIXTURE_TEST(failures_are_survived) {
  assert_true(failing_alloc_rerun(serve_once, NULL) > 5);
}
