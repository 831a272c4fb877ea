/* SPDX-License-Identifier: MIT */
/* A POST: parses it and passes it to its caller (MCP 2026-07-28, Streamable
 * HTTP: Sending Messages). The body decides; the headers are checked against
 * it. */
#include "endpoint/post.h"

#include "endpoint/answer.h"
#include "endpoint/body.h"
#include "endpoint/endpoint.h"
#include "endpoint/evict.h"
#include "endpoint/mirror.h"
#include "endpoint/protect.h"
#include "endpoint/session_life.h"
#include "endpoint/stream.h"
#include "server/session.h"

static const mcpi_str no_id = {NULL, 0};

/* --- handing over ------------------------------------------------------- */

static int post_is_plain(const mcpi_endpoint_body *body) {
  return body->exchange->http->options.legacy == MCP_HTTP_PLAIN;
}

/* Passes legacy messages to the caller. An element of a batch for which there
 * was no memory counts as answered. */
static void post_hand_over(const mcpi_endpoint_body *body,
                           mcpi_endpoint_stream *stream) {
  mcpi_caller *caller = stream->caller;
  mcpi_sink *before = caller->sink;
  size_t lost = 0;
  caller->sink = &stream->sink;
  if (body->is_batch) {
    lost = mcpi_peer_receive_batch(&caller->peer, body->message);
  } else {
    mcpi_peer_receive(&caller->peer, body->message, &body->envelope);
  }
  caller->sink = before;
  for (; lost > 0 && stream->stage != MCPI_STREAM_ENDED; lost--) {
    stream->sink.ops->ended(&stream->sink, NULL);
  }
}

/* The stream answers a POST that contains a request; any other POST is
 * accepted. `in` is a modern message, which is one message and so goes past the
 * peer; NULL: a legacy one. A handler that replies at once has ended the stream
 * when mcpi_dispatch returns. */
static void post_run(const mcpi_endpoint_body *body,
                     mcpi_endpoint_stream *stream, mcpi_incoming *in) {
  stream->refs++;
  if (!mcpi_endpoint_body_admit_calls(body, stream->caller)) {
    mcpi_endpoint_stream_end(stream);
    mcpi_endpoint_stream_unref(stream);
    return;
  }
  mcpi_caller *caller = stream->caller;
  stream->waiting = body->request_count;
  stream->is_batch = body->is_batch;
  stream->stage = MCPI_STREAM_READING;
  if (body->request_count > 0) {
    mcpi_endpoint_stream_attach(stream, body->exchange);
  }
  mcpi_grant *before = mcpi_endpoint_lend_grant(body->exchange, caller);
  if (in != NULL) {
    mcpi_dispatch(caller, &stream->sink, in);
  } else {
    post_hand_over(body, stream);
  }
  caller->grant = before;
  if (stream->stage == MCPI_STREAM_READING) {
    stream->stage = MCPI_STREAM_LIVE;
  }
  if (body->request_count == 0) {
    int status = in == NULL && post_is_plain(body) ? 204 : 202;
    mcpi_endpoint_respond(body->exchange, status, NULL, no_id, NULL, 0);
    mcpi_endpoint_stream_end(stream);
  } else if (stream->waiting > 0) {
    mcpi_endpoint_stream_restart_keepalive(stream);
  }
  mcpi_endpoint_stream_unref(stream);
}

static void refuse_stream(const mcpi_endpoint_body *body, int rc) {
  if (rc == MCP_ERR_CLOSED) {
    mcpi_endpoint_body_refuse(body, 503, MCP_RPC_INTERNAL_ERROR,
                              "the server is shutting down");
  } else {
    mcpi_endpoint_body_refuse(body, 500, MCP_RPC_INTERNAL_ERROR,
                              mcp_error_text(rc));
  }
}

/* --- the modern era ----------------------------------------------------- */

/* Headers can be checked only against a claim that is well formed. */
static int post_admit_headers(const mcpi_endpoint_body *body,
                              const mcpi_incoming *in, const mcp_json *claim) {
  mcp_error err;
  int is_malformed = in->class == MCPI_CLASS_REFUSED &&
                     in->refusal.code == MCP_RPC_INVALID_PARAMS;
  if (is_malformed || mcpi_endpoint_headers_agree(body->exchange, in,
                                                  mcpi_json_str(claim), &err)) {
    return 1;
  }
  if (err.code == MCP_ERR_PROTOCOL) {
    mcpi_endpoint_body_refuse(body, 400, MCP_RPC_HEADER_MISMATCH, err.message);
  } else {
    mcpi_endpoint_body_refuse(body, 500, MCP_RPC_INTERNAL_ERROR, err.message);
  }
  return 0;
}

