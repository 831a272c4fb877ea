/* SPDX-License-Identifier: MIT */
/* Alternatives that a member such as "kind" tells apart: only one of them can
 * fit, and only its errors are useful.
 *
 * Usually the schema around them has properties that all of them share. For
 * each alternative there is then a merged table of its own and these
 * properties. With it, a validation that only wants a verdict goes over an
 * object's members once. */
#ifndef MCPI_SCHEMA_COMPILE_TAGS_H
#define MCPI_SCHEMA_COMPILE_TAGS_H

#include "schema/compiler.h"

/* Finds these members among all anyOf and oneOf, and merges tables. */
void mcpi_compile_tags(mcpi_compiler *c);

#endif
