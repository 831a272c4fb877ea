/* SPDX-License-Identifier: MIT */
#include "common/folder.h"
#include "common/exit.h"
#include "common/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes the folder that ends at each slash of the path, which it restores. */
static int make_each(char *path, mode_t mode) {
  char *slash = path;
  int rc = 0;
  while (rc == 0 && *slash != '\0' &&
         (slash = strchr(slash + 1, '/')) != NULL) {
    *slash = '\0';
    rc = mkdir(path, mode) == 0 || errno == EEXIST ? 0 : -1;
    *slash = '/';
  }
  return rc;
}

int ctl_folder_make_above(const char *path, mode_t mode) {
  char *copy = strdup(path);
  if (copy == NULL) {
    return -1;
  }
  int rc = make_each(copy, mode);
  int error = errno;
  free(copy);
  errno = error;
  return rc;
}

int ctl_folder_make_for(const char *path) {
  if (ctl_folder_make_above(path, 0700) != 0) {
    return ctl_report(CTL_USAGE, "cannot make the folders above %s: %s", path,
                      strerror(errno));
  }
  return CTL_OK;
}
