/* SPDX-License-Identifier: MIT */
#include "support/libmcp/recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* This process's own standard descriptors make way for each test's. */
static int saved[3];
static mcp_loop *loop;
static recorder r;
static int err_fd; /* what the program writes to standard error */

static int begin(void **state) {
  int err[2];
  memset(&r, 0, sizeof(r));
  r.keeps = 1;
  r.echoes = 1;
  fflush(stdout);
  make_pipe(err);
  loop = loop_begin();
  for (int i = 0; i < 3; i++) {
    saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
  }
  dup2(err[1], STDERR_FILENO);
  close(err[1]);
  err_fd = err[0];
  return 0;
}

static void restore(void) {
  fflush(stdout);
  for (int i = 0; i < 3; i++) {
    dup2(saved[i], i);
    close(saved[i]);
  }
}

static int end(void **state) {
  restore();
  recorder_deinit(&r);
  close(err_fd);
  mcp_loop_free(loop);
  return 0;
}

/* Takes the descriptors. */
static void use(int in, int out) {
  dup2(in, STDIN_FILENO);
  if (out != in) {
    dup2(out, STDOUT_FILENO);
    close(out);
  } else {
    dup2(in, STDOUT_FILENO);
  }
  close(in);
}

static void open_stdio(void) {
  mcp_error err = {0};
  mcp_transport *transport = mcp_transport_stdio(loop, NULL, &err);
  assert_non_null(transport);
  recorder_start(&r, transport);
}

static int is_same_file(int a, int b) {
  struct stat one;
  struct stat other;
  return fstat(a, &one) == 0 && fstat(b, &other) == 0 &&
         one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

/* Sends "hello" in, and closes that end; expects it back. */
static void expect_echo(int to_it, int from_it) {
  write_text(to_it, "hello\n");
  WAIT_UNTIL(loop, r.message_count == 1);
  char *text = read_text(from_it, 6);
  assert_string_equal(text, "hello\n");
  free(text);
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

/* --- kinds of standard input and output ---------------------------------- */

FIXTURE_TEST(pipes) {
  int in[2];
  int out[2];
  make_pipe(in);
  make_pipe(out);
  use(in[0], out[1]);
  open_stdio();
  expect_echo(in[1], out[0]);
  close(in[1]);
  WAIT_UNTIL(loop, r.close_count == 1);
  close(out[0]);
}

FIXTURE_TEST(one_socket) {
  int fds[2];
  make_socketpair(fds);
  use(fds[0], fds[0]);
  open_stdio();
  expect_echo(fds[1], fds[1]);
  shutdown(fds[1], SHUT_WR);
  WAIT_UNTIL(loop, r.close_count == 1);
  close(fds[1]);
}

FIXTURE_TEST(a_terminal) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  assert_true(master >= 0);
  assert_int_equal(grantpt(master), 0);
  assert_int_equal(unlockpt(master), 0);
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  assert_true(slave >= 0);
  use(slave, slave);
  open_stdio();
  write_text(master, "hello\n");
  WAIT_UNTIL(loop, r.message_count == 1);
  assert_string_equal(recorder_message(&r, 0), "hello");
  write_text(master, "\x04"); /* the end of input, as Ctrl-D types it */
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.close_error.code, 0);
  close(master);
}

FIXTURE_TEST(a_terminal_that_hangs_up) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  assert_int_equal(grantpt(master), 0);
  assert_int_equal(unlockpt(master), 0);
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  use(slave, slave);
  open_stdio();
  close(master);
  WAIT_UNTIL(loop, r.close_count == 1);
}

FIXTURE_TEST(files) {
  FILE *in = tmpfile();
  FILE *out = tmpfile();
  fputs("one\ntwo\nthree", in);
  fflush(in);
  int in_fd = dup(fileno(in));
  int out_fd = dup(fileno(out));
  lseek(in_fd, 0, SEEK_SET);
  use(in_fd, out_fd);
  open_stdio();
  WAIT_UNTIL(loop, r.close_count == 1);
  rewind(out);
  char *text = read_text(fileno(out), SIZE_MAX);
  assert_string_equal(text, "one\ntwo\nthree\n");
  free(text);
  fclose(in);
  fclose(out);
}

FIXTURE_TEST(dev_null) {
  int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  use(fd, fd);
  open_stdio();
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.message_count, 0);
}

