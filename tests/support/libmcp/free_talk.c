/* SPDX-License-Identifier: MIT */
/* What the clients of a free bench say, and how their calls end. */
#include "support/libmcp/free_bench.h"
#include "support/libmcp/recorder.h"
#include "support/server_rig.h"

#include <stdlib.h>
#include <string.h>

/* ---- the conversation ---------------------------------------------------- */

enum { LEGACY = 1, NEW = 2, CORE = 4 };

/* Said by every client before any of them waits. */
typedef struct step {
  int eras; /* in which it is said */
  const char *method;
  const char *name;
  const char *message; /* with marks; NULL: a GET of the session's stream */
  const char *answer;  /* a part of it, which is waited for; NULL: nothing is */
  int is_late;         /* bench.is_late from there on */
} step;

#define CALL(id, name)                                                         \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name              \
  "','_meta':{'progressToken':" id "}}}"
#define NEW_CALL(id, name)                                                     \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "',$M{}}}"

#define CORE_CALL(id, name) "{'id':" id ",'name':'" name "'}"

#define COMPLETED                                                              \
  "'ref':{'type':'ref/prompt','name':'p'},'argument':{'name':'a','value':''}"

static const step steps[] = {
    {LEGACY, "initialize", NULL,
     "{$J,'id':0,'method':'initialize','params':{'protocolVersion':"
     "'2025-11-25','capabilities':{'roots':{}},'clientInfo':{'name':'c',"
     "'version':'1'}}}",
     "serverInfo", 0},
    {LEGACY, NULL, NULL, NULL, "\r\n\r\n", 0},
    {LEGACY, "notifications/initialized", NULL,
     "{$J,'method':'notifications/initialized'}", "roots/list", 0},
    {LEGACY, NULL, NULL, "{$J,'id':1,'result':{'roots':[]}}", NULL, 0},
    {LEGACY, "tools/call", "keep", CALL("20", "keep"), "kept", 1},
    {NEW, "tools/call", "keep", NEW_CALL("21", "keep"), NULL, 1},
    {NEW, "subscriptions/listen", NULL,
     "{$J,'id':'L','method':'subscriptions/listen','params':{"
     "'notifications':{'toolsListChanged':true},$M{}}}",
     "acknowledged", 1},
    {LEGACY, "tools/call", "plain", CALL("2", "plain"), "plain", 1},
    {NEW, "tools/call", "plain", NEW_CALL("3", "plain"), "plain", 1},
    {LEGACY, "tools/call", "tell", CALL("4", "tell"), "told", 1},
    {NEW, "tools/call", "tell", NEW_CALL("5", "tell"), "told", 1},
    {LEGACY, "tools/call", "later", CALL("6", "later"), "late", 1},
    {NEW, "tools/call", "later", NEW_CALL("7", "later"), "late", 1},
    {LEGACY, "tools/call", "ask", CALL("8", "ask"), "roots/list", 1},
    {LEGACY, NULL, NULL, "{$J,'id':2,'result':{'roots':[]}}", "answered", 1},
    {LEGACY, "tools/call", "fail", CALL("9", "fail"), "internal error", 1},
    {NEW, "tools/call", "fail", NEW_CALL("10", "fail"), "internal error", 1},
    {LEGACY, "prompts/get", "p",
     "{$J,'id':11,'method':'prompts/get','params':{'name':'p'}}", "prompted",
     1},
    {NEW, "prompts/get", "p",
     "{$J,'id':12,'method':'prompts/get','params':{'name':'p',$M{}}}",
     "prompted", 1},
    {LEGACY, "completion/complete", NULL,
     "{$J,'id':13,'method':'completion/complete','params':{" COMPLETED "}}",
     "values", 1},
    {NEW, "completion/complete", NULL,
     "{$J,'id':14,'method':'completion/complete','params':{" COMPLETED
     ",$M{}}}",
     "values", 1},
    {LEGACY, "resources/read", "a:1",
     "{$J,'id':15,'method':'resources/read','params':{'uri':'a:1'}}", "read",
     1},
    {NEW, "resources/read", "a:1",
     "{$J,'id':16,'method':'resources/read','params':{'uri':'a:1',$M{}}}",
     "read", 1},
    {LEGACY, "m", NULL, "{$J,'id':17,'method':'m','params':{}}", "done", 1},
    {NEW, "m", NULL, "{$J,'id':18,'method':'m','params':{$M{}}}", "done", 1},
    {LEGACY, "n", NULL, "{$J,'method':'n'}", NULL, 1},
    {NEW, "n", NULL, "{$J,'method':'n','params':{$M{}}}", NULL, 1},
    {CORE, NULL, NULL, CORE_CALL("40", "keep"), NULL, 1},
    {CORE, NULL, NULL, CORE_CALL("41", "plain"), "plain", 1},
    {CORE, NULL, NULL, CORE_CALL("42", "tell"), "told", 1},
    {CORE, NULL, NULL, CORE_CALL("43", "later"), "late", 1},
    {CORE, NULL, NULL, CORE_CALL("44", "fail"), "error", 1},
};

