/* SPDX-License-Identifier: MIT */
/* The output schemas of tools, compiled, as the server last listed them: what
 * structured results must be (MCP, Tools: Output Schema).
 *
 * A whole list replaces what was known. When the server reports a change, all
 * of it may be wrong: it is forgotten until the next list. */
#ifndef MCPI_CLIENT_OUTPUTS_H
#define MCPI_CLIENT_OUTPUTS_H

#include "base/map.h"
#include "codec/message.h"

typedef struct mcpi_outputs {
  const mcp_allocator *allocator;
  mcpi_map by_name;
  size_t bytes;
  /* Counts the times that all was forgotten: lists that were requested before
   * may be wrong as well. */
  uint64_t forgets;
} mcpi_outputs;

/* `allocator` and `seed` are borrowed. */
void mcpi_outputs_init(mcpi_outputs *outputs, const mcp_allocator *allocator,
                       const uint64_t seed[2]);
/* Forgets everything: the server has reported a change, or has been
 * replaced. */
void mcpi_outputs_forget(mcpi_outputs *outputs);
/* The same at the beginning of a new list. Lists in flight stay valid. */
void mcpi_outputs_clear(mcpi_outputs *outputs);

/* Learns from one tool of a list. 0; else the tool's results will not be
 * checked: MCP_ERR_LIMIT (more than max_bytes for all), MCP_ERR_NOMEM, or an
 * error of mcpi_validator_compile, and err says why. */
int mcpi_outputs_learn(mcpi_outputs *outputs, const mcp_json *tool,
                       size_t max_bytes, mcp_error *err);

/* Checks the result of a tool: 1 when it was checked and is fine, 0 when there
 * is no schema for it. MCP_ERR_SCHEMA or MCP_ERR_LIMIT with err, and *errors,
 * owned, lists what is wrong; MCP_ERR_NOMEM. */
int mcpi_outputs_check(const mcpi_outputs *outputs, mcpi_str tool,
                       const mcp_json *result, mcpi_pool *pool,
                       mcpi_message **errors, mcp_error *err);

#endif
