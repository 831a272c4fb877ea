/* SPDX-License-Identifier: MIT */
/* Arguments that travel in headers as well (PROTOCOL 3.5, x-mcp-header): from a
 * tool's inputSchema to a table of them, and from arguments to their values.
 *
 *     {"properties": {"where": {"properties": {
 *         "region": {"type": "string", "x-mcp-header": "Region"}}}}}
 *     -> Mcp-Param-Region: arguments.where.region */
#ifndef MCPI_SCHEMA_HTTP_PARAMS_H
#define MCPI_SCHEMA_HTTP_PARAMS_H

#include "base/buf.h"
#include <mcp/http.h>
#include <mcp/schema.h>

/* Of one tool: so many fit a request with its other headers. */
enum { MCPI_HTTP_PARAMS_MAX = 64 };

#define MCPI_HTTP_PARAM_PREFIX "Mcp-Param-"

typedef struct mcpi_http_param {
  mcpi_str name;        /* behind the prefix; no two differ in case alone */
  const mcpi_str *path; /* the properties' names, the outermost first */
  size_t depth;         /* how many */
  size_t shared;        /* how many of them the one before begins with, too */
} mcpi_http_param;

typedef struct mcpi_http_params mcpi_http_params;

/* Reads what a compiled inputSchema is annotated with; the table holds a
 * reference of it. Where JSON Schema sees no schema, as below a keyword that it
 * does not know, there is no annotation either. *out becomes NULL where nothing
 * is annotated, which all functions here accept.
 * 0; MCP_ERR_SCHEMA: the tool is invalid, and err says which property and why;
 * MCP_ERR_LIMIT; MCP_ERR_NOMEM. */
int mcpi_http_params_new(mcpi_http_params **out, mcp_validator *validator,
                         const mcp_allocator *allocator, mcp_error *err);
void mcpi_http_params_free(mcpi_http_params *params);

size_t mcpi_http_params_count(const mcpi_http_params *params);
/* index: below the count. */
const mcpi_http_param *mcpi_http_params_at(const mcpi_http_params *params,
                                           size_t index);

/* The arguments' value for each, NULL where it is absent or null: no header.
 * Whether it is of the schema's type is not looked at. `values` has room for
 * all. Goes over the arguments once. */
void mcpi_http_params_find(const mcpi_http_params *params,
                           const mcp_json *arguments, const mcp_json **values);

/* Whether a request's headers say what its arguments do: each value has its
 * header, once, and no header comes without a value. `scratch` is left as it
 * was. 0; MCP_ERR_PROTOCOL, with err naming the header: answer
 * MCP_RPC_HEADER_MISMATCH; MCP_ERR_NOMEM or MCP_ERR_LIMIT, the buffer's. */
int mcpi_http_params_check(const mcpi_http_params *params,
                           const mcp_json *arguments,
                           const mcp_http_header *headers, size_t header_count,
                           mcpi_buf *scratch, mcp_error *err);

#endif
