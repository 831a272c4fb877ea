/* SPDX-License-Identifier: MIT */
/* Translates regular expressions of ECMA-262 (section 22.2, with the flag u as
 * JSON Schema wants it) to PCRE2's language. The translation needs the options
 * PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF.
 *
 * Syntax that ECMA-262 does not have, such as Perl's \A, a++, (?i), (?>a),
 * (*VERB) and \Q...\E, is refused. Annex B adds syntax for patterns without the
 * flag u. Schemas use some of it, and this translator accepts it too:
 *
 * - an escaped character other than an ASCII letter or digit is itself: \- \_
 * - ], } and a { that begins no quantifier are themselves: a{,3}
 * - a hyphen beside a set is itself: [\w-.]
 * - (?=a) and (?!a) may be repeated
 *
 * PCRE2 causes these differences from ECMA-262:
 *
 * - a lookbehind is refused unless each of its alternatives has a fixed length;
 *   (?<=a+) is refused
 * - a lookbehind may be repeated
 * - {n,m} counts to 65,535
 * - names of groups have 32 characters at most, and no $ or \u
 * - when a group is repeated, the groups inside it keep what they captured the
 *   time before
 * - "Script=" may be left out before the name of a script
 * - names of scripts and of binary properties may be in upper or lower case,
 *   except for the first letter, which is in upper case
 *
 * Half a surrogate pair, as in \uD800, matches nothing: valid text has none. */
#ifndef MCPI_REGEX_ECMA_H
#define MCPI_REGEX_ECMA_H

#include "base/buf.h"

/* Appends the translation. Returns 0, the buffer's error, or MCP_ERR_PARSE with
 * the offset of what is wrong. */
int mcpi_regex_ecma(mcpi_buf *out, mcpi_str pattern, size_t *error_offset);

/* Returns the offset in the pattern of the token whose translation has the byte
 * at the offset `translated`. */
size_t mcpi_regex_ecma_place(mcpi_str pattern, size_t translated);

#endif