/* A notification has no id, and so no call that could answer it. */
static void refuse_notification(const mcpi_endpoint_body *body,
                                const mcpi_refusal *refusal) {
  if (refusal->code == MCP_RPC_UNSUPPORTED_VERSION) {
    mcpi_endpoint_refuse_version(body->exchange, refusal);
  } else {
    mcpi_endpoint_body_refuse(body, 400, refusal->code, refusal->err.message);
  }
}

/* Messages that the classifier refuses get the status 400, whatever the
 * code. */
static void on_modern(const mcpi_endpoint_body *body, mcpi_incoming *in) {
  mcpi_endpoint_stream *stream;
  int is_refused = in->class == MCPI_CLASS_REFUSED;
  /* A listen brings only notifications, and a JSON answer cannot carry
   * those. */
  int needs_events =
      mcpi_str_eq(body->envelope.method, MCPI_STR("subscriptions/listen"));
  if (is_refused && body->envelope.kind == MCPI_NOTIFICATION) {
    refuse_notification(body, &in->refusal);
    return;
  }
  if (!is_refused && needs_events && !body->exchange->head.accepts.events) {
    mcpi_endpoint_body_refuse(
        body, 406, MCP_RPC_INVALID_REQUEST,
        "subscriptions/listen is answered with text/event-stream: accept it");
    return;
  }
  int rc =
      mcpi_endpoint_stream_open(body->exchange, MCPI_STREAM_MODERN, &stream);
  if (rc != 0) {
    refuse_stream(body, rc);
    return;
  }
  stream->error_status = is_refused ? 400 : 0;
  post_run(body, stream, in);
}

/* --- the legacy era ----------------------------------------------------- */

static int post_is_initialize(const mcpi_endpoint_body *body) {
  return body->envelope.kind == MCPI_REQUEST &&
         mcpi_str_eq(body->envelope.method, MCPI_STR("initialize"));
}

static void on_initialize(const mcpi_endpoint_body *body) {
  mcpi_endpoint_seat seat;
  mcpi_endpoint_session *session;
  mcpi_endpoint_stream *stream = NULL;
  mcp_error err;
  int rc = mcpi_endpoint_find_seat(body->exchange, &seat, &err);
  if (rc == 0) {
    rc = mcpi_endpoint_session_new(body->exchange, &seat, &session, &err);
  }
  if (rc == MCP_ERR_LIMIT) {
    mcpi_endpoint_body_refuse(body, 503, MCP_RPC_INTERNAL_ERROR, err.message);
    return;
  }
  if (rc == 0) {
    rc = mcpi_endpoint_session_stream(session, &stream);
    if (rc != 0) {
      mcpi_endpoint_session_end(session);
    }
  }
  if (rc != 0) {
    refuse_stream(body, rc);
    return;
  }
  session->refs++;
  post_run(body, stream, NULL);
  if (mcpi_endpoint_session_is_open(session) &&
      session->caller.session == NULL) {
    mcpi_endpoint_session_end(session); /* the request was refused */
  }
  mcpi_endpoint_session_unref(session);
}

static int post_allows_batch(const mcpi_endpoint_session *session) {
  const mcp_session *opened = session->caller.session;
  return opened != NULL && mcpi_revision_has(opened->revision, MCPI_HAS_BATCH);
}

static void on_session(const mcpi_endpoint_body *body) {
  mcpi_endpoint_stream *stream;
  mcpi_endpoint_session *session;
  mcp_error err;
  int status = mcpi_endpoint_session_find(body->exchange, &session, &err);
  if (status != 0) {
    mcpi_endpoint_body_refuse(body, status, MCP_RPC_INVALID_REQUEST,
                              err.message);
    return;
  }
  if (body->is_batch && !post_allows_batch(session)) {
    mcpi_endpoint_body_refuse(body, 400, MCP_RPC_INVALID_REQUEST,
                              "a batch is not allowed here");
    return;
  }
  if (body->request_count > 0 && session->caller.is_draining) {
    refuse_stream(body, MCP_ERR_CLOSED);
    return;
  }
  int rc = mcpi_endpoint_session_stream(session, &stream);
  if (rc != 0) {
    refuse_stream(body, rc);
    return;
  }
  /* The header named a session. */
  stream->error_status = post_is_initialize(body) ? 400 : 0;
  post_run(body, stream, NULL);
}