FIXTURE_TEST(closed_ones_are_refused) {
  mcp_error err;
  int fds[2];
  make_pipe(fds);
  close(STDIN_FILENO);
  assert_null(mcp_transport_stdio(loop, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_IO);
  assert_string_equal(err.message,
                      "cannot use standard input: bad file descriptor");
  dup2(fds[0], STDIN_FILENO);
  close(STDOUT_FILENO);
  assert_null(mcp_transport_stdio(loop, NULL, &err));
  assert_string_equal(err.message,
                      "cannot use standard output: bad file descriptor");
  close(fds[0]);
  close(fds[1]);
}

/* As in a daemon: the loop's own files do not come in their place. */
FIXTURE_TEST(a_loop_does_not_take_the_place_of_closed_ones) {
  struct stat status;
  for (int fd = 0; fd < 3; fd++) {
    close(fd);
  }
  mcp_loop_free(mcp_loop_new(NULL, NULL));
  for (int fd = 0; fd < 3; fd++) {
    assert_int_equal(fstat(fd, &status), 0);
    assert_true(S_ISCHR(status.st_mode));
  }
}

/* --- keeping the wire clean ---------------------------------------------- */

FIXTURE_TEST(a_stray_printf_goes_to_standard_error) {
  int in[2];
  int out[2];
  make_pipe(in);
  make_pipe(out);
  use(in[0], out[1]);
  open_stdio();
  printf("stray, flushed\n");
  fflush(stdout);
  printf("stray, not flushed\n"); /* is when the descriptor comes back */
  write_text(STDOUT_FILENO, "stray, bare\n");
  expect_echo(in[1], out[0]);
  close(in[1]);
  WAIT_UNTIL(loop, r.close_count == 1);
  close(STDOUT_FILENO); /* it is the wire's again */
  char *wire = read_text(out[0], SIZE_MAX);
  assert_string_equal(wire, "");
  free(wire);
  char *stray = read_text(err_fd, 40);
  assert_string_equal(stray,
                      "stray, flushed\nstray, bare\nstray, not flushed\n");
  free(stray);
  close(out[0]);
}

FIXTURE_TEST(a_child_process_eats_no_message) {
  int in[2];
  int out[2];
  make_pipe(in);
  make_pipe(out);
  use(in[0], out[1]);
  open_stdio();
  write_text(in[1], "mine\n");
  assert_int_equal(system("cat; echo from the child"), 0);
  WAIT_UNTIL(loop, r.message_count == 1);
  close(in[1]);
  char *wire = read_text(out[0], 5);
  assert_string_equal(wire, "mine\n"); /* and not the child's words */
  free(wire);
  WAIT_UNTIL(loop, r.close_count == 1);
  close(out[0]);
}

FIXTURE_TEST(a_dead_reader_does_not_end_the_process) {
  int in[2];
  int out[2];
  make_pipe(in);
  make_pipe(out);
  use(in[0], out[1]);
  open_stdio();
  close(out[0]);
  r.echoes = 0;
  assert_int_equal(r.transport->send(r.transport, "x", 1, NULL),
                   MCP_ERR_CLOSED);
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.close_error.status, EPIPE);
  close(in[1]);
}

/* --- putting things back ------------------------------------------------- */

FIXTURE_TEST(descriptors_and_flags_come_back) {
  int in[2];
  int out[2];
  make_pipe(in);
  make_pipe(out);
  int same_in = dup(in[0]);
  int same_out = dup(out[1]);
  use(in[0], out[1]);
  size_t before = count_descriptors();
  open_stdio();
  assert_false(is_same_file(STDIN_FILENO, same_in));
  assert_true(is_same_file(STDOUT_FILENO, STDERR_FILENO));
  assert_true(fcntl(same_in, F_GETFL) & O_NONBLOCK);
  close(in[1]);
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_true(is_same_file(STDIN_FILENO, same_in));
  assert_true(is_same_file(STDOUT_FILENO, same_out));
  assert_false(fcntl(same_in, F_GETFL) & O_NONBLOCK);
  assert_false(fcntl(same_out, F_GETFL) & O_NONBLOCK);
  assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), 0); /* children inherit */
  assert_int_equal(count_descriptors(), before - 1); /* in[1] is closed */
  close(same_in);
  close(same_out);
  close(out[0]);
}

FIXTURE_TEST(there_is_one_at_a_time) {
  mcp_error err;
  int in[2];
  int out[2];
  make_pipe(in);
  make_pipe(out);
  use(in[0], out[1]);
  mcp_transport *first = mcp_transport_stdio(loop, NULL, NULL);
  assert_non_null(first);
  assert_null(mcp_transport_stdio(loop, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_BUSY);
  mcp_transport_free(first); /* never started; everything comes back */
  assert_false(is_same_file(STDOUT_FILENO, STDERR_FILENO));
  open_stdio();
  close(in[1]);
  WAIT_UNTIL(loop, r.close_count == 1);
  close(out[0]);
}

FIXTURE_TEST(a_loop_of_another_kind_is_refused) {
  mcp_error err;
  mcp_loop *manual = mcp_loop_new_manual(NULL, NULL, NULL);
  size_t before = count_descriptors();
  assert_null(mcp_transport_stdio(manual, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_int_equal(count_descriptors(), before);
  mcp_loop_free(manual);
}
