/* SPDX-License-Identifier: MIT */
/* The endpoint's copy of mcp_http_options. */
#ifndef MCPI_ENDPOINT_OPTIONS_H
#define MCPI_ENDPOINT_OPTIONS_H

#include "base/alloc.h"
#include <mcp/http.h>

int mcpi_endpoint_copy_options(const mcp_allocator *allocator,
                               const mcp_http_options *options,
                               mcp_http_options *out, mcp_error *err);
void mcpi_endpoint_free_options(const mcp_allocator *allocator,
                                mcp_http_options *options);

#endif
