/* SPDX-License-Identifier: MIT */
/* Regular expressions of ECMA-262 (section 22.2, with the flag u as JSON Schema
 * wants it) in PCRE2's language, for PCRE2_UTF | PCRE2_DOLLAR_ENDONLY |
 * PCRE2_MATCH_UNSET_BACKREF.
 *
 * Only what ECMA-262 knows gets through: what Perl alone does (\A, a++, (?i),
 * (?>a), (*VERB), \Q...\E and so on) is refused. From its annex B, which
 * browsers follow without the flag u, come what patterns of schemas use:
 *
 * - an escaped character other than an ASCII letter or digit is itself: \- \_
 * - ], } and a { that begins no quantifier are themselves: a{,3}
 * - a hyphen beside a set is itself: [\w-.]
 * - (?=a) and (?!a) may be repeated
 *
 * Departures, all of PCRE2's making:
 *
 * - a lookbehind is refused unless each of its alternatives has one length, as
 *   a+ has not; but it may be repeated
 * - {n,m} counts to 65,535
 * - names of groups have 32 characters at most, and no $ or \u
 * - what a group has captured stays when the group is repeated
 * - names of properties may leave out "Script=", and be in another case than
 *   Unicode's but for the first letter
 *
 * Half a surrogate pair, as in \uD800, matches nothing: valid text has none. */
#ifndef MCPI_REGEX_ECMA_H
#define MCPI_REGEX_ECMA_H

#include "base/buf.h"

/* Appends the translation. 0, the buffer's error, or MCP_ERR_PARSE with the
 * offset of what is wrong. */
int mcpi_regex_ecma(mcpi_buf *out, mcpi_str pattern, size_t *error_offset);

/* The offset in the pattern of what stands at an offset in its translation. */
size_t mcpi_regex_ecma_place(mcpi_str pattern, size_t translated);

#endif
