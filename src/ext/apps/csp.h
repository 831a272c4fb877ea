/* SPDX-License-Identifier: MIT */
/* The Content-Security-Policy of a page (MCP Apps 2026-01-26, Content Security
 * Policy Enforcement). */
#ifndef MCPI_EXT_APPS_CSP_H
#define MCPI_EXT_APPS_CSP_H

#include <mcp/allocator.h>
#include <mcp/json.h>

/* Does what mcp_app_csp does, with another allocator. The caller frees the text
 * with mcpi_strfree. */
char *mcpi_app_csp(const mcp_json *needs, const mcp_allocator *allocator,
                   size_t *left_out);

#endif
