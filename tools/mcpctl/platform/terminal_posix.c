/* SPDX-License-Identifier: MIT */
#include "platform/terminal.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Only LC_CTYPE: a decimal comma would break the JSON that is printed. wcwidth
 * needs a UTF-8 locale, and what servers send is UTF-8 anyway. */
void ctl_terminal_setup(void) {
  if (setlocale(LC_CTYPE, "") == NULL ||
      strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
    setlocale(LC_CTYPE, "C.UTF-8");
  }
}

int ctl_terminal_is(int fd) {
  return isatty(fd);
}

int ctl_terminal_has_escapes(int fd) {
  return isatty(fd);
}

size_t ctl_terminal_columns(int fd) {
  struct winsize size;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int ctl_terminal_open(FILE **out) {
  int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
  FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (stream == NULL) {
    if (fd >= 0) {
      close(fd);
    }
    return -1;
  }
  *out = stream;
  return fd;
}

/* Both are one descriptor. */
void ctl_terminal_close(int fd, FILE *out) {
  (void)fd;
  fclose(out);
}
