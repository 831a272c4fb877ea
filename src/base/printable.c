/* SPDX-License-Identifier: MIT */
/* Escaping a peer's text, so that it is safe to show on a terminal. */
#include "base/printable.h"

/* Returns the character at `at` if it must not be shown, and sets its length in
 * bytes. Returns 0 if it may be shown, as may a byte that is not valid UTF-8.
 */
static unsigned bad_at(const unsigned char *at, const unsigned char *end,
                       size_t *len) {
  *len = 1;
  if (*at < 0x20 || *at == 0x7F) {
    return *at != 0 ? *at : 0x10000; /* NUL is \u0000 */
  }
  if (*at == 0xC2 && end - at >= 2 && at[1] >= 0x80 && at[1] < 0xA0) {
    *len = 2; /* C1 */
    return at[1];
  }
  if (*at == 0xD8 && end - at >= 2 && at[1] == 0x9C) {
    *len = 2;
    return 0x061C;
  }
  if (*at == 0xE2 && end - at >= 3 && (at[1] == 0x80 || at[1] == 0x81)) {
    unsigned c = 0x2000u | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
    *len = 3;
    return c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
                   (c >= 0x2066 && c <= 0x2069)
               ? c
               : 0;
  }
  return 0;
}

/* Returns the place of the next such character, or the end. */
static const unsigned char *find_bad(const unsigned char *at,
                                     const unsigned char *end, unsigned *bad,
                                     size_t *len) {
  for (; at < end; at++) {
    int is_plain = *at >= 0x20 && *at < 0x7F;
    if (!is_plain && (*bad = bad_at(at, end, len)) != 0) {
      return at;
    }
  }
  return end;
}

int mcpi_is_printable(mcpi_str text) {
  const unsigned char *from = (const unsigned char *)text.ptr;
  unsigned bad;
  size_t len;
  return text.len == 0 ||
         find_bad(from, from + text.len, &bad, &len) == from + text.len;
}

static void put_escape(mcpi_buf *out, unsigned c) {
  static const char hex[] = "0123456789abcdef";
  const char escape[6] = {
      '\\',       'u', hex[c >> 12 & 15], hex[c >> 8 & 15], hex[c >> 4 & 15],
      hex[c & 15]};
  mcpi_buf_put(out, escape, sizeof(escape));
}

void mcpi_put_printable(mcpi_buf *out, mcpi_str text) {
  const unsigned char *at = (const unsigned char *)text.ptr;
  const unsigned char *end = text.len > 0 ? at + text.len : at;
  while (at < end) {
    unsigned bad;
    size_t len;
    const unsigned char *clean_end = find_bad(at, end, &bad, &len);
    mcpi_buf_put(out, at, (size_t)(clean_end - at));
    at = clean_end;
    if (at < end) {
      put_escape(out, bad);
      at += len;
    }
  }
}
