/* SPDX-License-Identifier: MIT */
/* Our requests that wait for their answer (MCP 2025-11-25, Lifecycle: Timeouts;
 * MCP, Progress). */
#include "core/pending.h"

#include <assert.h>
#include <math.h>

/* --- the table ---------------------------------------------------------- */

void mcpi_pending_table_init(mcpi_pending_table *table, mcp_loop *loop,
                             size_t max) {
  *table = (mcpi_pending_table){.loop = loop, .next_id = 1, .max = max};
  mcpi_map_init(&table->by_id, &loop->allocator, loop->hash_seed);
  mcpi_list_init(&table->tokens);
  mcpi_list_init(&table->waiting);
}

void mcpi_pending_table_deinit(mcpi_pending_table *table) {
  assert(mcpi_list_is_empty(&table->waiting));
  mcpi_guard_trip(table->guard);
  table->guard = NULL;
  mcpi_map_deinit(&table->by_id);
}

static mcpi_str pending_key_of(const uint64_t *id) {
  return mcpi_str_n((const char *)id, sizeof(*id));
}

mcpi_pending *mcpi_pending_find(const mcpi_pending_table *table, uint64_t id) {
  return mcpi_map_get(&table->by_id, pending_key_of(&id));
}

/* --- the clock ---------------------------------------------------------- */

int64_t mcpi_pending_now(const mcpi_pending_table *table) {
  int64_t now_ms =
      table->holds > 0 ? table->held_ms : mcpi_loop_now(table->loop);
  return now_ms - table->stood_ms;
}

/* Starts the request's timer, or moves it. While the clock is stopped, the
 * timer gets no deadline, but it runs: mcpi_pending_let_go then only moves it,
 * and that cannot fail. */
static int pending_arm(mcpi_pending *pending) {
  const mcpi_pending_table *table = pending->table;
  if (table->holds > 0) {
    return mcpi_timer_start(&table->loop->timers, &pending->timer, INT64_MAX);
  }
  return mcpi_loop_start_timer(table->loop, &pending->timer,
                               pending->due_ms - mcpi_pending_now(table));
}

static int start_clock(mcpi_pending *pending) {
  int64_t usual_ms = INT64_MAX;
  if (pending->timeout_ms > 0) {
    usual_ms = mcpi_pending_now(pending->table) + pending->timeout_ms;
  }
  pending->is_due_in_total = pending->latest_ms < usual_ms;
  pending->due_ms = pending->is_due_in_total ? pending->latest_ms : usual_ms;
  return pending->due_ms != INT64_MAX ? pending_arm(pending) : 0;
}

void mcpi_pending_hold(mcpi_pending_table *table) {
  if (table->holds++ == 0) {
    table->held_ms = mcpi_loop_now(table->loop);
  }
}

void mcpi_pending_let_go(mcpi_pending_table *table) {
  assert(table->holds > 0);
  if (--table->holds > 0) {
    return;
  }
  table->stood_ms += mcpi_loop_now(table->loop) - table->held_ms;
  mcpi_list *link = table->waiting.next;
  for (; link != &table->waiting; link = link->next) {
    mcpi_pending *pending = MCPI_CONTAINER(link, mcpi_pending, link);
    if (mcpi_timer_is_running(&pending->timer)) {
      pending_arm(pending);
    }
  }
}

/* --- adding and removing ------------------------------------------------ */

/* Drops our own state first, so that the callback may do anything. */
static void complete(mcpi_pending *pending, int status, mcpi_message *message,
                     const mcpi_envelope *reply, const mcp_error *err) {
  mcpi_pending_remove(pending);
  pending->on_done(pending, status, message, reply, err);
}

