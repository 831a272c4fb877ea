/* SPDX-License-Identifier: MIT */
/* Our requests that wait for their answer: ids, deadlines, progress (MCP
 * 2025-11-25, Lifecycle: Timeouts; MCP, Progress). The structure is part of the
 * owner's object for the request. */
#ifndef MCPI_CORE_PENDING_H
#define MCPI_CORE_PENDING_H

#include "base/list.h"
#include "base/map.h"
#include "codec/message.h"
#include "core/guard.h"
#include "core/loop.h"

typedef struct mcpi_pending mcpi_pending;
typedef struct mcpi_pending_table mcpi_pending_table;

/* The token of a request that has its answer, for which more progress may come
 * (MCP 2025-11-25, Tasks: Progress). Part of its owner's structure. */
typedef struct mcpi_token mcpi_token;
struct mcpi_token {
  mcpi_list link; /* in table->tokens */
  uint64_t id;
  double last_progress;
  void (*on_progress)(mcpi_token *token, double progress, double total,
                      const char *message);
};

/* How the request ended. With status 0 and MCP_ERR_REMOTE, the reply's message
 * and envelope are there (borrowed until return); otherwise both are NULL. err
 * is NULL when status is 0; with MCP_ERR_REMOTE it has the peer's code and
 * text. The request has left the table before this runs; it may be freed here,
 * and the table too. */
typedef void (*mcpi_pending_done)(mcpi_pending *pending, int status,
                                  mcpi_message *message,
                                  const mcpi_envelope *reply,
                                  const mcp_error *err);

struct mcpi_pending {
  mcpi_pending_table *table; /* NULL: not waiting */
  mcpi_list link;            /* in table->waiting */
  uint64_t id;               /* our JSON-RPC id, and progress token */
  mcpi_timer timer;
  uint32_t timeout_ms; /* 0: none; each progress message restarts it */
  uint32_t max_ms;     /* 0: none; progress does not extend it */
  /* The options that set timeout_ms and max_ms, for errors. */
  const char *timeout_name;
  const char *max_name;
  /* By the table's clock; INT64_MAX: never. */
  int64_t due_ms;
  int64_t latest_ms;   /* when max_ms ends */
  int is_due_in_total; /* due_ms comes from max_ms, not from timeout_ms */
  int was_sent;
  int is_resendable; /* mcpi_pending_fail_resendable has failed it */
  mcpi_pending_done on_done;
  void (*on_progress)(mcpi_pending *pending, double progress, double total,
                      const char *message); /* or NULL */
  double last_progress;
};

struct mcpi_pending_table {
  mcp_loop *loop;
  mcpi_map by_id;    /* the id's eight bytes -> mcpi_pending */
  mcpi_list waiting; /* the same, the oldest first */
  mcpi_list tokens;  /* mcpi_token */
  mcpi_guard *guard;
  uint64_t next_id;
  size_t max;
  /* The table's clock is the loop's clock without the times when it was
   * stopped. */
  size_t holds;
  int64_t held_ms;  /* when it was stopped, by the loop's clock */
  int64_t stood_ms; /* the total time that it was stopped before */
};

void mcpi_pending_table_init(mcpi_pending_table *table, mcp_loop *loop,
                             size_t max);
/* No request may wait in the table any longer. */
void mcpi_pending_table_deinit(mcpi_pending_table *table);

/* Gives the request its id and starts its clock (timeout_ms, max_ms of 0: no
 * limit). The caller has set on_done, on_progress and the names of the limits.
 * Returns 0, MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
int mcpi_pending_add(mcpi_pending_table *table, mcpi_pending *pending,
                     uint32_t timeout_ms, uint32_t max_ms);
/* Stops the clocks of all requests, also of later ones, until _let_go was
 * called as often: the peer cannot answer before it has our answers. */
void mcpi_pending_hold(mcpi_pending_table *table);
void mcpi_pending_let_go(mcpi_pending_table *table);
/* The time by the table's clock, which stands still meanwhile. */
int64_t mcpi_pending_now(const mcpi_pending_table *table);
/* Keeps the token of a request that has just been answered. The owner has set
 * on_progress, and removes the link. */
void mcpi_pending_keep_token(mcpi_pending_table *table, mcpi_token *token,
                             const mcpi_pending *pending);
/* Removes a request without completing it. Does nothing if it does not wait, as
 * long as it was added once or its table is NULL. */
void mcpi_pending_remove(mcpi_pending *pending);
/* Returns the request with that number, or NULL. */
mcpi_pending *mcpi_pending_find(const mcpi_pending_table *table, uint64_t id);

/* Fills an error from a reply's error object. */
void mcpi_read_remote_error(const mcp_json *error, mcp_error *err);
/* A response came. Returns 1: it completed a request; 0: it answers none of
 * ours. */
int mcpi_pending_reply(mcpi_pending_table *table, mcpi_message *message,
                       const mcpi_envelope *envelope);
/* notifications/progress came: restarts the clock and calls on_progress.
 * Ignores one whose progress does not increase, or is not a number. Returns 1
 * if it was for one of our requests. */
int mcpi_pending_progress(mcpi_pending_table *table, const mcp_json *params);
/* Completes the request with that number, if it waits, with err's code. */
void mcpi_pending_fail(mcpi_pending_table *table, uint64_t id,
                       const mcp_error *err);
/* The same for a request that the other side has not acted on: completes it
 * with MCP_ERR_CLOSED and sets its is_resendable. */
void mcpi_pending_fail_resendable(mcpi_pending_table *table, uint64_t id,
                                  const mcp_error *err);
/* Completes the request that a response answers, if it waits, with err's
 * code. */
void mcpi_pending_fail_reply(mcpi_pending_table *table,
                             const mcpi_envelope *envelope,
                             const mcp_error *err);
/* Completes all requests that wait now with err's code, the oldest first.
 * Requests that a callback adds stay. */
void mcpi_pending_fail_all(mcpi_pending_table *table, const mcp_error *err);

#endif
