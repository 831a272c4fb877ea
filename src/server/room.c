/* SPDX-License-Identifier: MIT */
/* Limits that refuse: whether there is room for a call, and what the program is
 * told of refusals. */
#include "server/server.h"

#include "base/error.h"

#include <stdio.h>

enum {
  /* Between two reports of one limit, and how long a limit counts as one that
   * refuses after it has. */
  REPORT_MS = 10 * 1000
};

/* --- what the program is told ------------------------------------------- */

static const char *const option_names[MCPI_HELD_COUNT] = {
    [MCPI_HELD_CALLS] = "max_calls",
    [MCPI_HELD_BYTES] = "max_kept_bytes",
    [MCPI_HELD_SUBSCRIPTION_BYTES] = "max_subscriptions",
    [MCPI_HELD_SESSIONS] = "max_sessions",
    [MCPI_HELD_EVENT_BYTES] = "replay_bytes"};

static void report(mcpi_part *part, int kind, const char *peer,
                   const char *format, va_list args) MCP_PRINTF(4, 0);

static void report(mcpi_part *part, int kind, const char *peer,
                   const char *format, va_list args) {
  mcpi_refusals *known = &part->refusals[kind];
  int64_t now = mcpi_loop_now(part->loop);
  size_t more = known->unreported;
  mcp_error err;
  char count[64] = "";
  if (known->reported_ms != 0 && now - known->reported_ms < REPORT_MS) {
    known->unreported++;
    return;
  }
  known->reported_ms = now != 0 ? now : 1; /* 0: never */
  known->unreported = 0;
  mcpi_error_set_v(&err, MCP_ERR_LIMIT, format, args);
  if (more > 0) {
    snprintf(count, sizeof(count), "; %zu more since the last report", more);
  }
  mcpi_server_report(part->server, MCP_ERR_LIMIT, "%s%s%s%s",
                     peer != NULL ? peer : "", peer != NULL ? ": " : "",
                     err.message, count);
}

void mcpi_part_refused(mcpi_part *part, int kind, const char *peer,
                       const char *format, ...) {
  va_list args;
  part->refusals[kind].has_refused = 1;
  part->refusals[kind].refused_ms = mcpi_loop_now(part->loop);
  va_start(args, format);
  report(part, kind, peer, format, args);
  va_end(args);
}

void mcpi_part_evicted(mcpi_part *part, int kind, const char *peer,
                       const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(part, kind, peer, format, args);
  va_end(args);
}

const char *mcpi_part_refusing(const mcpi_part *part) {
  int64_t now = mcpi_loop_now(part->loop);
  for (size_t kind = 0; kind < MCPI_HELD_COUNT; kind++) {
    const mcpi_refusals *known = &part->refusals[kind];
    if (known->has_refused && now - known->refused_ms < REPORT_MS) {
      return option_names[kind];
    }
  }
  return NULL;
}

/* --- room for calls ----------------------------------------------------- */

/* Cancelled calls that their handlers have not let go of count too: otherwise
 * a client could start any number of them. */
int mcpi_connection_has_call_room(const mcp_connection *connection, size_t more,
                                  mcp_error *err) {
  mcpi_part *part = connection->part;
  const mcpi_identity *who = connection->identity;
  size_t mine = who->holder.used[MCPI_HELD_CALLS] + more;
  size_t all = part->accounts.whole.used[MCPI_HELD_CALLS] + more;
  size_t max = part->server->options.max_calls;
  size_t max_all = connection->max_part_calls;
  if (mine > max) {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "too many requests at once: a connection may have %zu in "
                  "flight (max_calls): wait for an answer, then try again",
                  max);
  } else if (all > max_all) {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "too many requests at once: all clients together may have "
                  "%zu in flight (max_calls): try again later",
                  max_all);
  } else if (!mcpi_holder_has_room(&who->holder, MCPI_HELD_CALLS, max_all,
                                   more)) {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "too many requests at once: this client has its share of "
                  "the %zu that may be in flight (max_calls): wait for an "
                  "answer, then try again",
                  max_all);
  } else {
    return 1;
  }
  mcpi_part_refused(part, MCPI_HELD_CALLS, who->peer, "refused: %s",
                    err->message);
  return 0;
}
