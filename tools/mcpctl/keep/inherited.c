/* SPDX-License-Identifier: MIT */
#include "keep/inherited.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static int add(ctl_inherited *inherited, int fd) {
  size_t size = (inherited->count + 1) * sizeof(*inherited->list);
  int *list = realloc(inherited->list, size);
  if (list == NULL) {
    return 0;
  }
  list[inherited->count++] = fd;
  inherited->list = list;
  return 1;
}

void ctl_inherited_read(ctl_inherited *inherited) {
  DIR *dir = opendir("/proc/self/fd");
  dir = dir != NULL ? dir : opendir("/dev/fd"); /* macOS */
  const struct dirent *entry = NULL;
  int has_memory = 1;
  *inherited = (ctl_inherited){0};
  if (dir == NULL) {
    return;
  }
  /* cppcheck-suppress readdirCalled ; each stream has its own entry */
  while (has_memory && (entry = readdir(dir)) != NULL) {
    int fd = (int)strtol(entry->d_name, NULL, 10); /* "." and "..": 0 */
    if (fd > STDERR_FILENO && fd != dirfd(dir)) {
      has_memory = add(inherited, fd);
    }
  }
  closedir(dir);
}

void ctl_inherited_close(const ctl_inherited *inherited) {
  for (size_t i = 0; i < inherited->count; i++) {
    close(inherited->list[i]);
  }
}

void ctl_inherited_deinit(ctl_inherited *inherited) {
  free(inherited->list);
}
