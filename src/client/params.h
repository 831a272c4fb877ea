/* SPDX-License-Identifier: MIT */
/* Writing params: members of an object, one after another. A function that
 * takes a name puts the comma before it. */
#ifndef MCPI_CLIENT_PARAMS_H
#define MCPI_CLIENT_PARAMS_H

#include "client/client.h"

/* ,"name": where the name needs no escapes. */
void mcpi_params_name(mcpi_buf *buf, const char *name);
/* The same for any name. */
void mcpi_params_key(mcpi_buf *buf, mcpi_str name);
/* 0, or MCP_ERR_INVALID when the string is NULL or not UTF-8; the error begins
 * with the name. */
int mcpi_params_check(const char *name, const char *string, mcp_error *err);
/* Checks and puts it. */
int mcpi_params_string(mcpi_buf *buf, const char *name, const char *string,
                       mcp_error *err);
/* Checks a text of the program's to be an object, and puts it. As
 * mcpi_client_parse. */
int mcpi_params_put_object(mcp_client *client, mcpi_buf *buf, const char *name,
                           const char *text, mcp_error *err);
/* The same without the braces. */
int mcpi_params_put_members(mcp_client *client, mcpi_buf *buf, const char *name,
                            const char *text, mcp_error *err);
/* The members of an object, but for the one named `except` (NULL: all). */
void mcpi_params_put_values(mcpi_buf *buf, const mcp_json *object,
                            const char *except);
/* The members of the program's object that may join a request's _meta. */
void mcpi_params_put_meta(mcpi_buf *buf, const mcp_json *object);

#endif
