/* SPDX-License-Identifier: MIT */
#include "platform/interrupt_posix.h"
#include "platform/wait.h"

#include <poll.h>
#include <unistd.h>

/* The shorter of two limits; -1: no limit. */
static int sooner(int a_ms, int b_ms) {
  if (a_ms < 0 || b_ms < 0) {
    return a_ms < 0 ? b_ms : a_ms;
  }
  return a_ms < b_ms ? a_ms : b_ms;
}

int ctl_wait(mcp_loop *loop, int fd, int limit_ms) {
  int timeout_ms = sooner(mcp_loop_timeout_ms(loop), limit_ms);
  struct pollfd fds[] = {
      {.fd = mcp_loop_fd(loop), .events = POLLIN},
      {.fd = ctl_interrupt_fd(), .events = POLLIN},
      {.fd = fd, .events = POLLIN}, /* poll skips -1 */
  };
  if (poll(fds, 3, timeout_ms) <= 0) {
    return 0;
  }
  if (fds[1].revents != 0) {
    ctl_interrupt_clear();
  }
  return fds[2].revents != 0;
}

long ctl_input_read(int fd, void *bytes, size_t len) {
  return read(fd, bytes, len);
}
