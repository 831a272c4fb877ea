/* SPDX-License-Identifier: MIT */
/* Two linked transports in one process.
 *
 * A message is copied into a block of the loop's pool and waits in the queue of
 * the end it goes to. A timer that is due at once empties the queues: send
 * never runs a callback, and a turn delivers only what waited at its beginning.
 *
 * The timer is always running: while there is nothing to do, it is due never.
 * To move it needs no memory, so that close and its on_close cannot fail. */
#include "base/error.h"
#include "base/list.h"
#include "core/guard.h"
#include "core/loop.h"
#include <mcp/transport.h>

/* The memory that may wait for one end: far more than the largest message, and
 * the default of a stream's queue. Small messages count as their block, since a
 * million of them would take more memory than their bytes. */
static const size_t max_queued = (size_t)64 * 1024 * 1024;

typedef struct queued {
  mcpi_block *block;
  struct queued *next;
  size_t len; /* the bytes follow */
} queued;

typedef struct pair pair;

typedef struct end {
  mcp_transport transport;
  pair *pair;
  struct end *other;
  queued *first; /* messages for this end */
  queued *last;
  size_t count;
  size_t queued_bytes; /* of their blocks */
  int is_started;
  int is_ended; /* on_close was called, or nobody is left to call */
  int is_released;
} end;

struct pair {
  mcp_loop *loop;
  end ends[2];
  mcpi_timer turn;
  mcpi_guard *guard;
  int is_closing; /* one end wants it: nothing can be sent any more */
};

/* --- turns -------------------------------------------------------------- */

static void next_turn(pair *p) {
  mcpi_loop_start_timer(p->loop, &p->turn, 0);
}

static queued *pop(end *e) {
  queued *q = e->first;
  e->first = q->next;
  e->count--;
  e->queued_bytes -= q->block->cap;
  return q;
}

static void drop_queue(end *e) {
  while (e->count > 0) {
    mcpi_block_unref(pop(e)->block);
  }
}

/* Delivers at most that many messages, unless a callback ends the pair. */
static void memory_deliver(end *e, size_t most, const mcpi_guard *guard) {
  for (; most > 0 && !guard->is_gone && e->count > 0; most--) {
    queued *q = pop(e);
    e->transport.on_message(&e->transport, (const char *)(q + 1), q->len);
    mcpi_block_unref(q->block);
  }
}

/* The end's part of a turn: its messages, then the end of all. */
static void run_end(end *e, size_t most, const mcpi_guard *guard) {
  if (guard->is_gone || !e->is_started || e->is_ended) {
    return;
  }
  memory_deliver(e, most, guard);
  if (guard->is_gone || !e->pair->is_closing || e->count > 0 || e->is_ended) {
    return;
  }
  e->is_ended = 1;
  e->transport.on_close(&e->transport, NULL);
}

static int has_work(const end *e) {
  return e->is_started && !e->is_ended && (e->count > 0 || e->pair->is_closing);
}

static void memory_on_turn(mcpi_timer *timer) {
  pair *p = MCPI_CONTAINER(timer, pair, turn);
  size_t most_a = p->ends[0].count;
  size_t most_b = p->ends[1].count;
  mcpi_guard guard;
  /* At once again, into the place that has just become free. */
  mcpi_loop_start_timer(p->loop, &p->turn, INT64_MAX);
  mcpi_guard_enter(&p->guard, &guard);
  run_end(&p->ends[0], most_a, &guard);
  run_end(&p->ends[1], most_b, &guard);
  if (mcpi_guard_leave(&p->guard, &guard) &&
      (has_work(&p->ends[0]) || has_work(&p->ends[1]))) {
    next_turn(p);
  }
}

/* --- the table ---------------------------------------------------------- */

static int memory_start(mcp_transport *transport, mcp_error *err) {
  end *e = transport->userdata;
  (void)err;
  e->is_started = 1;
  if (has_work(e)) {
    next_turn(e->pair);
  }
  return 0;
}

static void push(end *e, queued *q) {
  if (e->count == 0) {
    e->first = q;
  } else {
    e->last->next = q;
  }
  e->last = q;
  e->count++;
  e->queued_bytes += q->block->cap;
}

static queued *memory_copy(mcpi_pool *pool, const char *message, size_t len) {
  mcpi_block *block = mcpi_block_take(pool, sizeof(queued) + len);
  if (block == NULL) {
    return NULL;
  }
  queued *q = mcpi_block_data(block);
  *q = (queued){block, NULL, len};
  memcpy(q + 1, message, len);
  return q;
}

static int memory_send(mcp_transport *transport, const char *message,
                       size_t len, const mcp_send_info *info) {
  end *e = transport->userdata;
  end *to = e->other;
  (void)info;
  if (!e->is_started || e->pair->is_closing) {
    return MCP_ERR_CLOSED;
  }
  if (len > max_queued || to->queued_bytes > max_queued - len) {
    return MCP_ERR_LIMIT;
  }
  queued *q = memory_copy(&e->pair->loop->pool, message, len);
  if (q == NULL) {
    return MCP_ERR_NOMEM;
  }
  push(to, q);
  next_turn(e->pair);
  return 0;
}

static void memory_begin_closing(pair *p) {
  if (!p->is_closing) {
    p->is_closing = 1;
    next_turn(p);
  }
}

static void memory_close(mcp_transport *transport) {
  end *e = transport->userdata;
  if (e->is_started) {
    memory_begin_closing(e->pair);
  }
}

static void free_pair(pair *p) {
  mcp_loop *loop = p->loop;
  mcpi_guard_trip(p->guard);
  mcpi_loop_stop_timer(loop, &p->turn);
  mcpi_free(&loop->allocator, p, sizeof(*p));
}

static void memory_release(mcp_transport *transport) {
  end *e = transport->userdata;
  pair *p = e->pair;
  drop_queue(e);
  e->is_released = 1;
  e->is_ended = 1;
  if (e->other->is_released) {
    free_pair(p);
  } else {
    memory_begin_closing(p);
  }
}

static size_t queued_bytes(mcp_transport *transport) {
  const end *e = transport->userdata;
  return e->other->queued_bytes;
}

/* --- making a pair ------------------------------------------------------ */

static void init_end(pair *p, size_t index) {
  p->ends[index] = (end){.pair = p, .other = &p->ends[1 - index]};
  p->ends[index].transport = (mcp_transport){
      .size = sizeof(mcp_transport),
      .userdata = &p->ends[index],
      .start = memory_start,
      .send = memory_send,
      .close = memory_close,
      .release = memory_release,
      .queued = queued_bytes,
  };
}

int mcp_memory_pair(mcp_loop *loop, mcp_transport **a, mcp_transport **b,
                    mcp_error *err) {
  if (loop == NULL || a == NULL || b == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "loop, a or b is NULL");
  }
  pair *p = mcpi_calloc(&loop->allocator, 1, sizeof(*p));
  if (p == NULL) {
    return mcpi_no_memory(err);
  }
  p->loop = loop;
  p->turn.on_due = memory_on_turn;
  init_end(p, 0);
  init_end(p, 1);
  if (mcpi_loop_start_timer(loop, &p->turn, INT64_MAX) != 0) {
    mcpi_free(&loop->allocator, p, sizeof(*p));
    return mcpi_no_memory(err);
  }
  *a = &p->ends[0].transport;
  *b = &p->ends[1].transport;
  return 0;
}
