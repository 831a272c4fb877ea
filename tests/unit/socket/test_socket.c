/* SPDX-License-Identifier: MIT */
/* A client's stream socket: how it connects, and how it does not. What travels
 * over it is the test kit's (tests/kit). */
#include "net/address.h"
#include "support/failing_alloc.h"
#include "support/libmcp/recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <mcp/error.h>
#include <mcp/socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static mcp_loop *loop;
static recorder r;
static int listener; /* -1: none */
static char address[MCPI_ADDRESS_TEXT];
static char folder[32];

/* Listens, and says where. */
static void listen_at(const char *text) {
  mcpi_address at;
  assert_int_equal(mcpi_address_parse(&at, text, NULL), 0);
  listener = socket(at.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(listener >= 0);
  assert_int_equal(bind(listener, (struct sockaddr *)&at.storage, at.len), 0);
  assert_int_equal(listen(listener, 5), 0);
  at.len = sizeof(at.storage);
  assert_int_equal(
      getsockname(listener, (struct sockaddr *)&at.storage, &at.len), 0);
  mcpi_address_format(&at, address);
}

static int begin(void **state) {
  memset(&r, 0, sizeof(r));
  r.keeps = 1;
  listener = -1;
  loop = loop_begin();
  snprintf(folder, sizeof(folder), "/tmp/socket-XXXXXX");
  assert_non_null(mkdtemp(folder));
  return 0;
}

static int end(void **state) {
  char path[64];
  snprintf(path, sizeof(path), "%s/socket", folder);
  unlink(path);
  if (listener >= 0) {
    close(listener);
  }
  recorder_deinit(&r);
  loop_end(loop);
  assert_int_equal(rmdir(folder), 0);
  return 0;
}

static mcp_transport *make(const mcp_socket_options *options) {
  mcp_transport *made = mcp_transport_socket(loop, address, options, NULL);
  assert_non_null(made);
  return made;
}

static int take(void) {
  int fd = -1;
  fcntl(listener, F_SETFL, O_NONBLOCK);
  WAIT_UNTIL(loop, (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0);
  return fd;
}

static void expect_text(int fd, const char *expected) {
  char *text = read_text(fd, strlen(expected));
  assert_string_equal(text, expected);
  free(text);
}

/* --- connecting ---------------------------------------------------------- */

static void check_exchange(void) {
  recorder_start(&r, make(NULL));
  recorder_send(&r, "{\"early\":1}"); /* before it is connected */
  recorder_send(&r, "{\"early\":2}");
  assert_int_equal(r.transport->queued(r.transport), 24);
  assert_int_equal(r.open_count, 0);
  int fd = take();
  write_text(fd, "{\"answer\":1}\n");
  WAIT_UNTIL(loop, r.message_count == 1);
  assert_int_equal(r.open_count, 1);
  assert_string_equal(recorder_message(&r, 0), "{\"answer\":1}");
  expect_text(fd, "{\"early\":1}\n{\"early\":2}\n");
  recorder_send(&r, "{\"later\":3}");
  expect_text(fd, "{\"later\":3}\n");
  close(fd);
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.close_error.code, 0);
}

TEST_WITH(tcp_is_connected_to, begin, end) {
  listen_at("127.0.0.1:0");
  check_exchange();
}

TEST_WITH(unix_sockets_are_connected_to, begin, end) {
  char path[64];
  snprintf(path, sizeof(path), "unix:%s/socket", folder);
  listen_at(path);
  check_exchange();
}

TEST_WITH(names_are_looked_up, begin, end) {
  listen_at("127.0.0.1:0");
  char port[8];
  snprintf(port, sizeof(port), "%s", strrchr(address, ':') + 1);
  snprintf(address, sizeof(address), "localhost:%s", port);
  check_exchange(); /* and where that is ::1 first, the next is tried */
}

TEST_WITH(what_is_told_of_it, begin, end) {
  listen_at("127.0.0.1:0");
  mcp_transport *tcp = make(NULL);
  assert_int_equal(strncmp(tcp->origin(tcp), "tcp://127.0.0.1:", 16), 0);
  mcp_transport_free(tcp);
  snprintf(address, sizeof(address), "unix:/some/where");
  mcp_transport *file = make(NULL);
  assert_string_equal(file->origin(file), "unix:/some/where");
  mcp_transport_free(file);
}

TEST_WITH(descriptors_are_given_back, begin, end) {
  listen_at("127.0.0.1:0");
  recorder_start(&r, make(NULL));
  int first = take();
  recorder_send(&r, "{}");
  WAIT_UNTIL(loop, r.transport->queued(r.transport) == 0);
  expect_text(first, "{}\n");
  size_t with_one = count_descriptors(); /* its two, and ours */
  r.transport->close(r.transport);
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(count_descriptors(), with_one - 2);
  close(first);
}

/* --- what goes wrong ----------------------------------------------------- */

static void expect_end(int code, const char *why) {
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.open_count, 0);
  assert_int_equal(r.close_error.code, code);
  if (strstr(r.close_error.message, why) == NULL) {
    fail_msg("not \"%s\": %s", why, r.close_error.message);
  }
}

