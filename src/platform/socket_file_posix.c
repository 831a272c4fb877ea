/* SPDX-License-Identifier: MIT */
#include "platform/socket_file.h"

#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static int socket_file_stat(const mcpi_socket_file *file, struct stat *status) {
  return file->path != NULL ? lstat(file->path, status) : -1;
}

int mcpi_socket_file_is_socket(const mcpi_socket_file *file) {
  struct stat status;
  return socket_file_stat(file, &status) == 0 && S_ISSOCK(status.st_mode);
}

int mcpi_socket_file_is_other(const mcpi_socket_file *file) {
  struct stat status;
  return socket_file_stat(file, &status) == 0 && !S_ISSOCK(status.st_mode);
}

int mcpi_socket_file_replace(const mcpi_socket_file *file) {
  return unlink(file->path);
}

/* A bound file gets the permissions that the socket's inode and the umask have
 * in common. */
void mcpi_socket_file_limit(const mcpi_socket_file *file, int fd) {
  if (file->path != NULL) {
    fchmod(fd, (mode_t)file->mode);
  }
}

void mcpi_socket_file_note(mcpi_socket_file *file) {
  struct stat status;
  if (socket_file_stat(file, &status) == 0) {
    file->is_made = 1;
    file->device = (uint64_t)status.st_dev;
    file->node = (uint64_t)status.st_ino;
  }
}

int mcpi_socket_file_open(const mcpi_socket_file *file) {
  struct stat status;
  return file->path == NULL || (socket_file_stat(file, &status) == 0 &&
                                (status.st_mode & 07777) == file->mode)
             ? 0
             : chmod(file->path, (mode_t)file->mode);
}

void mcpi_socket_file_remove(const mcpi_socket_file *file) {
  struct stat status;
  if (file->is_made && socket_file_stat(file, &status) == 0 &&
      (uint64_t)status.st_dev == file->device &&
      (uint64_t)status.st_ino == file->node) {
    unlink(file->path);
  }
}
