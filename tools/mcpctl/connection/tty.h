/* SPDX-License-Identifier: MIT */
/* Asks the user on the terminal that mcpctl was started from, since standard
 * input and output may be files.
 *
 * The terminal itself edits the lines. A line editor would wait for input on
 * its own, but mcpctl must also receive messages during that time. */
#ifndef CTL_TTY_H
#define CTL_TTY_H

#include "connection/session.h"

#include <stdio.h>

/* Bytes of a typed line with its end: what Linux's terminals can hold. */
enum { CTL_TTY_LINE = 4096 };

typedef struct ctl_tty {
  ctl_session *session;
  /* The server's question that the user answers; NULL: it is mcpctl's own. */
  const mcp_question *question;
  int fd;
  FILE *out;
} ctl_tty;

/* 0, or -1 when there is no terminal. */
int ctl_tty_open(ctl_tty *tty, ctl_session *session,
                 const mcp_question *question);
void ctl_tty_close(ctl_tty *tty);

/* Prints a server's text in a style, as one line without its end. */
void ctl_tty_put(ctl_tty *tty, int style, const char *text);

/* Prints a prompt and reads a line, without its end. Returns 0; -1 at the end
 * of input (Ctrl-D), at an interrupt, or when the server no longer waits for
 * the answer. */
int ctl_tty_read(ctl_tty *tty, const char *prompt, char line[CTL_TTY_LINE]);

/* Asks until the user types one of the words (NULL at the end) or its
 * beginning. Returns the word's index, or -1 as ctl_tty_read does. */
int ctl_tty_choose(ctl_tty *tty, const char *prompt, const char *const *words);

#endif
