/* SPDX-License-Identifier: MIT */
/* The public accessors of values: types, strings, containers. Numbers are in
 * number.c, comparison in equal.c. */
#include "json/value.h"

#include "json/inline.h"

int mcp_json_type(const mcp_json *value) {
  switch (yyjson_get_type(mcp_json_to_yyjson(value))) {
  case YYJSON_TYPE_NULL:
    return MCP_JSON_NULL;
  case YYJSON_TYPE_BOOL:
    return MCP_JSON_BOOL;
  case YYJSON_TYPE_NUM:
  case YYJSON_TYPE_RAW: /* a number too big for its 64 bits */
    return MCP_JSON_NUMBER;
  case YYJSON_TYPE_STR:
    return MCP_JSON_STRING;
  case YYJSON_TYPE_ARR:
    return MCP_JSON_ARRAY;
  case YYJSON_TYPE_OBJ:
    return MCP_JSON_OBJECT;
  default:
    return MCP_JSON_NONE;
  }
}

const char *mcp_json_type_name(int type) {
  static const char *const names[] = {"nothing", "null",  "boolean", "number",
                                      "string",  "array", "object"};
  if (type < MCP_JSON_NONE || type > MCP_JSON_OBJECT) {
    return names[MCP_JSON_NONE];
  }
  return names[type];
}

int mcp_json_bool(const mcp_json *value) {
  return yyjson_is_true(mcp_json_to_yyjson(value));
}

/* --- strings ------------------------------------------------------------ */

mcpi_str mcpi_json_str(const mcp_json *value) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  if (!yyjson_is_str(val)) {
    return mcpi_str_n(NULL, 0);
  }
  return mcpi_str_n(unsafe_yyjson_get_str(val), unsafe_yyjson_get_len(val));
}

/* A string with a NUL gives NULL: a program would read it as a C string, up to
 * the NUL, and so take it for another string than the one that passed a schema.
 */
const char *mcp_json_string(const mcp_json *value) {
  mcpi_str string = mcpi_json_str(value);
  return mcpi_str_has_nul(string) ? NULL : string.ptr;
}

const char *mcp_json_string_n(const mcp_json *value, size_t *len) {
  mcpi_str string = mcpi_json_str(value);
  if (len != NULL) {
    *len = string.len;
  }
  return string.ptr;
}

/* --- arrays and objects ------------------------------------------------- */

size_t mcp_json_size(const mcp_json *value) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  return yyjson_is_ctn(val) ? unsafe_yyjson_get_len(val) : 0;
}

const mcp_json *mcp_json_get(const mcp_json *object, const char *name) {
  return name != NULL ? mcpi_json_find(object, mcpi_str_z(name)) : NULL;
}

const mcp_json *mcp_json_get_n(const mcp_json *object, const char *name,
                               size_t len) {
  return name != NULL ? mcpi_json_find(object, mcpi_str_n(name, len)) : NULL;
}

const mcp_json *mcp_json_at(const mcp_json *array, size_t index) {
  yyjson_val *val = mcp_json_to_yyjson(array);
  return mcp_json_from_yyjson(yyjson_arr_get(val, index));
}

const mcp_json *mcp_json_pointer(const mcp_json *value, const char *pointer) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  return mcp_json_from_yyjson(yyjson_ptr_get(val, pointer));
}

void mcp_json_iter_init(mcp_json_iter *iter, const mcp_json *value) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  if (iter == NULL) {
    return;
  }
  *iter = (mcp_json_iter){.private_left = mcp_json_size(value),
                          .private_is_object = yyjson_is_obj(val)};
  if (iter->private_left > 0) {
    iter->private_next = unsafe_yyjson_get_first(val);
  }
}

const mcp_json *mcp_json_iter_next(mcp_json_iter *iter, const mcp_json **name) {
  if (name != NULL) {
    *name = NULL;
  }
  if (iter == NULL || iter->private_left == 0) {
    return NULL;
  }
  iter->private_left--;
  yyjson_val *val = mcp_json_to_yyjson(iter->private_next);
  if (iter->private_is_object) {
    if (name != NULL) {
      *name = mcp_json_from_yyjson(val);
    }
    val++;
  }
  iter->private_next = unsafe_yyjson_get_next(val);
  return mcp_json_from_yyjson(val);
}
