/* SPDX-License-Identifier: MIT */
/* A free bench: its dimensions, its deeds, and its runs. */
#include "support/libmcp/free_bench.h"

#include "core/loop.h"
#include "support/libmcp/certs.h"
#include "support/libmcp/recorder.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the dimensions ------------------------------------------------------ */

const free_wire_row free_wires[FREE_WIRES] = {
    [FREE_TCP] = {"tcp", FREE_BY_SOCKETS, RAW_LINES, 0, 0, 0},
    [FREE_UNIX] = {"unix", FREE_BY_SOCKETS, RAW_LINES, 0, 0, 0},
    [FREE_STREAM] = {"stream", FREE_BY_CONNECT, RAW_LINES, 0, 0, 0},
    [FREE_WS] = {"websocket", FREE_BY_HTTP, RAW_WS, 0, 0, 0},
    [FREE_SSE] = {"sse", FREE_BY_HTTP, RAW_SSE, 0, 0, 0},
    [FREE_SESSION] = {"session", FREE_BY_HTTP, RAW_SESSION, 0, 0, 0},
    [FREE_MODERN] = {"modern", FREE_BY_HTTP, RAW_MODERN, 0, 0, 0},
    [FREE_ALONE] = {"alone", FREE_BY_HTTP, RAW_ALONE, MCP_HTTP_STATELESS, 0, 0},
    [FREE_CUSTOM] = {"custom", FREE_BY_CONNECT, RAW_LINES, 0, 0, 0},
    [FREE_FOREIGN_WS] = {"foreign websocket", FREE_BY_FOREIGN, RAW_WS, 0, 0, 0},
    [FREE_FOREIGN_SSE] = {"foreign sse", FREE_BY_FOREIGN, RAW_SSE, 0, 0, 0},
    [FREE_FOREIGN_SESSION] = {"foreign session", FREE_BY_FOREIGN, RAW_SESSION,
                              0, 0, 0},
    [FREE_FOREIGN_MODERN] = {"foreign modern", FREE_BY_FOREIGN, RAW_MODERN, 0,
                             0, 0},
    [FREE_FOREIGN_ALONE] = {"foreign alone", FREE_BY_FOREIGN, RAW_ALONE,
                            MCP_HTTP_STATELESS, 0, 0},
    [FREE_PLAIN] = {"plain", FREE_BY_HTTP, RAW_ALONE, MCP_HTTP_PLAIN, 0, 0},
    [FREE_CORE_TCP] = {"core tcp", FREE_BY_SOCKETS, RAW_LINES, 0,
                       MCP_DIALECT_MCP_CORE, 0},
    [FREE_CORE_WS] = {"core websocket", FREE_BY_HTTP, RAW_WS, 0,
                      MCP_DIALECT_MCP_CORE, 0},
    [FREE_CORE_POST] = {"core post", FREE_BY_HTTP, RAW_JSON, 0,
                        MCP_DIALECT_MCP_CORE, 0},
    [FREE_CORE_EVENTS] = {"core events", FREE_BY_HTTP, RAW_EVENTS, 0,
                          MCP_DIALECT_MCP_CORE, 0},
    [FREE_TLS_WS] = {"tls websocket", FREE_BY_HTTP, RAW_WS, 0, 0, 1},
    [FREE_TLS_SSE] = {"tls sse", FREE_BY_HTTP, RAW_SSE, 0, 0, 1},
    [FREE_TLS_SESSION] = {"tls session", FREE_BY_HTTP, RAW_SESSION, 0, 0, 1},
    [FREE_TLS_MODERN] = {"tls modern", FREE_BY_HTTP, RAW_MODERN, 0, 0, 1},
};

const free_wire_row *free_row(const free_bench *b) {
  return &free_wires[b->wire];
}

