/* SPDX-License-Identifier: MIT */
/* Alternatives that a member tells apart, such as "kind": only one of them can
 * fit, and only its errors are worth reporting.
 *
 * Usually they stand beside properties that all of them have. For each
 * alternative there is then a merged table of both, so that a validation that
 * only wants a verdict goes over an object's members once. */
#ifndef MCPI_SCHEMA_COMPILE_TAGS_H
#define MCPI_SCHEMA_COMPILE_TAGS_H

#include "schema/compiler.h"

/* Finds these members among all anyOf and oneOf, and merges tables. */
void mcpi_compile_tags(mcpi_compiler *c);

#endif
