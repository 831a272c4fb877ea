/* SPDX-License-Identifier: MIT */
/* What the core asks of every transport. */
#ifndef MCPI_CORE_TRANSPORT_H
#define MCPI_CORE_TRANSPORT_H

#include "codec/message.h"
#include "core/quota.h"
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

/* Starts a transport that another one is around: `owner` becomes its owner, and
 * the callbacks of `events` its callbacks. 0, or what it lacks or says. */
int mcpi_transport_start_inner(mcp_transport *inner, void *owner,
                               const mcp_transport *events, mcp_error *err);

/* --- defined by wires/mcp_core, or its none.c ----------------------------- */

/* Whether it is a value of MCP_DIALECT_* that this libmcp speaks. 0, or
 * MCP_ERR_INVALID or MCP_ERR_UNSUPPORTED, and err says why. */
MCP_API int mcpi_dialect_check(uint32_t dialect, mcp_error *err);

/* A wire of a server's as the program wants it: shown to on_trace (NULL: to
 * nobody), and in a dialect, MCP_DIALECT_*. What that makes it keep is counted
 * for the client of the share (copied; NULL: nowhere). Taken, on failure too;
 * for a NULL wire it returns NULL and leaves err. Returns NULL with err as
 * mcp_transport_trace and mcp_transport_dialect do. */
MCP_API mcp_transport *mcpi_server_wire(mcp_loop *loop, mcp_transport *wire,
                                        mcp_trace_cb on_trace, void *userdata,
                                        uint32_t dialect,
                                        const mcpi_share *like, mcp_error *err);

#endif