/* The user must know which limit to raise. */
static void pending_fail_late(mcpi_pending *pending) {
  mcp_error err;
  if (pending->is_due_in_total) {
    mcp_error_set(&err, MCP_ERR_TIMEOUT, "not finished within %lu ms (%s)",
                  (unsigned long)pending->max_ms, pending->max_name);
  } else {
    mcp_error_set(&err, MCP_ERR_TIMEOUT, "no answer within %lu ms (%s)",
                  (unsigned long)pending->timeout_ms, pending->timeout_name);
  }
  complete(pending, MCP_ERR_TIMEOUT, NULL, NULL, &err);
}

static void pending_on_due(mcpi_timer *timer) {
  mcpi_pending *pending = MCPI_CONTAINER(timer, mcpi_pending, timer);
  if (pending->table->holds > 0) {
    pending_arm(pending);
  } else {
    pending_fail_late(pending);
  }
}

static void prepare(mcpi_pending_table *table, mcpi_pending *pending,
                    uint32_t timeout_ms, uint32_t max_ms) {
  pending->table = table;
  pending->id = table->next_id;
  pending->timer = (mcpi_timer){.on_due = pending_on_due};
  pending->timeout_ms = timeout_ms;
  pending->max_ms = max_ms;
  pending->latest_ms = INT64_MAX;
  if (max_ms > 0) {
    pending->latest_ms = mcpi_pending_now(table) + max_ms;
  }
  pending->was_sent = 0;
  pending->is_resendable = 0;
  pending->last_progress = -HUGE_VAL;
  mcpi_list_init(&pending->link);
}

int mcpi_pending_add(mcpi_pending_table *table, mcpi_pending *pending,
                     uint32_t timeout_ms, uint32_t max_ms) {
  pending->table = NULL;
  if (table->by_id.count >= table->max) {
    return MCP_ERR_LIMIT;
  }
  prepare(table, pending, timeout_ms, max_ms);
  int rc = mcpi_map_add(&table->by_id, pending_key_of(&pending->id), pending);
  if (rc == 0) {
    mcpi_list_append(&table->waiting, &pending->link);
    rc = start_clock(pending);
  }
  if (rc != 0) {
    mcpi_pending_remove(pending);
    return rc;
  }
  table->next_id++;
  return 0;
}

void mcpi_pending_remove(mcpi_pending *pending) {
  mcpi_pending_table *table = pending->table;
  if (table == NULL) {
    return;
  }
  pending->table = NULL;
  mcpi_loop_stop_timer(table->loop, &pending->timer);
  mcpi_list_remove(&pending->link);
  mcpi_map_remove(&table->by_id, pending_key_of(&pending->id));
}

/* --- what comes --------------------------------------------------------- */

/* Returns the request that one of our ids or progress tokens names, or NULL. */
static mcpi_pending *find_by_value(const mcpi_pending_table *table,
                                   const mcp_json *value) {
  int64_t id;
  if (mcp_json_try_int(value, &id) != 0 || id <= 0) {
    return NULL;
  }
  return mcpi_pending_find(table, (uint64_t)id);
}

void mcpi_read_remote_error(const mcp_json *error, mcp_error *err) {
  int64_t code = mcp_json_int(mcp_json_get(error, "code"));
  mcpi_str message = mcpi_json_member_str(error, "message");
  mcp_error_set(err, MCP_ERR_REMOTE, "%.*s", (int)message.len,
                message.ptr != NULL ? message.ptr : "");
  err->status = code < INT32_MIN   ? INT32_MIN
                : code > INT32_MAX ? INT32_MAX
                                   : (int32_t)code;
}

void mcpi_pending_fail_reply(mcpi_pending_table *table,
                             const mcpi_envelope *envelope,
                             const mcp_error *err) {
  mcpi_pending *pending = find_by_value(table, envelope->id.value);
  if (pending != NULL) {
    complete(pending, err->code, NULL, NULL, err);
  }
}

