/* SPDX-License-Identifier: MIT */
/* What the core requires of every transport. */
#ifndef MCPI_CORE_TRANSPORT_H
#define MCPI_CORE_TRANSPORT_H

#include "codec/message.h"
#include "core/quota.h"
#include <mcp/transport.h>

/* What an owner installs besides the callbacks of the public table, as
 * mcp_transport.internal: a way to take parsed messages. */
typedef struct mcpi_transport_owner {
  mcpi_message_limits limits; /* the limits that such a message has kept */
  /* As on_message. The message is borrowed; a reference keeps it. */
  void (*on_parsed)(mcp_transport *transport, mcpi_message *message);
} mcpi_transport_owner;

/* Installs it, if the table is long enough; NULL removes it. */
void mcpi_transport_set_owner(mcp_transport *transport,
                              const mcpi_transport_owner *owner);
/* Returns what was installed, or NULL. */
const mcpi_transport_owner *
mcpi_transport_owner_of(const mcp_transport *transport);

/* Whether a table, perhaps of a program, has mcp_transport.identity. */
int mcpi_transport_has_identity(const mcp_transport *transport);
/* Returns what that function returns; 0 if there is none. */
uint64_t mcpi_transport_identity(mcp_transport *transport);
/* Sets mcp_transport.on_waiting, if the table is long enough. */
void mcpi_transport_set_on_waiting(mcp_transport *transport,
                                   void (*on_waiting)(mcp_transport *transport,
                                                      int32_t is_waiting));
/* Sets mcp_transport.on_lent, if the table is long enough. */
void mcpi_transport_set_on_lent(mcp_transport *transport,
                                void (*on_lent)(mcp_transport *transport,
                                                mcp_lent_message *message));
/* For transports of the library: calls on_waiting if it is set. */
static inline void mcpi_transport_report_waiting(mcp_transport *transport,
                                                 int is_waiting) {
  if (transport->on_waiting != NULL) {
    transport->on_waiting(transport, is_waiting);
  }
}

/* Whether a table, perhaps of a program, has what it needs to start. Returns 0,
 * or MCP_ERR_INVALID, and err says what is missing. */
int mcpi_transport_check(const mcp_transport *transport, mcp_error *err);

/* Starts a transport that another one wraps: `owner` becomes its owner, and it
 * gets the callbacks of `events`. Returns 0, or an error if it lacks a function
 * or does not start. */
int mcpi_transport_start_inner(mcp_transport *inner, void *owner,
                               const mcp_transport *events, mcp_error *err);

/* --- defined by wires/mcp_core, or its none.c ----------------------------- */

/* Checks a value of MCP_DIALECT_*. Returns 0; MCP_ERR_INVALID, or
 * MCP_ERR_UNSUPPORTED if this libmcp was built without it, and err says why. */
MCP_API int mcpi_dialect_check(uint32_t dialect, mcp_error *err);

/* Wraps a server's transport as the program wants it: shown to on_trace (NULL:
 * not shown), and in a dialect, MCP_DIALECT_*. The bytes that this keeps are
 * counted for the client of the share (copied; NULL: not counted). The
 * transport is taken, on failure too; NULL is accepted. NULL without memory. */
MCP_API mcp_transport *mcpi_server_wire(mcp_loop *loop, mcp_transport *wire,
                                        mcp_trace_cb on_trace, void *userdata,
                                        uint32_t dialect,
                                        const mcpi_share *like, mcp_error *err);

#endif
