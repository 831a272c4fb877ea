/* SPDX-License-Identifier: MIT */
/* Names of extensions (MCP 2026-07-28, Versioning: Extension Negotiation). */
#ifndef MCPI_CORE_EXTENSION_ID_H
#define MCPI_CORE_EXTENSION_ID_H

#include <mcp/allocator.h>
#include <mcp/error.h>

/* Checks that an extension's id is a prefix of dot-separated labels, a slash
 * and a name, such as "com.example/reports". 0, or MCP_ERR_INVALID with a
 * message that quotes the id. */
int mcpi_extension_id_check(const char *id, mcp_error *err);

/* Makes the path "extensions.ID", where a client declares the extension in its
 * capabilities; owned, free it with mcpi_strfree. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_extension_path(char **out, const char *id,
                        const mcp_allocator *allocator);

#endif
