/* SPDX-License-Identifier: MIT */
/* Reads the lines of a shell from standard input, while the connection goes on.
 * On a terminal the user can edit each line, call earlier ones back, and
 * complete words: reader_edit.c, with libedit; or reader_plain.c in a build
 * without it, where the terminal's own editing is all. */
#ifndef CTL_READER_H
#define CTL_READER_H

#include "common/choices.h"
#include "connection/session.h"

typedef struct ctl_reader ctl_reader;

typedef struct ctl_reader_options {
  const char *prompt; /* copied */
  /* Finds the words with which the last one of the line may be replaced. */
  void (*complete)(ctl_choices *choices, const char *line, size_t len,
                   void *userdata);
  void *userdata;
} ctl_reader_options;

/* Returns NULL when out of memory. */
ctl_reader *ctl_reader_new(ctl_session *session,
                           const ctl_reader_options *options);
void ctl_reader_free(ctl_reader *reader);

/* Returns the next line, without its line feed; owned: end it with free. NULL:
 * the input or the connection has ended. An interrupt discards the line that
 * the user has begun. */
char *ctl_reader_next(ctl_reader *reader);

#endif
