/* SPDX-License-Identifier: MIT */
/* Media types: type "/" subtype *( OWS ";" OWS [ name "=" value ] ). */
#include "codec/http_media.h"

#include "codec/http_value.h"

/* How closely a media range of Accept matches a type: not at all, because it is
 * any type, by the main type (before the slash), exactly. If several ranges
 * match, the closest one decides. */
enum { RANK_NONE = 0, RANK_ANY, RANK_MAIN, RANK_EXACT };

static mcpi_str str_tail(mcpi_str text, size_t from) {
  return mcpi_str_n(text.len > 0 ? text.ptr + from : text.ptr, text.len - from);
}

static int begins_with(mcpi_str text, char c) {
  return text.len > 0 && text.ptr[0] == c;
}

/* --- pieces ------------------------------------------------------------- */

/* Returns the bytes before a separator outside quoted strings, or all. */
static size_t media_piece_len(mcpi_str text, char separator) {
  int is_quoted = 0;
  if (text.len == 0) {
    return 0;
  }
  const char *first = memchr(text.ptr, separator, text.len);
  size_t len = first != NULL ? (size_t)(first - text.ptr) : text.len;
  if (memchr(text.ptr, '"', len) == NULL) {
    return len; /* almost every header is like this */
  }
  for (size_t i = 0; i < text.len; i++) {
    char c = text.ptr[i];
    if (c == separator && !is_quoted) {
      return i;
    }
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == '\\' && is_quoted) {
      i++;
    }
  }
  return text.len;
}

/* Takes the text before a separator, and skips the separator. */
static mcpi_str media_take_piece(mcpi_str *text, char separator) {
  size_t len = media_piece_len(*text, separator);
  mcpi_str piece = mcpi_str_n(text->ptr, len);
  *text = str_tail(*text, len < text->len ? len + 1 : len);
  return mcpi_header_trim(piece);
}

/* --- parameters --------------------------------------------------------- */

/* Removes the quotes of a quoted string. Backslashes of escapes stay: no value
 * that we look for has one. Returns 0 when the string does not end where the
 * text ends. */
static int media_unquote(mcpi_str *value) {
  for (size_t i = 1; i < value->len; i++) {
    if (value->ptr[i] == '"') {
      int is_end = i + 1 == value->len;
      *value = mcpi_str_n(value->ptr + 1, i - 1);
      return is_end;
    }
    i += value->ptr[i] == '\\';
  }
  return 0;
}

/* Splits name=value or name="value". */
static int split_parameter(mcpi_str text, mcpi_str *name, mcpi_str *value) {
  size_t len = media_piece_len(text, '=');
  if (len == text.len) {
    return 0;
  }
  *name = mcpi_str_n(text.ptr, len);
  *value = str_tail(text, len + 1);
  if (!mcpi_header_is_token(*name)) {
    return 0;
  }
  return begins_with(*value, '"') ? media_unquote(value)
                                  : mcpi_header_is_token(*value);
}

/* --- Content-Type ------------------------------------------------------- */

static int media_accepts_parameter(mcpi_str text) {
  mcpi_str name;
  mcpi_str value;
  if (text.len == 0) {
    return 1;
  }
  if (!split_parameter(text, &name, &value)) {
    return 0;
  }
  return !mcpi_header_eq_nocase(name, MCPI_STR("charset")) ||
         mcpi_header_eq_nocase(value, MCPI_STR("utf-8"));
}

int mcpi_header_media_is(mcpi_str content_type, const char *type) {
  mcpi_str rest = content_type;
  if (!mcpi_header_eq_nocase(media_take_piece(&rest, ';'), mcpi_str_z(type))) {
    return 0;
  }
  while (rest.len > 0) {
    if (!media_accepts_parameter(media_take_piece(&rest, ';'))) {
      return 0;
    }
  }
  return 1;
}

