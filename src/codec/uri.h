/* SPDX-License-Identifier: MIT */
/* URIs (RFC 3986): their parts and characters, and references resolved against
 * a base. */
#ifndef MCPI_CODEC_URI_H
#define MCPI_CODEC_URI_H

#include "base/buf.h"

/* The parts of a URI or relative reference, without what sets them off. A part
 * that is absent has no ptr; an empty one has. The path is never absent. */
typedef struct mcpi_uri {
  mcpi_str scheme;
  mcpi_str authority;
  mcpi_str path;
  mcpi_str query;
  mcpi_str fragment;
} mcpi_uri;

/* Takes any text apart (RFC 3986, appendix B). */
void mcpi_uri_split(mcpi_str text, mcpi_uri *out);

/* Appends what the reference means beside the base (5.2), its fragment left
 * out. An empty base leaves a relative reference as it is. */
void mcpi_uri_resolve(mcpi_buf *buf, mcpi_str base, mcpi_str reference);

/* Appends the text with its %XX decoded. 0, or MCP_ERR_PARSE: one is broken. */
int mcpi_uri_put_decoded(mcpi_buf *buf, mcpi_str text);

int mcpi_uri_is_unreserved(char c);
int mcpi_uri_is_reserved(char c);
/* Whether two hexadecimal digits follow a percent sign. */
int mcpi_uri_is_encoded(const char *p, size_t left);
/* What those two digits stand for. */
unsigned char mcpi_uri_decode(const char *p);
/* Writes a byte as a percent sign and two digits. */
void mcpi_uri_encode(char to[3], char byte);

#endif
