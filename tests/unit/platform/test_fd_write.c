/* SPDX-License-Identifier: MIT */
#include "platform/fd_write.h"

#include "support/libmcp/recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static ssize_t write_x(mcpi_fd_writer *writer) {
  static char text[] = "x\n";
  struct iovec parts[2] = {{text, 1}, {text + 1, 1}};
  return mcpi_fd_write(writer, parts, 2);
}

/* Whether a SIGPIPE waits, blocked, in this thread. */
static int is_pending(void) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGPIPE);
}

static void expect_dead(int fd) {
  mcpi_fd_writer writer;
  mcpi_fd_writer_init(&writer, fd);
  for (int i = 0; i < 3; i++) {
    errno = 0;
    assert_int_equal(write_x(&writer), -1);
    assert_int_equal(errno, EPIPE);
  }
}

TEST(a_dead_pipe_raises_nothing) {
  int fds[2];
  make_pipe(fds);
  close(fds[0]);
  expect_dead(fds[1]);
  close(fds[1]);
}

TEST(a_dead_socket_raises_nothing) {
  int fds[2];
  make_socketpair(fds);
  close(fds[0]);
  expect_dead(fds[1]);
  close(fds[1]);
}

/* Selects the method for kernels that do not know the flag. An unsupported flag
 * makes the call fail, and so does a descriptor that is not valid. The writer
 * keeps this method afterwards. */
static void make_blocked(mcpi_fd_writer *writer, int fd) {
  mcpi_fd_writer_init(writer, fd);
  writer->fd = -1;
  assert_int_equal(write_x(writer), -1);
  assert_int_equal(errno, EBADF);
  writer->fd = fd;
}

TEST(an_older_kernels_way_raises_nothing) {
  int fds[2];
  mcpi_fd_writer writer;
  sigset_t before;
  sigset_t after;
  make_pipe(fds);
  make_blocked(&writer, fds[1]);
  assert_int_equal(write_x(&writer), 2);
  close(fds[0]);
  pthread_sigmask(SIG_BLOCK, NULL, &before);
  assert_int_equal(write_x(&writer), -1);
  assert_int_equal(errno, EPIPE);
  pthread_sigmask(SIG_BLOCK, NULL, &after);
  assert_int_equal(sigismember(&before, SIGPIPE), sigismember(&after, SIGPIPE));
  assert_false(is_pending());
  close(fds[1]);
}

TEST(a_pending_signal_of_the_programs_stays) {
  int fds[2];
  mcpi_fd_writer writer;
  sigset_t only;
  make_pipe(fds);
  make_blocked(&writer, fds[1]);
  close(fds[0]);
  sigemptyset(&only);
  sigaddset(&only, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &only, NULL);
  assert_int_equal(write_x(&writer), -1);
  assert_false(is_pending()); /* ours was taken */
  raise(SIGPIPE);
  assert_int_equal(write_x(&writer), -1);
  assert_true(is_pending());
  struct timespec at_once = {0};
  assert_int_equal(sigtimedwait(&only, NULL, &at_once), SIGPIPE);
  pthread_sigmask(SIG_UNBLOCK, &only, NULL);
  close(fds[1]);
}

TEST(the_programs_disposition_stays) {
  struct sigaction action;
  assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
  assert_true(action.sa_handler == SIG_DFL);
  mcpi_sigpipe_catch();
  assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
  assert_true(action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
  a_dead_pipe_raises_nothing(state);
  signal(SIGPIPE, SIG_IGN);
  mcpi_sigpipe_catch(); /* the program's choice is left alone */
  assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
  assert_true(action.sa_handler == SIG_IGN);
  a_dead_pipe_raises_nothing(state);
  signal(SIGPIPE, SIG_DFL);
}
