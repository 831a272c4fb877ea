/* SPDX-License-Identifier: MIT */
/* Addresses that connections come to. */
#include "net/address.h"
#include "net/listener.h"
#include "support/libmcp/recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static mcp_loop *loop;
static mcpi_listener *listener;
static int taken; /* connections */
static int frees; /* in the callback */
static char last_peer[MCPI_ADDRESS_TEXT];
static char folder[32];
static char path[64]; /* "unix:..." of a file in the folder */

static void on_connection(int fd, const char *peer, void *userdata) {
  assert_ptr_equal(userdata, &taken);
  assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
  assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  snprintf(last_peer, sizeof(last_peer), "%s", peer);
  taken++;
  close(fd);
  if (frees) {
    mcpi_listener_free(listener);
    listener = NULL;
  }
}

static mcpi_listener *listen_on(const char *address) {
  mcp_error err = {0};
  mcpi_listener *made =
      mcpi_listener_new(loop, address, 0, on_connection, &taken, &err);
  assert_int_equal(err.code, 0);
  assert_non_null(made);
  return made;
}

static void expect_failure(const char *address, int code, const char *why) {
  mcp_error err = {0};
  assert_null(mcpi_listener_new(loop, address, 0, on_connection, &taken, &err));
  assert_int_equal(err.code, code);
  if (strstr(err.message, why) == NULL) {
    fail_msg("not \"%s\": %s", why, err.message);
  }
}

