/* SPDX-License-Identifier: MIT */
/* Permissions that a page asks for (MCP Apps 2026-01-26, UI Resource Format):
 * as bits, as members of `_meta.ui`, and as features of <iframe allow>. */
#ifndef MCPI_EXT_APPS_PERMISSIONS_H
#define MCPI_EXT_APPS_PERMISSIONS_H

#include "base/buf.h"

enum { MCPI_APP_ALL_PERMISSIONS = (1 << 4) - 1 };

/* Appends the value of `_meta.ui.permissions`. */
void mcpi_app_put_permissions(mcpi_buf *out, uint32_t permissions);

/* Does what mcp_app_allow does, with another allocator. The caller frees the
 * text with mcpi_strfree. */
char *mcpi_app_allow(uint32_t permissions, const mcp_allocator *allocator);

#endif
