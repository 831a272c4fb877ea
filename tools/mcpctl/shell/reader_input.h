/* SPDX-License-Identifier: MIT */
/* Lines of standard input that is not edited: a pipe, a file, or a terminal in
 * a build without libedit. */
#ifndef CTL_READER_INPUT_H
#define CTL_READER_INPUT_H

#include "connection/session.h"

typedef struct ctl_input {
  char *bytes; /* read, and not yet given away; owned */
  size_t len;
  int has_ended;
} ctl_input;

/* The next line; owned. NULL: the input or the connection has ended, the user
 * has interrupted, or there is no memory. */
char *ctl_input_next(ctl_input *input, ctl_session *session);
void ctl_input_deinit(ctl_input *input);

#endif
