/* SPDX-License-Identifier: MIT */
/* Requests of extensions that ship with libmcp. Their rows are not in the
 * method table, because to a server their methods are the program's own. A row
 * has the id MCPI_M_COUNT, which stands for no method of the table. */
#ifndef MCPI_CLIENT_EXTENSION_H
#define MCPI_CLIENT_EXTENSION_H

#include "client/client.h"

/* Starts a request; its only param is `uri`, or none if that is NULL. The row
 * is static. Returns what the functions of mcp/client.h return. */
MCP_API int mcpi_extension_get(mcp_client *client, const mcpi_method *row,
                               const char *uri,
                               const mcp_request_options *options,
                               mcp_done_cb on_done, void *userdata,
                               mcp_error *err);
/* The same for a list, whose pages become one result. */
MCP_API int mcpi_extension_list(mcp_client *client, const mcpi_method *row,
                                const char *uri,
                                const mcp_request_options *options,
                                mcp_done_cb on_done, void *userdata,
                                mcp_error *err);

/* Drops what the cache has of a resource, and all lists of skills: one of them
 * is out of date. */
MCP_API void mcpi_extension_drop_cached(mcp_client *client, const char *uri);

#endif