static const free_moment moments[] = {
    {"handler", IN_HANDLER, BY_HANGING_UP, 0},
    {"handler after its reply", AFTER_REPLY, BY_HANGING_UP, 0},
    {"handler after progress", AFTER_PROGRESS, BY_HANGING_UP, 0},
    {"second run", IN_SECOND_RUN, BY_HANGING_UP, 0},
    {"post before the reply", BEFORE_LATE_REPLY, BY_HANGING_UP, 0},
    {"post after the reply", AFTER_LATE_REPLY, BY_HANGING_UP, 0},
    {"prompt", IN_PROMPT, BY_HANGING_UP, 0},
    {"completion", IN_COMPLETION, BY_HANGING_UP, 0},
    {"resource", IN_RESOURCE, BY_HANGING_UP, 0},
    {"method", IN_METHOD, BY_HANGING_UP, 0},
    {"notification", IN_NOTIFICATION, BY_HANGING_UP, 0},
    {"request hook", IN_REQUEST_HOOK, BY_HANGING_UP, 1},
    {"reply hook", IN_REPLY_HOOK, BY_HANGING_UP, 1},
    {"report", IN_REPORT, BY_HANGING_UP, 0},
    {"session opened", IN_OPENED, BY_HANGING_UP, 0},
    {"roots", IN_ROOTS, BY_HANGING_UP, 0},
    {"authorize, first", IN_AUTHORIZE, BY_HANGING_UP, 0},
    {"authorize", IN_AUTHORIZE, BY_HANGING_UP, 1},
    {"trace of the first message", IN_TRACE_RECEIVED, BY_HANGING_UP, 0},
    {"trace of the first answer", IN_TRACE_SENT, BY_HANGING_UP, 0},
    {"trace of what came", IN_TRACE_RECEIVED, BY_HANGING_UP, 1},
    {"trace of what is sent", IN_TRACE_SENT, BY_HANGING_UP, 1},
    {"append, first", IN_APPEND, BY_HANGING_UP, 0},
    {"append", IN_APPEND, BY_HANGING_UP, 1},
    {"replay", IN_REPLAY, BY_HANGING_UP, 0},
    {"forget at DELETE", IN_FORGET, BY_DELETE, 0},
    {"forget at age", IN_FORGET, BY_AGE, 0},
    {"forget at free of listener", IN_FORGET, BY_FREEING_LISTENER, 0},
    {"cancel at cancel", IN_CANCEL, BY_CANCEL, 0},
    {"cancel at hang-up", IN_CANCEL, BY_HANGING_UP, 0},
    {"cancel at DELETE", IN_CANCEL, BY_DELETE, 0},
    {"cancel at age", IN_CANCEL, BY_AGE, 0},
    {"cancel at drain of listener", IN_CANCEL, BY_DRAINING_LISTENER, 0},
    {"cancel at drain of server", IN_CANCEL, BY_DRAINING_SERVER, 0},
    {"cancel at free of listener", IN_CANCEL, BY_FREEING_LISTENER, 0},
    {"cancel at free of server", IN_CANCEL, BY_FREEING_SERVER, 0},
    {"last cancel at hang-up", IN_LAST_CANCEL, BY_HANGING_UP, 0},
    {"last cancel at free of server", IN_LAST_CANCEL, BY_FREEING_SERVER, 0},
    {"session closed at hang-up", IN_CLOSED, BY_HANGING_UP, 0},
    {"session closed at DELETE", IN_CLOSED, BY_DELETE, 0},
    {"session closed at age", IN_CLOSED, BY_AGE, 0},
    {"session closed at drain", IN_CLOSED, BY_DRAINING_SERVER, 0},
    {"session closed at free of listener", IN_CLOSED, BY_FREEING_LISTENER, 0},
    {"session closed at free of server", IN_CLOSED, BY_FREEING_SERVER, 0},
    {"connection closed", IN_CONNECTION_CLOSED, BY_HANGING_UP, 0},
    {"connection closed by drain", IN_CONNECTION_CLOSED, BY_DRAINING_SERVER, 0},
    {"connection closed by free", IN_CONNECTION_CLOSED, BY_FREEING_SERVER, 0},
    {"reply hook of a listen at drain", IN_REPLY_HOOK, BY_DRAINING_SERVER, 2},
    {"trace at drain", IN_TRACE_SENT, BY_DRAINING_SERVER, 2},
    {"drained", IN_DRAINED, BY_DRAINING_LISTENER, 0},

    {"handler after a flush", AFTER_FLUSH, BY_HANGING_UP, 0},
    {"report of a lost event", IN_LOST_REPORT, BY_HANGING_UP, 0},
    {"transport's start", IN_START, BY_HANGING_UP, 0},
    {"transport's first send", IN_SEND, BY_HANGING_UP, 0},
    {"transport's send", IN_SEND, BY_HANGING_UP, 1},
    {"transport's queued", IN_QUEUED, BY_HANGING_UP, 0},
    {"transport's set_protocol_version", IN_SET_VERSION, BY_HANGING_UP, 0},
    {"transport's session_id", IN_SESSION_ID, BY_HANGING_UP, 0},
    {"transport's close by drain", IN_CLOSE, BY_DRAINING_SERVER, 0},
    {"transport's close by free", IN_CLOSE, BY_FREEING_SERVER, 0},
    {"transport's release at hang-up", IN_RELEASE, BY_HANGING_UP, 0},
    {"transport's release by drain", IN_RELEASE, BY_DRAINING_SERVER, 0},
    {"transport's release by free", IN_RELEASE, BY_FREEING_SERVER, 0},
    {"first respond", IN_RESPOND, BY_HANGING_UP, 0},
    {"respond", IN_RESPOND, BY_HANGING_UP, 1},
    {"respond to DELETE", IN_RESPOND, BY_DELETE, 2},
    {"respond at drain", IN_RESPOND, BY_DRAINING_SERVER, 2},
    {"first begin", IN_BEGIN, BY_HANGING_UP, 0},
    {"begin", IN_BEGIN, BY_HANGING_UP, 1},
    {"begin of a replay", IN_BEGIN, BY_HANGING_UP, 2},
    {"first write", IN_WRITE, BY_HANGING_UP, 0},
    {"write", IN_WRITE, BY_HANGING_UP, 1},
    {"write of a replay", IN_WRITE, BY_HANGING_UP, 2},
    {"write at drain", IN_WRITE, BY_DRAINING_SERVER, 2},
    {"end", IN_END, BY_HANGING_UP, 0},
    {"end as another takes over", IN_END, BY_HANGING_UP, 2},
    {"end at DELETE", IN_END, BY_DELETE, 2},
    {"end at drain", IN_END, BY_DRAINING_SERVER, 2},
    {"end at age", IN_END, BY_AGE, 2},
    {"unsent", IN_UNSENT, BY_HANGING_UP, 0},
    {"abort at free of endpoint", IN_ABORT, BY_FREEING_LISTENER, 2},
    {"end at free of server", IN_END, BY_FREEING_SERVER, 2},
    {"upgrade", IN_UPGRADE, BY_HANGING_UP, 0},
    {"close of the answer at DELETE", IN_CLOSE_ANSWER, BY_DELETE, 2},
    {"close of the answer at age", IN_CLOSE_ANSWER, BY_AGE, 2},
    {"close of the answer at free", IN_CLOSE_ANSWER, BY_FREEING_SERVER, 2},
    {"post, handlers run on the pool", WHILE_POOL_RUNS, BY_HANGING_UP, 0},
    {"post, handlers wait on the pool", WHILE_POOL_WAITS, BY_HANGING_UP, 0},
    {"post, threads reply", WHILE_THREAD_RUNS, BY_HANGING_UP, 0},
    {"post, threads wait", WHILE_THREAD_WAITS, BY_HANGING_UP, 0},
    {"post before append is done", BEFORE_APPENDED, BY_HANGING_UP, 0},
    {"post after append is done", AFTER_APPENDED, BY_HANGING_UP, 0},
    {"post before a replayed event", BEFORE_EACH, BY_HANGING_UP, 0},
    {"post after a replayed event", AFTER_EACH, BY_HANGING_UP, 0},
    {"post after replay is done", AFTER_REPLAYED, BY_HANGING_UP, 0},
};

