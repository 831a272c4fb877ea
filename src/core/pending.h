/* SPDX-License-Identifier: MIT */
/* Requests of ours that wait for their answer: ids, deadlines, progress
 * (PROTOCOL 2.3, 6.1). The structure lives inside what the owner keeps for the
 * request. */
#ifndef MCPI_CORE_PENDING_H
#define MCPI_CORE_PENDING_H

#include "base/list.h"
#include "base/map.h"
#include "codec/message.h"
#include "core/guard.h"
#include "core/loop.h"

typedef struct mcpi_pending mcpi_pending;
typedef struct mcpi_pending_table mcpi_pending_table;

/* How it ended. For status 0 and MCP_ERR_REMOTE the reply's message and
 * envelope are there (borrowed until return); else both are NULL. err is NULL
 * when status is 0; with MCP_ERR_REMOTE it has the peer's code and text. The
 * pending is out of the table before this runs, and may be freed in it, the
 * table too. */
typedef void (*mcpi_pending_done)(mcpi_pending *pending, int status,
                                  mcpi_message *message,
                                  const mcpi_envelope *reply,
                                  const mcp_error *err);

struct mcpi_pending {
  mcpi_pending_table *table; /* NULL: not waiting */
  mcpi_list link;            /* in table->waiting */
  uint64_t id;               /* our JSON-RPC id, and progress token */
  mcpi_timer timer;
  uint32_t timeout_ms; /* 0: none; each progress starts it anew */
  /* By the table's clock; INT64_MAX: never. */
  int64_t due_ms;
  int64_t latest_ms; /* progress cannot extend past it */
  int was_sent;
  int is_refused; /* it failed by mcpi_pending_refuse */
  mcpi_pending_done on_done;
  void (*on_progress)(mcpi_pending *pending, double progress, double total,
                      const char *message); /* or NULL */
  double last_progress;
};

struct mcpi_pending_table {
  mcp_loop *loop;
  mcpi_map by_id;    /* the id's eight bytes -> mcpi_pending */
  mcpi_list waiting; /* the same, the oldest first */
  mcpi_guard *guard;
  uint64_t next_id;
  size_t max;
  /* The table's clock is the loop's without the times when it stood still. */
  size_t holds;
  int64_t held_ms;  /* since when it stands still, by the loop's clock */
  int64_t stood_ms; /* how long it has before */
};

void mcpi_pending_table_init(mcpi_pending_table *table, mcp_loop *loop,
                             size_t max);
/* Nothing may wait in it any more. */
void mcpi_pending_table_deinit(mcpi_pending_table *table);

/* Gives the request its id and starts its clock (timeout_ms, max_ms of 0: no
 * limit). on_done and on_progress are set by the caller before. 0,
 * MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
int mcpi_pending_add(mcpi_pending_table *table, mcpi_pending *pending,
                     uint32_t timeout_ms, uint32_t max_ms);
/* Stops the clock of all, those to come too, until it was let go as often: what
 * the peer asks of us first, it cannot answer before. */
void mcpi_pending_hold(mcpi_pending_table *table);
void mcpi_pending_let_go(mcpi_pending_table *table);
/* Takes it out without completing it. Harmless when it does not wait: once it
 * was added, or when table is NULL. */
void mcpi_pending_remove(mcpi_pending *pending);
/* The one with that number, or NULL. */
mcpi_pending *mcpi_pending_find(const mcpi_pending_table *table, uint64_t id);

/* Fills an error with what a reply's error object says. */
void mcpi_read_remote_error(const mcp_json *error, mcp_error *err);
/* A response came. 1: it completed a request; 0: it answers nothing of ours. */
int mcpi_pending_reply(mcpi_pending_table *table, mcpi_message *message,
                       const mcpi_envelope *envelope);
/* notifications/progress came: the clock starts anew, on_progress runs. One
 * whose progress does not increase, or is no number, is ignored. 1 when it was
 * for one of ours. */
int mcpi_pending_progress(mcpi_pending_table *table, const mcp_json *params);
/* Completes the one with that number, if it waits, with err's code. */
void mcpi_pending_fail(mcpi_pending_table *table, uint64_t id,
                       const mcp_error *err);
/* The same for one that the far side has not acted on: completes it with
 * MCP_ERR_CLOSED and sets its is_refused. */
void mcpi_pending_refuse(mcpi_pending_table *table, uint64_t id,
                         const mcp_error *err);
/* Completes the one that a response is to, if it waits, with err's code. */
void mcpi_pending_fail_reply(mcpi_pending_table *table,
                             const mcpi_envelope *envelope,
                             const mcp_error *err);
/* Completes all that wait now with err's code, the oldest first. What a
 * callback adds is left alone. */
void mcpi_pending_fail_all(mcpi_pending_table *table, const mcp_error *err);

#endif
