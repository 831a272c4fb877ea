/* SPDX-License-Identifier: MIT */
#include "support/libmcp/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void make_pipe(int fds[2]) {
  assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
}

void make_socketpair(int fds[2]) {
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
}

void write_text(int fd, const char *text) {
  size_t len = strlen(text);
  assert_int_equal(write(fd, text, len), (ssize_t)len);
}

char *read_text(int fd, size_t len) {
  char *text = NULL;
  size_t cap = 0;
  size_t used = 0;
  ssize_t got;
  do {
    if (cap - used < 65536 + 1) {
      cap = cap * 2 + 65536 + 1;
      text = realloc(text, cap);
      assert_non_null(text);
    }
    got = used < len ? read(fd, text + used, 65536) : 0;
    used += got > 0 ? (size_t)got : 0;
  } while (got > 0 || (got < 0 && errno == EINTR));
  text[used] = '\0';
  return text;
}

size_t count_descriptors(void) {
  size_t count = 0;
  DIR *folder = opendir("/proc/self/fd");
  assert_non_null(folder);
  while (readdir(folder) != NULL) {
    count++;
  }
  closedir(folder);
  return count;
}
