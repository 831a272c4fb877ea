/* SPDX-License-Identifier: MIT */
#include "platform/input_windows.h"
#include "platform/wait.h"
#include "platform/wake_windows.h"

#include <stdio.h>

int ctl_wait(mcp_loop *loop, int fd, int limit_ms) {
  /* Streams have no buffers of lines here. The user sees all of the output
   * before mcpctl waits. */
  fflush(NULL);
  if (fd >= 0 && ctl_input_is_ready(fd)) {
    return 1;
  }
  if (ctl_wake_begin(loop)) {
    mcp_loop_wait(loop, limit_ms);
    ctl_wake_end();
  }
  return fd >= 0 && ctl_input_is_ready(fd);
}
