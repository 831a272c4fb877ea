/* SPDX-License-Identifier: MIT */
/* Arguments that are sent in headers as well (MCP 2026-07-28, Streamable HTTP:
 * Custom Headers from Tool Parameters): a table of them from a tool's
 * inputSchema, and their values from arguments.
 *
 *     {"properties": {"where": {"properties": {
 *         "region": {"type": "string", "x-mcp-header": "Region"}}}}}
 *     -> Mcp-Param-Region: arguments.where.region */
#ifndef MCPI_SCHEMA_HTTP_PARAMS_H
#define MCPI_SCHEMA_HTTP_PARAMS_H

#include "base/buf.h"
#include "base/profile.h"
#include <mcp/http.h>
#include <mcp/schema.h>

/* Headers of one tool: this many fit a request with its other headers. */
enum { MCPI_HTTP_PARAMS_MAX = MCPI_PROFILE_HEADERS };

#define MCPI_HTTP_PARAM_PREFIX "Mcp-Param-"

typedef struct mcpi_http_param {
  mcpi_str name;        /* after the prefix; no two differ in case alone */
  const mcpi_str *path; /* the properties' names, the outermost first */
  size_t depth;         /* how many */
  size_t shared;        /* how many the path before begins with, too */
} mcpi_http_param;

typedef struct mcpi_http_params mcpi_http_params;

/* Reads the annotations of a compiled inputSchema; the table holds a reference
 * to it. An annotation below an unknown keyword does not count, because no
 * schema is there. *out becomes NULL, which all functions here accept, if there
 * are no annotations. 0; MCP_ERR_SCHEMA (the tool is invalid; err says which
 * property, and why); MCP_ERR_LIMIT; MCP_ERR_NOMEM. */
int mcpi_http_params_new(mcpi_http_params **out, mcp_validator *validator,
                         const mcp_allocator *allocator, mcp_error *err);
void mcpi_http_params_free(mcpi_http_params *params);

size_t mcpi_http_params_count(const mcpi_http_params *params);
/* index: below the count. */
const mcpi_http_param *mcpi_http_params_at(const mcpi_http_params *params,
                                           size_t index);

/* Finds each parameter's value in the arguments; NULL when it is absent or
 * null, and so has no header. Does not check the values' types. `values` has
 * room for all. Goes over the arguments once. */
void mcpi_http_params_find(const mcpi_http_params *params,
                           const mcp_json *arguments, const mcp_json **values);

/* Compares a request's headers with its arguments: each value has its header
 * once, and no header comes without a value. Leaves `scratch` as it was. 0;
 * MCP_ERR_PROTOCOL, with err naming the header (answer
 * MCP_RPC_HEADER_MISMATCH); MCP_ERR_NOMEM or MCP_ERR_LIMIT of the buffer. */
int mcpi_http_params_check(const mcpi_http_params *params,
                           const mcp_json *arguments,
                           const mcp_http_header *headers, size_t header_count,
                           mcpi_buf *scratch, mcp_error *err);

#endif
