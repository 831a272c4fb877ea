/* SPDX-License-Identifier: MIT */
/* Names and texts of error codes, and the only code that fills an
 * mcp_error. */
#include "base/error.h"

#include "base/str.h"

#include <stdio.h>

const char *mcp_error_text(int code) {
  switch (code) {
#define ERROR_TEXT(name, value, text)                                          \
  case MCP_ERR_##name:                                                         \
    return text;
    MCP_ERROR_LIST(ERROR_TEXT)
#undef ERROR_TEXT
  case MCP_OK:
    return "success";
  case MCP_PENDING:
    return "pending";
  default:
    return "unknown error";
  }
}

const char *mcp_error_name(int code) {
  switch (code) {
#define ERROR_NAME(name, value, text)                                          \
  case MCP_ERR_##name:                                                         \
    return "MCP_ERR_" #name;
    MCP_ERROR_LIST(ERROR_NAME)
#undef ERROR_NAME
  case MCP_OK:
    return "MCP_OK";
  case MCP_PENDING:
    return "MCP_PENDING";
  default:
    return "unknown";
  }
}

int mcpi_error_is_known(int code) {
  switch (code) {
#define ERROR_CASE(name, value, text) case MCP_ERR_##name:
    MCP_ERROR_LIST(ERROR_CASE)
#undef ERROR_CASE
  case MCP_OK:
  case MCP_PENDING:
    return 1;
  default:
    return 0;
  }
}

void mcpi_error_clear(mcp_error *err) {
  if (err != NULL) {
    err->code = 0;
  }
}

int mcpi_error_complete(mcp_error *err, int rc) {
  if (err != NULL && err->code != rc) {
    mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  }
  return rc;
}

/* The length without a character that the end of the buffer cut in two. Bytes
 * that were not UTF-8 before the cut are left to error_tidy(). */
static size_t cut_len(const char *text, size_t len) {
  size_t start = len;
  while (start > 0 && len - start < 3 &&
         ((unsigned char)text[start - 1] & 0xC0) == 0x80) {
    start--;
  }
  if (start == 0 || (unsigned char)text[start - 1] < 0xC0) {
    return len;
  }
  start--;
  return mcpi_utf8_valid_prefix(text + start, len - start) > 0 ? len : start;
}

/* A message may quote what a peer sent. The API promises one line of UTF-8, so
 * that a peer cannot forge lines of a log. */
static void error_tidy(char *text, size_t len) {
  size_t valid = 0;
  while ((valid += mcpi_utf8_valid_prefix(text + valid, len - valid)) < len) {
    text[valid] = '?';
  }
  for (size_t i = 0; i < len; i++) {
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F) {
      text[i] = '?';
    }
  }
}

MCP_PRINTF(2, 0)
static void write_message(mcp_error *err, const char *format, va_list args) {
  int printed = vsnprintf(err->message, sizeof(err->message), format, args);
  if (printed < 0) {
    snprintf(err->message, sizeof(err->message), "%s",
             mcp_error_text(err->code));
    return;
  }
  size_t len = (size_t)printed;
  if (len >= sizeof(err->message)) {
    len = cut_len(err->message, sizeof(err->message) - 1);
    err->message[len] = '\0';
  }
  error_tidy(err->message, len);
}

int mcpi_error_set_v(mcp_error *err, int code, const char *format,
                     va_list args) {
  err->code = code;
  err->status = 0;
  err->offset = 0;
  write_message(err, format, args);
  return code;
}

int mcp_error_set(mcp_error *err, int code, const char *format, ...) {
  if (err == NULL) {
    return code;
  }
  va_list args;
  va_start(args, format);
  mcpi_error_set_v(err, code, format, args);
  va_end(args);
  return code;
}

int mcpi_error_null(mcp_error *err, const char *object) {
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "the %s is NULL: mcp_%s_new failed; give it an "
                       "mcp_error to see why",
                       object, object);
}

int mcpi_no_memory(mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
}
