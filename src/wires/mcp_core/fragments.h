/* SPDX-License-Identifier: MIT */
/* Combines the fragments of a result that an event stream of the mcp-core
 * dialect brings. The stream's "complete" replaces them. The fragments are used
 * for progress, and in the error if the stream breaks off. */
#ifndef MCPI_WIRES_MCP_CORE_FRAGMENTS_H
#define MCPI_WIRES_MCP_CORE_FRAGMENTS_H

#include "json/json.h"

/* Writes the result object that an array of fragments makes, in their order:
 * their contents one after the other; the members of structuredContent and
 * _meta, where the later value of a name counts; the last isError. Elements
 * that are not fragments are ignored. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_fragments_put(mcpi_buf *out, const mcp_json *fragments,
                       const mcp_allocator *allocator, const uint64_t seed[2]);

/* For a client: writes a fragment as a progress notification of MCP, with
 * `count` as its progress. `token` is JSON text. */
MCP_API void mcpi_fragment_put_progress(mcpi_buf *out, mcpi_str token,
                                        uint32_t count,
                                        const mcp_json *fragment);
/* Writes the error of a stream that has ended without an answer. `fragments`:
 * the texts of those that came, with commas between; empty: none. Returns 0 or
 * MCP_ERR_NOMEM. */
MCP_API int mcpi_fragments_put_broken(mcpi_buf *out, mcpi_str id_text,
                                      mcpi_str fragments,
                                      const uint64_t seed[2]);

#endif
