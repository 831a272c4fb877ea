/* SPDX-License-Identifier: MIT */
/* Media types in the headers Content-Type and Accept (RFC 9110, 8.3.1 and
 * 12.5.1). */
#ifndef MCPI_CODEC_HTTP_MEDIA_H
#define MCPI_CODEC_HTTP_MEDIA_H

#include "base/str.h"

/* Whether a Content-Type is this type, such as "application/json", in any case
 * and with any parameters, except a charset other than UTF-8. */
MCP_API int mcpi_header_media_is(mcpi_str content_type, const char *type);

/* Finds the value of a parameter of a Content-Type, without its quotes. Returns
 * 1, or 0 if there is no such parameter, or more than one. */
int mcpi_header_media_get(mcpi_str content_type, const char *name,
                          mcpi_str *value);

/* Whether a request accepts one type. Begin with mcpi_header_accept_init, add
 * each line of the header Accept, then read is_accepted. It is 0 if no line
 * concerns the type. */
typedef struct mcpi_header_accept {
  mcpi_str type;
  int rank; /* how close the closest range is */
  int is_accepted;
} mcpi_header_accept;

/* type: borrowed as long as `accept` is used. */
void mcpi_header_accept_init(mcpi_header_accept *accept, const char *type);
/* Adds a line of Accept, for several types at once. Of equally close ranges,
 * one that accepts the type is enough. Malformed ranges are ignored. */
void mcpi_header_accept_add(mcpi_header_accept *accepts, size_t count,
                            mcpi_str line);
/* Whether the type is accepted by its name, not only by a wider range. */
int mcpi_header_accept_is_named(const mcpi_header_accept *accept);

#endif
