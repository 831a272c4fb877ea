/* SPDX-License-Identifier: MIT */
/* Searches that not every C library has. */
#ifndef CTL_FIND_H
#define CTL_FIND_H

#include <stddef.h>

/* The first place of the word in the text, in capitals or not; NULL: it is not
 * there. */
char *ctl_find_word(const char *text, const char *word);

/* The last one of the bytes that is `byte`; NULL: none is. */
const char *ctl_find_last(const char *bytes, char byte, size_t len);

/* The first place of some bytes in others; NULL: they are not there. */
const char *ctl_find_bytes(const char *bytes, size_t len, const char *wanted,
                           size_t wanted_len);

#endif
