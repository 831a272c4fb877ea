/* SPDX-License-Identifier: MIT */
/* Writes to a descriptor whose peer may be gone, without SIGPIPE. */
#include "platform/fd_write.h"

#include "platform/fd_write_quiet.h"
#include "platform/sockets.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- SIGPIPE ------------------------------------------------------------- */

static void on_sigpipe(int signal) {
  (void)signal; /* the write that raised it has returned EPIPE */
}

/* Whether the program has arranged that SIGPIPE does not end the process. */
static int is_sigpipe_harmless(void) {
  struct sigaction action;
  return sigaction(SIGPIPE, NULL, &action) == 0 &&
         (action.sa_handler == SIG_IGN || action.sa_handler == on_sigpipe);
}

void mcpi_sigpipe_catch(void) {
  struct sigaction old;
  struct sigaction action = {.sa_handler = on_sigpipe, .sa_flags = SA_RESTART};
  if (sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
    sigaction(SIGPIPE, &action, NULL);
  }
}

void mcpi_sigpipe_release(void) {
  struct sigaction old;
  struct sigaction action = {.sa_handler = SIG_DFL};
  if (sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler == on_sigpipe) {
    sigaction(SIGPIPE, &action, NULL);
  }
}

/* --- the ways to write --------------------------------------------------- */

static ssize_t write_plain(mcpi_fd_writer *writer, struct iovec *parts,
                           int count) {
  if (count == 1) { /* less work for the kernel than a list of one */
    return write(writer->fd, parts[0].iov_base, parts[0].iov_len);
  }
  return writev(writer->fd, parts, count);
}

static ssize_t write_socket(mcpi_fd_writer *writer, struct iovec *parts,
                            int count) {
  return mcpi_sock_write(writer->fd, parts, count);
}

void mcpi_fd_writer_init(mcpi_fd_writer *writer, int fd) {
  struct stat status;
  *writer = (mcpi_fd_writer){.fd = fd, .write = write_plain};
  if (fstat(fd, &status) != 0) {
    return;
  }
  if (S_ISSOCK(status.st_mode)) {
    mcpi_sock_without_sigpipe(fd);
    writer->write = write_socket;
  } else if (S_ISFIFO(status.st_mode) && !is_sigpipe_harmless()) {
    writer->write = mcpi_fd_write_quiet;
  }
}

ssize_t mcpi_fd_write(mcpi_fd_writer *writer, struct iovec *parts, int count) {
  ssize_t written;
  do {
    written = writer->write(writer, parts, count);
  } while (written < 0 && errno == EINTR);
  return written;
}