int mcpi_header_media_get(mcpi_str content_type, const char *name,
                          mcpi_str *value) {
  mcpi_str found = {NULL, 0};
  size_t count = 0;
  media_take_piece(&content_type, ';');
  while (content_type.len > 0) {
    mcpi_str other_name;
    mcpi_str other;
    mcpi_str piece = media_take_piece(&content_type, ';');
    if (split_parameter(piece, &other_name, &other) &&
        mcpi_header_eq_nocase(other_name, mcpi_str_z(name))) {
      found = other;
      count++;
    }
  }
  if (count != 1) {
    return 0;
  }
  *value = found;
  return 1;
}

/* --- Accept ------------------------------------------------------------- */

/* Returns the part of a type up to its slash, with the slash. */
static mcpi_str main_type(mcpi_str type) {
  const char *slash = memchr(type.ptr, '/', type.len);
  return mcpi_str_n(type.ptr,
                    slash != NULL ? (size_t)(slash - type.ptr) + 1 : 0);
}

static int media_rank(mcpi_str range, mcpi_str type) {
  if (mcpi_header_eq_nocase(range, type)) {
    return RANK_EXACT;
  }
  if (range.len == 0 || range.ptr[range.len - 1] != '*') {
    return RANK_NONE;
  }
  if (mcpi_str_eq(range, MCPI_STR("*/*"))) {
    return RANK_ANY;
  }
  size_t len = main_type(type).len;
  int is_main = len > 0 && range.len == len + 1 && range.ptr[len] == '*' &&
                mcpi_header_eq_nocase(mcpi_str_n(range.ptr, len),
                                      mcpi_str_n(type.ptr, len));
  return is_main ? RANK_MAIN : RANK_NONE;
}

/* Reads a weight, 0[.000] to 1[.000]: 1 when it is above 0, 0 when it is 0, -1
 * when it is malformed. */
static int read_weight(mcpi_str text) {
  if (text.len == 0 || text.len > 5 || (text.len > 1 && text.ptr[1] != '.') ||
      (text.ptr[0] != '0' && text.ptr[0] != '1')) {
    return -1;
  }
  int is_more = text.ptr[0] == '1';
  for (size_t i = 2; i < text.len; i++) {
    char c = text.ptr[i];
    if (c < '0' || c > (text.ptr[0] == '1' ? '0' : '9')) {
      return -1;
    }
    is_more |= c != '0';
  }
  return is_more;
}

/* Finds the weight among a range's parameters. Other parameters make no
 * difference, because the types that we look for have none. */
static int find_weight(mcpi_str parameters) {
  int weight = 1;
  while (parameters.len > 0 && weight >= 0) {
    mcpi_str name;
    mcpi_str value;
    mcpi_str piece = media_take_piece(&parameters, ';');
    if (piece.len == 0) {
      continue;
    }
    if (!split_parameter(piece, &name, &value)) {
      return -1;
    }
    if (mcpi_header_eq_nocase(name, MCPI_STR("q"))) {
      weight = read_weight(value);
    }
  }
  return weight;
}

/* Notes a range that fits a type. A weight of -1 makes it invalid. */
static void accept_range(mcpi_header_accept *accept, int rank, int weight) {
  if (weight < 0 || rank < accept->rank) {
    return;
  }
  if (rank > accept->rank) {
    accept->rank = rank;
    accept->is_accepted = 0;
  }
  accept->is_accepted |= weight;
}

void mcpi_header_accept_init(mcpi_header_accept *accept, const char *type) {
  *accept = (mcpi_header_accept){mcpi_str_z(type), RANK_NONE, 0};
}

void mcpi_header_accept_add(mcpi_header_accept *accepts, size_t count,
                            mcpi_str line) {
  while (line.len > 0) {
    mcpi_str parameters = media_take_piece(&line, ',');
    mcpi_str range = media_take_piece(&parameters, ';');
    for (size_t i = 0; i < count; i++) {
      int rank = media_rank(range, accepts[i].type);
      if (rank != RANK_NONE) {
        accept_range(&accepts[i], rank, find_weight(parameters));
      }
    }
  }
}

int mcpi_header_accept_is_named(const mcpi_header_accept *accept) {
  return accept->is_accepted && accept->rank == RANK_EXACT;
}
