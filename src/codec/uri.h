/* SPDX-License-Identifier: MIT */
/* URIs (RFC 3986): splitting them, classes of characters, percent-encoding, and
 * resolving references against a base. */
#ifndef MCPI_CODEC_URI_H
#define MCPI_CODEC_URI_H

#include "base/buf.h"

/* The parts of a URI or relative reference, without the characters between
 * them. The ptr of an absent part is NULL; that of an empty part is not. The
 * path is never absent. */
typedef struct mcpi_uri {
  mcpi_str scheme;
  mcpi_str authority;
  mcpi_str path;
  mcpi_str query;
  mcpi_str fragment;
} mcpi_uri;

/* Splits any text (RFC 3986, appendix B). */
void mcpi_uri_split(mcpi_str text, mcpi_uri *out);

/* Appends the URI that the reference means with this base (5.2), without its
 * fragment. An empty base leaves a relative reference as it is. */
void mcpi_uri_resolve(mcpi_buf *buf, mcpi_str base, mcpi_str reference);

/* Returns a path without the slashes at its end. */
mcpi_str mcpi_uri_trim_path(mcpi_str path);

/* Appends the text with each %XX decoded. 0, or MCP_ERR_PARSE: a % without two
 * hexadecimal digits. */
int mcpi_uri_put_decoded(mcpi_buf *buf, mcpi_str text);

MCP_API int mcpi_uri_is_unreserved(char c);
int mcpi_uri_is_reserved(char c);
/* Whether two hexadecimal digits follow a percent sign. */
MCP_API int mcpi_uri_is_encoded(const char *p, size_t left);
/* Returns the byte that these two digits encode. */
MCP_API unsigned char mcpi_uri_decode(const char *p);
/* Writes a byte as a percent sign and two digits. */
MCP_API void mcpi_uri_encode(char to[3], char byte);

#endif
