/* SPDX-License-Identifier: MIT */
/* Whether a text, valid UTF-8, is of a format: a function for each. */
#ifndef MCPI_SCHEMA_FORMAT_CHECKS_H
#define MCPI_SCHEMA_FORMAT_CHECKS_H

#include "base/str.h"

/* RFC 3339 (format_time.c); a duration is of its appendix A. */
int mcpi_is_date(mcpi_str text);
int mcpi_is_time(mcpi_str text);
int mcpi_is_date_time(mcpi_str text);
int mcpi_is_duration(mcpi_str text);

/* RFC 1123, 5890, 2673 (3.2), 4291 (2.2), 5321 (4.1.2) and 6531
 * (format_host.c). */
int mcpi_is_hostname(mcpi_str text);
int mcpi_is_idn_hostname(mcpi_str text);
int mcpi_is_ipv4(mcpi_str text);
int mcpi_is_ipv6(mcpi_str text);
int mcpi_is_email(mcpi_str text);
int mcpi_is_idn_email(mcpi_str text);

/* RFC 3986 and 3987 (format_uri.c). */
int mcpi_is_uri(mcpi_str text);
int mcpi_is_uri_reference(mcpi_str text);
int mcpi_is_iri(mcpi_str text);
int mcpi_is_iri_reference(mcpi_str text);

static inline int mcpi_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static inline int mcpi_is_hex(char c) {
  return mcpi_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Takes bytes off the front. */
static inline mcpi_str mcpi_take(mcpi_str *rest, size_t len) {
  mcpi_str taken = mcpi_str_n(rest->ptr, len);
  rest->ptr += len;
  rest->len -= len;
  return taken;
}

/* Takes a character off the front if it is that one. */
static inline int mcpi_take_char(mcpi_str *rest, char wanted) {
  if (rest->len == 0 || rest->ptr[0] != wanted) {
    return 0;
  }
  mcpi_take(rest, 1);
  return 1;
}

/* How many digits come first. */
static inline size_t mcpi_digits_len(mcpi_str text) {
  size_t len = 0;
  while (len < text.len && mcpi_is_digit(text.ptr[len])) {
    len++;
  }
  return len;
}

#endif
