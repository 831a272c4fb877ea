/* SPDX-License-Identifier: MIT */
/* JSON with comments, as editors write it. */
#ifndef CTL_JSONC_H
#define CTL_JSONC_H

#include <stddef.h>

/* Makes plain JSON of it: replaces comments, and commas before a closing
 * bracket, with blanks. So each byte keeps its place. */
void ctl_jsonc_clean(char *text, size_t len);

#endif
