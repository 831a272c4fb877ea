/* SPDX-License-Identifier: MIT */
/* Writes files into a new folder. */
#include "platform/files.h"
#include "platform/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC };

/* Closes a descriptor, and keeps errno. Returns -1. */
static int close_failed(int fd) {
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

static int make_folder(const char *path) {
  return ctl_folder_make(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

/* The user names this folder and those above it, so they may be links. */
static int open_dir(const char *dir) {
  return ctl_folder_make_above(dir, 0777) == 0 && make_folder(dir) == 0
             ? open(dir, FOLDER)
             : -1;
}

/* Opens a folder of another one, and makes it if it is not there. */
static int enter_folder(int parent, const char *name) {
  if (mkdirat(parent, name, 0777) != 0 && errno != EEXIST) {
    return -1;
  }
  return openat(parent, name, FOLDER | O_NOFOLLOW);
}

int ctl_tree_open(ctl_tree *tree, const char *dir, const char *name,
                  int overwrites) {
  int parent = open_dir(dir);
  if (parent < 0) {
    return -1;
  }
  if (!overwrites && mkdirat(parent, name, 0777) != 0) {
    return close_failed(parent);
  }
  tree->fd = enter_folder(parent, name);
  tree->overwrites = overwrites;
  if (tree->fd < 0) {
    return close_failed(parent);
  }
  close(parent);
  return 0;
}

void ctl_tree_close(ctl_tree *tree) {
  close(tree->fd);
}

/* Opens the folder of a file; *name becomes the file's own name. */
static int enter_folders(const ctl_tree *tree, char *path, char **name) {
  int fd = fcntl(tree->fd, F_DUPFD_CLOEXEC, 0);
  char *slash = NULL;
  while (fd >= 0 && (slash = strchr(path, '/')) != NULL) {
    *slash = '\0';
    int inner = enter_folder(fd, path);
    if (inner < 0) {
      return close_failed(fd);
    }
    close(fd);
    fd = inner;
    path = slash + 1;
  }
  *name = path;
  return fd;
}

/* Makes a new file. An old one is removed, and never opened: it could be a
 * link. */
static int make_file(const ctl_tree *tree, int folder, const char *name,
                     unsigned mode) {
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int fd = openat(folder, name, flags, (mode_t)mode);
  if (fd < 0 && errno == EEXIST && tree->overwrites &&
      unlinkat(folder, name, 0) == 0) {
    fd = openat(folder, name, flags, (mode_t)mode);
  }
  return fd;
}

static int write_all(int fd, const void *bytes, size_t len) {
  return ctl_file_write(fd, bytes, len) == 0 ? ctl_file_close(fd)
                                             : close_failed(fd);
}

int ctl_tree_write(const ctl_tree *tree, const char *path, const void *bytes,
                   size_t len, unsigned mode) {
  char *name = NULL;
  char *copy = strdup(path);
  int folder = copy != NULL ? enter_folders(tree, copy, &name) : -1;
  int fd = folder >= 0 ? make_file(tree, folder, name, mode) : -1;
  int error = errno;
  free(copy);
  if (folder >= 0) {
    close(folder);
  }
  errno = error;
  return fd >= 0 ? write_all(fd, bytes, len) : -1;
}