enum { MOMENTS = sizeof(moments) / sizeof(moments[0]) };

static const char *const deeds[FREE_DEEDS] = {
    "frees the server",       "frees the listener",
    "frees listener, server", "frees server, listener",
    "drains, frees both",     "frees both again and again",
    "frees the loop",
};

/* ---- deeds --------------------------------------------------------------- */

void free_server(free_bench *b) {
  mcp_server_free(b->now.server);
  b->now.server = NULL;
}

void free_listener(free_bench *b) {
  mcp_http_listener_free(b->now.http);
  b->now.http = NULL;
  mcp_socket_listener_free(b->now.sockets);
  b->now.sockets = NULL;
  mcp_http_free(b->now.endpoint);
  b->now.endpoint = NULL;
}

/* As a program that forgets nothing; but an endpoint must not be freed again
 * when its free has returned. */
static void free_again(free_bench *b) {
  mcp_server_free(b->first.server);
  mcp_http_listener_free(b->first.http);
  mcp_socket_listener_free(b->first.sockets);
  mcp_http_free(b->now.endpoint);
  b->now = (free_objects){0};
}

static void do_deed(free_bench *b) {
  switch (b->deed) {
  case FREES_SERVER:
    free_server(b);
    break;
  case FREES_LISTENER:
    free_listener(b);
    break;
  case FREES_BOTH:
    free_listener(b);
    free_server(b);
    break;
  case FREES_BOTH_BACKWARDS:
    free_server(b);
    free_listener(b);
    break;
  case DRAINS_AND_FREES:
    mcp_server_drain(b->now.server, 1000);
    free_listener(b);
    free_server(b);
    break;
  case FREES_AGAIN:
    free_again(b);
    break;
  default:
    mcp_loop_free(b->loop); /* is refused: the loop is running */
    break;
  }
}

