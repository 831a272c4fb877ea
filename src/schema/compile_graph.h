/* SPDX-License-Identifier: MIT */
/* The compiled nodes as a graph: circles and detours in it. */
#ifndef MCPI_SCHEMA_COMPILE_GRAPH_H
#define MCPI_SCHEMA_COMPILE_GRAPH_H

#include "schema/compiler.h"

/* Refuses a schema that must be satisfied in order to satisfy itself: no value
 * would get out of that circle. 0, MCP_ERR_SCHEMA or MCP_ERR_NOMEM. */
int mcpi_compile_check_circles(mcpi_compiler *c);

/* Shortens detours: an instruction that leads to a node that is only a
 * reference then leads to the node that this reference names. */
void mcpi_compile_shorten(mcpi_compiler *c);

#endif
