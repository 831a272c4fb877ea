/* SPDX-License-Identifier: MIT */
/* A conversation on the terminal that the program was started from: /dev/tty,
 * since standard input and output may be files.
 *
 * Lines come from the terminal as it edits them itself. A line editor would
 * want to own the wait for input, which here also serves the wire. */
#ifndef CTL_TTY_H
#define CTL_TTY_H

#include "session.h"

#include <stdio.h>

/* Bytes of a typed line with its end: what Linux's terminals can hold. */
enum { CTL_TTY_LINE = 4096 };

typedef struct ctl_tty {
  ctl_session *session;
  const mcp_question *question; /* what the conversation is about */
  int fd;
  FILE *out;
} ctl_tty;

/* 0, or -1 when there is no terminal. */
int ctl_tty_open(ctl_tty *tty, ctl_session *session,
                 const mcp_question *question);
void ctl_tty_close(ctl_tty *tty);

/* Prints a server's text in a style, as one line without its end. */
void ctl_tty_put(ctl_tty *tty, int style, const char *text);

/* Reads a line, without its end, after a prompt. 0; -1 at the end of input
 * (Ctrl-D), at an interrupt, and when nobody waits for the answer any more. */
int ctl_tty_read(ctl_tty *tty, const char *prompt, char line[CTL_TTY_LINE]);

/* Asks until one of the words (NULL at the end) is typed, or its beginning;
 * returns its index, or -1 as ctl_tty_read does. */
int ctl_tty_choose(ctl_tty *tty, const char *prompt, const char *const *words);

#endif
