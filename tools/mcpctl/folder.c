/* SPDX-License-Identifier: MIT */
#include "folder.h"
#include "exit.h"
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int ctl_folder_make_for(const char *path) {
  char *folder = strdup(path);
  int code = CTL_OK;
  if (folder == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  char *slash = folder;
  while (code == CTL_OK && (slash = strchr(slash + 1, '/')) != NULL) {
    *slash = '\0';
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
      code = ctl_report(CTL_USAGE, "cannot make the folder %s: %s", folder,
                        strerror(errno));
    }
    *slash = '/';
  }
  free(folder);
  return code;
}