/* --- the legacy era without sessions ------------------------------------ */

/* The revision that the header names (MCP 2025-11-25, Transports: Protocol
 * Version Header). */
static const mcpi_revision *named_revision(const mcpi_endpoint_body *body) {
  const char *name = body->exchange->head.protocol_version;
  return name != NULL ? mcpi_revision_find(mcpi_str_z(name))
                      : mcpi_revision_without_header();
}

/* The same for a plain client. It may repeat a version that initialize has
 * agreed to, but usually names none. */
static const mcpi_revision *plain_revision(const mcpi_endpoint_body *body) {
  const char *name = body->exchange->head.protocol_version;
  return name != NULL ? mcpi_revision_nearest(mcpi_str_z(name))
                      : mcpi_revision_newest(MCP_ERA_LEGACY);
}

static const mcpi_revision *stateless_revision(const mcpi_endpoint_body *body) {
  const mcpi_revision *revision =
      post_is_plain(body) ? plain_revision(body) : named_revision(body);
  if (revision == NULL || mcpi_revision_is_modern(revision)) {
    mcpi_endpoint_body_refuse(
        body, 400, MCP_RPC_INVALID_REQUEST,
        "MCP-Protocol-Version names no revision that is served here");
    return NULL;
  }
  return revision;
}

static void on_stateless(const mcpi_endpoint_body *body) {
  mcpi_endpoint_stream *stream;
  const mcpi_revision *revision = stateless_revision(body);
  if (revision == NULL) {
    return;
  }
  if (body->is_batch && !mcpi_revision_has(revision, MCPI_HAS_BATCH)) {
    mcpi_endpoint_body_refuse(body, 400, MCP_RPC_INVALID_REQUEST,
                              "a batch is not allowed here");
    return;
  }
  int rc =
      mcpi_endpoint_stream_open(body->exchange, MCPI_STREAM_STATELESS, &stream);
  if (rc == 0) {
    stream->single.rules.tracks_ids = body->is_batch;
    stream->single.rules.is_obliging = post_is_plain(body);
  }
  if (rc == 0 && !post_is_initialize(body)) {
    rc = mcpi_session_assume(stream->caller, revision);
    if (rc != 0) {
      mcpi_endpoint_stream_end(stream);
    }
  }
  if (rc != 0) {
    refuse_stream(body, rc);
    return;
  }
  post_run(body, stream, NULL);
}

/* The request names no session. */
static void on_no_session(const mcpi_endpoint_body *body) {
  /* What the request lacks although it needs no session. */
  const char *lacks = NULL;
  if (!body->is_batch && body->envelope.kind == MCPI_REQUEST) {
    lacks = mcpi_dispatch_lacks(body->exchange->http->server,
                                body->envelope.method, body->envelope.params);
  }
  if (lacks != NULL) {
    mcpi_endpoint_body_refuse(body, 400, MCP_RPC_INVALID_PARAMS, lacks);
  } else if (post_is_initialize(body)) {
    on_initialize(body);
  } else {
    on_session(body);
  }
}

/* --- which -------------------------------------------------------------- */

static void refuse_half_modern(const mcpi_endpoint_body *body) {
  if (body->is_batch) {
    mcpi_endpoint_body_refuse(
        body, 400, MCP_RPC_INVALID_REQUEST,
        "MCP-Protocol-Version names a revision that has no batches");
  } else if (body->envelope.kind != MCPI_REQUEST) {
    mcpi_endpoint_body_refuse(
        body, 400, MCP_RPC_INVALID_REQUEST,
        "a response is not expected here: answers to inputRequests come "
        "in params.inputResponses");
  } else if (post_is_initialize(body)) {
    mcpi_endpoint_body_refuse(
        body, 400, MCP_RPC_HEADER_MISMATCH,
        "MCP-Protocol-Version names a revision that has no initialize");
  } else {
    mcpi_endpoint_body_refuse(body, 400, MCP_RPC_INVALID_PARAMS,
                              "params._meta must have \"" MCPI_META_VERSION
                              "\" and \"" //
                              MCPI_META_CLIENT_CAPABILITIES "\"");
  }
}

