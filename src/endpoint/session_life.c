/* SPDX-License-Identifier: MIT */
/* Sessions of the legacy era over HTTP (MCP 2025-11-25, Transports: Session
 * Management). A session is a caller without a socket: it begins with
 * initialize, and ends by DELETE, by idleness or by age. */
#include "endpoint/session_life.h"

#include "base/error.h"
#include "endpoint/deadlines.h"
#include "endpoint/endpoint.h"

static void endpoint_session_forget(mcpi_endpoint_session *session);

/* --- its caller --------------------------------------------------------- */

static mcpi_endpoint_session *endpoint_session_of_caller(mcpi_caller *caller) {
  return MCPI_CONTAINER(caller, mcpi_endpoint_session, caller);
}

/* A request of ours that a handler makes is sent on the stream of the POST that
 * the handler answers, if that can reach the client. Other messages are sent on
 * the standalone stream. */
static int session_send(mcpi_caller *caller, const char *message, size_t len,
                        const mcp_send_info *info) {
  mcpi_endpoint_session *session = endpoint_session_of_caller(caller);
  mcpi_endpoint_stream *stream = session->current;
  (void)info;
  /* While the session ends, the program may send in its callbacks: those of the
   * event store and of the HTTP server. */
  if (!mcpi_endpoint_session_is_open(session)) {
    return MCP_ERR_CLOSED;
  }
  if (stream == NULL || !mcpi_endpoint_stream_carries(stream)) {
    stream = session->standalone;
  }
  return mcpi_endpoint_stream_send(stream, message, len);
}

static void leave_endpoint(mcpi_endpoint_session *session) {
  if (mcpi_endpoint_session_is_open(session)) {
    mcpi_endpoint_channel_forget(&session->channel);
    endpoint_session_forget(session);
  }
}

static void session_close(mcpi_caller *caller) {
  mcpi_endpoint_session *session = endpoint_session_of_caller(caller);
  if (mcpi_endpoint_session_is_open(session)) {
    leave_endpoint(session);
    mcpi_caller_closed(caller, NULL);
  }
}

static void session_free(mcpi_caller *caller) {
  mcpi_endpoint_session *session = endpoint_session_of_caller(caller);
  leave_endpoint(session);
  mcpi_endpoint_session_unref(session);
}

static const char *endpoint_session_id(mcpi_caller *caller) {
  return endpoint_session_of_caller(caller)->id;
}

static const mcpi_caller_ops caller_ops = {.send = session_send,
                                           .close = session_close,
                                           .free = session_free,
                                           .session_id = endpoint_session_id};

/* --- life --------------------------------------------------------------- */

static mcpi_endpoint_session *
endpoint_session_make(mcp_http_exchange *exchange) {
  mcp_http *http = exchange->http;
  mcpi_endpoint_session *session =
      mcpi_calloc(&http->server->allocator, 1, sizeof(*session));
  if (session != NULL) {
    session->refs = 1;
    mcpi_endpoint_channel_init(&session->channel, http);
    mcpi_list_init(&session->link);
    mcpi_list_init(&session->offer);
    mcpi_list_init(&session->streams);
  }
  return session;
}

static int endpoint_session_connect(mcpi_endpoint_session *session,
                                    const mcp_http_exchange *exchange) {
  mcp_http *http = session->channel.http;
  const mcpi_caller_rules rules = mcpi_endpoint_rules(http);
  session->standalone = mcpi_endpoint_stream_new(http, MCPI_STREAM_STANDALONE);
  if (session->standalone == NULL) {
    return MCP_ERR_NOMEM;
  }
  session->standalone->session = session;
  session->refs++;
  session->standalone->can_resume = 1; /* there is only one */
  int rc = mcpi_endpoint_channel_begin(&session->channel);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_caller_init(&session->caller, http->shard, &caller_ops, &rules,
                        exchange->principal, exchange->request->peer);
  if (rc == 0) {
    session->refs++; /* the caller's reference */
    session->channel.caller = &session->caller;
    session->stage = MCPI_ENDPOINT_SESSION_FRESH;
  } else {
    mcpi_endpoint_channel_forget(&session->channel);
  }
  return rc;
}

static int endpoint_session_enlist(mcpi_endpoint_session *session) {
  mcp_http *http = session->channel.http;
  int rc = mcpi_map_add(&http->sessions,
                        mcpi_str_n(session->id, MCPI_ENDPOINT_SESSION_ID_LEN),
                        session);
  if (rc == 0) {
    session->used_ms = mcpi_loop_now(http->shard->loop);
    mcpi_list_append(&http->fresh, &session->link);
    mcpi_endpoint_seat_offer(session);
    /* The timer runs for the channel. */
    mcpi_endpoint_deadlines_add(http, mcpi_endpoint_session_due(session));
  }
  return rc;
}

