/* SPDX-License-Identifier: MIT */
#include "keep/log.h"
#include "common/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Keeps the last log. */
static void log_begin(ctl_keep_log *log) {
  char old[4096];
  int len = snprintf(old, sizeof(old), "%s.old", log->path);
  if (len > 0 && (size_t)len < sizeof(old)) {
    rename(log->path, old);
  }
  int fd = open(
      log->path,
      O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0) {
    dup2(fd, STDERR_FILENO);
    close(fd);
  }
  log->size = 0;
}

void ctl_keep_log_open(ctl_keep_log *log, const char *path) {
  log->path = path;
  ctl_folder_make_for(path);
  log_begin(log);
}

void ctl_keep_log_add(ctl_keep_log *log, const char *bytes, size_t len) {
  if (log->size + len > CTL_KEEP_LOG_SIZE) {
    log_begin(log);
  }
  log->size += len;
  while (len > 0) {
    ssize_t written = write(STDERR_FILENO, bytes, len);
    if (written < 0 && errno != EINTR) {
      return;
    }
    bytes += written > 0 ? written : 0;
    len -= written > 0 ? (size_t)written : 0;
  }
}
