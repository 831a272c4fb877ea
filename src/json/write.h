/* SPDX-License-Identifier: MIT */
/* Writing JSON straight into a buffer, in one line without blanks. A failure
 * stays in buf->error. */
#ifndef MCPI_JSON_WRITE_H
#define MCPI_JSON_WRITE_H

#include "base/buf.h"
#include <mcp/json.h>

/* Appends a string, quoted and escaped: control characters, quotes and
 * backslashes, nothing else. The string must be valid UTF-8. */
void mcpi_json_put_string(mcpi_buf *buf, mcpi_str string);
void mcpi_json_put_int(mcpi_buf *buf, int64_t number);
void mcpi_json_put_uint(mcpi_buf *buf, uint64_t number);
/* Appends the shortest text that reads back as the same double: 3 rather than
 * 3.0; null for a number that is not finite. Does not depend on the locale. */
void mcpi_json_put_number(mcpi_buf *buf, double number);
/* Appends a value as it was read: big numbers keep their digits, 1.0 keeps its
 * point. NULL becomes null. A value deeper than MCPI_JSON_MAX_DEPTH, which our
 * reader does not make, sets MCP_ERR_LIMIT. */
void mcpi_json_put_value(mcpi_buf *buf, const mcp_json *value);
/* Appends `len` bytes in Base64, quoted. */
void mcpi_json_put_base64(mcpi_buf *buf, const void *bytes, size_t len);

/* Checks that a text from the program is one JSON value. Returns 0,
 * MCP_ERR_PARSE, MCP_ERR_LIMIT or MCP_ERR_NOMEM; MCP_ERR_INVALID if a member
 * occurs twice in an object. */
int mcpi_json_check_text(const mcp_allocator *allocator, mcpi_str text,
                         mcp_error *err);
/* Checks such a text, and appends it in one line: without its outer blanks and
 * without line breaks between its tokens. Returns the same. */
int mcpi_json_put_text(mcpi_buf *buf, mcpi_str text, mcp_error *err);

#endif