TEST_WITH(nobody_there_is_an_error, begin, end) {
  listen_at("127.0.0.1:0");
  close(listener);
  listener = -1;
  recorder_start(&r, make(NULL));
  recorder_send(&r, "{}"); /* goes nowhere */
  expect_end(MCP_ERR_IO, "connection refused");
  assert_int_equal(r.close_error.status, ECONNREFUSED);
  assert_non_null(strstr(r.close_error.message, address));
}

TEST_WITH(no_socket_file_is_an_error, begin, end) {
  snprintf(address, sizeof(address), "unix:%s/none", folder);
  recorder_start(&r, make(NULL));
  expect_end(MCP_ERR_IO, "no such file or directory");
}

TEST_WITH(an_unknown_name_is_an_error, begin, end) {
  snprintf(address, sizeof(address), "no-such-host.invalid:80");
  recorder_start(&r, make(NULL));
  expect_end(MCP_ERR_IO, "cannot connect to no-such-host.invalid:80: ");
}

/* A socket whose backlog is full does not answer at all. */
TEST_WITH(no_answer_in_time_is_an_error, begin, end) {
  int waiting[64];
  size_t count = 0;
  listen_at("127.0.0.1:0");
  assert_int_equal(listen(listener, 0), 0);
  mcpi_address at;
  assert_int_equal(mcpi_address_parse(&at, address, NULL), 0);
  while (count < 64) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    connect(fd, (struct sockaddr *)&at.storage, at.len);
    waiting[count++] = fd;
  }
  const mcp_socket_options options = {.size = sizeof(mcp_socket_options),
                                      .connect_timeout_ms = 50};
  recorder_start(&r, make(&options));
  expect_end(MCP_ERR_TIMEOUT, "no answer in time");
  while (count > 0) {
    close(waiting[--count]);
  }
}

/* Connections that nobody has taken, as many as fit. */
static size_t fill_backlog(int *fds, size_t max) {
  mcpi_address at;
  size_t count = 0;
  int rc = 0;
  assert_int_equal(listen(listener, 0), 0);
  assert_int_equal(mcpi_address_parse(&at, address, NULL), 0);
  while (rc == 0) {
    assert_true(count < max);
    fds[count] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    rc = connect(fds[count], (struct sockaddr *)&at.storage, at.len);
    count++;
  }
  assert_int_equal(errno, EAGAIN);
  return count;
}

TEST_WITH(a_full_backlog_is_waited_for, begin, end) {
  int waiting[8];
  char path[64];
  snprintf(path, sizeof(path), "unix:%s/socket", folder);
  listen_at(path);
  size_t count = fill_backlog(waiting, 8);
  recorder_start(&r, make(NULL));
  recorder_send(&r, "{}");
  mcp_loop_wait(loop, 100);
  assert_int_equal(r.close_count, 0);
  for (size_t i = 0; i + 1 < count; i++) {
    close(take());
  }
  int fd = take();
  WAIT_UNTIL(loop, r.transport->queued(r.transport) == 0);
  expect_text(fd, "{}\n");
  close(fd);
  while (count > 0) {
    close(waiting[--count]);
  }
}

TEST_WITH(a_backlog_that_stays_full_is_an_error, begin, end) {
  int waiting[8];
  char path[64];
  snprintf(path, sizeof(path), "unix:%s/socket", folder);
  listen_at(path);
  size_t count = fill_backlog(waiting, 8);
  const mcp_socket_options options = {.size = sizeof(mcp_socket_options),
                                      .connect_timeout_ms = 50};
  recorder_start(&r, make(&options));
  expect_end(MCP_ERR_TIMEOUT, "its backlog is full");
  while (count > 0) {
    close(waiting[--count]);
  }
}

TEST_WITH(closing_while_a_backlog_is_full_ends_it, begin, end) {
  int waiting[8];
  char path[64];
  snprintf(path, sizeof(path), "unix:%s/socket", folder);
  listen_at(path);
  size_t count = fill_backlog(waiting, 8);
  recorder_start(&r, make(NULL));
  mcp_loop_wait(loop, 30);
  r.transport->close(r.transport);
  assert_int_equal(r.close_count, 1);
  while (count > 0) {
    close(waiting[--count]);
  }
}

