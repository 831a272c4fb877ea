/* SPDX-License-Identifier: MIT */
/* Forms that the server wants filled (PROTOCOL 5.2). */
#ifndef MCPI_CLIENT_ELICIT_H
#define MCPI_CLIENT_ELICIT_H

#include "client/client.h"
#include <mcp/schema.h>

/* Checks an elicitation's params beyond the method table. 0, and *is_url tells
 * the mode; or an MCP_RPC_* with a message. */
int mcpi_elicit_check(const mcp_client *client, const mcp_json *params,
                      int *is_url, mcp_error *err);

/* Which elicitations by URL are under way: a server tells the end of each, and
 * must not be believed of others (PROTOCOL 5.2). `params` are an elicitation's,
 * or its end's. */
void mcpi_elicit_remember(mcp_client *client, const mcp_json *params);
/* Whether the program may see the data of -32042: all its URLs are those of web
 * pages, or the program wants any. */
int mcpi_elicit_may_show_all(const mcp_client *client, const mcp_json *data);
/* Those that a request was refused for: the data of -32042. */
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
