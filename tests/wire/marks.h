/* SPDX-License-Identifier: MIT */
/* The short forms in transcripts: $NAME, {state N} and {*N}. README.md says
 * what they stand for. */
#ifndef TESTS_WIRE_MARKS_H
#define TESTS_WIRE_MARKS_H

#include <stddef.h>

/* A growing text. All zero: empty, and bytes is NULL. */
typedef struct text_buf {
  char *bytes;
  size_t len;
  size_t cap;
} text_buf;

void text_add(text_buf *to, const char *bytes, size_t len);
void text_adds(text_buf *to, const char *string);

/* Forgets all names and states. with_states: {state N} is used. */
void marks_begin(int with_states);
void marks_end(void);
/* Takes "NAME text". 1, or 0 when that is not a definition. */
int marks_let(const char *definition);
/* Replaces $NAME. Owned. */
char *marks_expand(const char *lines);
/* Replaces all marks in a line that is sent. Owned. */
char *marks_send(const char *line);
/* Replaces states and long runs of x in a line that came by their marks.
 * Owned. */
char *marks_came(const char *line, size_t len);
/* Puts $NAME where its text stands. Owned. */
char *marks_shorten(const char *lines);

#endif
