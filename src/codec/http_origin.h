/* SPDX-License-Identifier: MIT */
/* The headers Host and Origin (RFC 9110, 7.2; RFC 6454, 7): which server a
 * request is for, and which web page made it. Checking them keeps web pages
 * away from servers on the same machine; so a value that we do not understand
 * is refused. */
#ifndef MCPI_CODEC_HTTP_ORIGIN_H
#define MCPI_CODEC_HTTP_ORIGIN_H

#include "base/buf.h"

/* "name", "name:port", "127.0.0.1:port", "[::1]:port". */
typedef struct mcpi_header_host {
  mcpi_str name; /* as it was written, brackets included */
  int port;      /* -1: there is no port */
} mcpi_header_host;

/* Splits and checks a host. 0 or MCP_ERR_PARSE. Also refuses user names, an
 * empty port and percent signs. */
int mcpi_header_host_parse(mcpi_header_host *out, mcpi_str text);

/* Whether a host's name is one of the loopback interface: "localhost" in any
 * case, 127.0.0.0/8 as four decimal numbers, or "[::1]". Other spellings are
 * not ("localhost.", "127.1"). */
int mcpi_header_is_loopback(mcpi_str name);

/* "scheme://host[:port]". */
typedef struct mcpi_header_origin {
  mcpi_str scheme;
  mcpi_header_host host; /* port: by default the scheme's */
} mcpi_header_origin;

/* Splits and checks an origin. 0 or MCP_ERR_PARSE, also for "null". */
int mcpi_header_origin_parse(mcpi_header_origin *out, mcpi_str text);

/* Appends the origin in lower case, without the scheme's own port. */
void mcpi_header_origin_put(mcpi_buf *buf, const mcpi_header_origin *origin);

/* Whether an Origin is the allowed one. Compares scheme and host in any case,
 * and the port as a number. "null" only matches "null". Does not know "*". */
int mcpi_header_origin_matches(mcpi_str origin, mcpi_str allowed);

/* Whether an Origin is that of a page from the loopback interface, with any
 * port, by http or https. */
MCP_API int mcpi_header_origin_is_loopback(mcpi_str text);

#endif
