/* SPDX-License-Identifier: MIT */
/* Formatted texts, in the program's locale as printf's are. */
#include "base/error.h"
#include "base/str.h"
#include "server/reply.h"

#include <stdio.h>

/* Formats again, into memory of the right size. */
MCP_PRINTF(2, 0)
static int format_long(mcpi_formatted *out, const char *format, va_list args,
                       mcp_error *err) {
  out->text = mcpi_alloc(&out->allocator, out->len + 1);
  if (out->text == NULL) {
    return mcpi_no_memory(err);
  }
  out->size = out->len + 1;
  vsnprintf(out->text, out->size, format, args);
  return 0;
}

MCP_PRINTF(2, 0)
static int format_any(mcpi_formatted *out, const char *format, va_list args,
                      mcp_error *err) {
  va_list again;
  va_copy(again, args);
  int printed = vsnprintf(out->space, sizeof(out->space), format, args);
  int rc = 0;
  if (printed < 0) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "the text \"%s\" cannot be formatted", format);
  } else {
    out->len = (size_t)printed;
    if (out->len >= sizeof(out->space)) {
      rc = format_long(out, format, again, err);
    }
  }
  va_end(again);
  return rc;
}

int mcpi_format(mcpi_formatted *out, const mcp_call *call, const char *format,
                va_list args, mcp_error *err) {
  out->allocator = call->shard->server->allocator;
  out->text = out->space;
  out->size = 0;
  if (format == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the format is NULL");
  }
  int rc = format_any(out, format, args, err);
  if (rc != 0) {
    return rc;
  }
  size_t valid = mcpi_utf8_valid_prefix(out->text, out->len);
  if (valid < out->len) {
    mcpi_formatted_deinit(out);
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "the formatted text is not UTF-8 at byte %zu", valid);
  }
  return rc;
}

int mcpi_format_reply(mcpi_formatted *out, mcp_call *call, const char *format,
                      va_list args) {
  mcp_error err;
  int rc = mcpi_format(out, call, format, args, &err);
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_reply_fail(call, rc, err.message);
  }
  if (rc != 0) {
    return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s", err.message);
  }
  return 0;
}

void mcpi_formatted_deinit(mcpi_formatted *formatted) {
  if (formatted->size > 0) {
    mcpi_free(&formatted->allocator, formatted->text, formatted->size);
    formatted->size = 0;
  }
}
