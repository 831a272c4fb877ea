/* SPDX-License-Identifier: MIT */
/* Whether a text, which is valid UTF-8, is of a format. */
#ifndef MCPI_SCHEMA_FORMAT_CHECKS_H
#define MCPI_SCHEMA_FORMAT_CHECKS_H

#include "base/ascii.h"
#include "base/str.h"

/* RFC 3339; a duration is of its appendix A (format_time.c). */
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

/* Returns how many digits the text begins with. */
static inline size_t mcpi_digits_len(mcpi_str text) {
  size_t len = 0;
  while (len < text.len && mcpi_is_digit(text.ptr[len])) {
    len++;
  }
  return len;
}

#endif
