/* SPDX-License-Identifier: MIT */
/* Reads comma-separated values, RFC 4180: fields in double quotes may hold
 * commas, line breaks and doubled quotes; lines end in LF or CRLF. */
#ifndef WORKBENCH_CSV_H
#define WORKBENCH_CSV_H

#include <stddef.h>

/* What csv_next found. */
enum {
  CSV_END,   /* the end of the input */
  CSV_FIELD, /* a field, and another follows */
  CSV_LAST,  /* the last field of its record */
  CSV_BAD    /* a quote that is not closed, or text after a closing one */
};

typedef struct csv {
  char *next;
  char *end;
  size_t line;   /* where the next field begins, from 1 */
  int is_inside; /* a record whose last field has not come yet */
} csv;

/* Fields are unquoted in place: the reader writes to `text`, which must have
 * room for a NUL at its end. */
void csv_init(csv *reader, char *text, size_t len);

/* Sets *field to the next field, NUL-terminated. Skips blank lines. */
int csv_next(csv *reader, char **field);

/* Reads a field as a number. Returns 0, or -1 for any other text. */
int csv_number(const char *text, double *out);

#endif
