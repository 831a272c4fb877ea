/* SPDX-License-Identifier: MIT */
/* Pings of legacy clients that are silent (MCP 2025-11-25, Ping), on ordered
 * transports: over Streamable HTTP a session has no connection whose end could
 * be seen. A message does not move the timer: when the timer is due, it looks
 * whether any came. */
#include "server/session.h"
#include "server/shard.h"

static void server_keepalive_restart(mcp_session *session) {
  mcpi_caller *caller = session->caller;
  session->heard_count = caller->peer.message_count;
  int rc = mcpi_loop_start_timer(caller->shard->loop, &session->ping_timer,
                                 session->server->limits.ping_interval_ms);
  if (rc != 0) {
    mcpi_caller_report(caller, rc, "no memory for the next ping");
  }
}

static int has_heard(const mcp_session *session) {
  return session->caller->peer.message_count != session->heard_count;
}

static void hang_up(mcp_session *session) {
  mcpi_caller *caller = session->caller;
  mcpi_caller_set_reason(
      caller, MCP_ERR_TIMEOUT, "the client did not answer a ping within %lu ms",
      (unsigned long)session->server->limits.ping_timeout_ms);
  mcpi_caller_close(caller, 0);
}

/* More bytes wait for the client than the limit allows. */
static void hang_up_unread(mcp_session *session) {
  mcpi_caller *caller = session->caller;
  mcpi_caller_set_reason(
      caller, MCP_ERR_TIMEOUT,
      "the client is silent, and does not read: a ping could not be "
      "sent: %s",
      mcp_error_text(MCP_ERR_LIMIT));
  mcpi_caller_close(caller, 0);
}

/* Any answer is enough, even an error, and so is any other message. */
static void on_pong(mcpi_pending *pending, int status, mcpi_message *message,
                    const mcpi_envelope *reply, const mcp_error *err) {
  mcp_session *session = MCPI_CONTAINER(pending, mcp_session, ping);
  mcpi_shard *shard = session->caller->shard;
  (void)message;
  (void)reply;
  (void)err;
  mcpi_shard_enter(shard);
  if (status == MCP_ERR_TIMEOUT && !has_heard(session)) {
    hang_up(session);
  } else if (status != MCP_ERR_CLOSED) {
    server_keepalive_restart(session);
  }
  mcpi_shard_leave(shard);
}

static void server_keepalive_ping(mcp_session *session) {
  session->ping.on_done = on_pong;
  session->ping.on_progress = NULL;
  session->ping.timeout_name = "ping_timeout_ms";
  int rc = mcpi_caller_ask_within(session->caller, &session->ping,
                                  session->server->limits.ping_timeout_ms,
                                  MCPI_STR("ping"), mcpi_str_z(NULL));
  if (rc == MCP_ERR_LIMIT) {
    hang_up_unread(session);
  } else if (rc != 0 && rc != MCP_ERR_GONE) {
    server_keepalive_restart(session);
  }
}

static void server_keepalive_on_due(mcpi_timer *timer) {
  mcp_session *session = MCPI_CONTAINER(timer, mcp_session, ping_timer);
  mcpi_shard *shard = session->caller->shard;
  mcpi_shard_enter(shard);
  if (has_heard(session)) {
    server_keepalive_restart(session);
  } else {
    server_keepalive_ping(session);
  }
  mcpi_shard_leave(shard);
}

void mcpi_session_ping_start(mcp_session *session) {
  if (session->server->limits.ping_interval_ms == 0 ||
      !session->caller->rules.is_ordered) {
    return;
  }
  session->ping_timer.on_due = server_keepalive_on_due;
  server_keepalive_restart(session);
}

void mcpi_session_ping_stop(mcp_session *session) {
  mcpi_loop_stop_timer(session->caller->shard->loop, &session->ping_timer);
  mcpi_pending_remove(&session->ping);
}
