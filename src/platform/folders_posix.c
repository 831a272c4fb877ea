/* SPDX-License-Identifier: MIT */
#include "platform/folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int folders_result(int fd) {
  return fd >= 0 ? fd : -errno;
}

int mcpi_folder_open_path(const char *path) {
  return folders_result(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

int mcpi_entry_open_folder(int folder, const char *name) {
  return folders_result(
      openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int mcpi_entry_open_file(int folder, const char *name) {
  return folders_result(openat(
      folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

static int64_t nanoseconds(const struct timespec *time) {
  return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static mcpi_entry_kind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFREG:
    return MCPI_ENTRY_FILE;
  case S_IFDIR:
    return MCPI_ENTRY_FOLDER;
  case S_IFLNK:
    return MCPI_ENTRY_LINK;
  default:
    return MCPI_ENTRY_OTHER;
  }
}

static int entry_take(mcpi_entry *out, int rc, const struct stat *status) {
#ifdef __APPLE__
  const struct timespec *modified = &status->st_mtimespec;
  const struct timespec *changed = &status->st_ctimespec;
#else
  const struct timespec *modified = &status->st_mtim;
  const struct timespec *changed = &status->st_ctim;
#endif
  if (rc != 0) {
    return -errno;
  }
  *out = (mcpi_entry){.kind = kind_of(status->st_mode),
                      .device = (uint64_t)status->st_dev,
                      .node = (uint64_t)status->st_ino,
                      .size = (uint64_t)status->st_size,
                      .modified_ns = nanoseconds(modified),
                      .changed_ns = nanoseconds(changed)};
  return 0;
}

int mcpi_entry_look(int folder, const char *name, mcpi_entry *out) {
  struct stat status;
  return entry_take(out, fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW),
                    &status);
}

int mcpi_entry_look_fd(int fd, mcpi_entry *out) {
  struct stat status;
  return entry_take(out, fstat(fd, &status), &status);
}

static int is_own_name(const char *name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int folder_read(DIR *listing,
                       int (*each)(const char *name, void *userdata),
                       void *userdata) {
  for (;;) {
    errno = 0;
    /* cppcheck-suppress readdirCalled ; each stream has its own entry */
    const struct dirent *item = readdir(listing);
    if (item == NULL) {
      return -errno;
    }
    int rc = is_own_name(item->d_name) ? 0 : each(item->d_name, userdata);
    if (rc != 0) {
      return rc;
    }
  }
}

/* A new description: the place in the list belongs to it. */
int mcpi_folder_each(int folder, int (*each)(const char *name, void *userdata),
                     void *userdata) {
  int fd = mcpi_entry_open_folder(folder, ".");
  DIR *listing = fd >= 0 ? fdopendir(fd) : NULL;
  if (listing == NULL) {
    int error = errno;
    if (fd >= 0) {
      close(fd);
    }
    return -error;
  }
  int rc = folder_read(listing, each, userdata);
  closedir(listing);
  return rc;
}
