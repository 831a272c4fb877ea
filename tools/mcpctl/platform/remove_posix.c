/* SPDX-License-Identifier: MIT */
/* Removes a folder by descriptors. By paths, a program that still runs in the
 * folder could put a link in the place of a folder just after we looked at it,
 * and all that is at the link's end would be removed. */
#include "platform/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A program that goes on making files must not keep us here. */
enum { MAX_PASSES = 8 };

static int remove_entry(int parent, const char *name);

/* Removes what is in the folder now. Returns how many entries that were, or -1
 * with errno. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as there are descriptors */
static int remove_entries(DIR *folder) {
  int count = 0;
  const struct dirent *entry;
  rewinddir(folder);
  /* cppcheck-suppress readdirCalled ; each stream has its own entry */
  while ((entry = readdir(folder)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
      continue;
    }
    if (remove_entry(dirfd(folder), entry->d_name) != 0) {
      return -1;
    }
    count++;
  }
  return count;
}

/* Takes the descriptor. Some systems skip entries after one was removed: so it
 * reads the folder until there are none. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static int empty_folder(int fd) {
  DIR *folder = fdopendir(fd);
  if (folder == NULL) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  int count = 1;
  for (int pass = 0; count > 0 && pass < MAX_PASSES; pass++) {
    count = remove_entries(folder);
  }
  int error = errno;
  closedir(folder);
  errno = error;
  return count < 0 ? -1 : 0;
}

/* Opens a folder that may let nobody in. */
static int open_folder(int parent, const char *name) {
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = openat(parent, name, flags);
  if (fd < 0 && errno == EACCES &&
      fchmodat(parent, name, 0700, AT_SYMLINK_NOFOLLOW) == 0) {
    fd = openat(parent, name, flags);
  }
  if (fd >= 0) {
    fchmod(fd, 0700); /* if it fails, the removal says why */
  }
  return fd;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static int remove_entry(int parent, const char *name) {
  struct stat state;
  if (fstatat(parent, name, &state, AT_SYMLINK_NOFOLLOW) != 0) {
    return -1;
  }
  if (!S_ISDIR(state.st_mode)) {
    return unlinkat(parent, name, 0);
  }
  int fd = open_folder(parent, name);
  return fd >= 0 && empty_folder(fd) == 0 ? unlinkat(parent, name, AT_REMOVEDIR)
                                          : -1;
}

int ctl_folder_remove(const char *path) {
  return remove_entry(AT_FDCWD, path);
}
