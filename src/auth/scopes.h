/* SPDX-License-Identifier: MIT */
/* Sets of scopes, written with one space between them (RFC 6749, 3.3). */
#ifndef MCPI_AUTH_SCOPES_H
#define MCPI_AUTH_SCOPES_H

#include "base/buf.h"
#include <mcp/json.h>

/* Whether the text is such a set: one or more scopes, and nothing else. */
int mcpi_scopes_is_set(mcpi_str text);
/* Takes the next scope from a set. Returns 0 at the end. */
int mcpi_scopes_next(mcpi_str *scopes, mcpi_str *scope);
/* Whether the set has the scope. */
int mcpi_scopes_has(mcpi_str scopes, mcpi_str scope);
/* Whether the set `held` has each scope of `wanted`. */
int mcpi_scopes_cover(mcpi_str held, mcpi_str wanted);
/* Appends the scopes that the set in `to` does not have yet. Leaves out a scope
 * with a character that scopes do not have. */
void mcpi_scopes_add(mcpi_buf *to, mcpi_str scopes);
/* The same for an array of strings; a value that is not a string is left out.
 * NULL: nothing. */
void mcpi_scopes_add_array(mcpi_buf *to, const mcp_json *array);
/* Whether an array of strings has the scope. NULL: it does not. */
int mcpi_scopes_array_has(const mcp_json *array, mcpi_str scope);

#endif
