/* SPDX-License-Identifier: MIT */
/* A caller from its first message to its end. */
#include "server/caller.h"

#include "base/error.h"
#include "server/dispatch.h"
#include "server/listen.h"

#include <inttypes.h>

enum {
  /* The questions to one caller that are not answered yet. A call asks a few at
   * a time, and only the program asks. */
  MAX_PENDING = 4096
};

static mcpi_caller *caller_of(mcpi_peer *peer) {
  return MCPI_CONTAINER(peer, mcpi_caller, peer);
}

/* --- reports ------------------------------------------------------------ */

void mcpi_caller_report_last(const mcpi_caller *caller, const mcp_error *err) {
  const char *peer = caller->identity->peer;
  mcpi_shard_report(caller->shard, err->code, "%s%s%s",
                    peer != NULL ? peer : "", peer != NULL ? ": " : "",
                    err->message);
}

void mcpi_caller_report(mcpi_caller *caller, int code, const char *format,
                        ...) {
  mcp_error err;
  va_list args;
  if (!mcpi_reports_admit(&caller->reports)) {
    return;
  }
  va_start(args, format);
  mcpi_error_set_v(&err, code, format, args);
  va_end(args);
  mcpi_caller_report_last(caller, &err);
}

static void caller_on_reports_held(mcpi_reports *reports, uint64_t held) {
  mcpi_caller *caller = MCPI_CONTAINER(reports, mcpi_caller, reports);
  mcpi_shard *shard = caller->shard;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_LIMIT,
                "%" PRIu64 " more reports within a second were left out", held);
  mcpi_shard_enter(shard);
  mcpi_caller_report_last(caller, &err);
  mcpi_shard_leave(shard);
}

/* --- why it ends -------------------------------------------------------- */

static void caller_keep_reason(mcpi_caller *caller, const mcp_error *why) {
  mcpi_kept_error_set(&caller->reason, &caller->shard->server->allocator, why);
}

void mcpi_caller_set_reason(mcpi_caller *caller, int code, const char *format,
                            ...) {
  mcp_error why;
  va_list args;
  va_start(args, format);
  mcpi_error_set_v(&why, code, format, args);
  va_end(args);
  caller_keep_reason(caller, &why);
}

/* --- sending ------------------------------------------------------------ */

void mcpi_caller_give_up(mcpi_caller *caller, int code) {
  mcpi_caller_set_reason(caller, code, "a message could not be sent: %s",
                         mcp_error_text(code));
  caller->ops->close(caller);
}

int mcpi_caller_ask_within(mcpi_caller *caller, mcpi_pending *pending,
                           uint32_t timeout_ms, mcpi_str method,
                           mcpi_str params) {
  mcpi_peer *peer = &caller->peer;
  int rc = mcpi_pending_add(&peer->pending, pending, timeout_ms, 0);
  if (rc == 0) {
    rc = mcpi_peer_send_request(peer, pending, method, params, NULL);
    if (rc != 0) {
      mcpi_pending_remove(pending);
    }
  }
  return rc == MCP_ERR_CLOSED ? MCP_ERR_GONE : rc;
}

int mcpi_caller_ask(mcpi_caller *caller, mcpi_pending *pending, mcpi_str method,
                    mcpi_str params) {
  pending->timeout_name = "ask_timeout_ms";
  return mcpi_caller_ask_within(caller, pending,
                                caller->shard->server->limits.ask_timeout_ms,
                                method, params);
}

int mcpi_caller_notify(mcpi_caller *caller, const char *method,
                       mcpi_str params) {
  int rc = mcpi_peer_send_notification(&caller->peer, mcpi_str_z(method),
                                       params, NULL);
  if (rc == MCP_ERR_LIMIT) {
    mcpi_caller_give_up(caller, rc);
  }
  return rc == MCP_ERR_CLOSED || rc == MCP_ERR_LIMIT ? MCP_ERR_GONE : rc;
}

/* --- what the peer hands up --------------------------------------------- */

static int caller_on_send(mcpi_peer *peer, const char *message, size_t len,
                          const mcp_send_info *info) {
  mcpi_caller *caller = caller_of(peer);
  mcpi_shard *shard = caller->shard;
  mcpi_shard_enter(shard);
  shard->sends++;
  int rc = caller->ops->send(caller, message, len, info);
  shard->sends--;
  mcpi_shard_leave(shard);
  return rc;
}

