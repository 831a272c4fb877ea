/* SPDX-License-Identifier: MIT */
/* Folders that files need. */
#ifndef CTL_FOLDER_H
#define CTL_FOLDER_H

#include <sys/stat.h>

/* Makes the folders above the path, as far as they are missing. Returns 0, or
 * -1 with errno. */
int ctl_folder_make_above(const char *path, mode_t mode);

/* The same for a file of mcpctl's own: only the user may enter new folders.
 * Returns CTL_OK, or an exit code after a report. */
int ctl_folder_make_for(const char *path);

#endif
