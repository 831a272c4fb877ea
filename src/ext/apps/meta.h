/* SPDX-License-Identifier: MIT */
/* `_meta` of apps and their tools (MCP Apps 2026-01-26, UI Resource Format,
 * Resource Discovery). The functions fill an empty buffer with NUL-terminated
 * JSON text, and leave it empty if there is nothing to say. They return 0,
 * MCP_ERR_INVALID, MCP_ERR_PARSE or MCP_ERR_NOMEM. err says why, but not always
 * after MCP_ERR_NOMEM. */
#ifndef MCPI_EXT_APPS_META_H
#define MCPI_EXT_APPS_META_H

#include "base/buf.h"
#include <mcp/apps.h>

/* `_meta` of a page, as a content has it: what it needs, as {"ui":{...}}. The
 * app has been checked. */
int mcpi_app_put_needs(mcpi_buf *text, const mcp_app *app, mcp_error *err);
/* `_meta` of the app, as the list has it: the same, and app->meta. */
int mcpi_app_put_meta(mcpi_buf *text, const mcp_app *app, mcp_error *err);

/* `_meta` of a tool: its app and its visibility, and tool->meta. app_uri may be
 * NULL; `visibility` 0 is not stated. */
int mcpi_app_put_tool_meta(mcpi_buf *text, const mcp_tool *tool,
                           const char *app_uri, uint32_t visibility,
                           mcp_error *err);

#endif
