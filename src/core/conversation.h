/* SPDX-License-Identifier: MIT */
/* Conversations that a server wants sampled (PROTOCOL 5.1). */
#ifndef MCPI_CORE_CONVERSATION_H
#define MCPI_CORE_CONVERSATION_H

#include "base/alloc.h"
#include <mcp/error.h>
#include <mcp/json.h>

/* Whether the tools' part of a sampling's messages, an array, is balanced:
 * behind an assistant's message with tool uses comes a user's message of their
 * results and nothing else, and results come nowhere else. 0; MCP_ERR_INVALID,
 * with err naming the message; MCP_ERR_NOMEM. */
int mcpi_conversation_check(const mcp_json *messages,
                            const mcp_allocator *allocator,
                            const uint64_t seed[2], mcp_error *err);

#endif
