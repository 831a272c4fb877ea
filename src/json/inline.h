/* SPDX-License-Identifier: MIT */
/* Accessors that are inline, for code that looks at each value of a message.
 * The value must exist and have the right type, unless the function says
 * otherwise. */
#ifndef MCPI_JSON_INLINE_H
#define MCPI_JSON_INLINE_H

#include "base/str.h"
#include <mcp/sys/yyjson.h>

/* Returns the kind of a value: a number below 32, made of YYJSON_TYPE_* and
 * YYJSON_SUBTYPE_*. There are more kinds than JSON has types. */
static inline unsigned mcpi_json_kind(const mcp_json *value) {
  return (unsigned)mcp_json_to_yyjson(value)->tag &
         (YYJSON_TYPE_MASK | YYJSON_SUBTYPE_MASK);
}

/* Returns MCP_JSON_*. */
static inline int mcpi_json_type(const mcp_json *value) {
  /* By yyjson's types: none, raw, null, bool, num, str, arr, obj. */
  static const uint8_t types[8] = {
      MCP_JSON_NONE,   MCP_JSON_NUMBER, MCP_JSON_NULL,  MCP_JSON_BOOL,
      MCP_JSON_NUMBER, MCP_JSON_STRING, MCP_JSON_ARRAY, MCP_JSON_OBJECT};
  return types[unsafe_yyjson_get_type(mcp_json_to_yyjson(value))];
}

/* Whether the value is of that type. NULL is of no type. */
static inline int mcpi_json_is_string(const mcp_json *value) {
  return yyjson_is_str(mcp_json_to_yyjson(value));
}
static inline int mcpi_json_is_array(const mcp_json *value) {
  return yyjson_is_arr(mcp_json_to_yyjson(value));
}
static inline int mcpi_json_is_object(const mcp_json *value) {
  return yyjson_is_obj(mcp_json_to_yyjson(value));
}

/* Returns a string's bytes. */
static inline mcpi_str mcpi_json_text(const mcp_json *string) {
  yyjson_val *val = mcp_json_to_yyjson(string);
  return mcpi_str_n(unsafe_yyjson_get_str(val), unsafe_yyjson_get_len(val));
}

/* Returns how many items or members an array or object has. */
static inline size_t mcpi_json_count(const mcp_json *container) {
  return unsafe_yyjson_get_len(mcp_json_to_yyjson(container));
}

/* Returns an array's first item or an object's first name. It is not empty. */
static inline const mcp_json *mcpi_json_first(const mcp_json *container) {
  return mcp_json_from_yyjson(
      unsafe_yyjson_get_first(mcp_json_to_yyjson(container)));
}

/* Returns what follows a value: the next item, or the next name. */
static inline const mcp_json *mcpi_json_behind(const mcp_json *value) {
  return mcp_json_from_yyjson(
      unsafe_yyjson_get_next(mcp_json_to_yyjson(value)));
}

/* Returns the value of a member, given the member's own name. */
static inline const mcp_json *mcpi_json_value_of(const mcp_json *name) {
  return mcp_json_from_yyjson(mcp_json_to_yyjson(name) + 1);
}

/* Returns how many members an object has: 0 for a value of another type and for
 * NULL. */
static inline size_t mcpi_json_member_count(const mcp_json *object) {
  return mcpi_json_is_object(object) ? mcpi_json_count(object) : 0;
}

/* Returns the value of the member of that name. NULL: there is no such member,
 * or the value is not an object. */
static inline const mcp_json *mcpi_json_find(const mcp_json *object,
                                             mcpi_str name) {
  yyjson_val *val = mcp_json_to_yyjson(object);
  if (!yyjson_is_obj(val)) {
    return NULL;
  }
  yyjson_val *key = unsafe_yyjson_get_first(val);
  for (size_t left = unsafe_yyjson_get_len(val); left > 0; left--) {
    if (unsafe_yyjson_get_len(key) == name.len &&
        mcpi_bytes_eq(unsafe_yyjson_get_str(key), name.ptr, name.len)) {
      return mcp_json_from_yyjson(key + 1);
    }
    key = unsafe_yyjson_get_next(key + 1);
  }
  return NULL;
}

/* Sets *out to the number if a double can be equal to it: a real, or an integer
 * up to 2^53. Returns 0 for all other numbers. */
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
