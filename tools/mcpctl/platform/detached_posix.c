/* SPDX-License-Identifier: MIT */
#include "platform/clock.h"
#include "platform/detached.h"
#include "platform/error.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>
#include <uv.h>

/* Leaves the terminal alone: the user still types there. */
static void leave_terminal(void) {
  setsid();
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++) {
    dup2(null, fd);
  }
}

static int64_t now_ms(void) {
  return ctl_now_ns() / 1000000;
}

/* Prints what comes, until the end or the limit. */
static void pass_on(int fd, int limit_ms) {
  char bytes[4096];
  struct pollfd waited = {.fd = fd, .events = POLLIN};
  int64_t end = now_ms() + limit_ms;
  int64_t left;
  while ((left = end - now_ms()) > 0 && poll(&waited, 1, (int)left) > 0) {
    ssize_t len = read(fd, bytes, sizeof(bytes));
    if (len <= 0) {
      return;
    }
    fwrite(bytes, 1, (size_t)len, stdout);
  }
}

/* In the other process. */
static void do_work(void (*work)(FILE *out, void *argument), void *argument,
                    int fd) {
  signal(SIGPIPE, SIG_IGN); /* the first process may have ended */
  leave_terminal();
  FILE *out = fdopen(fd, "w");
  if (out != NULL) {
    work(out, argument);
  }
}

int ctl_detached_print(void (*work)(FILE *out, void *argument), void *argument,
                       int limit_ms) {
  int ends[2];
  if (ctl_error_take(uv_pipe(ends, 0, 0)) != 0) {
    return -1;
  }
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    do_work(work, argument, ends[1]);
    return 0;
  }
  close(ends[1]);
  if (child > 0) {
    pass_on(ends[0], limit_ms);
  }
  close(ends[0]);
  return 0;
}
