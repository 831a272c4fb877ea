/* SPDX-License-Identifier: MIT */
/* Event stores of a free bench that keep nothing: one that is done at once, and
 * a late one, whose operations end in later turns of the loop. */
#include "support/libmcp/free_bench.h"

#include <stdlib.h>
#include <string.h>

static void check_session(const char *session) {
  assert_int_equal(strlen(session), 32);
}

/* ---- at once ------------------------------------------------------------- */

static int on_append(void *userdata, const char *session, uint64_t stream,
                     uint64_t seq, const char *data, size_t len,
                     mcp_event_done_cb done, void *argument) {
  free_at(userdata, IN_APPEND);
  check_session(session);
  assert_true(len == 0 || data[0] != '\0');
  return 0;
}

static int on_replay(void *userdata, const char *session, uint64_t stream,
                     uint64_t after, mcp_event_each_cb each,
                     mcp_event_done_cb done, void *argument) {
  free_at(userdata, IN_REPLAY);
  check_session(session);
  return 0;
}

static void on_forget(void *userdata, const char *session) {
  free_at(userdata, IN_FORGET);
  check_session(session);
}

/* ---- late ---------------------------------------------------------------- */

typedef struct operation {
  free_bench *b;
  mcp_event_each_cb each; /* NULL: an append */
  mcp_event_done_cb done;
  void *argument;
  uint64_t seq;
} operation;

static void end_append(const operation *o) {
  int is_lost = o->b->moment->place == IN_LOST_REPORT;
  free_at(o->b, BEFORE_APPENDED);
  o->done(is_lost ? MCP_ERR_IO : 0, o->argument);
  free_at(o->b, AFTER_APPENDED);
}

static void end_replay(const operation *o) {
  static const char event[] = "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}";
  free_at(o->b, BEFORE_EACH);
  o->each(o->seq, event, strlen(event), o->argument);
  free_at(o->b, AFTER_EACH);
  o->done(0, o->argument);
  free_at(o->b, AFTER_REPLAYED);
}

static void end_operation(void *argument) {
  operation *o = argument;
  if (o->each != NULL) {
    end_replay(o);
  } else {
    end_append(o);
  }
  o->b->store_waiting--;
  free(o);
}

static int begin_operation(const operation *o) {
  operation *mine = malloc(sizeof(*mine));
  assert_non_null(mine);
  *mine = *o;
  o->b->store_waiting++;
  assert_int_equal(mcp_loop_post(o->b->loop, end_operation, mine), 0);
  return MCP_PENDING;
}

static int on_late_append(void *userdata, const char *session, uint64_t stream,
                          uint64_t seq, const char *data, size_t len,
                          mcp_event_done_cb done, void *argument) {
  const operation o = {.b = userdata, .done = done, .argument = argument};
  check_session(session);
  return begin_operation(&o);
}

static int on_late_replay(void *userdata, const char *session, uint64_t stream,
                          uint64_t after, mcp_event_each_cb each,
                          mcp_event_done_cb done, void *argument) {
  const operation o = {.b = userdata,
                       .each = each,
                       .done = done,
                       .argument = argument,
                       .seq = after + 1};
  check_session(session);
  return begin_operation(&o);
}

/* ---- which --------------------------------------------------------------- */

const mcp_event_store *free_store(free_bench *b) {
  static mcp_event_store store;
  store = (mcp_event_store){.size = sizeof(mcp_event_store),
                            .append = on_append,
                            .replay = on_replay,
                            .forget = on_forget,
                            .userdata = b};
  switch (b->moment->place) {
  case IN_APPEND:
  case IN_REPLAY:
  case IN_FORGET:
    return &store;
  case IN_LOST_REPORT:
  case BEFORE_APPENDED:
  case AFTER_APPENDED:
  case BEFORE_EACH:
  case AFTER_EACH:
  case AFTER_REPLAYED:
    store.append = on_late_append;
    store.replay = on_late_replay;
    return &store;
  default:
    return NULL;
  }
}
