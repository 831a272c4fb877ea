/* SPDX-License-Identifier: MIT */
/* Punycode (RFC 3492) for labels of host names: Unicode in letters, digits and
 * hyphens. What stands behind "xn--"; the rules of names are not checked. */
#ifndef MCPI_CODEC_PUNYCODE_H
#define MCPI_CODEC_PUNYCODE_H

#include "base/str.h"

/* Bytes: a label has 63 in the DNS. None stands for more than one character, so
 * no label has more of those. */
enum { MCPI_PUNYCODE_MAX = 63 - 4 };

typedef struct mcpi_label {
  uint32_t chars[MCPI_PUNYCODE_MAX];
  uint32_t len;
} mcpi_label;

/* 0 or MCP_ERR_PARSE. Letters of ASCII become small ones. */
int mcpi_punycode_decode(mcpi_str text, mcpi_label *out);

/* How many bytes, or 0: more than fit, or none. */
size_t mcpi_punycode_encode(const mcpi_label *in, char text[MCPI_PUNYCODE_MAX]);

#endif
