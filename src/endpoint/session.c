/* SPDX-License-Identifier: MIT */
/* What the files of a session share: how it is found, and how long it is idle.
 * session_life.c begins and ends it. */
#include "endpoint/session.h"

#include "endpoint/endpoint.h"

void mcpi_endpoint_session_unref(mcpi_endpoint_session *session) {
  if (--session->refs == 0) {
    mcpi_endpoint_channel_free(&session->channel, session, sizeof(*session));
  }
}

/* --- idleness ----------------------------------------------------------- */

int64_t mcpi_endpoint_session_due(const mcpi_endpoint_session *session) {
  const mcp_http_options *options = &session->channel.http->options;
  uint32_t wait_ms = options->session_idle_ms;
  if (session->stage == MCPI_ENDPOINT_SESSION_FRESH &&
      options->initialized_ms < wait_ms) {
    wait_ms = options->initialized_ms;
  }
  return session->used_ms + wait_ms;
}

void mcpi_endpoint_session_touch(mcpi_endpoint_session *session) {
  mcp_http *http = session->channel.http;
  session->stage = MCPI_ENDPOINT_SESSION_USED;
  mcpi_endpoint_seat_withdraw(session);
  session->used_ms = mcpi_loop_now(http->shard->loop);
  mcpi_list_remove(&session->link);
  mcpi_list_append(&http->recent, &session->link);
}

void mcpi_endpoint_session_left(mcpi_endpoint_session *session) {
  if (session->stage == MCPI_ENDPOINT_SESSION_USED) {
    mcpi_endpoint_session_touch(session);
  }
}

/* A client that waits for an answer or listens is there. A client that has
 * abandoned its calls is not. */
int mcpi_endpoint_session_is_in_use(const mcpi_endpoint_session *session) {
  const mcpi_list *link = session->streams.next;
  for (; link != &session->streams; link = link->next) {
    if (MCPI_CONTAINER(link, mcpi_endpoint_stream, link)->exchange != NULL) {
      return 1;
    }
  }
  return session->standalone->exchange != NULL;
}

/* --- finding one -------------------------------------------------------- */

static mcpi_endpoint_session *
endpoint_session_look_up(const mcp_http_exchange *exchange) {
  mcpi_endpoint_session *session = mcpi_map_get(
      &exchange->http->sessions, mcpi_str_z(exchange->head.session_id));
  return session != NULL &&
                 mcpi_endpoint_channel_is_of(&session->channel, exchange)
             ? session
             : NULL;
}

/* A header that names any legacy revision of ours passes: the session knows
 * which one was agreed on. */
static int serves_version(const mcp_http_exchange *exchange, mcp_error *err) {
  const char *name = exchange->head.protocol_version;
  const mcpi_revision *revision = mcpi_revision_find(mcpi_str_z(name));
  if (name == NULL ||
      (revision != NULL && !mcpi_revision_is_modern(revision))) {
    return 1;
  }
  mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                "MCP-Protocol-Version: \"%.64s\" is not served in sessions",
                name);
  return 0;
}

int mcpi_endpoint_session_find(const mcp_http_exchange *exchange,
                               mcpi_endpoint_session **out, mcp_error *err) {
  if (exchange->head.session_id == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "Mcp-Session-Id is missing: send initialize first");
    return 400;
  }
  if (!serves_version(exchange, err)) {
    return 400;
  }
  *out = endpoint_session_look_up(exchange);
  if (*out == NULL) {
    mcp_error_set(err, MCP_ERR_NOT_FOUND,
                  "no such session: send initialize again");
    return 404;
  }
  mcpi_endpoint_session_touch(*out);
  return 0;
}
