/* SPDX-License-Identifier: MIT */
/* The protocol's own methods, as a server handles them. */
#ifndef MCPI_SERVER_HANDLERS_H
#define MCPI_SERVER_HANDLERS_H

#include "codec/uri_template.h"
#include "server/call.h"

/* The handlers that core/methods.def names. Each replies, or leaves the call to
 * a handler of the program. */
void mcpi_on_initialize(mcp_call *call);
void mcpi_on_ping(mcp_call *call);
void mcpi_on_discover(mcp_call *call);
void mcpi_on_list(mcp_call *call); /* all four lists */
void mcpi_on_tools_call(mcp_call *call);
void mcpi_on_prompts_get(mcp_call *call);
/* prompts.c: checks that all arguments are strings, those of a prompt and those
 * in a completion's context, known to the server or not. 0, or MCP_ERR_INVALID,
 * recorded. */
int mcpi_check_strings(mcp_call *call, const mcp_json *arguments);
void mcpi_on_resources_read(mcp_call *call);
void mcpi_on_subscribe(mcp_call *call);
void mcpi_on_unsubscribe(mcp_call *call);
void mcpi_on_complete(mcp_call *call);
void mcpi_on_set_level(mcp_call *call);
/* Records that there is no such resource, in the revision's way (resources.c).
 * Also for a read handler that returned MCP_ERR_NOT_FOUND. */
int mcpi_resource_not_found(mcp_call *call);
/* Finds the resource at the URI, or else the first template that matches it.
 * *out is borrowed from the registry; NULL: nothing is there. If it is a
 * template, `values` and `spans` (MCPI_URI_MAX_VARS of them) have the variables
 * then. Returns 0 or MCP_ERR_NOMEM (resources.c). */
int mcpi_resource_find(const mcpi_shard *shard, mcpi_str uri, mcpi_buf *values,
                       mcpi_span *spans, mcpi_entry **out);
/* The same for a call that wants to watch the URI: an error is recorded, and
 * there are no variables. */
int mcpi_resource_find_watched(mcp_call *call, mcpi_str uri, mcpi_entry **out);
void mcpi_on_listen(mcp_call *call);

#endif
