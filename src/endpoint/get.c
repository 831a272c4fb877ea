/* SPDX-License-Identifier: MIT */
/* Requests of a session that bring no message: a GET shows what the server
 * sends unasked, or what the client has missed, and a DELETE ends the
 * session. */
#include "endpoint/get.h"

#include "endpoint/answer.h"
#include "endpoint/endpoint.h"
#include "endpoint/protect.h"
#include "endpoint/replay.h"
#include "endpoint/session_life.h"
#include "server/session.h"

/* Returns the session that a request without a body names. NULL: the request
 * has been refused. */
static mcpi_endpoint_session *find_or_refuse(mcp_http_exchange *exchange) {
  mcpi_endpoint_session *session = NULL;
  mcp_error err;
  int status = mcpi_endpoint_session_find(exchange, &session, &err);
  if (status != 0) {
    mcpi_endpoint_refuse(exchange, status, MCP_RPC_INVALID_REQUEST,
                         mcpi_str_z(NULL), "%s", err.message);
  }
  return session;
}

static int admit_sessions(mcp_http_exchange *exchange) {
  int has_sessions = mcpi_endpoint_has_sessions(exchange->http);
  if (!has_sessions) {
    mcpi_endpoint_refuse_method(exchange);
  }
  return has_sessions;
}

/* A client that names an event has lost the stream's connection, even if we
 * have not noticed that. A client that names none, while an exchange shows the
 * standalone stream, would have two connections for it: it is refused. */
static void listen_on(mcpi_endpoint_session *session,
                      mcp_http_exchange *exchange) {
  const char *id = exchange->head.last_event_id;
  mcpi_endpoint_stream *stream = session->standalone;
  uint64_t after = stream->shown_seq;
  int rc = 0;
  if (id != NULL) {
    rc = mcpi_endpoint_find_event(session, id, &stream, &after);
  } else if (stream->exchange != NULL) {
    mcpi_endpoint_refuse(exchange, 409, MCP_RPC_INVALID_REQUEST,
                         mcpi_str_z(NULL),
                         "this session has a stream open already");
    return;
  }
  if (rc == 0) {
    mcpi_endpoint_resume(stream, exchange, after);
  } else if (rc == MCP_ERR_INVALID) {
    mcpi_endpoint_refuse(
        exchange, 400, MCP_RPC_INVALID_REQUEST, mcpi_str_z(NULL),
        "Last-Event-ID: \"%.64s\" is not an event of this session", id);
  } else {
    mcpi_endpoint_refuse(exchange, 500, MCP_RPC_INTERNAL_ERROR,
                         mcpi_str_z(NULL), "out of memory");
  }
}

void mcpi_endpoint_on_get(mcp_http_exchange *exchange) {
  if (!admit_sessions(exchange) || !mcpi_endpoint_admit_events(exchange)) {
    return;
  }
  mcpi_endpoint_session *session = find_or_refuse(exchange);
  if (session != NULL) {
    mcpi_session_use_grant(session->caller.session,
                           mcpi_endpoint_grant_of(exchange));
    listen_on(session, exchange);
  }
}

void mcpi_endpoint_on_delete(mcp_http_exchange *exchange) {
  if (!admit_sessions(exchange)) {
    return;
  }
  mcpi_endpoint_session *session = find_or_refuse(exchange);
  if (session != NULL) {
    mcpi_endpoint_session_end(session);
    mcpi_endpoint_respond(exchange, 204, NULL, mcpi_str_z(NULL), NULL, 0);
  }
}