void free_at(free_bench *b, free_place where) {
  if (where == b->moment->place && b->is_late >= b->moment->is_late &&
      (!b->is_done || b->deed == FREES_AGAIN)) {
    b->is_done = 1;
    do_deed(b);
  }
}

/* ---- a run --------------------------------------------------------------- */

/* What is beside the loop's clock: tests of age let a day pass. */
static int64_t skipped_ms;
static void (*real_clock)(void *userdata, int64_t *now_ms, int64_t *wall_ms);

static void skipping_clock(void *userdata, int64_t *now_ms, int64_t *wall_ms) {
  real_clock(userdata, now_ms, wall_ms);
  if (now_ms != NULL) {
    *now_ms += skipped_ms;
  }
  if (wall_ms != NULL) {
    *wall_ms += skipped_ms;
  }
}

void free_skip_day(free_bench *b) {
  skipped_ms += (int64_t)24 * 3600 * 1000;
  mcpi_loop_run_timers(b->loop);
}

const char *free_file(const char *name) {
  return in_folder(name);
}

static void begin(free_bench *b) {
  skipped_ms = 0;
  b->loop = loop_begin();
  real_clock = b->loop->platform.clock;
  b->loop->platform.clock = skipping_clock;
  free_workers_init(b);
  free_make_server(b);
  b->first = b->now;
  free_listen_and_connect(b);
  b->first = b->now.server != NULL ? b->now : b->first;
}

/* The store's operations end before the loop does, as their contract says. */
static void end(free_bench *b) {
  free_listener(b);
  free_server(b);
  free_settle(b);
  free_foreign_end(b);
  for (size_t i = 0; i < b->kept_count; i++) {
    mcp_call_drop(b->kept[i]);
  }
  while (b->store_waiting > 0) {
    free_settle(b);
  }
  free_release_workers(b);
  free_workers_end(b);
  loop_end(b->loop);
  for (int i = 0; i < b->client_count; i++) {
    raw_deinit(&b->clients[i]);
  }
}

typedef struct plan {
  char name[160];
  free_wire wire;
  const free_moment *moment;
  free_deed deed;
  int client_count;
} plan;

static void run(void **state) {
  const plan *p = *state;
  free_bench b = {.wire = p->wire,
                  .moment = p->moment,
                  .deed = p->deed,
                  .client_count = p->client_count};
  begin(&b);
  free_settle(&b);
  free_converse(&b);
  b.is_late = 2;
  if (!b.is_done) {
    free_replay(&b);
  }
  if (!b.is_done) {
    free_end_calls(&b);
  }
  assert_true(b.is_done); /* else the callback was never reached */
  free_come_late(&b);
  free_hang_up(&b);
  free_settle(&b);
  end(&b);
}

/* ---- all runs ------------------------------------------------------------ */

