/* SPDX-License-Identifier: MIT */
/* The client about itself: Implementation, capabilities, and the members of
 * _meta that go with each modern request (MCP 2026-07-28, Base Protocol:
 * _meta). */
#ifndef MCPI_CLIENT_DESCRIBE_H
#define MCPI_CLIENT_DESCRIBE_H

#include "client/client.h"

/* Renders the texts that later messages are put together from: the name, the
 * version, and client->options. 0, MCP_ERR_INVALID or MCP_ERR_NOMEM. */
int mcpi_client_describe(mcp_client *client, const char *name,
                         const char *version, mcp_error *err);

/* Both objects as the revision has them. */
void mcpi_client_put_info(const mcp_client *client,
                          const mcpi_revision *revision, mcpi_buf *buf);
void mcpi_client_put_capabilities(const mcp_client *client,
                                  const mcpi_revision *revision, mcpi_buf *buf);
/* Fills client->context for that revision. 0 or MCP_ERR_NOMEM. */
int mcpi_client_make_context(mcp_client *client, const mcpi_revision *revision);

/* Whether the program can answer a question of that method. */
int mcpi_client_can_answer(const mcp_client *client, mcpi_method_id id);
/* Whether the client runs questions as tasks in that revision. */
int mcpi_client_runs_tasks(const mcp_client *client,
                           const mcpi_revision *revision);

#endif
