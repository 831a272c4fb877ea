/* SPDX-License-Identifier: MIT */
/* Base64, RFC 4648: the standard alphabet with padding, and the URL-safe one
 * without. Decoding is strict: no blanks, exact padding, zero spare bits. */
#ifndef MCPI_BASE_BASE64_H
#define MCPI_BASE_BASE64_H

#include "base/buf.h"

/* Returns how many characters `len` bytes become, with padding. */
size_t mcpi_base64_len(size_t len);
/* Writes mcpi_base64_len(len) characters to `to`, without a NUL at the end. */
MCP_API void mcpi_base64_write(char *to, const void *bytes, size_t len);
MCP_API void mcpi_base64_put(mcpi_buf *buf, const void *bytes, size_t len);
void mcpi_base64url_put(mcpi_buf *buf, const void *bytes, size_t len);
/* Returns the six bits that a character stands for, or -1. */
MCP_API int mcpi_base64_value(char c);
int mcpi_base64url_value(char c);
/* Returns the character for six bits. */
char mcpi_base64url_digit(unsigned six_bits);

/* Appends the decoded bytes. 0 or MCP_ERR_PARSE, with nothing appended; running
 * out of memory is in buf->error. */
int mcpi_base64_decode(mcpi_buf *buf, mcpi_str text);
int mcpi_base64url_decode(mcpi_buf *buf, mcpi_str text);

#endif
