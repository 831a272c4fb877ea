/* SPDX-License-Identifier: MIT */
/* Windows removes by whole paths only. So each path is looked at before: links
 * are removed themselves. */
#include "platform/error.h"
#include "platform/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

static int remove_named(void *folder, const char *name) {
  char *path = NULL;
  if (asprintf(&path, "%s/%s", (const char *)folder, name) < 0) {
    return -1;
  }
  int rc = ctl_folder_remove(path);
  int error = errno;
  free(path);
  errno = error;
  return rc;
}

static int remove_empty(const char *path) {
  uv_fs_t request;
  int rc = ctl_error_take(uv_fs_rmdir(NULL, &request, path, NULL));
  int error = errno;
  uv_fs_req_cleanup(&request);
  errno = error;
  return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as a path is long */
int ctl_folder_remove(const char *path) {
  ctl_path_state state;
  if (ctl_path_look(path, &state) != 0) {
    return -1;
  }
  if (state.kind != CTL_PATH_FOLDER) {
    return ctl_file_remove(path);
  }
  return ctl_folder_list(path, remove_named, (void *)path) == 0
             ? remove_empty(path)
             : -1;
}
