/* SPDX-License-Identifier: MIT */
/* Which requests are served at all: their host and their origin. */
#ifndef MCPI_ENDPOINT_GUARD_H
#define MCPI_ENDPOINT_GUARD_H

#include "endpoint/head.h"
#include <mcp/http.h>

/* The last host that was allowed: most requests to an endpoint name the same
 * one. Empty: there was none. */
typedef struct mcpi_http_host_line {
  char text[64];
} mcpi_http_host_line;

/* Whether a request to this host, from a page of this origin, is
 * served. 1; 0: err says why not. *origin_is_named: there is an Origin, and it
 * is allowed. */
int mcpi_http_guard(const mcp_http_options *options, const mcpi_http_head *head,
                    mcpi_http_host_line *last, int *origin_is_named,
                    mcp_error *err);

#endif
