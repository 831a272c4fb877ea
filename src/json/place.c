/* SPDX-License-Identifier: MIT */
/* The place at which an unfinished JSON text ends.
 *
 * The builder keeps no names, which would cost each value. So a failure reads
 * the text once more, from its beginning. */
#include "json/place.h"

#include "json/value.h"

#include <stdio.h>

enum { MAX_NAME = 40 };

/* An open array or object, and its member or item at which the text ends. */
typedef struct level {
  mcpi_str name;
  size_t index;
  int is_object;
  int wants_name;
} level;

typedef struct reader {
  size_t depth; /* of which the levels below MCPI_JSON_MAX_DEPTH are kept */
  level levels[MCPI_JSON_MAX_DEPTH];
} reader;

/* Returns the innermost level, NULL at the top and where none is kept. */
static level *innermost(reader *r) {
  int is_kept = r->depth > 0 && r->depth <= MCPI_JSON_MAX_DEPTH;
  return is_kept ? &r->levels[r->depth - 1] : NULL;
}

/* Returns the length of the string that begins the text, with its quotes. */
static size_t string_len(mcpi_str text) {
  size_t i = 1;
  while (i < text.len && text.ptr[i] != '"') {
    i += text.ptr[i] == '\\' ? 2 : 1;
  }
  return i < text.len ? i + 1 : text.len;
}

static void read_string(reader *r, mcpi_str string) {
  level *top = innermost(r);
  if (top != NULL && top->wants_name) {
    top->name = mcpi_str_n(string.ptr + 1, string.len - 2);
    top->wants_name = 0;
  }
}

static void read_token(reader *r, char c) {
  level *top = innermost(r);
  if (c == '{' || c == '[') {
    r->depth++;
    top = innermost(r);
    if (top != NULL) {
      *top = (level){.is_object = c == '{', .wants_name = c == '{'};
    }
  } else if ((c == '}' || c == ']') && r->depth > 0) {
    r->depth--;
  } else if (c == ',' && top != NULL) {
    top->index++;
    top->wants_name = top->is_object;
  }
}

static void read_all(reader *r, mcpi_str text) {
  while (text.len > 0) {
    if (text.ptr[0] == '"') {
      read_string(r, mcpi_str_take(&text, string_len(text)));
    } else {
      read_token(r, text.ptr[0]);
      mcpi_str_take(&text, 1);
    }
  }
}

/* Writes one part of a pointer, and returns its length. */
static size_t level_write(const level *at, char part[MAX_NAME + 5]) {
  if (!at->is_object) {
    return (size_t)snprintf(part, MAX_NAME + 5, "/%zu", at->index);
  }
  int is_cut = at->name.len > MAX_NAME;
  size_t len = is_cut ? MAX_NAME : at->name.len;
  /* Not in the middle of a character, which is UTF-8 here. */
  len = mcpi_utf8_valid_prefix(at->name.ptr, len);
  part[0] = '/';
  if (at->name.ptr != NULL) {
    memcpy(part + 1, at->name.ptr, len);
  }
  memcpy(part + 1 + len, "...", is_cut ? 3 : 0);
  return 1 + len + (is_cut ? 3 : 0);
}

/* From the innermost part outwards, as long as there is room. */
void mcpi_json_place(char place[MCPI_JSON_PLACE_SIZE], mcpi_str text,
                     int is_value) {
  const size_t end = MCPI_JSON_PLACE_SIZE - sizeof(": ");
  size_t from = end;
  reader r;
  r.depth = 0;
  read_all(&r, text);
  size_t count = r.depth > 0 && !is_value ? r.depth - 1 : r.depth;
  while (count > 0) {
    char part[MAX_NAME + 5];
    size_t len = level_write(&r.levels[count - 1], part);
    if (len + 3 > from) {
      from -= 3;
      memset(place + from, '.', 3);
      break;
    }
    from -= len;
    memcpy(place + from, part, len);
    count--;
  }
  memmove(place, place + from, end - from);
  place[end - from] = '\0';
  if (from < end) {
    memcpy(place + (end - from), ": ", sizeof(": "));
  }
}
