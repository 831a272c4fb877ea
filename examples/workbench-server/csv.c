/* SPDX-License-Identifier: MIT */
/* Comma-separated values: see csv.h. */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

void csv_init(csv *reader, char *text, size_t len) {
  /* Spreadsheets put a byte order mark there. */
  size_t skipped = len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  *reader = (csv){.next = text + skipped, .end = text + len, .line = 1};
}

static int is_line_end(const char *at) {
  return *at == '\n' || (*at == '\r' && at[1] == '\n');
}

static void skip_line_end(csv *reader) {
  reader->next += *reader->next == '\r' ? 2 : 1;
  reader->line++;
}

static void skip_blank_lines(csv *reader) {
  while (reader->next < reader->end && is_line_end(reader->next)) {
    skip_line_end(reader);
  }
}

/* Steps over the separator at `from`, and ends the field with a NUL, which
 * overwrites the separator or a byte that unquoting freed. */
static int finish(csv *reader, char *from, char *field_end) {
  int is_last = 1;
  reader->next = from;
  if (from < reader->end && *from == ',') {
    is_last = 0;
    reader->next++;
  } else if (from < reader->end) {
    skip_line_end(reader);
  }
  *field_end = '\0';
  return is_last ? CSV_LAST : CSV_FIELD;
}

static int read_plain(csv *reader, char **field) {
  char *at = reader->next;
  while (at < reader->end && *at != ',' && !is_line_end(at)) {
    at++;
  }
  *field = reader->next;
  return finish(reader, at, at);
}

/* Reads a field in quotes: moves its text down over the second quote of each
 * pair. */
static int read_quoted(csv *reader, char **field) {
  char *at = reader->next + 1;
  char *out = at;
  *field = at;
  for (; at < reader->end; at++) {
    if (*at == '"' && at[1] != '"') {
      break;
    }
    at += *at == '"';
    reader->line += *at == '\n';
    *out++ = *at;
  }
  if (at == reader->end) {
    return CSV_BAD;
  }
  at++;
  if (at < reader->end && *at != ',' && !is_line_end(at)) {
    return CSV_BAD;
  }
  return finish(reader, at, out);
}

int csv_next(csv *reader, char **field) {
  if (reader->is_inside == 0) {
    skip_blank_lines(reader);
  }
  if (reader->next >= reader->end && reader->is_inside == 0) {
    return CSV_END;
  }
  int found = *reader->next == '"' && reader->next < reader->end
                  ? read_quoted(reader, field)
                  : read_plain(reader, field);
  reader->is_inside = found == CSV_FIELD;
  return found;
}

/* Accepts only text that looks like a number: strtod takes "nan", "infinity"
 * and 0x10 too. The program keeps the C locale, so the decimal point is a
 * point. */
int csv_number(const char *text, double *out) {
  char *end;
  if (text[strspn(text, "0123456789+-.eE")] != '\0') {
    return -1;
  }
  double number = strtod(text, &end);
  if (end == text || *end != '\0') {
    return -1;
  }
  *out = number;
  return 0;
}
