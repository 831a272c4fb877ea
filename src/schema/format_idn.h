/* SPDX-License-Identifier: MIT */
/* Labels of internationalized host names (RFC 5890 to 5893).
 *
 * We do not have Unicode's tables of properties, so a few ranges decide about
 * characters outside ASCII. Refused are symbols, punctuation, compatibility
 * forms and the like, and labels that begin with a combining mark of a common
 * script. Not checked are upper case, unassigned characters, NFC, the marks of
 * rare scripts, and joining types (a zero width non-joiner may stand between
 * any two Arabic letters). The rules of context (RFC 5892, appendix A),
 * direction (RFC 5893) and Punycode are checked. */
#ifndef MCPI_SCHEMA_FORMAT_IDN_H
#define MCPI_SCHEMA_FORMAT_IDN_H

#include "base/str.h"

typedef struct mcpi_idn_label {
  size_t ascii_len; /* bytes of it in the DNS */
  int is_rtl;       /* has characters that are written from right to left */
  int has_digit_first;
} mcpi_idn_label;

/* Whether the label begins with "xn--", in any case. */
int mcpi_idn_is_encoded(mcpi_str text);

/* Whether a label is valid that has characters outside ASCII (as valid UTF-8),
 * or that is encoded. */
int mcpi_idn_check(mcpi_str text, mcpi_idn_label *out);

#endif
