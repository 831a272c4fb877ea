/* SPDX-License-Identifier: MIT */
/* Folders that files need. */
#ifndef CTL_FOLDER_H
#define CTL_FOLDER_H

/* Makes the folders in which the file would be, as far as they are missing;
 * only the user may enter new ones. Returns CTL_OK, or an exit code after a
 * report. */
int ctl_folder_make_for(const char *path);

#endif
