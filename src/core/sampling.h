/* SPDX-License-Identifier: MIT */
/* Conversations that a server wants sampled (MCP, Sampling). */
#ifndef MCPI_CORE_SAMPLING_H
#define MCPI_CORE_SAMPLING_H

#include "base/alloc.h"
#include <mcp/error.h>
#include <mcp/json.h>

/* Whether the tool uses in a sampling's messages, an array, are balanced. After
 * an assistant's message with tool uses comes a user's message that has only
 * their results, and results occur nowhere else. Returns 0; MCP_ERR_INVALID,
 * with err naming the message; MCP_ERR_NOMEM. */
int mcpi_sampling_check(const mcp_json *messages,
                        const mcp_allocator *allocator, const uint64_t seed[2],
                        mcp_error *err);

#endif
