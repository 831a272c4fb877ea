/* SPDX-License-Identifier: MIT */
/* Labels of internationalized host names (RFC 5890 to 5893).
 *
 * Unicode's tables of properties are not here, so of a character outside ASCII
 * is only checked what a few ranges tell: symbols, punctuation, compatibility
 * forms and the like are refused, and so are combining marks of the common
 * scripts in front. Not checked: upper case, unassigned characters, NFC, rare
 * scripts' marks, and joining types (a zero width non-joiner may stand between
 * any two Arabic letters). Rules about context (RFC 5892, appendix A),
 * direction (RFC 5893) and Punycode hold. */
#ifndef MCPI_SCHEMA_FORMAT_IDN_H
#define MCPI_SCHEMA_FORMAT_IDN_H

#include "base/str.h"

typedef struct mcpi_idn_label {
  size_t ascii_len; /* bytes of it in the DNS */
  int is_rtl;       /* has characters that are written from right to left */
  int has_digit_first;
} mcpi_idn_label;

/* Whether it begins with "xn--" in any case. */
int mcpi_idn_is_encoded(mcpi_str text);

/* Checks a label with characters outside ASCII (valid UTF-8), or one that
 * is encoded. */
int mcpi_idn_check(mcpi_str text, mcpi_idn_label *out);

#endif