static void caller_on_close(mcpi_peer *peer) {
  mcpi_caller *caller = caller_of(peer);
  caller->ops->close(caller);
}

static void on_incoming(mcpi_peer *peer, mcpi_message *message,
                        const mcpi_envelope *envelope) {
  mcpi_caller *caller = caller_of(peer);
  mcpi_shard *shard = caller->shard;
  mcpi_incoming in;
  mcpi_shard_enter(shard);
  mcpi_incoming_classify(&in, shard->server->options.eras, message, envelope);
  mcpi_dispatch(caller, caller->sink, &in);
  mcpi_shard_leave(shard);
}

static void caller_on_fault(mcpi_peer *peer, const mcp_error *err) {
  mcpi_caller *caller = caller_of(peer);
  mcpi_shard *shard = caller->shard;
  mcpi_shard_enter(shard);
  mcpi_caller_report(caller, err->code, "%s", err->message);
  mcpi_shard_leave(shard);
}

static void on_rubbish(mcpi_peer *peer, const mcp_error *why) {
  mcpi_caller *caller = caller_of(peer);
  mcpi_shard *shard = caller->shard;
  mcpi_shard_enter(shard);
  caller_keep_reason(caller, why);
  caller->ops->close(caller);
  mcpi_shard_leave(shard);
}

static int caller_allows_batch(mcpi_peer *peer) {
  const mcp_session *session = caller_of(peer)->session;
  return session != NULL &&
         mcpi_revision_has(session->revision, MCPI_HAS_BATCH);
}

static const mcpi_peer_ops peer_ops = {
    .send = caller_on_send,
    .close = caller_on_close,
    .on_request = on_incoming,
    .on_notification = on_incoming,
    .on_fault = caller_on_fault,
    .on_rubbish = on_rubbish,
    .allows_batch = caller_allows_batch,
    .answers_faults = 1,
};

/* --- the end ------------------------------------------------------------ */

/* Returns the oldest call, and moves it to the end of the list; NULL: there is
 * none. A callback of one call may remove others from the list, so a walk asks
 * for the oldest call each time. */
static mcp_call *next_call(mcpi_caller *caller) {
  mcpi_list *link = caller->calls.next;
  if (link == &caller->calls) {
    return NULL;
  }
  mcpi_list_remove(link);
  mcpi_list_append(&caller->calls, link);
  return MCPI_CONTAINER(link, mcp_call, link);
}

static void close_now(mcpi_caller *caller) {
  mcp_call *call;
  mcpi_loop_stop_timer(caller->shard->loop, &caller->drain_timer);
  for (size_t left = caller->call_count;
       left > 0 && (call = next_call(caller)) != NULL; left--) {
    mcpi_call_cancel(call);
  }
  caller->ops->close(caller);
}

/* Ends the listens, which never end by themselves. */
static void end_listens(mcpi_caller *caller) {
  mcp_call *call;
  for (size_t left = caller->call_count;
       left > 0 && (call = next_call(caller)) != NULL; left--) {
    if (call->listen != NULL) {
      mcpi_listen_end(call->listen, 1);
    }
  }
}

static void on_drain_due(mcpi_timer *timer) {
  mcpi_caller *caller = MCPI_CONTAINER(timer, mcpi_caller, drain_timer);
  mcpi_shard *shard = caller->shard;
  mcpi_shard_enter(shard);
  close_now(caller);
  mcpi_shard_leave(shard);
}

void mcpi_caller_call_ended(mcpi_caller *caller) {
  caller->open_count--;
  if (caller->is_draining && caller->open_count == 0) {
    close_now(caller);
  }
}

/* A second call can only shorten the wait. */
static int start_draining(mcpi_caller *caller, uint32_t drain_ms) {
  mcp_loop *loop = caller->shard->loop;
  mcpi_timer *timer = &caller->drain_timer;
  if (mcpi_timer_is_running(timer) &&
      timer->due_ms <= mcpi_loop_now(loop) + drain_ms) {
    return 0;
  }
  return mcpi_loop_start_timer(loop, timer, drain_ms);
}

void mcpi_caller_close(mcpi_caller *caller, uint32_t drain_ms) {
  mcpi_shard *shard = caller->shard;
  mcpi_shard_enter(shard);
  if (!caller->is_draining) {
    end_listens(caller);
    caller->is_draining = 1;
  }
  if (drain_ms == 0 || caller->open_count == 0 ||
      start_draining(caller, drain_ms) != 0) {
    close_now(caller);
  }
  mcpi_shard_leave(shard);
}

