/* SPDX-License-Identifier: MIT */
/* Fragments of a result, as an event stream of the mcp-core dialect brings
 * them, put together. What its "complete" says counts more; this is for what is
 * shown meanwhile, and for a stream that breaks off. */
#ifndef MCPI_WIRES_MCP_CORE_FRAGMENTS_H
#define MCPI_WIRES_MCP_CORE_FRAGMENTS_H

#include "json/json.h"

/* Writes the result object that an array of fragments, in their order, makes:
 * their contents one behind the other; members of structuredContent and _meta,
 * of two with a name the later; the last isError. What is no fragment counts
 * for nothing. 0 or MCP_ERR_NOMEM. */
int mcpi_fragments_put(mcpi_buf *out, const mcp_json *fragments,
                       const mcp_allocator *allocator, const uint64_t seed[2]);

/* For a client's caller: a fragment as MCP's progress, the count-th; `token` is
 * JSON text. */
MCP_API void mcpi_fragment_put_progress(mcpi_buf *out, mcpi_str token,
                                        uint32_t count,
                                        const mcp_json *fragment);
/* The error of a stream that has ended without an answer. `fragments`: the
 * texts of those that came, with commas between; empty: none has. 0 or
 * MCP_ERR_NOMEM. */
MCP_API int mcpi_fragments_put_broken(mcpi_buf *out, mcpi_str id_text,
                                      mcpi_str fragments,
                                      const uint64_t seed[2]);

#endif
