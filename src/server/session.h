/* SPDX-License-Identifier: MIT */
/* A legacy client's session: what initialize agreed on, and what the client has
 * subscribed to. It belongs to its caller, which frees it. */
#ifndef MCPI_SERVER_SESSION_H
#define MCPI_SERVER_SESSION_H

#include "server/caller.h"
#include "server/server.h"

struct mcp_session {
  mcpi_caller *caller;
  mcp_server *server;
  const mcpi_revision *revision;
  mcpi_message *client; /* kept; holds only the next two */
  const mcp_json *client_info;
  const mcp_json *client_capabilities;
  int is_initialized; /* the handshake is done */
  int log_level;      /* MCP_LOG_*; info until the client says */
  /* Bits by kind: what the answer to initialize declared ... */
  uint32_t declared;
  int has_logging;        /* ... and whether it declared logging */
  mcpi_map subscriptions; /* URI -> its own copy */
  /* What the client's newest token permits, a reference; NULL: it needs none.
   * Updates of resources need its scopes (notify.c). */
  mcpi_grant *grant;
  void *userdata;
  mcpi_pending roots;    /* roots/list in flight (session_roots.c) */
  int roots_are_stale;   /* the roots changed after it was sent */
  mcpi_timer ping_timer; /* the members of keepalive.c begin here */
  mcpi_pending ping;
  uint64_t heard_count; /* the number of messages when the timer was started */
};

/* Makes a session, with copies of what initialize's params say of the client.
 * NULL when out of memory. */
mcp_session *mcpi_session_new(mcpi_caller *caller,
                              const mcpi_revision *revision,
                              const mcp_json *params);
/* The client has sent a request with this token. NULL: it needs none. */
void mcpi_session_use_grant(mcp_session *session, mcpi_grant *grant);
/* Gives the caller a session as if initialize had been called. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_session_assume(mcpi_caller *caller, const mcpi_revision *revision);
/* NULL is accepted. */
void mcpi_session_free(mcp_session *session);
/* Its caller ends: calls the program's on_session_closed, and cancels our
 * requests in flight. */
void mcpi_session_close(mcp_session *session);
/* The handshake is done: calls the program's on_session_opened, once. */
void mcpi_session_open(mcp_session *session);
/* Begins to ping the client, if the program wants it and the transport is
 * ordered (keepalive.c). */
void mcpi_session_ping_start(mcp_session *session);
void mcpi_session_ping_stop(mcp_session *session);
/* Asks for the client's roots, if it has any and the program wants them
 * (session_roots.c). */
void mcpi_session_ask_roots(mcp_session *session);

/* Remembers what initialize declares to the session's client. The server
 * notifies that client of nothing else (MCP 2025-11-25, Lifecycle: Capability
 * Negotiation). */
void mcpi_session_note_declared(mcp_session *session);

#endif
