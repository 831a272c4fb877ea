/* SPDX-License-Identifier: MIT */
/* Escaping a peer's text, so that it is safe to show on a terminal. */
#ifndef MCPI_BASE_PRINTABLE_H
#define MCPI_BASE_PRINTABLE_H

#include "base/buf.h"

/* Whether mcpi_put_printable would leave the text as it is. */
int mcpi_is_printable(mcpi_str text);
/* Appends a text with these characters as \uXXXX, so that JSON stays JSON:
 * control characters (C0, DEL, C1), characters that change the direction of
 * writing, and line and paragraph separators. They could move a terminal's
 * cursor, or make a line of a log look like another. */
MCP_API void mcpi_put_printable(mcpi_buf *out, mcpi_str text);

#endif
