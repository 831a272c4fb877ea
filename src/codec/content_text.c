/* SPDX-License-Identifier: MIT */
#include "codec/content_text.h"

#include "json/json.h"

void mcpi_content_put_text(mcpi_buf *out, const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *item;
  const mcp_json *content = mcpi_json_get(object, "content");
  if (mcp_json_type(content) != MCP_JSON_ARRAY) {
    return;
  }
  mcp_json_iter_init(&iter, content);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_buf_puts(out, mcpi_json_member_str(item, "text"));
  }
}
