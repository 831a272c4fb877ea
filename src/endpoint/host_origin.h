/* SPDX-License-Identifier: MIT */
/* Checks the host and the origin of requests. */
#ifndef MCPI_ENDPOINT_HOST_ORIGIN_H
#define MCPI_ENDPOINT_HOST_ORIGIN_H

#include "endpoint/head.h"
#include <mcp/http.h>

/* The last host that was allowed: most requests to an endpoint name the same
 * one. Empty: none yet. */
typedef struct mcpi_endpoint_host_line {
  char text[64];
} mcpi_endpoint_host_line;

/* Whether a request to this host, from a page of this origin, is served.
 * Returns 1, or 0 and why in err. *origin_is_named: there is an Origin, and it
 * is allowed. */
int mcpi_endpoint_host_admits(const mcp_http_options *options,
                              const mcpi_endpoint_head *head,
                              mcpi_endpoint_host_line *last,
                              int *origin_is_named, mcp_error *err);

#endif
