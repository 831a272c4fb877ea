/* SPDX-License-Identifier: MIT */
/* Unicode's properties, as ECMA-262 names them (tables 67 to 70). */
#ifndef MCPI_REGEX_PROPERTY_H
#define MCPI_REGEX_PROPERTY_H

#include "base/buf.h"

/* Appends PCRE2's \p{...} for what stands between the braces of one. 1, or 0:
 * there is no such category, or the name cannot be one. */
int mcpi_regex_put_property(mcpi_buf *out, mcpi_str name, int is_negated);

#endif
