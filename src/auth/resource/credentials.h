/* SPDX-License-Identifier: MIT */
/* The header Authorization of a request (RFC 6750, 2.1; RFC 9449, 7.1). */
#ifndef MCPI_AUTH_RESOURCE_CREDENTIALS_H
#define MCPI_AUTH_RESOURCE_CREDENTIALS_H

#include "base/str.h"

typedef enum mcpi_scheme {
  MCPI_SCHEME_NONE,   /* no header, or one of another scheme */
  MCPI_SCHEME_BROKEN, /* the scheme is ours, but no token follows */
  MCPI_SCHEME_BEARER,
  MCPI_SCHEME_DPOP
} mcpi_scheme;

/* Reads a header; value.ptr NULL: there is none. *token points into it, is not
 * empty, and is set for the last two results. It may have any characters:
 * looking at each takes longer than finding the token in a cache. */
mcpi_scheme mcpi_credentials_read(mcpi_str value, mcpi_str *token);
/* Whether a text is a token that this header can carry (RFC 6750, 2.1:
 * b64token). */
int mcpi_credentials_is_token(mcpi_str text);

#endif
