/* SPDX-License-Identifier: MIT */
/* A legacy client's session (PROTOCOL 13): what initialize agreed on, and what
 * the client has subscribed to. It belongs to its caller, which frees it. */
#ifndef MCPI_SERVER_SESSION_H
#define MCPI_SERVER_SESSION_H

#include "server/caller.h"
#include "server/server.h"

struct mcp_session {
  mcpi_caller *caller;
  mcp_server *server;
  const mcpi_revision *revision;
  mcpi_message *client; /* kept; holds the next two, and nothing else */
  const mcp_json *client_info;
  const mcp_json *client_capabilities;
  int is_initialized;     /* the handshake is done */
  int log_level;          /* MCP_LOG_*; info until the client says */
  uint32_t declared;      /* bits by kind: what initialize declared ... */
  int has_logging;        /* ... and whether it declared logging */
  mcpi_map subscriptions; /* URI -> its own copy */
  void *userdata;
  mcpi_pending roots;    /* roots/list on its way (roots.c) */
  int roots_are_stale;   /* they changed after it was sent */
  mcpi_timer ping_timer; /* from here: keepalive.c */
  mcpi_pending ping;
  uint64_t heard_count; /* messages that had come when the timer was started */
};

/* With copies of what initialize's params say of the client. NULL when out of
 * memory. */
mcp_session *mcpi_session_new(mcpi_caller *caller,
                              const mcpi_revision *revision,
                              const mcp_json *params);
/* Gives the caller a session as if initialize had been before. 0 or
 * MCP_ERR_NOMEM. */
int mcpi_session_assume(mcpi_caller *caller, const mcpi_revision *revision);
/* NULL is accepted. */
void mcpi_session_free(mcp_session *session);
/* Its caller ends: calls the program's on_session_closed, and takes our
 * requests back. */
void mcpi_session_close(mcp_session *session);
/* The handshake is done: calls the program's on_session_opened, once. */
void mcpi_session_open(mcp_session *session);
/* keepalive.c: begins to ping the client, when the program wants it and the
 * wire is ordered. */
void mcpi_session_ping_start(mcp_session *session);
void mcpi_session_ping_stop(mcp_session *session);
/* roots.c: asks for the client's roots, when it has any and the program wants
 * them. */
void mcpi_session_ask_roots(mcp_session *session);

/* Remembers what initialize declares to the session's client. The server
 * notifies that client of nothing else (PROTOCOL 2.1). */
void mcpi_session_note_declared(mcp_session *session);

#endif
