/* SPDX-License-Identifier: MIT */
/* Values in the headers Mcp-Name and Mcp-Param-* (PROTOCOL 3.5, value
 * encoding): text as it is where a header can carry it, else
 * "=?base64?...?=".
 *
 *     "abc"  <->  abc            42, 42.0  <->  42
 *     " a "  <->  =?base64?IGEg?=    true  <->  true
 */
#ifndef MCPI_CODEC_HTTP_VALUE_H
#define MCPI_CODEC_HTTP_VALUE_H

#include "base/buf.h"
#include <mcp/json.h>

/* Integers that every peer can hold in a double: up to 2^53 - 1 either way. */
#define MCPI_HTTP_INT_MAX INT64_C(9007199254740991)

/* Without the blanks and tabs around it. */
MCP_API mcpi_str mcpi_http_trim(mcpi_str value);
/* Equal but for the case of ASCII letters, in any locale. */
MCP_API int mcpi_http_eq_nocase(mcpi_str a, mcpi_str b);
/* Whether it is a token of RFC 9110, 5.6.2; not empty. */
MCP_API int mcpi_http_is_token(mcpi_str text);
/* Takes the next value from a list of them between commas, without the blanks
 * around it. 0: there is none. */
MCP_API int mcpi_http_next(mcpi_str *list, mcpi_str *value);
/* Whether such a list has this value, in any case. */
MCP_API int mcpi_http_lists(mcpi_str list, mcpi_str value);

/* Appends the text, which is valid UTF-8, as a header's value. Look at
 * buf->error for memory. */
MCP_API void mcpi_http_put_text(mcpi_buf *buf, mcpi_str text);
/* The same for a string, an integer (decimal), true or false. 0; with nothing
 * appended MCP_ERR_INVALID (a value of another type, a fraction) or
 * MCP_ERR_LIMIT (an integer past MCPI_HTTP_INT_MAX). */
int mcpi_http_put_value(mcpi_buf *buf, const mcp_json *value);

/* A header's value, blanks around it left out, as text: it points into the
 * value, or, when that was encoded, into `buf`, to which it was appended: then
 * it is borrowed until the buffer changes.
 * 0; MCP_ERR_PARSE: characters that no header of this kind has, Base64 that is
 * not canonical, or invalid UTF-8 in it; MCP_ERR_NOMEM or MCP_ERR_LIMIT, the
 * buffer's. */
int mcpi_http_decode(mcpi_buf *buf, mcpi_str value, mcpi_str *text);

/* Whether a header's value says what the body does: strings by their bytes,
 * integers by their value ("42.0" is 42), true and false by their names.
 * 0; MCP_ERR_PROTOCOL: it does not, or the body's value is of a type that no
 * header has; or as mcpi_http_decode, with `buf` for scratch. */
int mcpi_http_compare(mcpi_buf *buf, mcpi_str value, const mcp_json *body);

#endif
