/* SPDX-License-Identifier: MIT */
/* A server's text in C source: it cannot end a comment or a string. */
#ifndef CTL_C_TEXT_H
#define CTL_C_TEXT_H

#include <stdio.h>

/* Writes a comment of its own lines, wrapped, with `indent` blanks before each.
 * A line feed in the text begins a line. Neither text nor comment end each
 * other, and no trigraph is left. Characters that could change how an editor
 * shows the source become "?". */
void ctl_c_comment(FILE *out, int indent, const char *text);

/* Writes a string in quotes, all in ASCII. */
void ctl_c_string(FILE *out, const char *text);
/* The same of at most `max` bytes; "..." shows that there are more. */
void ctl_c_string_cut(FILE *out, const char *text, size_t max);

/* Writes text for a comment, at most `max` bytes of it and without line feeds;
 * "..." shows that there are more. Ends with a full stop and a blank, if there
 * is any text. */
void ctl_c_sentence(FILE *out, const char *text, size_t max);

#endif
