/* SPDX-License-Identifier: MIT */
/* Shows text with the characters that a reader does not see. A model reads
 * them, so a server can hide instructions in them. */
#ifndef CTL_REVEAL_H
#define CTL_REVEAL_H

#include <stddef.h>
#include <stdio.h>

/* Prints at most `max` columns of a text on one line, neutralised (text.h), and
 * with \u200b or \U000e0041 for a character that is not visible. An ellipsis
 * replaces the rest. */
void ctl_reveal_put(FILE *out, const char *text, size_t len, size_t max);

/* Where two texts begin to differ: the byte at which the character that is
 * different begins. */
size_t ctl_reveal_difference(const char *a, size_t a_len, const char *b,
                             size_t b_len);

/* The byte that is at most `count` characters before that one. */
size_t ctl_reveal_back(const char *text, size_t at, size_t count);

#endif