static int begin(void **state) {
  loop = loop_begin();
  listener = NULL;
  taken = 0;
  frees = 0;
  snprintf(folder, sizeof(folder), "/tmp/listener-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "unix:%s/socket", folder);
  return 0;
}

static int end(void **state) {
  mcpi_listener_free(listener);
  loop_end(loop);
  assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
  return 0;
}

/* A socket on its way to where the listener is. */
static int connect_to(const char *text) {
  mcpi_address address;
  assert_int_equal(mcpi_address_parse(&address, text, NULL), 0);
  int fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  assert_int_equal(
      connect(fd, (struct sockaddr *)&address.storage, address.len), 0);
  return fd;
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

FIXTURE_TEST(connections_come_with_their_peer) {
  listener = listen_on("127.0.0.1:0");
  const char *address = mcpi_listener_address(listener);
  assert_int_equal(strncmp(address, "127.0.0.1:", 10), 0);
  assert_true(atoi(address + 10) > 0);
  int first = connect_to(address);
  int second = connect_to(address);
  WAIT_UNTIL(loop, taken == 2);
  mcpi_address mine = {.len = sizeof(mine.storage)};
  char text[MCPI_ADDRESS_TEXT];
  getsockname(second, (struct sockaddr *)&mine.storage, &mine.len);
  mcpi_address_format(&mine, text);
  assert_string_equal(last_peer, text);
  close(first);
  close(second);
}

FIXTURE_TEST(ipv6_is_listened_on) {
  int fd = socket(AF_INET6, SOCK_STREAM, 0);
  mcp_error err;
  listener = mcpi_listener_new(loop, "[::1]:0", 0, on_connection, &taken, &err);
  if (fd < 0 || listener == NULL) {
    print_message("no IPv6 here: %s\n", err.message);
    close(fd);
    return;
  }
  close(fd);
  fd = connect_to(mcpi_listener_address(listener));
  WAIT_UNTIL(loop, taken == 1);
  assert_int_equal(strncmp(last_peer, "[::1]:", 6), 0);
  close(fd);
}

FIXTURE_TEST(a_taken_address_is_an_error) {
  listener = listen_on("127.0.0.1:0");
  expect_failure(mcpi_listener_address(listener), MCP_ERR_IO,
                 "address already in use");
  expect_failure("192.0.2.1:0", MCP_ERR_IO, "cannot listen on 192.0.2.1:0: ");
  expect_failure("nonsense", MCP_ERR_INVALID, "HOST:PORT");
  expect_failure("unix:/nowhere/at/all", MCP_ERR_IO, "unix:/nowhere/at/all");
}

/* --- socket files -------------------------------------------------------- */

FIXTURE_TEST(a_socket_file_comes_and_goes) {
  listener = listen_on(path);
  assert_string_equal(mcpi_listener_address(listener), path);
  int fd = connect_to(path);
  WAIT_UNTIL(loop, taken == 1);
  assert_string_equal(last_peer, "unix");
  close(fd);
  expect_failure(path, MCP_ERR_IO, "address already in use");
  taken = 0; /* it was asked whether it answers */
  mcpi_listener_free(listener);
  listener = NULL;
  assert_int_equal(access(path + 5, F_OK), -1);
}

FIXTURE_TEST(a_stale_socket_file_is_replaced) {
  mcpi_address address;
  assert_int_equal(mcpi_address_parse(&address, path, NULL), 0);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(fd, (struct sockaddr *)&address.storage, address.len),
                   0);
  close(fd);
  listener = listen_on(path);
  fd = connect_to(path);
  WAIT_UNTIL(loop, taken == 1);
  close(fd);
}

FIXTURE_TEST(other_files_are_left_alone) {
  int fd = open(path + 5, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  close(fd);
  expect_failure(path, MCP_ERR_IO, "the file there is not a socket: remove it");
  assert_int_equal(access(path + 5, F_OK), 0);
  unlink(path + 5);
  mkdir(path + 5, 0700);
  expect_failure(path, MCP_ERR_IO, "the file there is not a socket: remove it");
  rmdir(path + 5);
  /* One that took our place is not ours to remove. */
  listener = listen_on(path);
  unlink(path + 5);
  mcpi_listener *other = listen_on(path);
  mcpi_listener_free(listener);
  listener = other;
  assert_int_equal(access(path + 5, F_OK), 0);
}

/* --- trouble ------------------------------------------------------------- */

FIXTURE_TEST(without_descriptors_it_waits) {
  struct rlimit before;
  listener = listen_on("127.0.0.1:0");
  int fd = connect_to(mcpi_listener_address(listener));
  int lowest = dup(fd); /* no number below it is free */
  close(lowest);
  getrlimit(RLIMIT_NOFILE, &before);
  struct rlimit none = {(rlim_t)lowest, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  int turns = 0;
  for (uint64_t began = uv_hrtime(); uv_hrtime() - began < 250000000; turns++) {
    assert_int_equal(mcp_loop_wait(loop, 1000), 0);
  }
  assert_true(turns < 20); /* it does not spin */
  assert_int_equal(taken, 0);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  WAIT_UNTIL(loop, taken == 1);
  close(fd);
}

FIXTURE_TEST(it_may_be_freed_in_its_callback) {
  frees = 1;
  listener = listen_on("127.0.0.1:0");
  int first = connect_to(mcpi_listener_address(listener));
  int second = connect_to(mcpi_listener_address(listener));
  WAIT_UNTIL(loop, taken == 1);
  mcp_loop_step(loop);
  assert_int_equal(taken, 1);
  close(first);
  close(second);
}

static void expect_mode(uint32_t mode, mode_t mask, unsigned expected) {
  struct stat status;
  mode_t before = umask(mask);
  listener = mcpi_listener_new(loop, path, mode, on_connection, &taken, NULL);
  umask(before);
  assert_non_null(listener);
  assert_int_equal(stat(path + strlen("unix:"), &status), 0);
  assert_int_equal(status.st_mode & 07777, expected);
  mcpi_listener_free(listener);
  listener = NULL;
}

FIXTURE_TEST(a_socket_file_is_its_owners_alone) {
  expect_mode(0, 0, 0600);
  expect_mode(0, 022, 0600);
  expect_mode(0, 0777, 0600);
}

FIXTURE_TEST(a_socket_file_has_the_mode_that_is_asked_for) {
  expect_mode(0660, 0, 0660);
  expect_mode(0660, 077, 0660);
  expect_mode(0666, 022, 0666);
}

FIXTURE_TEST(a_mode_that_is_not_one_is_refused) {
  mcp_error err = {0};
  assert_null(
      mcpi_listener_new(loop, path, 01000, on_connection, &taken, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_int_equal(access(path + strlen("unix:"), F_OK), -1);
  assert_null(mcpi_listener_new(loop, path, 660, on_connection, &taken, &err));
  assert_string_equal(err.message,
                      "socket_mode: 01224 is more than 0777; write it in "
                      "octal, such as 0660");
  expect_mode(0777, 0, 0777);
}
