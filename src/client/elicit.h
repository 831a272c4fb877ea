/* SPDX-License-Identifier: MIT */
/* Forms that the server wants filled (MCP, Elicitation). */
#ifndef MCPI_CLIENT_ELICIT_H
#define MCPI_CLIENT_ELICIT_H

#include "client/client.h"
#include <mcp/schema.h>

/* Checks an elicitation's params beyond the method table. 0, and *is_url says
 * the mode; or an MCP_RPC_* with a message. */
int mcpi_elicit_check(const mcp_client *client, const mcp_json *params,
                      int *is_url, mcp_error *err);

/* Notes which elicitations by URL are under way: a server reports the end of
 * each, and such a report of another must be ignored (MCP 2025-11-25,
 * Elicitation). `params` are those of the elicitation, or of the report of its
 * end. */
void mcpi_elicit_remember(mcp_client *client, const mcp_json *params);
/* Whether the program may see the data of -32042: all its URLs are those of web
 * pages, or the program wants any. */
int mcpi_elicit_may_show_all(const mcp_client *client, const mcp_json *data);
/* The same for those in the data of -32042, for which a request was refused. */
void mcpi_elicit_remember_all(mcp_client *client, const mcp_json *data);
/* 1 when it was under way. */
int mcpi_elicit_forget(mcp_client *client, const mcp_json *params);
/* The server is another one. */
void mcpi_elicit_forget_all(mcp_client *client);

/* Writes the filled form, with defaults where the client wants them, and
 * validates it. 0, MCP_ERR_INVALID (no JSON object), MCP_ERR_SCHEMA,
 * MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
int mcpi_elicit_put(mcp_client *client, const mcp_validator *validator,
                    const char *content, mcpi_buf *buf, mcp_error *err);

#endif
