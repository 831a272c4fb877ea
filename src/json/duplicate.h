/* SPDX-License-Identifier: MIT */
/* Members that occur twice in an object. Programs differ in which of the two
 * they take, so a message with such a member is refused. */
#ifndef MCPI_JSON_DUPLICATE_H
#define MCPI_JSON_DUPLICATE_H

#include "base/str.h"

#include <mcp/allocator.h>
#include <mcp/error.h>
#include <mcp/json.h>

/* Returns the name, as a string value, of a member that occurs twice in the
 * object, or NULL. Takes linear time for any number of members. `allocator` is
 * used for objects of more than 32 members. *oom becomes 1 when memory ran out
 * and is otherwise left as it is. */
const mcp_json *mcpi_json_duplicate(const mcp_json *object,
                                    const mcp_allocator *allocator,
                                    const uint64_t seed[2], int *oom);

/* The same for a parsed value and all objects within it, in the order of the
 * text. Returns the name in the first object that has such a member. When *oom
 * is 1, even before the call, the rest is not looked at. */
const mcp_json *mcpi_json_duplicate_within(const mcp_json *value,
                                           const mcp_allocator *allocator,
                                           const uint64_t seed[2], int *oom);

/* Refuses a text of the program in which a member occurs twice. `value` is the
 * root of what mcpi_json_load made of the text, and `copy` the memory that it
 * filled. Returns 0; MCP_ERR_INVALID, and err has the place, the name and the
 * offset of the member; or MCP_ERR_NOMEM. */
int mcpi_json_check_duplicates(const mcp_json *value, const void *copy,
                               mcpi_str text, const mcp_allocator *allocator,
                               const uint64_t seed[2], mcp_error *err);

#endif
