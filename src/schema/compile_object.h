/* SPDX-License-Identifier: MIT */
/* Compiling what concerns the members of objects. */
#ifndef MCPI_SCHEMA_COMPILE_OBJECT_H
#define MCPI_SCHEMA_COMPILE_OBJECT_H

#include "schema/compiler.h"

/* Compiles properties, patternProperties, additionalProperties and required, at
 * the first of them that the subject has. 0, or an error with err. */
int mcpi_compile_object(mcpi_subject *s);

/* Appends an object table to `objects` that says what `a` and `b` say; both
 * accept members that they do not know. 0, MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
int mcpi_compile_merged(mcpi_compiler *c, mcpi_object a, mcpi_object b);

#endif
