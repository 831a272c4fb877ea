/* SPDX-License-Identifier: MIT */
/* Punycode (RFC 3492) for labels of host names: Unicode in letters, digits and
 * hyphens. The text is the part of a label after "xn--". The rules of names are
 * not checked. */
#ifndef MCPI_CODEC_PUNYCODE_H
#define MCPI_CODEC_PUNYCODE_H

#include "base/str.h"

/* Bytes of the longest text: a label has 63 bytes in the DNS. A byte stands for
 * at most one character, so this is also the largest number of characters. */
enum { MCPI_PUNYCODE_MAX = 63 - 4 };

typedef struct mcpi_label {
  uint32_t chars[MCPI_PUNYCODE_MAX];
  uint32_t len;
} mcpi_label;

/* Decodes a text. ASCII letters become lower case. 0 or MCP_ERR_PARSE. */
int mcpi_punycode_decode(mcpi_str text, mcpi_label *out);

/* Encodes a label. Returns the bytes, or 0 when they do not fit or there are
 * none. */
size_t mcpi_punycode_encode(const mcpi_label *in, char text[MCPI_PUNYCODE_MAX]);

#endif
