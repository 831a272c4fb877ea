/* SPDX-License-Identifier: MIT */
/* Folders that files need. */
#ifndef CTL_FOLDER_H
#define CTL_FOLDER_H

/* Makes the folders above a file of mcpctl's own, as far as they are missing:
 * only the user may enter them. Returns CTL_OK, or an exit code after a report.
 */
int ctl_folder_make_for(const char *path);

#endif
