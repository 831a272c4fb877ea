/* SPDX-License-Identifier: MIT */
/** @file
 * For programs that use yyjson themselves: an mcp_json is a yyjson_val.
 */
#ifndef MCP_SYS_YYJSON_H
#define MCP_SYS_YYJSON_H

#include <mcp/json.h>
#include <yyjson.h>

/** The same value, for yyjson's read-only functions. Numbers that fit neither
 * 64 bits nor a double are raw values (yyjson_is_raw). */
static inline yyjson_val *mcp_json_to_yyjson(const mcp_json *value) {
  return (yyjson_val *)(uintptr_t)value;
}

/** The same value as this library sees it. */
static inline const mcp_json *mcp_json_from_yyjson(const yyjson_val *value) {
  return (const mcp_json *)(const void *)value;
}

#endif
