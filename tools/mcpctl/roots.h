/* SPDX-License-Identifier: MIT */
/* Folders as roots. */
#ifndef CTL_ROOTS_H
#define CTL_ROOTS_H

/* The folders (NULL at the end) as a JSON array of {"uri", "name"}, owned: end
 * it with free. NULL, having reported why, when one is not there. */
char *ctl_roots_json(const char *const *folders);

#endif
