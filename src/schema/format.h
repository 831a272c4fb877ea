/* SPDX-License-Identifier: MIT */
/* The formats of strings that `format` names (JSON Schema validation, 7.3).
 *
 * The formats of both drafts are checked, in time linear in the text. Only
 * `regex` and `uri-template` take memory, because they are compiled.
 *
 * Departures:
 * - A leap second is taken at any 23:59:60 UTC, whatever the date.
 * - An idn-hostname is checked without the tables of IDNA (format_idn.c says
 *   what that leaves out).
 * - A uri-template of more than 64 variables or 4096 bytes is not checked. */
#ifndef MCPI_SCHEMA_FORMAT_H
#define MCPI_SCHEMA_FORMAT_H

#include "schema/keyword.h"

/* Only a schema whose formats are checked needs them. */
extern const mcpi_keyword_group mcpi_keyword_of_formats;

/* Returns the number of a format, or -1: no format of that name is checked. */
int mcpi_format_find(mcpi_str name);
/* Whether the text, valid UTF-8, is of that format: 1, 0, or MCP_ERR_NOMEM or
 * MCP_ERR_LIMIT when it could not be compiled. */
int mcpi_format_accepts(int format, mcpi_str text);

#endif
