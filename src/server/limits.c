/* SPDX-License-Identifier: MIT */
/* What peers may take. */
#include "server/limits.h"

#include "base/error.h"
#include "server/call.h"

#include <inttypes.h>

enum {
  /* The time between two reports of the same limit, and the time for which a
   * limit that has refused a peer counts as refusing. */
  REPORT_MS = 10 * 1000
};

/* --- reports ------------------------------------------------------------ */

static const char *const option_names[MCPI_LIMIT_COUNT] = {
    [MCPI_LIMIT_CALLS] = "max_calls",
    [MCPI_LIMIT_TOTAL_CALLS] = "max_total_calls",
    [MCPI_LIMIT_BYTES] = "max_kept_bytes",
    [MCPI_LIMIT_SUBSCRIPTIONS] = "max_subscriptions",
    [MCPI_LIMIT_SESSIONS] = "max_sessions",
    [MCPI_LIMIT_EVENT_BYTES] = "replay_bytes",
    [MCPI_LIMIT_CONNECTIONS] = "max_connections"};

static void report_held(const mcpi_limit *limit, const char *what,
                        uint64_t held) {
  mcpi_shard *shard = limit->shard;
  mcpi_shard_enter(shard);
  mcpi_server_report(shard->server, MCP_ERR_LIMIT,
                     "%s %s %" PRIu64 " more within ten seconds", limit->option,
                     what, held);
  mcpi_shard_leave(shard);
}

static void on_refusals_held(mcpi_reports *reports, uint64_t held) {
  report_held(MCPI_CONTAINER(reports, mcpi_limit, refusals), "refused", held);
}

static void on_evictions_held(mcpi_reports *reports, uint64_t held) {
  report_held(MCPI_CONTAINER(reports, mcpi_limit, evictions), "ended", held);
}

static mcpi_limit *limit_new(mcpi_shard *shard, int which) {
  mcpi_limit *limit = mcpi_calloc(&shard->server->allocator, 1, sizeof(*limit));
  if (limit != NULL) {
    limit->shard = shard;
    limit->option = option_names[which];
    mcpi_reports_init(&limit->refusals, shard->loop, 1, on_refusals_held);
    mcpi_reports_init(&limit->evictions, shard->loop, 1, on_evictions_held);
    limit->refusals.period_ms = REPORT_MS;
    limit->evictions.period_ms = REPORT_MS;
  }
  return limit;
}

/* Returns NULL without memory. Then a refusal is neither noted nor reported. */
static mcpi_limit *limit_of(mcpi_shard *shard, int which) {
  if (shard->limits[which] == NULL) {
    shard->limits[which] = limit_new(shard, which);
  }
  return shard->limits[which];
}

void mcpi_limits_flush(mcpi_shard *shard) {
  for (size_t i = 1; i < MCPI_LIMIT_COUNT; i++) {
    if (shard->limits[i] != NULL) {
      mcpi_reports_flush(&shard->limits[i]->refusals);
      mcpi_reports_flush(&shard->limits[i]->evictions);
    }
  }
}

void mcpi_limits_deinit(mcpi_shard *shard) {
  for (size_t i = 1; i < MCPI_LIMIT_COUNT; i++) {
    mcpi_limit *limit = shard->limits[i];
    if (limit != NULL) {
      mcpi_loop_stop_timer(shard->loop, &limit->refusals.timer);
      mcpi_loop_stop_timer(shard->loop, &limit->evictions.timer);
      mcpi_free(&shard->server->allocator, limit, sizeof(*limit));
    }
  }
}

static void report_of(mcpi_shard *shard, const char *peer, const char *what,
                      const char *message) {
  mcpi_server_report(shard->server, MCP_ERR_LIMIT, "%s%s%s%s",
                     peer != NULL ? peer : "", peer != NULL ? ": " : "", what,
                     message);
}

static mcpi_limit *limit_note_refusal(mcpi_shard *shard, int which) {
  mcpi_limit *limit = limit_of(shard, which);
  if (limit != NULL) {
    limit->has_refused = 1;
    limit->refused_ms = mcpi_loop_now(shard->loop);
  }
  return limit;
}

void mcpi_shard_note_refusal(mcpi_shard *shard, int which) {
  limit_note_refusal(shard, which);
}

void mcpi_shard_refused(mcpi_shard *shard, int which, const char *peer,
                        const char *why) {
  mcpi_limit *limit = limit_note_refusal(shard, which);
  if (limit != NULL && mcpi_reports_admit(&limit->refusals)) {
    report_of(shard, peer, "refused: ", why);
  }
}

void mcpi_server_connection_refused(mcp_server *server, mcp_loop *loop,
                                    const char *peer, const mcp_error *err) {
  mcpi_shard *shard = mcpi_shard_get(server, loop);
  if (shard != NULL) {
    mcpi_shard_enter(shard);
    mcpi_shard_refused(shard, MCPI_LIMIT_CONNECTIONS, peer, err->message);
    mcpi_shard_leave(shard);
  }
}

