/* SPDX-License-Identifier: MIT */
#include "platform/detached.h"

#include <io.h>

int ctl_detached_print(void (*work)(FILE *out, void *argument), void *argument,
                       int limit_ms) {
  (void)limit_ms;
  int fd = _dup(_fileno(stdout));
  FILE *out = fd >= 0 ? _fdopen(fd, "wb") : NULL;
  if (out == NULL) {
    return -1;
  }
  work(out, argument);
  return 0;
}
