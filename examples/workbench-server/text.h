/* SPDX-License-Identifier: MIT */
/* UTF-8, which is all that JSON can carry. */
#ifndef WORKBENCH_TEXT_H
#define WORKBENCH_TEXT_H

#include <stddef.h>

/* Returns the number of bytes at the start that are UTF-8 without NUL: `len`
 * when all are. */
size_t text_valid_prefix(const char *bytes, size_t len);

/* Replaces each byte that is not UTF-8 by '?'. */
void text_clean(char *bytes, size_t len);

/* Returns the longest length up to `max` that does not split a character. */
size_t text_cut(const char *text, size_t len, size_t max);

#endif
