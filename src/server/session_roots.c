/* SPDX-License-Identifier: MIT */
/* The client's roots for a program that wants to follow them (MCP, Roots):
 * asked for when a session opens and each time they change. */
#include "server/session.h"
#include "server/shard.h"

static void ask(mcp_session *session);

static void roots_hand_over(mcp_session *session, const mcp_json *roots) {
  mcp_server *server = session->server;
  if (server->on_roots != NULL && mcp_json_type(roots) == MCP_JSON_ARRAY) {
    server->on_roots(session, roots, server->on_roots_userdata);
  }
}

/* If a client fails to answer, the server asks again at its next change. */
static void roots_on_done(mcpi_pending *pending, int status,
                          mcpi_message *message, const mcpi_envelope *reply,
                          const mcp_error *err) {
  mcp_session *session = MCPI_CONTAINER(pending, mcp_session, roots);
  mcpi_shard *shard = session->caller->shard;
  (void)message;
  mcpi_shard_enter(shard);
  if (status == MCP_ERR_TIMEOUT) {
    mcpi_peer_send_cancel(&session->caller->peer, pending->id,
                          MCPI_STR("timed out"), 0);
  }
  if (status == 0) {
    roots_hand_over(session, mcp_json_get(reply->result, "roots"));
  } else if (status != MCP_ERR_CLOSED) {
    mcpi_shard_report(shard, status, "roots/list: %s", err->message);
  }
  if (status != MCP_ERR_CLOSED && session->roots_are_stale) {
    ask(session);
  }
  mcpi_shard_leave(shard);
}

static void ask(mcp_session *session) {
  session->roots_are_stale = 0;
  session->roots.on_done = roots_on_done;
  session->roots.on_progress = NULL;
  int rc = mcpi_caller_ask(session->caller, &session->roots,
                           MCPI_STR("roots/list"), mcpi_str_z(NULL));
  if (rc != 0 && rc != MCP_ERR_GONE) {
    mcpi_shard_report(session->caller->shard, rc, "roots/list: %s",
                      mcp_error_text(rc));
  }
}

/* One request at a time: an answer may be older than the latest change. */
void mcpi_session_ask_roots(mcp_session *session) {
  if (session->server->on_roots == NULL || !session->is_initialized ||
      !mcpi_capability_has(session->client_capabilities, "roots")) {
    return;
  }
  if (session->roots.table != NULL) {
    session->roots_are_stale = 1;
    return;
  }
  ask(session);
}

int mcp_server_on_roots(mcp_server *server,
                        void (*on_roots)(mcp_session *session,
                                         const mcp_json *roots, void *userdata),
                        void *userdata) {
  if (server == NULL) {
    return MCP_ERR_INVALID;
  }
  server->on_roots = on_roots;
  server->on_roots_userdata = userdata;
  return 0;
}
