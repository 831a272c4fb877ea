/* SPDX-License-Identifier: MIT */
#include "common/folder.h"
#include "common/exit.h"
#include "common/report.h"
#include "platform/files.h"

#include <errno.h>
#include <string.h>

int ctl_folder_make_for(const char *path) {
  if (ctl_folder_make_above(path, 0700) != 0) {
    return ctl_report(CTL_USAGE, "cannot make the folders above %s: %s", path,
                      strerror(errno));
  }
  return CTL_OK;
}
