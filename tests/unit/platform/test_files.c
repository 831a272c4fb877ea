/* SPDX-License-Identifier: MIT */
#include "platform/files.h"

#include "support/libmcp/recorder.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int write_end;

static void on_alarm(int signal) {
  (void)signal;
  (void)!write(write_end, "x", 1);
}

/* The handler does not restart the read that it interrupts. */
TEST(a_read_goes_on_after_an_interruption) {
  const struct sigaction action = {.sa_handler = on_alarm};
  const struct itimerval soon = {.it_value = {.tv_usec = 20 * 1000}};
  struct sigaction before;
  char byte = 0;
  int fds[2];
  make_pipe(fds);
  write_end = fds[1];
  sigaction(SIGALRM, &action, &before);
  setitimer(ITIMER_REAL, &soon, NULL);
  assert_int_equal(mcpi_file_read(fds[0], &byte, 1), 1);
  assert_int_equal(byte, 'x');
  sigaction(SIGALRM, &before, NULL);
  close(fds[0]);
  close(fds[1]);
}

TEST(a_read_that_fails_says_why) {
  char byte;
  assert_int_equal(mcpi_file_read(-1, &byte, 1), -1);
  assert_int_equal(errno, EBADF);
}