/* Said when handlers on other threads are the run's moment. */
static const step pool_steps[] = {
    {LEGACY, "tools/call", "pool", CALL("30", "pool"), NULL, 1},
    {NEW, "tools/call", "pool", NEW_CALL("31", "pool"), NULL, 1},
    {CORE, NULL, NULL, CORE_CALL("32", "pool"), NULL, 1}};
static const step thread_steps[] = {
    {LEGACY, "tools/call", "thread", CALL("30", "thread"), NULL, 1},
    {NEW, "tools/call", "thread", NEW_CALL("31", "thread"), NULL, 1},
    {CORE, NULL, NULL, CORE_CALL("32", "thread"), NULL, 1}};

/* Over HTTP a request is of one era, on the other wires of any. */
static int eras_of(const free_bench *b) {
  if (free_row(b)->dialect != 0) {
    return CORE;
  }
  switch (free_row(b)->raw) {
  case RAW_SESSION:
  case RAW_ALONE:
    return LEGACY;
  case RAW_MODERN:
    return NEW;
  default:
    return LEGACY | NEW;
  }
}

static int is_alone(const free_bench *b) {
  return free_row(b)->raw == RAW_ALONE;
}

static int is_session(const free_bench *b) {
  return free_row(b)->raw == RAW_SESSION;
}

/* 1: clients must see the answer; 0: the wire has no way for it. */
static int is_answered(const free_bench *b, const step *s) {
  return !is_alone(b) ||
         (s->method != NULL && strcmp(s->answer, "roots/list") != 0 &&
          strcmp(s->answer, "kept") != 0);
}

static int is_said(const free_bench *b, const step *s) {
  if ((s->eras & eras_of(b)) == 0) {
    return 0;
  }
  if (s->message == NULL) {
    return is_session(b);
  }
  return s->method != NULL || !is_alone(b);
}

static void look(free_bench *b) {
  for (int i = 0; i < b->client_count; i++) {
    raw_read(&b->clients[i]);
  }
}

/* Until nothing happens any more. */
void free_settle(free_bench *b) {
  for (int i = 0; i < 6; i++) {
    assert_int_equal(mcp_loop_step(b->loop), 0);
    look(b);
  }
}

static void await_moment(free_bench *b) {
  uint64_t started = uv_hrtime();
  while (!b->is_done && uv_hrtime() - started < FREE_LIMIT_NS) {
    mcp_loop_wait(b->loop, 1);
    look(b);
  }
}

static void await_answer(free_bench *b, const char *answer) {
  for (int i = 0; i < b->client_count; i++) {
    raw_client *client = &b->clients[i];
    uint64_t started = uv_hrtime();
    while (!b->is_done && !raw_has(client, answer)) {
      if (uv_hrtime() - started > FREE_LIMIT_NS) {
        fail_msg("no \"%s\" in \"%s\"", answer,
                 client->len > 0 ? client->text : "");
      }
      mcp_loop_wait(b->loop, 1);
      look(b);
    }
  }
}

static void say(free_bench *b, const step *s) {
  char *message = s->message != NULL ? rig_expand(s->message) : NULL;
  for (int i = 0; i < b->client_count; i++) {
    if (message != NULL) {
      raw_send(&b->clients[i], s->method, s->name, message);
    } else {
      raw_request(&b->clients[i], "GET", "");
    }
  }
  free(message);
  if (s->answer != NULL && is_answered(b, s)) {
    await_answer(b, s->answer);
  } else {
    free_settle(b);
  }
}

/* ---- handlers on other threads ------------------------------------------- */

static int is_between(free_place place, free_place first, free_place last) {
  return place >= first && place <= last;
}

static void do_beside(void *argument) {
  free_bench *b = argument;
  free_place place = b->moment->place;
  if (place == WHILE_POOL_RUNS || place == WHILE_THREAD_RUNS) {
    free_release_workers(b);
  }
  free_at(b, place);
}

/* One era's call is enough, and the pool has four threads. */
static void say_beside(free_bench *b, const step *all) {
  const step *s = all;
  while ((s->eras & eras_of(b)) == 0) {
    s++;
  }
  say(b, s);
  b->is_late = 1;
  while (free_workers_started(b) < b->client_count) {
    free_settle(b);
  }
  assert_int_equal(mcp_loop_post(b->loop, do_beside, b), 0);
  await_moment(b);
}

