/* SPDX-License-Identifier: MIT */
#ifndef MCPI_SCHEMA_VALIDATOR_H
#define MCPI_SCHEMA_VALIDATOR_H

#include <mcp/schema.h>

/* mcp_validator_new with that allocator, and the defaults otherwise. */
int mcpi_validator_new(mcp_validator **out, const mcp_json *schema,
                       const mcp_allocator *allocator, mcp_error *err);

/* Bytes of memory that it takes. */
size_t mcpi_validator_size(const mcp_validator *validator);

#endif
