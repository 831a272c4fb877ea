/* SPDX-License-Identifier: MIT */
/* JSON-RPC request ids and progress tokens. */
#include "codec/id.h"

#include <mcp/sys/yyjson.h>

static int id_read_kind(yyjson_val *val) {
  switch (yyjson_get_type(val)) {
  case YYJSON_TYPE_NONE:
    return MCPI_ID_NONE;
  case YYJSON_TYPE_NULL:
    return MCPI_ID_NULL;
  case YYJSON_TYPE_STR:
    return unsafe_yyjson_get_len(val) <= MCPI_ID_MAX ? MCPI_ID_STRING
                                                     : MCPI_ID_BAD;
  case YYJSON_TYPE_NUM:
    return mcp_json_is_integer(mcp_json_from_yyjson(val)) ? MCPI_ID_NUMBER
                                                          : MCPI_ID_BAD;
  case YYJSON_TYPE_RAW:
    return unsafe_yyjson_get_len(val) <= MCPI_ID_MAX &&
                   mcp_json_is_integer(mcp_json_from_yyjson(val))
               ? MCPI_ID_NUMBER
               : MCPI_ID_BAD;
  default:
    return MCPI_ID_BAD;
  }
}

mcpi_id mcpi_id_read(const mcp_json *value) {
  return (mcpi_id){id_read_kind(mcp_json_to_yyjson(value)), value};
}

int mcpi_id_is_too_long(mcpi_id id) {
  return id.kind == MCPI_ID_BAD &&
         (mcp_json_type(id.value) == MCP_JSON_STRING ||
          mcp_json_is_integer(id.value));
}

void mcpi_id_put(mcpi_buf *buf, mcpi_id id) {
  yyjson_val *val = mcp_json_to_yyjson(id.value);
  if (id.kind != MCPI_ID_NUMBER && id.kind != MCPI_ID_STRING &&
      !mcpi_id_is_too_long(id)) {
    mcpi_buf_lit(buf, "null");
  } else if (yyjson_is_real(val)) {
    mcpi_json_put_number(buf, unsafe_yyjson_get_real(val));
  } else {
    mcpi_json_put_value(buf, id.value);
  }
}
