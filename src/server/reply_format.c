/* SPDX-License-Identifier: MIT */
/* Formatted texts, in the program's locale as printf's are. */
#include "server/reply.h"

#include <stdio.h>

/* Formats again, into memory of the right size. */
MCP_PRINTF(3, 0)
static int format_long(mcpi_formatted *out, mcp_call *call, const char *format,
                       va_list args) {
  out->text = mcpi_alloc(&out->allocator, out->len + 1);
  if (out->text == NULL) {
    return mcpi_reply_fail(call, MCP_ERR_NOMEM, "out of memory");
  }
  out->size = out->len + 1;
  vsnprintf(out->text, out->size, format, args);
  return 0;
}

MCP_PRINTF(3, 0)
static int format_any(mcpi_formatted *out, mcp_call *call, const char *format,
                      va_list args) {
  va_list again;
  va_copy(again, args);
  int printed = vsnprintf(out->space, sizeof(out->space), format, args);
  int rc = 0;
  if (printed < 0) {
    rc = mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                        "the text \"%s\" cannot be formatted", format);
  } else {
    out->len = (size_t)printed;
    if (out->len >= sizeof(out->space)) {
      rc = format_long(out, call, format, again);
    }
  }
  va_end(again);
  return rc;
}

int mcpi_format(mcpi_formatted *out, mcp_call *call, const char *format,
                va_list args) {
  out->allocator = call->shard->server->allocator;
  out->text = out->space;
  out->size = 0;
  if (format == NULL) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "the format is NULL");
  }
  int rc = format_any(out, call, format, args);
  if (rc == 0) {
    rc = mcpi_reply_check_text(call, "the formatted text", out->text, out->len);
    if (rc != 0) {
      mcpi_formatted_deinit(out);
    }
  }
  return rc;
}

void mcpi_formatted_deinit(mcpi_formatted *formatted) {
  if (formatted->size > 0) {
    mcpi_free(&formatted->allocator, formatted->text, formatted->size);
    formatted->size = 0;
  }
}
