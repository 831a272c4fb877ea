/* SPDX-License-Identifier: MIT */
/* Media types in the headers Content-Type and Accept (RFC 9110, 8.3.1 and
 * 12.5.1). */
#ifndef MCPI_CODEC_HTTP_MEDIA_H
#define MCPI_CODEC_HTTP_MEDIA_H

#include "base/str.h"

/* Whether a Content-Type is that type, such as "application/json", in any case
 * and with any parameters, but no other charset than UTF-8. */
MCP_API int mcpi_http_media_is(mcpi_str content_type, const char *type);

/* Whether a request accepts one type. Set up with mcpi_http_accept_init, add
 * each line of the header Accept, then look at is_accepted; without a line
 * that concerns the type it is 0. */
typedef struct mcpi_http_accept {
  mcpi_str type;
  int rank; /* of the range that decided: the closest one does */
  int is_accepted;
} mcpi_http_accept;

/* type: borrowed. */
void mcpi_http_accept_init(mcpi_http_accept *accept, const char *type);
/* Reads a line of Accept for several types at once. Of ranges that are equally
 * close to a type, one that accepts it is enough. Malformed ranges do not
 * count. */
void mcpi_http_accept_add(mcpi_http_accept *accepts, size_t count,
                          mcpi_str line);
/* Whether it is accepted by its name, and not by a range that has others
 * too. */
int mcpi_http_accept_is_named(const mcpi_http_accept *accept);

#endif
