/* SPDX-License-Identifier: MIT */
#include "common/jsonc.h"

#include <string.h>

/* The byte at a place; 0 after the end. */
static char byte_at(const char *text, size_t len, size_t at) {
  return at < len ? text[at] : '\0';
}

/* Returns the place after the string that begins at `at`. */
static size_t skip_string(const char *text, size_t len, size_t at) {
  for (at++; at < len && text[at] != '"'; at++) {
    at += text[at] == '\\';
  }
  return at + 1;
}

/* The place after the comment that begins at `at`; `at`: there is none. */
static size_t comment_end(const char *text, size_t len, size_t at) {
  char second = byte_at(text, len, at + 1);
  if (text[at] != '/' || (second != '/' && second != '*')) {
    return at;
  }
  size_t end = at + 2;
  while (end < len &&
         (second == '/'
              ? text[end] != '\n'
              : text[end] != '*' || byte_at(text, len, end + 1) != '/')) {
    end++;
  }
  return second == '*' && end < len ? end + 2 : end;
}

/* Line feeds stay, so that messages name the right line. */
static void blank(char *text, size_t from, size_t to) {
  for (; from < to; from++) {
    if (text[from] != '\n') {
      text[from] = ' ';
    }
  }
}

void ctl_jsonc_clean(char *text, size_t len) {
  size_t comma = len; /* the last thing that is not white space; len: another */
  size_t at = 0;
  while (at < len) {
    size_t end = comment_end(text, len, at);
    if (end > at) {
      blank(text, at, end);
      at = end;
    } else if (text[at] == '"') {
      comma = len;
      at = skip_string(text, len, at);
    } else {
      if ((text[at] == '}' || text[at] == ']') && comma < len) {
        text[comma] = ' ';
      }
      if (strchr(" \t\r\n", text[at]) == NULL || text[at] == '\0') {
        comma = text[at] == ',' ? at : len;
      }
      at++;
    }
  }
}
