/* SPDX-License-Identifier: MIT */
#include "platform/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void files_describe(const struct stat *status, mcpi_file_about *about) {
  *about = (mcpi_file_about){
      .is_regular = S_ISREG(status->st_mode),
      .is_folder = S_ISDIR(status->st_mode),
      .is_mine = status->st_uid == geteuid(),
      .is_roots = status->st_uid == 0,
      .owner = (long)status->st_uid,
      .mode = (unsigned)(status->st_mode & 0777),
  };
}

int mcpi_file_look(int fd, mcpi_file_about *about) {
  struct stat status;
  if (fstat(fd, &status) != 0) {
    return errno;
  }
  files_describe(&status, about);
  return 0;
}

int mcpi_file_look_at(const char *path, mcpi_file_about *about) {
  struct stat status;
  if (stat(path, &status) != 0) {
    return errno;
  }
  files_describe(&status, about);
  return 0;
}

void mcpi_file_sync_folder(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
}

void mcpi_utc(time_t time, struct tm *out) {
  gmtime_r(&time, out);
}
