/* SPDX-License-Identifier: MIT */
#include "marks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_NAMES = 32,
  MAX_STATES = 32,
  MAX_TEXT = 4096, /* bytes that a name may stand for */
  MAX_FILL = 70000,
  /* Writes a run of at least this many x in the input as {*N}. */
  MIN_FILL = 64,
  /* Bytes of a line when its marks are replaced. */
  MAX_LINE = 1 << 20
};

static struct marks {
  char *names[MAX_NAMES];
  char *texts[MAX_NAMES];
  size_t name_count;
  char *states[MAX_STATES];
  size_t state_count;
  int with_states;
} marks;

void text_add(text_buf *to, const char *bytes, size_t len) {
  if (to->len + len + 1 > to->cap) {
    to->cap = 2 * (to->len + len + 1);
    to->bytes = realloc(to->bytes, to->cap);
  }
  if (len > 0) {
    memcpy(to->bytes + to->len, bytes, len);
  }
  to->len += len;
  to->bytes[to->len] = '\0';
}

void text_adds(text_buf *to, const char *string) {
  text_add(to, string, strlen(string));
}

void marks_begin(int with_states) {
  marks_end();
  marks.with_states = with_states;
}

void marks_end(void) {
  for (size_t i = 0; i < marks.name_count; i++) {
    free(marks.names[i]);
    free(marks.texts[i]);
  }
  for (size_t i = 0; i < marks.state_count; i++) {
    free(marks.states[i]);
  }
  memset(&marks, 0, sizeof marks);
}

/* ---- $NAME --------------------------------------------------------------- */

/* Bytes of the name that a line begins with. */
static size_t name_len(const char *line) {
  size_t len = 0;
  while (isupper((unsigned char)line[len]) || line[len] == '_' ||
         (len > 0 && isdigit((unsigned char)line[len]))) {
    len++;
  }
  return len;
}

/* The text of a name; NULL: there is no such name. */
static const char *text_of(const char *name, size_t len) {
  for (size_t i = 0; i < marks.name_count; i++) {
    if (strncmp(marks.names[i], name, len) == 0 &&
        marks.names[i][len] == '\0') {
      return marks.texts[i];
    }
  }
  return NULL;
}

/* Ends a line at each " // ", and at " //" where the text ends. */
static void cut_lines(char *lines) {
  char *to = lines;
  for (const char *at = lines; *at != '\0';) {
    int is_start = to == lines || to[-1] == '\n';
    size_t len = strncmp(at, " //", 3) == 0              ? 3
                 : is_start && strncmp(at, "//", 2) == 0 ? 2
                                                         : 0;
    if (len > 0 && (at[len] == ' ' || at[len] == '\0')) {
      *to++ = '\n';
      at += len + (at[len] == ' ');
    } else {
      *to++ = *at++;
    }
  }
  *to = '\0';
}

int marks_let(const char *definition) {
  size_t len = name_len(definition);
  if (len == 0 || definition[len] != ' ' || definition[len + 1] == '\0' ||
      marks.name_count == MAX_NAMES) {
    return 0;
  }
  char *stands_for = marks_expand(definition + len + 1);
  cut_lines(stands_for);
  if (strlen(stands_for) > MAX_TEXT) {
    free(stands_for);
    return 0;
  }
  marks.names[marks.name_count] = strndup(definition, len);
  marks.texts[marks.name_count++] = stands_for;
  return 1;
}

/* Bytes of "< N" or "> N", which each line of an answer or of a numbered
 * request begins with; else 0. */
static size_t prefix_len(const char *line) {
  int is_numbered = (line[0] == '<' || line[0] == '>') && line[1] == ' ';
  size_t len = is_numbered ? strspn(line + 2, "0123456789") : 0;
  return len > 0 && line[2 + len] == ' ' ? 2 + len : 0;
}

/* Adds lines, each after the first with the prefix. */
static void add_lines(text_buf *to, const char *lines, const char *prefix,
                      size_t len) {
  const char *end;
  while ((end = strchr(lines, '\n')) != NULL) {
    text_add(to, lines, (size_t)(end + 1 - lines));
    text_add(to, prefix, len);
    lines = end + 1;
    text_add(to, " ", len > 0 && *lines != '\n' && *lines != '\0');
  }
  text_adds(to, lines);
}

