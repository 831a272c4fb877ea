/* SPDX-License-Identifier: MIT */
/* Compiling references: from a URI to a node. */
#ifndef MCPI_SCHEMA_COMPILE_REF_H
#define MCPI_SCHEMA_COMPILE_REF_H

#include "schema/compiler.h"

/* Compiles $ref. 0, or an error with err. */
int mcpi_compile_ref(mcpi_subject *s, const mcp_json *value);
/* Compiles $dynamicRef. 0, or an error with err. */
int mcpi_compile_dynamic_ref(mcpi_subject *s, const mcp_json *value);

/* Adds the nodes that dynamic references may lead to. 0 or MCP_ERR_LIMIT. */
int mcpi_compile_dynamic_nodes(mcpi_compiler *c);
/* Writes the lists of places that dynamic references lead to. All nodes must be
 * compiled. */
void mcpi_compile_dynamics(mcpi_compiler *c);

#endif
