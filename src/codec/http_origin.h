/* SPDX-License-Identifier: MIT */
/* The headers Host and Origin (RFC 9110, 7.2; RFC 6454, 7): who was asked, and
 * by whose page. They keep web pages away from servers on the same machine, so
 * what is not understood belongs to nobody. */
#ifndef MCPI_CODEC_HTTP_ORIGIN_H
#define MCPI_CODEC_HTTP_ORIGIN_H

#include "base/str.h"

/* "name", "name:port", "127.0.0.1:port", "[::1]:port". */
typedef struct mcpi_http_host {
  mcpi_str name; /* as it was written, brackets included */
  int port;      /* -1: none was given */
} mcpi_http_host;

/* Splits and checks it. 0 or MCP_ERR_PARSE; user names, an empty port and
 * percent signs are refused too. */
int mcpi_http_host_parse(mcpi_http_host *out, mcpi_str text);

/* Whether a host's name is one of the loopback interface: "localhost" in any
 * case, 127.0.0.0/8 as four decimal numbers, "[::1]"; nothing that only ends
 * or begins like them, and no other spelling ("localhost.", "127.1"). */
int mcpi_http_is_loopback(mcpi_str name);

/* "scheme://host[:port]". */
typedef struct mcpi_http_origin {
  mcpi_str scheme;
  mcpi_http_host host; /* port: the scheme's where none was given */
} mcpi_http_origin;

/* 0 or MCP_ERR_PARSE, for "null" too. */
int mcpi_http_origin_parse(mcpi_http_origin *out, mcpi_str text);

/* Whether an Origin is the allowed one: scheme and host in any case, the port
 * as a number. "null" is only "null". "*" is for the caller. */
int mcpi_http_origin_matches(mcpi_str origin, mcpi_str allowed);

/* Whether it is of a page that came from the loopback interface, at any port,
 * by http or https. */
int mcpi_http_origin_is_loopback(mcpi_str text);

#endif