char *marks_expand(const char *lines) {
  text_buf whole = {NULL, 0, 0};
  const char *start = lines; /* of the line */
  text_adds(&whole, "");
  while (*lines != '\0') {
    size_t len = *lines == '$' ? name_len(lines + 1) : 0;
    const char *stands_for = len > 0 ? text_of(lines + 1, len) : NULL;
    if (stands_for != NULL && whole.len < MAX_LINE) {
      add_lines(&whole, stands_for, start, prefix_len(start));
      lines += len + 1;
    } else {
      start = *lines == '\n' ? lines + 1 : start;
      text_add(&whole, lines, 1);
      lines++;
    }
  }
  return whole.bytes;
}

/* A text whose last line is empty ends with one. */
static int ends_there(const char *text, const char *rest) {
  return text[strlen(text) - 1] != '\n' || *rest == '\n' || *rest == '\0';
}

/* The name whose text begins here, in a line that begins at start; the longest
 * of several. *best_len is the text's length there. */
static size_t name_at(const char *lines, const char *start, size_t *best_len) {
  size_t best = MAX_NAMES;
  *best_len = 0;
  for (size_t i = 0; i < marks.name_count; i++) {
    text_buf whole = {NULL, 0, 0};
    add_lines(&whole, marks.texts[i], start, prefix_len(start));
    if (whole.len > *best_len && strncmp(lines, whole.bytes, whole.len) == 0 &&
        ends_there(marks.texts[i], lines + whole.len)) {
      best = i;
      *best_len = whole.len;
    }
    free(whole.bytes);
  }
  return best;
}

char *marks_shorten(const char *lines) {
  text_buf whole = {NULL, 0, 0};
  const char *start = lines;
  text_adds(&whole, "");
  while (*lines != '\0') {
    size_t len;
    size_t name = name_at(lines, start, &len);
    if (name < MAX_NAMES) {
      text_adds(&whole, "$");
      text_adds(&whole, marks.names[name]);
      lines += len;
    } else {
      start = *lines == '\n' ? lines + 1 : start;
      text_add(&whole, lines, 1);
      lines++;
    }
  }
  return whole.bytes;
}

/* ---- {state N} and {*N} -------------------------------------------------- */

/* Replaces the mark that line begins with. Its length; 0: there is none. */
static size_t send_mark(text_buf *whole, const char *line) {
  size_t number = 0;
  int len = 0;
  if (sscanf(line, "{state %2zu}%n", &number, &len) == 1 && len > 0 &&
      number > 0 && number <= marks.state_count) {
    text_adds(whole, marks.states[number - 1]);
    return (size_t)len;
  }
  len = 0;
  if (sscanf(line, "{*%6zu}%n", &number, &len) == 1 && len > 0 &&
      number <= MAX_FILL && whole->len < MAX_LINE) {
    char *fill = malloc(number + 1);
    memset(fill, 'x', number);
    text_add(whole, fill, number);
    free(fill);
    return (size_t)len;
  }
  return 0;
}

char *marks_send(const char *line) {
  char *expanded = marks_expand(line);
  text_buf whole = {NULL, 0, 0};
  text_adds(&whole, "");
  for (const char *at = expanded; *at != '\0';) {
    size_t len = *at == '{' ? send_mark(&whole, at) : 0;
    if (len == 0) {
      text_add(&whole, at, 1);
      len = 1;
    }
    at += len;
  }
  free(expanded);
  return whole.bytes;
}

static size_t state_of(const char *state, size_t len) {
  for (size_t i = 0; i < marks.state_count; i++) {
    if (strncmp(marks.states[i], state, len) == 0 &&
        marks.states[i][len] == '\0') {
      return i + 1;
    }
  }
  if (marks.state_count < MAX_STATES) {
    marks.states[marks.state_count++] = strndup(state, len);
  }
  return marks.state_count;
}

char *marks_came(const char *line, size_t len) {
  static const char member[] = "\"requestState\":\"";
  text_buf copy = {NULL, 0, 0};
  text_buf whole = {NULL, 0, 0};
  char mark[32];
  text_add(&copy, line, len);
  text_adds(&whole, "");
  const char *at = copy.bytes;
  while (*at != '\0') {
    size_t fill = strspn(at, "x");
    if (fill >= MIN_FILL) {
      snprintf(mark, sizeof mark, "{*%zu}", fill);
      text_adds(&whole, mark);
      at += fill;
    } else if (marks.with_states && strncmp(at, member, 16) == 0) {
      size_t state_len = strcspn(at + 16, "\"");
      snprintf(mark, sizeof mark, "{state %zu}", state_of(at + 16, state_len));
      text_adds(&whole, member);
      text_adds(&whole, mark);
      at += 16 + state_len;
    } else {
      text_add(&whole, at, 1);
      at++;
    }
  }
  free(copy.bytes);
  return whole.bytes;
}
