/* SPDX-License-Identifier: MIT */
/* Properties of the output streams: terminals, colour, width. */
#ifndef CTL_TERM_H
#define CTL_TERM_H

#include <stddef.h>
#include <stdio.h>

enum { CTL_COLOR_AUTO, CTL_COLOR_ALWAYS, CTL_COLOR_NEVER };

/* Prepares the terminal for UTF-8, and decides on colour. */
void ctl_term_setup(int color);

int ctl_term_is_terminal(FILE *stream);
/* The stream's columns; SIZE_MAX when it is not a terminal, so that nothing is
 * cut. */
size_t ctl_term_width(FILE *stream);

/* Styles; nothing is printed where there is no colour. */
enum { CTL_PLAIN, CTL_BOLD, CTL_DIM, CTL_RED, CTL_GREEN };
void ctl_term_style(FILE *stream, int style);

/* Prints a server's text to standard output: neutralised on a terminal,
 * unchanged into a file or pipe. */
void ctl_term_put(const char *text, size_t len);

#endif
