/* SPDX-License-Identifier: MIT */
/* The options of a protected server: checked copies, with defaults. */
#ifndef MCPI_AUTH_RESOURCE_OPTIONS_H
#define MCPI_AUTH_RESOURCE_OPTIONS_H

#include <mcp/protect.h>

/* Copies the options and all strings except `tokens`: out->tokens is the
 * program's text, borrowed. Returns 0; MCP_ERR_INVALID with err, whose message
 * names the member; MCP_ERR_UNSUPPORTED (mcpi_widen); MCP_ERR_NOMEM. _deinit is
 * needed only after 0. */
int mcpi_protect_copy(mcp_protect_options *out, const mcp_protect_options *from,
                      const mcp_allocator *allocator, mcp_error *err);
/* Wipes the secret. */
void mcpi_protect_deinit(mcp_protect_options *options,
                         const mcp_allocator *allocator);

/* Checks that the platform has what the options need. Returns 0 or
 * MCP_ERR_PLATFORM with err. */
int mcpi_protect_check_platform(const mcp_protect_options *options,
                                const mcp_platform *platform, mcp_error *err);

#endif
