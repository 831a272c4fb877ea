/* SPDX-License-Identifier: MIT */
/* What the library needs of validators beyond <mcp/schema.h>. */
#ifndef MCPI_SCHEMA_VALIDATOR_H
#define MCPI_SCHEMA_VALIDATOR_H

#include "base/buf.h"
#include "schema/program.h"

/* Does what mcp_validator_new does, and returns the error. *out is set only on
 * success. */
int mcpi_validator_compile(mcp_validator **out, const mcp_json *schema,
                           const mcp_validator_options *options,
                           mcp_error *err);
/* Does the same with this allocator and default options. */
int mcpi_validator_new(mcp_validator **out, const mcp_json *schema,
                       const mcp_allocator *allocator, mcp_error *err);

/* Returns the bytes of memory that the validator takes. */
size_t mcpi_validator_size(const mcp_validator *validator);
/* Validates, and reports the first error. 0, or MCP_ERR_SCHEMA with err, also
 * when the value is too large to be checked. Allocates nothing itself. */
int mcpi_validator_explain(const mcp_validator *validator,
                           const mcp_json *value, mcp_error *err);
/* Validates a value that may be refused, and appends why: up to `max` sentences
 * (0: a few), each after the separator. Returns 0, or the buffer's error. */
int mcpi_validator_say(const mcp_validator *validator, const mcp_json *value,
                       uint32_t max, const char *separator, mcpi_buf *out);
/* Checks that the `default` of a subschema in the validator's copy satisfies
 * that subschema. 0; or MCP_ERR_SCHEMA with err, whose pointer is into the
 * default. Also 0 when the validator never uses the subschema. */
int mcpi_validator_check_default(const mcp_validator *validator,
                                 const mcp_json *subschema, mcp_error *err);
/* Checks that each `default` in the schema is what its place allows. 0, or
 * MCP_ERR_SCHEMA with err, whose pointer is into the schema. */
int mcpi_validator_check_defaults(const mcp_validator *validator,
                                  mcp_error *err);

/* Returns the validator's own copy of the schema. */
const mcp_json *mcpi_validator_schema(const mcp_validator *validator);
/* Returns each `x-mcp-header` in that copy, in no order. Borrowed from the
 * validator. */
const mcpi_header *mcpi_validator_headers(const mcp_validator *validator,
                                          size_t *count);

#endif
