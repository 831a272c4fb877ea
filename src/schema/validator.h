/* SPDX-License-Identifier: MIT */
#ifndef MCPI_SCHEMA_VALIDATOR_H
#define MCPI_SCHEMA_VALIDATOR_H

#include "schema/program.h"

/* mcp_validator_new with that allocator, and the defaults otherwise. */
int mcpi_validator_new(mcp_validator **out, const mcp_json *schema,
                       const mcp_allocator *allocator, mcp_error *err);

/* Bytes of memory that it takes. */
size_t mcpi_validator_size(const mcp_validator *validator);
/* Validates, and says what the first error is. 0, or MCP_ERR_SCHEMA with err:
 * too much to be checked is wrong as well. Allocates nothing itself. */
int mcpi_validator_explain(const mcp_validator *validator,
                           const mcp_json *value, mcp_error *err);
/* Whether each `default` in the schema is what its place allows; pointers are
 * the schema's. Likewise. */
int mcpi_validator_check_defaults(const mcp_validator *validator,
                                  mcp_error *err);

/* The validator's own copy of the schema. */
const mcp_json *mcpi_validator_schema(const mcp_validator *validator);
/* Each `x-mcp-header` in that copy, in no order. Borrowed from the
 * validator. */
const mcpi_header *mcpi_validator_headers(const mcp_validator *validator,
                                          size_t *count);

#endif
