/* SPDX-License-Identifier: MIT */
#include "platform/fd_write_quiet.h"

#include <errno.h>
#include <time.h>

void mcpi_sigpipe_take(const sigset_t *only_sigpipe) {
  const struct timespec at_once = {0};
  while (sigtimedwait(only_sigpipe, NULL, &at_once) < 0 && errno == EINTR) {
  }
}
