/* SPDX-License-Identifier: MIT */
/* Values of the headers Mcp-Name and Mcp-Param-* (MCP 2026-07-28, Streamable
 * HTTP: Value Encoding). A text that a header can carry is unchanged; other
 * texts are written as "=?base64?...?=".
 *
 *     "abc"  <->  abc            42, 42.0  <->  42
 *     " a "  <->  =?base64?IGEg?=    true  <->  true
 */
#ifndef MCPI_CODEC_HTTP_VALUE_H
#define MCPI_CODEC_HTTP_VALUE_H

#include "base/buf.h"
#include <mcp/json.h>

/* The largest integer: every peer can hold integers up to this in a double. */
#define MCPI_HEADER_INT_MAX INT64_C(9007199254740991)

/* Returns the value without the blanks and tabs around it. */
MCP_API mcpi_str mcpi_header_trim(mcpi_str value);
/* Whether two texts differ at most in the case of ASCII letters. */
MCP_API int mcpi_header_eq_nocase(mcpi_str a, mcpi_str b);
/* Whether the text is a token of RFC 9110, 5.6.2, which is not empty. */
MCP_API int mcpi_header_is_token(mcpi_str text);
/* Takes the next value from a list with commas, without the blanks around it.
 * Returns 0 at the end. */
MCP_API int mcpi_header_next(mcpi_str *list, mcpi_str *value);
/* Whether a list with commas has this value, in any case. */
MCP_API int mcpi_header_lists(mcpi_str list, mcpi_str value);

/* Whether the line is the header of that name; *value is what it says,
 * trimmed. */
MCP_API int mcpi_header_is_named(mcpi_str line, const char *name,
                                 mcpi_str *value);

/* Appends a text, which is valid UTF-8, as a header's value. Running out of
 * memory is in buf->error. */
MCP_API void mcpi_header_put_text(mcpi_buf *buf, mcpi_str text);
/* Appends a string, an integer (decimal), true or false as a header's value. 0;
 * or, with nothing appended, MCP_ERR_INVALID (a value of another type, a
 * fraction) or MCP_ERR_LIMIT (an integer above MCPI_HEADER_INT_MAX). */
int mcpi_header_put_value(mcpi_buf *buf, const mcp_json *value);

/* Decodes a header's value, without the blanks around it. *text points into the
 * value, or, when that was encoded, into `buf`, to which the text is appended;
 * then it is borrowed until the buffer changes.
 * 0; MCP_ERR_PARSE (a character that these headers do not have, Base64 that is
 * not canonical, or invalid UTF-8 in it); MCP_ERR_NOMEM or MCP_ERR_LIMIT of the
 * buffer. */
int mcpi_header_decode(mcpi_buf *buf, mcpi_str value, mcpi_str *text);

/* Compares a header's value with the body's: strings by their bytes, integers
 * by their value ("42.0" is 42), true and false by their names. `buf` is used
 * for scratch. 0: they are equal; MCP_ERR_PROTOCOL: they differ, or the body's
 * value is of a type that headers do not have; or what mcpi_header_decode
 * returns. */
int mcpi_header_compare(mcpi_buf *buf, mcpi_str value, const mcp_json *body);

#endif
