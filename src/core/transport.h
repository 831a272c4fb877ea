/* SPDX-License-Identifier: MIT */
/* What the core asks of every transport. */
#ifndef MCPI_CORE_TRANSPORT_H
#define MCPI_CORE_TRANSPORT_H

#include "codec/message.h"
#include <mcp/transport.h>

/* What an owner installs beside the callbacks of the public table, as
 * mcp_transport.internal: a way to take messages that are parsed already. */
typedef struct mcpi_transport_owner {
  mcpi_message_limits limits; /* that such a message has kept */
  /* As on_message. The message is borrowed; a reference keeps it. */
  void (*on_parsed)(mcp_transport *transport, mcpi_message *message);
} mcpi_transport_owner;

/* Installs it, where the table has a place for it; NULL: nothing. */
void mcpi_transport_set_owner(mcp_transport *transport,
                              const mcpi_transport_owner *owner);
/* What was installed, or NULL. */
const mcpi_transport_owner *
mcpi_transport_owner_of(const mcp_transport *transport);

/* Whether a table, perhaps a program's own, has what it must have before it is
 * started. 0, or MCP_ERR_INVALID, and err says what is missing. */
int mcpi_transport_check(const mcp_transport *transport, mcp_error *err);

#endif
