/* SPDX-License-Identifier: MIT */
/* The files of a folder that do not go into a bundle: those that .mcpbignore
 * names, and those that never belong there, such as .git and .env. */
#ifndef CTL_IGNORE_H
#define CTL_IGNORE_H

/* Whether a path of the folder, such as "src/a.o", is left out. The lines are
 * those of .mcpbignore, as in .gitignore, without [...]: the last one that
 * matches decides. NULL: there is no such file. */
int ctl_ignore(const char *lines, const char *path, int is_folder);

#endif