TEST_WITH(bad_addresses_are_refused, begin, end) {
  const char *const bad[] = {
      "",       "host",  ":80",   "host:",    "host:0",   "host:99999",
      "::1:80", "[::1]", "unix:", "host:80x", "[host]:80"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    mcp_error err = {0};
    if (mcp_transport_socket(loop, bad[i], NULL, &err) != NULL) {
      fail_msg("\"%s\" is taken", bad[i]);
    }
    assert_int_equal(err.code, MCP_ERR_INVALID);
    char quoted[20];
    snprintf(quoted, sizeof(quoted), "\"%s\": ", bad[i]);
    assert_int_equal(strncmp(err.message, quoted, strlen(quoted)), 0);
  }
  assert_null(mcp_transport_socket(loop, NULL, NULL, NULL));
}

TEST_WITH(closing_while_it_connects_ends_it, begin, end) {
  listen_at("127.0.0.1:0");
  recorder_start(&r, make(NULL));
  r.transport->close(r.transport);
  assert_int_equal(r.close_count, 1);
  assert_int_equal(r.close_error.code, 0);
}

TEST_WITH(closing_sends_what_was_taken_before, begin, end) {
  listen_at("127.0.0.1:0");
  recorder_start(&r, make(NULL));
  recorder_send(&r, "{\"early\":1}");
  r.transport->close(r.transport);
  r.transport->close(r.transport);
  assert_int_equal(r.close_count, 0);
  assert_int_equal(r.transport->send(r.transport, "{}", 2, NULL),
                   MCP_ERR_CLOSED);
  int fd = take();
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.close_error.code, 0);
  char *text = read_text(fd, SIZE_MAX);
  assert_string_equal(text, "{\"early\":1}\n");
  free(text);
  close(fd);
}

TEST_WITH(stream_options_without_a_size_are_refused, begin, end) {
  const mcp_stream_options stream = {.size = 0, .max_line = 9};
  const mcp_socket_options options = {.size = sizeof(mcp_socket_options),
                                      .stream = &stream};
  mcp_error err = {0};
  assert_null(mcp_transport_socket(loop, "127.0.0.1:80", &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "stream: mcp_stream_options has no size: set its member "
                      "size to sizeof(mcp_stream_options)");
}

/* Those of a program that was compiled when max_queue did not exist. */
TEST_WITH(older_stream_options_are_accepted, begin, end) {
  listen_at("127.0.0.1:0");
  mcp_stream_options stream = {.size = offsetof(mcp_stream_options, max_queue),
                               .max_line = 9,
                               .max_queue = 1};
  const mcp_socket_options options = {.size = sizeof(mcp_socket_options),
                                      .stream = &stream};
  mcp_transport *transport = make(&options);
  stream.max_line = 1; /* it was copied */
  recorder_start(&r, transport);
  recorder_send(&r, "{\"a\":1}");
  int fd = take();
  WAIT_UNTIL(loop, r.transport->queued(r.transport) == 0);
  expect_text(fd, "{\"a\":1}\n");
  write_text(fd, "0123456789\n012345678\n");
  WAIT_UNTIL(loop, r.message_count == 1);
  assert_string_equal(recorder_message(&r, 0), "012345678");
  assert_int_equal(r.error_count, 1);
  assert_int_equal(r.error.code, MCP_ERR_LIMIT);
  close(fd);
  WAIT_UNTIL(loop, r.close_count == 1);
}

TEST_WITH(early_messages_have_a_limit, begin, end) {
  listen_at("127.0.0.1:0");
  const mcp_stream_options stream = {.size = sizeof(mcp_stream_options),
                                     .max_queue = 10};
  const mcp_socket_options options = {.size = sizeof(mcp_socket_options),
                                      .stream = &stream};
  recorder_start(&r, make(&options));
  assert_int_equal(r.transport->send(r.transport, "{\"a\":1}", 7, NULL), 0);
  assert_int_equal(r.transport->send(r.transport, "{}", 2, NULL),
                   MCP_ERR_LIMIT);
  assert_int_equal(r.transport->send(r.transport, "1", 1, NULL), 0);
  int fd = take();
  WAIT_UNTIL(loop, r.transport->queued(r.transport) == 0);
  expect_text(fd, "{\"a\":1}\n1\n");
  close(fd);
  WAIT_UNTIL(loop, r.close_count == 1);
}
