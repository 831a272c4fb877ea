/* SPDX-License-Identifier: MIT */
/* From a JSON Schema to a program (program.h). */
#ifndef MCPI_SCHEMA_COMPILE_H
#define MCPI_SCHEMA_COMPILE_H

#include "schema/document.h"
#include "schema/program.h"

/* Compiles a schema. Sets *documents to the documents that the program points
 * into, also after a failure. The caller frees them after the program. All
 * members of the options have values: the caller has filled in the defaults. 0,
 * MCP_ERR_SCHEMA, MCP_ERR_LIMIT, MCP_ERR_PLATFORM or MCP_ERR_NOMEM, with
 * err. */
int mcpi_program_compile(mcpi_program *out, mcpi_document **documents,
                         const mcp_json *schema,
                         const mcp_validator_options *options, mcp_error *err);

#endif
