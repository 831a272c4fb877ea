/* SPDX-License-Identifier: MIT */
/* Folders as roots. */
#ifndef CTL_ROOTS_H
#define CTL_ROOTS_H

/* Returns the answer to roots/list: the folders (NULL at the end) as an array
 * of {"uri", "name"} in {"roots"}. Owned: end it with free. NULL when a folder
 * does not exist, after reporting it. */
char *ctl_roots_json(const char *const *folders);

#endif