int mcpi_pending_reply(mcpi_pending_table *table, mcpi_message *message,
                       const mcpi_envelope *envelope) {
  mcpi_pending *pending = NULL;
  if (envelope->id.kind == MCPI_ID_NUMBER) {
    pending = find_by_value(table, envelope->id.value);
  }
  if (pending == NULL) {
    return 0;
  }
  if (envelope->kind == MCPI_RESULT) {
    complete(pending, 0, message, envelope, NULL);
    return 1;
  }
  mcp_error err;
  mcpi_read_remote_error(envelope->error, &err);
  complete(pending, MCP_ERR_REMOTE, message, envelope, &err);
  return 1;
}

void mcpi_pending_keep_token(mcpi_pending_table *table, mcpi_token *token,
                             const mcpi_pending *pending) {
  token->id = pending->id;
  token->last_progress = pending->last_progress;
  mcpi_list_append(&table->tokens, &token->link);
}

/* Returns 0 if the progress is not a number, or does not increase. */
static int take_progress(const mcp_json *params, double *last) {
  const mcp_json *number = mcp_json_get(params, "progress");
  double progress = mcp_json_number(number);
  if (mcp_json_type(number) != MCP_JSON_NUMBER || progress <= *last) {
    return 0;
  }
  *last = progress;
  return 1;
}

/* Returns 1 if it is for the token of an answered request. */
static int progress_of_token(const mcpi_pending_table *table,
                             const mcp_json *params) {
  int64_t id = mcp_json_int(mcp_json_get(params, "progressToken"));
  mcpi_list *link = table->tokens.next;
  for (; link != &table->tokens; link = link->next) {
    mcpi_token *token = MCPI_CONTAINER(link, mcpi_token, link);
    if (id > 0 && token->id == (uint64_t)id) {
      if (take_progress(params, &token->last_progress)) {
        token->on_progress(token, token->last_progress,
                           mcp_json_number(mcp_json_get(params, "total")),
                           mcp_json_string(mcp_json_get(params, "message")));
      }
      return 1;
    }
  }
  return 0;
}

int mcpi_pending_progress(mcpi_pending_table *table, const mcp_json *params) {
  mcpi_pending *pending =
      find_by_value(table, mcp_json_get(params, "progressToken"));
  if (pending == NULL) {
    return progress_of_token(table, params);
  }
  if (!take_progress(params, &pending->last_progress)) {
    return 1;
  }
  if (mcpi_timer_is_running(&pending->timer)) {
    start_clock(pending); /* moves it, which cannot fail */
  }
  if (pending->on_progress != NULL) {
    pending->on_progress(pending, pending->last_progress,
                         mcp_json_number(mcp_json_get(params, "total")),
                         mcp_json_string(mcp_json_get(params, "message")));
  }
  return 1;
}

void mcpi_pending_fail(mcpi_pending_table *table, uint64_t id,
                       const mcp_error *err) {
  mcpi_pending *pending = mcpi_pending_find(table, id);
  if (pending != NULL) {
    complete(pending, err->code, NULL, NULL, err);
  }
}

void mcpi_pending_fail_resendable(mcpi_pending_table *table, uint64_t id,
                                  const mcp_error *err) {
  mcpi_pending *pending = mcpi_pending_find(table, id);
  mcp_error closed = *err;
  if (pending != NULL) {
    closed.code = MCP_ERR_CLOSED;
    pending->is_resendable = 1;
    complete(pending, MCP_ERR_CLOSED, NULL, NULL, &closed);
  }
}

void mcpi_pending_fail_all(mcpi_pending_table *table, const mcp_error *err) {
  mcpi_guard guard;
  uint64_t end_id = table->next_id;
  mcpi_guard_enter(&table->guard, &guard);
  while (!guard.is_gone && !mcpi_list_is_empty(&table->waiting)) {
    mcpi_pending *oldest =
        MCPI_CONTAINER(table->waiting.next, mcpi_pending, link);
    if (oldest->id >= end_id) {
      break;
    }
    complete(oldest, err->code, NULL, NULL, err);
  }
  mcpi_guard_leave(&table->guard, &guard);
}
