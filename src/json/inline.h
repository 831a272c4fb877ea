/* SPDX-License-Identifier: MIT */
/* What mcp/json.h does, for values that are known to be there and of the right
 * type, inline: for code that looks at each value of a message. */
#ifndef MCPI_JSON_INLINE_H
#define MCPI_JSON_INLINE_H

#include "base/str.h"
#include <mcp/sys/yyjson.h>

/* What yyjson tells apart, which is more than JSON's types are: a number below
 * 32, made of YYJSON_TYPE_* and YYJSON_SUBTYPE_*. */
static inline unsigned mcpi_json_kind(const mcp_json *value) {
  return (unsigned)mcp_json_to_yyjson(value)->tag &
         (YYJSON_TYPE_MASK | YYJSON_SUBTYPE_MASK);
}

/* MCP_JSON_* of a value that is not NULL. */
static inline int mcpi_json_type(const mcp_json *value) {
  /* By yyjson's types: none, raw, null, bool, num, str, arr, obj. */
  static const uint8_t types[8] = {
      MCP_JSON_NONE,   MCP_JSON_NUMBER, MCP_JSON_NULL,  MCP_JSON_BOOL,
      MCP_JSON_NUMBER, MCP_JSON_STRING, MCP_JSON_ARRAY, MCP_JSON_OBJECT};
  return types[unsafe_yyjson_get_type(mcp_json_to_yyjson(value))];
}

/* A string's bytes. */
static inline mcpi_str mcpi_json_text(const mcp_json *string) {
  yyjson_val *val = mcp_json_to_yyjson(string);
  return mcpi_str_n(unsafe_yyjson_get_str(val), unsafe_yyjson_get_len(val));
}

/* How many items or members an array or object has. */
static inline size_t mcpi_json_count(const mcp_json *container) {
  return unsafe_yyjson_get_len(mcp_json_to_yyjson(container));
}

/* An array's first item or an object's first name; there is one. */
static inline const mcp_json *mcpi_json_first(const mcp_json *container) {
  return mcp_json_from_yyjson(
      unsafe_yyjson_get_first(mcp_json_to_yyjson(container)));
}

/* What follows a value: the next item, or the next name. */
static inline const mcp_json *mcpi_json_behind(const mcp_json *value) {
  return mcp_json_from_yyjson(
      unsafe_yyjson_get_next(mcp_json_to_yyjson(value)));
}

/* The value of the member with that name, an object's own. */
static inline const mcp_json *mcpi_json_value_of(const mcp_json *name) {
  return mcp_json_from_yyjson(mcp_json_to_yyjson(name) + 1);
}

/* Whether a double is exactly the number: *out. A real is one already; an
 * integer up to 2^53 has room in one, and others are not looked at. */
static inline int mcpi_json_exact_double(const mcp_json *number, double *out) {
  const uint64_t most = UINT64_C(1) << 53;
  yyjson_val *val = mcp_json_to_yyjson(number);
  if (yyjson_is_uint(val) && val->uni.u64 <= most) {
    *out = (double)(int64_t)val->uni.u64;
    return 1;
  }
  if (yyjson_is_sint(val) && val->uni.i64 >= -(int64_t)most) {
    *out = (double)val->uni.i64;
    return 1;
  }
  *out = val->uni.f64;
  return yyjson_is_real(val);
}

#endif
