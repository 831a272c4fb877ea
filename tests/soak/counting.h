/* SPDX-License-Identifier: MIT */
/* An allocator that counts the bytes that the library has taken from it. */
#ifndef MCP_TESTS_SOAK_COUNTING_H
#define MCP_TESTS_SOAK_COUNTING_H

#include <mcp/allocator.h>
#include <stddef.h>

extern const mcp_allocator soak_counting;

size_t soak_live(void);

#endif