int mcpi_endpoint_session_new(mcp_http_exchange *exchange,
                              mcpi_endpoint_seat *seat,
                              mcpi_endpoint_session **out, mcp_error *err) {
  mcp_http *http = exchange->http;
  mcpi_endpoint_session *session = endpoint_session_make(exchange);
  if (session == NULL) {
    mcpi_endpoint_seat_give(http, seat);
    return mcpi_no_memory(err);
  }
  session->seat = *seat;
  int rc = mcpi_endpoint_make_id(http, session->id);
  if (rc == 0) {
    rc = endpoint_session_connect(session, exchange);
  }
  if (rc == 0) {
    rc = endpoint_session_enlist(session);
  }
  if (rc != 0) {
    mcpi_endpoint_session_end(session);
    return mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  }
  *out = session;
  return 0;
}

int mcpi_endpoint_session_stream(mcpi_endpoint_session *session,
                                 mcpi_endpoint_stream **out) {
  mcpi_endpoint_stream *stream =
      mcpi_endpoint_stream_new(session->channel.http, MCPI_STREAM_POST);
  if (stream == NULL) {
    return MCP_ERR_NOMEM;
  }
  stream->session = session;
  session->refs++;
  stream->caller = &session->caller;
  mcpi_list_append(&session->streams, &stream->link);
  *out = stream;
  return 0;
}

/* --- the end ------------------------------------------------------------ */

static void end_streams(mcpi_endpoint_session *session) {
  mcpi_endpoint_stream *standalone = session->standalone;
  while (!mcpi_list_is_empty(&session->streams)) {
    mcpi_endpoint_stream_end(
        MCPI_CONTAINER(session->streams.next, mcpi_endpoint_stream, link));
  }
  if (standalone != NULL) {
    session->standalone = NULL;
    mcpi_endpoint_stream_end(standalone);
  }
}

static void endpoint_session_forget(mcpi_endpoint_session *session) {
  const mcp_event_store *events = &session->channel.http->events;
  session->stage = MCPI_ENDPOINT_SESSION_ENDED;
  mcpi_map_remove_value(&session->channel.http->sessions,
                        mcpi_str_n(session->id, MCPI_ENDPOINT_SESSION_ID_LEN),
                        session);
  mcpi_list_remove(&session->link);
  mcpi_endpoint_seat_withdraw(session);
  end_streams(session);
  events->forget(events->userdata, session->id);
  mcpi_endpoint_seat_give(session->channel.http, &session->seat);
  mcpi_endpoint_session_unref(session);
}

void mcpi_endpoint_session_end(mcpi_endpoint_session *session) {
  if (mcpi_endpoint_session_is_open(session)) {
    mcpi_caller_close(&session->caller, 0); /* see session_close */
  } else if (session->stage == MCPI_ENDPOINT_SESSION_NEW) {
    endpoint_session_forget(session);
  }
}

/* --- idleness ----------------------------------------------------------- */

static mcpi_endpoint_session *endpoint_session_first_of(const mcpi_list *list) {
  return mcpi_list_is_empty(list)
             ? NULL
             : MCPI_CONTAINER(list->next, mcpi_endpoint_session, link);
}

/* INT64_MAX: the list is empty. */
static int64_t first_due(const mcpi_list *list) {
  const mcpi_endpoint_session *first = endpoint_session_first_of(list);
  return first != NULL ? mcpi_endpoint_session_due(first) : INT64_MAX;
}

int64_t mcpi_endpoint_sessions_due(const mcp_http *http) {
  int64_t fresh = first_due(&http->fresh);
  int64_t recent = first_due(&http->recent);
  return fresh < recent ? fresh : recent;
}

static void expire_first(mcp_http *http, const mcpi_list *list) {
  int64_t now = mcpi_loop_now(http->shard->loop);
  for (size_t left = http->sessions.count; left > 0; left--) {
    mcpi_endpoint_session *session = endpoint_session_first_of(list);
    if (session == NULL || mcpi_endpoint_session_due(session) > now) {
      break;
    }
    if (mcpi_endpoint_session_is_in_use(session)) {
      mcpi_endpoint_session_touch(session);
    } else {
      mcpi_endpoint_session_end(session);
    }
  }
}

void mcpi_endpoint_sessions_expire(mcp_http *http) {
  expire_first(http, &http->fresh);
  expire_first(http, &http->recent);
}