void mcpi_shard_evicted(mcpi_shard *shard, int which, const char *peer,
                        const char *format, ...) {
  mcp_error err;
  va_list args;
  mcpi_limit *limit = limit_of(shard, which);
  if (limit == NULL || !mcpi_reports_admit(&limit->evictions)) {
    return;
  }
  va_start(args, format);
  mcpi_error_set_v(&err, MCP_ERR_LIMIT, format, args);
  va_end(args);
  report_of(shard, peer, "", err.message);
}

const char *mcpi_shard_refusing(const mcpi_shard *shard) {
  int64_t now = mcpi_loop_now(shard->loop);
  for (size_t i = 1; i < MCPI_LIMIT_COUNT; i++) {
    const mcpi_limit *limit = shard->limits[i];
    if (limit != NULL && limit->has_refused &&
        now - limit->refused_ms < REPORT_MS) {
      return limit->option;
    }
  }
  return NULL;
}

/* --- room for calls ----------------------------------------------------- */

/* Cancelled calls count while their handlers still use them: otherwise a client
 * could start any number of them. */
int mcpi_caller_check_calls(const mcpi_caller *caller, size_t more,
                            mcp_error *err) {
  const mcpi_shard *shard = caller->shard;
  const mcpi_holder *holder = caller->identity->holder;
  size_t mine = (caller->rules.is_single ? caller->call_count
                                         : holder->used[MCPI_HELD_CALLS]) +
                more;
  size_t all = shard->accounts.whole.used[MCPI_HELD_CALLS] + more;
  size_t max = shard->server->limits.max_calls;
  size_t max_all = caller->rules.max_shard_calls;
  const char *option = option_names[caller->rules.shard_calls_limit];
  if (mine > max) {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "too many requests at once: a connection may have %zu in "
                  "flight (max_calls): wait for an answer, then try again",
                  max);
    return MCPI_LIMIT_CALLS;
  }
  if (all > max_all) {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "too many requests at once: all clients together may have "
                  "%zu in flight (%s): try again later",
                  max_all, option);
    return caller->rules.shard_calls_limit;
  }
  if (!mcpi_holder_has_room(holder, MCPI_HELD_CALLS, max_all, more)) {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "too many requests at once: this client has its share of "
                  "the %zu that may be in flight (%s): wait for an "
                  "answer, then try again",
                  max_all, option);
    return caller->rules.shard_calls_limit;
  }
  return 0;
}

/* --- kept bytes --------------------------------------------------------- */

/* Says why a holder has no room for bytes of this kind. */
static void explain_bytes(const mcpi_caller *caller, int kind, const char *what,
                          mcp_error *err) {
  const mcpi_shard *shard = caller->shard;
  size_t max = shard->server->limits.max_kept_bytes;
  if (shard->accounts.whole.used[kind] >= max) {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "the %s of all clients take too many bytes: they may take "
                  "%zu (max_kept_bytes): try again later",
                  what, max);
  } else {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "the %s of this client take too many bytes: it has its share "
                  "of %zu (max_kept_bytes): end one, or try again later",
                  what, max);
  }
}

int mcpi_caller_check_bytes(const mcpi_caller *caller, mcp_error *err) {
  size_t max = caller->shard->server->limits.max_kept_bytes;
  if (mcpi_holder_has_room(caller->identity->holder, MCPI_HELD_BYTES, max, 0)) {
    return 0;
  }
  explain_bytes(caller, MCPI_HELD_BYTES, "requests and sessions", err);
  return MCPI_LIMIT_BYTES;
}

/* --- subscriptions ------------------------------------------------------ */

size_t mcpi_subscription_bytes(mcpi_str uri) {
  enum { BESIDE_URI = 64 };
  return uri.len + BESIDE_URI;
}

int mcpi_call_check_subscriptions(mcp_call *call, size_t count, size_t bytes) {
  const mcpi_caller *caller = call->caller;
  size_t taken = caller->subscription_count;
  const mcp_limits *limits = &call->shard->server->limits;
  uint32_t max = limits->max_subscriptions;
  const mcpi_holder *holder = caller->identity->holder;
  mcp_error err;
  if (taken >= max || count > max - taken) {
    mcp_error_set(&err, MCP_ERR_LIMIT,
                  "more than %lu subscriptions on this connection",
                  (unsigned long)max);
    return mcpi_call_fail_limit(call, MCPI_LIMIT_SUBSCRIPTIONS, &err);
  }
  if (!mcpi_holder_has_room(holder, MCPI_HELD_SUBSCRIPTION_BYTES,
                            limits->max_kept_bytes, bytes)) {
    explain_bytes(caller, MCPI_HELD_SUBSCRIPTION_BYTES, "subscriptions", &err);
    return mcpi_call_fail_limit(call, MCPI_LIMIT_BYTES, &err);
  }
  return 0;
}

void mcpi_subscriptions_add(mcpi_caller *caller, size_t count, size_t bytes) {
  caller->subscription_count += count;
  mcpi_holder_add(caller->identity->holder, MCPI_HELD_SUBSCRIPTION_BYTES,
                  bytes);
}

void mcpi_subscriptions_remove(mcpi_caller *caller, size_t count,
                               size_t bytes) {
  caller->subscription_count -= count;
  mcpi_holder_remove(caller->identity->holder, MCPI_HELD_SUBSCRIPTION_BYTES,
                     bytes);
}