void mcpi_caller_closed(mcpi_caller *caller, const mcp_error *why) {
  mcpi_shard *shard = caller->shard;
  mcpi_shard_enter(shard);
  if (why != NULL && why->code != 0) {
    caller_keep_reason(caller, why);
  }
  caller->peer.state = MCPI_PEER_CLOSED;
  if (shard->sends == 0) {
    mcpi_peer_end(&caller->peer, why);
  }
  mcpi_list_remove(&caller->closed_link);
  mcpi_list_append(&shard->closed, &caller->closed_link);
  shard->wants_sweep = 1;
  mcpi_shard_leave(shard);
}

/* --- life --------------------------------------------------------------- */

int mcpi_caller_has_begun(const mcpi_caller *caller) {
  return caller->has_modern ||
         (caller->session != NULL && caller->session->is_initialized);
}

/* Other threads only read the count: an atomic addition is not needed. */
static void count_callers(mcpi_shard *shard, size_t change) {
  size_t count =
      atomic_load_explicit(&shard->caller_count, memory_order_relaxed);
  atomic_store_explicit(&shard->caller_count, count + change,
                        memory_order_relaxed);
}

int mcpi_caller_init(mcpi_caller *caller, mcpi_shard *shard,
                     const mcpi_caller_ops *ops, const mcpi_caller_rules *rules,
                     const char *principal, const char *peer) {
  const mcp_limits *given = &shard->server->limits;
  const mcpi_peer_limits limits = {
      .max_batch = given->max_batch,
      .max_pending = MAX_PENDING,
      .max_inflight = (size_t)given->max_calls + given->max_subscriptions,
      .max_unreadable = given->max_unreadable,
  };
  caller->identity = rules->is_single
                         ? mcpi_identity_share(shard, principal, peer)
                         : mcpi_identity_new(shard, principal, peer);
  if (caller->identity == NULL) {
    return MCP_ERR_NOMEM;
  }
  caller->shard = shard;
  caller->ops = ops;
  caller->rules = *rules;
  caller->grant = rules->grant;
  mcpi_peer_init(&caller->peer, shard->loop, &peer_ops, &limits);
  mcpi_peer_open(&caller->peer);
  caller->drain_timer.on_due = on_drain_due;
  mcpi_reports_init(&caller->reports, shard->loop, given->max_reports,
                    caller_on_reports_held);
  mcpi_list_init(&caller->calls);
  mcpi_list_init(&caller->closed_link);
  mcpi_list_append(&shard->callers, &caller->link);
  count_callers(shard, 1);
  return 0;
}

void mcpi_caller_deinit(mcpi_caller *caller) {
  mcpi_shard *shard = caller->shard;
  mcpi_loop_stop_timer(shard->loop, &caller->drain_timer);
  mcpi_session_free(caller->session);
  mcpi_list_remove(&caller->link);
  mcpi_list_remove(&caller->closed_link);
  count_callers(shard, (size_t)-1);
  mcpi_peer_deinit(&caller->peer);
  mcpi_kept_error_deinit(&caller->reason, &shard->server->allocator);
  mcpi_identity_unref(shard, caller->identity);
}

void mcpi_caller_free(mcpi_caller *caller) {
  mcp_error space;
  const mcp_error *reason = mcpi_kept_error_get(&caller->reason, &space);
  if (caller->peer.state == MCPI_PEER_CLOSED) { /* perhaps inside a send */
    mcpi_peer_end(&caller->peer, reason);
  }
  while (!mcpi_list_is_empty(&caller->calls)) {
    mcpi_call_detach(MCPI_CONTAINER(caller->calls.next, mcp_call, link));
  }
  if (caller->session != NULL) {
    mcpi_session_close(caller->session);
  }
  /* Calls that were cancelled just now may have sent requests. */
  mcpi_peer_end(&caller->peer, NULL);
  mcpi_reports_flush(&caller->reports);
  if (reason->code != 0) {
    mcpi_caller_report_last(caller, reason);
  }
  if (caller->ops->ended != NULL) {
    caller->ops->ended(caller, reason);
  }
  mcpi_caller_deinit(caller);
  caller->ops->free(caller);
}