/* Refuses a version in the header that is not served. */
static int admit_named_version(const mcpi_endpoint_body *body) {
  const char *name = body->exchange->head.protocol_version;
  uint32_t eras = body->exchange->http->server->options.eras;
  mcpi_refusal refusal;
  if ((eras & MCP_ERA_MODERN) != 0 &&
      mcpi_revision_find(mcpi_str_z(name)) != NULL) {
    return 1;
  }
  mcpi_refuse_version(&refusal, mcpi_str_z(name));
  mcpi_endpoint_refuse_version(body->exchange, &refusal);
  return 0;
}

/* The modern era has no notifications from the client. A notification without a
 * claim could belong to either era: it is accepted, and dropped. */
static void on_half_modern(const mcpi_endpoint_body *body) {
  if (body->envelope.kind != MCPI_NOTIFICATION || body->is_batch) {
    refuse_half_modern(body);
  } else if (admit_named_version(body)) {
    mcpi_endpoint_respond(body->exchange, 202, NULL, no_id, NULL, 0);
  }
}

static void post_on_legacy(const mcpi_endpoint_body *body) {
  if (post_is_plain(body)) {
    /* The answer is JSON, whatever the client accepts. */
    body->exchange->head.accepts.json = 1;
    body->exchange->head.accepts.events = 0;
    on_stateless(body);
  } else if (body->exchange->http->options.legacy == MCP_HTTP_STATELESS) {
    on_stateless(body);
  } else if (body->exchange->head.session_id == NULL) {
    on_no_session(body);
  } else {
    on_session(body);
  }
}

static void classify(const mcpi_endpoint_body *body, mcpi_incoming *in) {
  mcpi_incoming_classify(in, body->exchange->http->server->options.eras,
                         body->message, &body->envelope);
}

/* A server of the modern era only cannot serve a message without a claim: it
 * answers with its versions. A notification gets no such answer. */
static void on_unserved(const mcpi_endpoint_body *body) {
  mcpi_incoming in;
  if (body->is_batch || body->envelope.kind == MCPI_RESULT ||
      body->envelope.kind == MCPI_ERROR) {
    mcpi_endpoint_body_refuse(body, 400, MCP_RPC_INVALID_REQUEST,
                              "this message is not allowed here");
  } else if (body->envelope.kind == MCPI_NOTIFICATION) {
    mcpi_endpoint_respond(body->exchange, 202, NULL, no_id, NULL, 0);
  } else {
    classify(body, &in);
    on_modern(body, &in);
  }
}

/* Chooses the era that serves the message. A claim is the version that
 * params._meta names.
 * - If the body has a claim, the modern era serves or refuses the message. Only
 *   an `initialize` whose claim is not valid belongs to the legacy era.
 * - If only the header names a modern version, the message is half modern.
 * - Otherwise the message belongs to the legacy era. If the server does not
 *   serve that era, on_unserved answers, also an `initialize` that is half
 *   modern. */
static void choose(const mcpi_endpoint_body *body) {
  uint32_t eras = body->exchange->http->server->options.eras;
  int has_legacy = (eras & MCP_ERA_LEGACY) != 0;
  mcpi_incoming in;
  const mcp_json *claim = mcpi_endpoint_body_claim(&body->envelope);
  in.class = MCPI_CLASS_LEGACY;
  if (claim != NULL) {
    classify(body, &in);
  }
  if (in.class != MCPI_CLASS_LEGACY) {
    if (post_admit_headers(body, &in, claim)) {
      on_modern(body, &in);
    }
  } else if (mcpi_revision_is_modern_name(
                 mcpi_str_z(body->exchange->head.protocol_version)) &&
             (has_legacy || !post_is_initialize(body))) {
    on_half_modern(body); /* the header has a claim, and the body has none */
  } else if (has_legacy) {
    post_on_legacy(body);
  } else {
    on_unserved(body);
  }
}

void mcpi_endpoint_on_post(mcp_http_exchange *exchange, const char *text,
                           size_t len) {
  mcpi_endpoint_body body = {.exchange = exchange};
  if (mcpi_endpoint_body_admit(&body, text, len)) {
    choose(&body);
  }
  mcpi_message_unref(body.message);
}