static int has_listener(const free_wire_row *wire) {
  return wire->carrier == FREE_BY_SOCKETS || wire->carrier == FREE_BY_HTTP;
}

static int has_sessions(const free_wire_row *wire) {
  return wire->dialect == 0 && wire->raw != RAW_MODERN &&
         wire->raw != RAW_ALONE;
}

/* The stream of HTTP+SSE begins once. Only a session's stream is resumed. */
static int has_responder_place(const free_wire_row *wire,
                               const free_moment *m) {
  int is_resumed = m->is_late == 2 && m->ending == BY_HANGING_UP;
  if (wire->carrier != FREE_BY_FOREIGN ||
      (is_resumed && wire->raw != RAW_SESSION)) {
    return 0;
  }
  switch (m->place) {
  case IN_UPGRADE:
    return wire->raw == RAW_WS;
  case IN_RESPOND:
    return wire->raw != RAW_WS &&
           (m->ending != BY_DRAINING_SERVER || wire->raw == RAW_MODERN);
  case IN_CLOSE_ANSWER:
    return wire->raw == RAW_SSE || wire->raw == RAW_SESSION;
  case IN_BEGIN:
    return wire->raw != RAW_WS && (wire->raw != RAW_SSE || m->is_late == 0);
  case IN_END:
    return wire->raw == RAW_SESSION || wire->raw == RAW_ALONE ||
           (wire->raw == RAW_MODERN && m->is_late == 2);
  case IN_ABORT:
    return wire->raw != RAW_WS && wire->raw != RAW_SSE;
  default:
    return wire->raw != RAW_WS;
  }
}

/* Whether a wire has that callback. */
static int has_place(const free_wire_row *wire, const free_moment *m) {
  switch (m->place) {
  case AFTER_FLUSH:
    return wire->dialect != 0;
  case IN_TRACE_RECEIVED:
  case IN_TRACE_SENT:
    return wire != &free_wires[FREE_CUSTOM];
  case IN_PROMPT:
  case IN_COMPLETION:
  case IN_RESOURCE:
  case IN_METHOD:
  case IN_NOTIFICATION:
    return wire->dialect == 0;
  case IN_APPEND:
  case IN_REPLAY:
  case IN_FORGET:
  case IN_LOST_REPORT:
  case BEFORE_APPENDED:
  case AFTER_APPENDED:
  case BEFORE_EACH:
  case AFTER_EACH:
  case AFTER_REPLAYED:
    return wire->raw == RAW_SESSION;
  case IN_CONNECTION_CLOSED:
    return wire->carrier == FREE_BY_CONNECT;
  case IN_AUTHORIZE:
    return wire->raw >= (m->is_late ? RAW_SSE : RAW_WS);
  case IN_DRAINED:
    return has_listener(wire);
  case IN_SECOND_RUN:
  case IN_OPENED:
  case IN_ROOTS:
  case IN_CLOSED:
    return has_sessions(wire);
  case IN_START:
  case IN_SEND:
  case IN_QUEUED:
  case IN_CLOSE:
  case IN_RELEASE:
  case IN_SESSION_ID:
  case IN_SET_VERSION:
    return wire == &free_wires[FREE_CUSTOM];
  case IN_RESPOND:
  case IN_BEGIN:
  case IN_WRITE:
  case IN_END:
  case IN_UNSENT:
  case IN_ABORT:
  case IN_UPGRADE:
  case IN_CLOSE_ANSWER:
    return has_responder_place(wire, m);
  default:
    return 1;
  }
}

static int is_of_end(free_place where) {
  return where == IN_CANCEL || where == IN_LAST_CANCEL || where == IN_CLOSED;
}

/* Whether calls end so. A client that hangs up leaves its session behind, and
 * its calls where there are no sessions. */
