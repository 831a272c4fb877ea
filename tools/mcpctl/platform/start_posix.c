/* SPDX-License-Identifier: MIT */
#include "platform/start.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Opens /dev/null for each standard stream that is closed. Otherwise the next
 * descriptor would get its number, and libuv aborts when that happens to one of
 * its own. The mode is the opposite of the stream's, so that reads and writes
 * still fail. */
static int open_standard_streams(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags) != fd) {
      return -1;
    }
  }
  return 0;
}

int ctl_start(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  /* Text is printed character by character; without a buffer each would be a
   * write. */
  setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
  return open_standard_streams();
}
