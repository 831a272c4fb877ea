/* SPDX-License-Identifier: MIT */
/* Compiling one keyword of a schema. */
#ifndef MCPI_SCHEMA_COMPILE_KEYWORD_H
#define MCPI_SCHEMA_COMPILE_KEYWORD_H

#include "schema/compiler.h"

/* Compiles a keyword that the subject has (MCPI_KEYWORD_*). 0, or an error with
 * err. */
int mcpi_compile_keyword(mcpi_subject *s, int keyword);

#endif