static void converse_beside(free_bench *b) {
  if (is_between(b->moment->place, WHILE_POOL_RUNS, WHILE_POOL_WAITS)) {
    say_beside(b, pool_steps);
  } else if (is_between(b->moment->place, WHILE_THREAD_RUNS,
                        WHILE_THREAD_WAITS)) {
    say_beside(b, thread_steps);
  }
}

void free_converse(free_bench *b) {
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !b->is_done; i++) {
    if (is_said(b, &steps[i])) {
      say(b, &steps[i]);
      b->is_late = steps[i].is_late;
    }
  }
  if (!b->is_done) {
    converse_beside(b);
  }
}

/* ---- the end ------------------------------------------------------------- */

void free_hang_up(free_bench *b) {
  for (int i = 0; i < b->client_count; i++) {
    raw_hang_up(&b->clients[i]);
  }
}

static void cancel(free_bench *b) {
  static const step legacy = {LEGACY,
                              "notifications/cancelled",
                              NULL,
                              "{$J,'method':'notifications/cancelled',"
                              "'params':{'requestId':20}}",
                              NULL,
                              1};
  static const step modern = {NEW,
                              "notifications/cancelled",
                              NULL,
                              "{$J,'method':'notifications/cancelled',"
                              "'params':{'requestId':21,$M{}}}",
                              NULL,
                              1};
  if ((eras_of(b) & LEGACY) != 0) {
    say(b, &legacy);
  }
  if ((eras_of(b) & NEW) != 0) {
    say(b, &modern);
  }
}

void free_replay(free_bench *b) {
  for (int i = 0; i < b->client_count && is_session(b); i++) {
    raw_request(&b->clients[i], "GET", "Last-Event-ID: 0-1\r\n");
  }
  free_settle(b);
}

static void delete_sessions(free_bench *b) {
  for (int i = 0; i < b->client_count && is_session(b); i++) {
    raw_request(&b->clients[i], "DELETE", "");
  }
  free_settle(b);
}

/* A WebSocket then waits for the far side to close it too. */
static void let_a_day_pass(free_bench *b) {
  free_skip_day(b);
  if (free_row(b)->raw == RAW_WS) {
    free_hang_up(b);
  }
}

/* Until the calls that are kept are cancelled: then nobody is waited for but
 * the clients. */
static void drain_server(free_bench *b) {
  uint64_t started = uv_hrtime();
  mcp_server_drain(b->now.server, 1);
  while (!b->is_done && b->cancelled_count < b->kept_count &&
         uv_hrtime() - started < FREE_LIMIT_NS) {
    mcp_loop_wait(b->loop, 1);
  }
  free_hang_up(b);
}

static void on_http_drained(mcp_http_listener *listener, void *userdata) {
  const free_bench *b = userdata;
  assert_ptr_equal(listener, b->first.http);
  free_at(userdata, IN_DRAINED);
}

static void on_socket_drained(mcp_socket_listener *listener, void *userdata) {
  const free_bench *b = userdata;
  assert_ptr_equal(listener, b->first.sockets);
  free_at(userdata, IN_DRAINED);
}

static void drain_listener(free_bench *b) {
  mcp_http_listener_drain(b->now.http, on_http_drained, b);
  mcp_socket_listener_drain(b->now.sockets, on_socket_drained, b);
  drain_server(b);
}

void free_end_calls(free_bench *b) {
  switch (b->moment->ending) {
  case BY_CANCEL:
    cancel(b);
    break;
  case BY_DELETE:
    delete_sessions(b);
    break;
  case BY_AGE:
    let_a_day_pass(b);
    break;
  case BY_DRAINING_LISTENER:
    drain_listener(b);
    break;
  case BY_DRAINING_SERVER:
    drain_server(b);
    break;
  case BY_FREEING_LISTENER:
    free_listener(b);
    break;
  case BY_FREEING_SERVER:
    free_server(b);
    break;
  default:
    free_hang_up(b);
    break;
  }
  await_moment(b);
}

/* A client that comes when the server is gone and its listener is not, or when
 * both are. */
void free_come_late(free_bench *b) {
  const free_wire_row *row = free_row(b);
  raw_client newcomer = {0};
  if (row->carrier != FREE_BY_CONNECT) {
    raw_begin(&newcomer, row->raw, b->clients[0].address, row->is_tls);
    raw_send(&newcomer, steps[0].method, NULL, "{}");
    free_settle(b);
    raw_deinit(&newcomer);
  }
}
