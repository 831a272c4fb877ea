/* SPDX-License-Identifier: MIT */
/* Text of a peer's, safe to show on a terminal. */
#ifndef MCPI_BASE_PRINTABLE_H
#define MCPI_BASE_PRINTABLE_H

#include "base/buf.h"

/* Whether a text has none of the characters below. */
int mcpi_is_printable(mcpi_str text);
/* Appends a text, with these characters as \uXXXX, so that JSON stays JSON:
 * control characters (C0, DEL, C1), those that turn the direction of writing,
 * and line and paragraph separators. They could move a terminal's cursor, or
 * make a line of a log look like another one. */
MCP_API void mcpi_put_printable(mcpi_buf *out, mcpi_str text);

#endif
