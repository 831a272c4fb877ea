/* SPDX-License-Identifier: MIT */
/* Terminals: the console on Windows. */
#ifndef CTL_PLATFORM_TERMINAL_H
#define CTL_PLATFORM_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* Prepares the process for text that is UTF-8. */
void ctl_terminal_setup(void);

/* Whether the descriptor is a terminal. */
int ctl_terminal_is(int fd);

/* Whether it is a terminal that understands escape sequences. */
int ctl_terminal_has_escapes(int fd);

/* Its columns; 0: not known. */
size_t ctl_terminal_columns(int fd);

/* Opens the terminal that the process was started from, also if the standard
 * streams are files. Returns a descriptor for ctl_wait, and in *out a stream to
 * print to; -1: there is no terminal. */
int ctl_terminal_open(FILE **out);
/* Closes both. */
void ctl_terminal_close(int fd, FILE *out);

#endif