static int has_ending(const free_wire_row *wire, const free_moment *m) {
  switch (m->ending) {
  case BY_CANCEL:
    return has_sessions(wire);
  case BY_HANGING_UP:
    return !is_of_end(m->place) ||
           (wire->raw != RAW_SESSION && wire->raw != RAW_ALONE);
  case BY_DELETE:
    return wire->raw == RAW_SESSION;
  case BY_AGE:
    return wire->raw == RAW_WS || wire->raw == RAW_SSE ||
           wire->raw == RAW_SESSION;
  case BY_DRAINING_LISTENER:
    return has_listener(wire);
  case BY_FREEING_LISTENER:
    return wire->carrier != FREE_BY_CONNECT && wire->raw != RAW_ALONE;
  case BY_DRAINING_SERVER: /* only listens say something then */
    return m->is_late < 2 || (wire->raw != RAW_SESSION &&
                              wire->raw != RAW_ALONE && wire->dialect == 0);
  default:
    return 1;
  }
}

/* Two clients do all that one does, but the last of one is the last of all. TLS
 * takes its time to begin. */
static int has_deed(const free_wire_row *wire, free_deed deed, int clients) {
  if (wire->is_tls) {
    return clients == 1 &&
           (deed == FREES_BOTH || (wire->raw == RAW_WS && deed < FREES_BOTH));
  }
  if (deed == FREES_LOOP) {
    return clients == 1;
  }
  if (wire->carrier == FREE_BY_CONNECT && deed != FREES_SERVER &&
      deed != FREES_AGAIN) {
    return 0;
  }
  return clients > 1 || deed <= FREES_BOTH;
}

/* What the program posts itself may come when everything is gone. */
static int is_callback(free_place where) {
  return where < BEFORE_LATE_REPLY;
}

static int is_plan(const plan *p) {
  const free_wire_row *wire = &free_wires[p->wire];
  return has_place(wire, p->moment) && has_ending(wire, p->moment) &&
         has_deed(wire, p->deed, p->client_count) &&
         (p->deed != FREES_AGAIN || is_callback(p->moment->place));
}

/* All combinations, as numbers whose digits are the dimensions. 0: `number` is
 * past the last one. */
static int plan_at(plan *p, const free_wire *wires, size_t wire_count,
                   size_t number) {
  int client_count = (int)(number % FREE_MAX_CLIENTS) + 1;
  number /= FREE_MAX_CLIENTS;
  free_deed deed = (free_deed)(number % FREE_DEEDS);
  number /= FREE_DEEDS;
  const free_moment *moment = &moments[number % MOMENTS];
  number /= MOMENTS;
  if (number >= wire_count) {
    return 0;
  }
  *p = (plan){.wire = wires[number],
              .moment = moment,
              .deed = deed,
              .client_count = client_count};
  snprintf(p->name, sizeof(p->name), "%s, %d: %s %s", free_wires[p->wire].name,
           client_count, moment->name, deeds[deed]);
  return 1;
}

static size_t make_plans(plan *plans, const free_wire *wires, size_t wire_count,
                         const char *pattern) {
  size_t count = 0;
  for (size_t number = 0; plan_at(&plans[count], wires, wire_count, number);
       number++) {
    count +=
        is_plan(&plans[count]) && fnmatch(pattern, plans[count].name, 0) == 0;
  }
  return count;
}

static int run_all(const char *name, plan *plans, size_t count) {
  struct CMUnitTest *tests = calloc(count + 1, sizeof(*tests));
  if (tests == NULL || make_all(NULL) != 0) {
    return 1;
  }
  for (size_t i = 0; i < count; i++) {
    tests[i] = (struct CMUnitTest){
        .name = plans[i].name, .test_func = run, .initial_state = &plans[i]};
  }
  int failures = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
  remove_all(NULL);
  free(tests);
  return failures;
}

int free_bench_run(const char *name, const free_wire *wires, size_t wire_count,
                   int argc, char **argv) {
  enum { PLANS_OF_WIRE = MOMENTS * FREE_DEEDS * FREE_MAX_CLIENTS };
  int failures = 0;
  plan *plans = calloc(wire_count * PLANS_OF_WIRE + 1, sizeof(*plans));
  if (plans == NULL) {
    return 1;
  }
  size_t count = make_plans(plans, wires, wire_count, argc > 1 ? argv[1] : "*");
  if (argc > 2 && strcmp(argv[2], "list") == 0) {
    for (size_t i = 0; i < count; i++) {
      printf("%s\n", plans[i].name);
    }
  } else {
    failures = run_all(name, plans, count);
  }
  free(plans);
  return failures;
}
