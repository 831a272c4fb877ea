/* SPDX-License-Identifier: MIT */
/* The metadata that a protected resource publishes (RFC 9728, 2). */
#ifndef MCPI_AUTH_RESOURCE_METADATA_OUT_H
#define MCPI_AUTH_RESOURCE_METADATA_OUT_H

#include "base/buf.h"
#include <mcp/protect.h>

/* Appends the document of the resource with that URL, which publishes metadata
 * (mcpi_resource_has_metadata). Returns 0 or MCP_ERR_NOMEM. */
int mcpi_resource_metadata_put(mcpi_buf *buf,
                               const mcp_protect_options *options,
                               mcpi_str resource);

#endif
