/* SPDX-License-Identifier: MIT */
/* Requests that are relayed to their sessions' loops. Here both loops are run
 * by one thread, so that each letter can be stopped on its way;
 * libmcp/test_http_threads.c has the threads. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_rig.h"

#include "endpoint/endpoint.h"
#include "http1/relay.h"
#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPS = 2, TURNS = 10, MAX_HEADERS = 8, MAX_BYTES = 4 * 1024 * 1024 };

typedef struct bench {
  mcp_server *server;
  mcp_loop *loops[LOOPS];
  mcp_http *https[LOOPS];
  mcpi_http1_homes homes;
  mcp_call *kept;
  int cancelled;
  int asked;           /* times that on_request was called */
  int refuse;          /* what it returns */
  const char *upgrade; /* a header of requests; NULL: none */
} bench;

/* A connection with one request. */
typedef struct trip {
  bench *bench;
  mcpi_http1_app app;
  void *handle; /* NULL: no more calls */
  mcp_http_header headers[MAX_HEADERS];
  mcp_http_request request;
  char *body;
  char length[24];
  char answer[4000]; /* what came, and was not looked at yet */
  char id[64];       /* of the session that it began */
  size_t written;    /* bytes of the answer */
  size_t queued;     /* the trip reports this to the relay */
  int is_over;
} trip;

/* --- a connection -------------------------------------------------------- */

static void say(trip *t, const char *text, size_t len) {
  size_t used = strlen(t->answer);
  size_t room = sizeof(t->answer) - 1 - used;
  t->written += len;
  if (len > 0) {
    memcpy(t->answer + used, text, len < room ? len : room);
  }
}

static void say_head(trip *t, const char *what, int status,
                     const mcp_http_header *headers, size_t count) {
  char text[100];
  int len = snprintf(text, sizeof(text), "%s %d\n", what, status);
  say(t, text, (size_t)len);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(headers[i].name, "Mcp-Session-Id") == 0) {
      snprintf(t->id, sizeof(t->id), "%s", headers[i].value);
    }
  }
}

static void respond(void *exchange, int status, const mcp_http_header *headers,
                    size_t count, const char *body, size_t len) {
  trip *t = exchange;
  assert_false(t->is_over);
  say_head(t, "WHOLE", status, headers, count);
  say(t, body, len);
  t->is_over = 1;
  t->handle = NULL;
}

static void begin_answer(void *exchange, int status,
                         const mcp_http_header *headers, size_t count) {
  trip *t = exchange;
  assert_false(t->is_over);
  say_head(t, "BEGIN", status, headers, count);
}

static void write_piece(void *exchange, const char *bytes, size_t len) {
  trip *t = exchange;
  assert_false(t->is_over);
  say(t, bytes, len);
}

static void end_answer(void *exchange) {
  trip *t = exchange;
  assert_false(t->is_over);
  say(t, "END", 3);
  t->is_over = 1;
  t->handle = NULL;
}

static void abort_answer(void *exchange) {
  trip *t = exchange;
  assert_false(t->is_over);
  say(t, "ABORT", 5);
  t->is_over = 1;
  t->handle = NULL;
}

static size_t queued(void *exchange) {
  return ((const trip *)exchange)->queued;
}

static const mcp_http_responder responder = {
    .size = sizeof(mcp_http_responder),
    .respond = respond,
    .begin = begin_answer,
    .write = write_piece,
    .end = end_answer,
    .queued = queued,
    .abort = abort_answer,
    .close = end_answer,
};

static void add_header(trip *t, const char *name, const char *value) {
  t->headers[t->request.header_count++] = (mcp_http_header){name, value};
}

/* Hands over the head, on the loop `at`. id NULL: of no session. `announced`
 * NULL: the body's own length. */
static void send_head(trip *t, bench *b, int at, const char *method,
                      const char *id, const char *announced, const char *body) {
  memset(t, 0, sizeof(*t));
  t->bench = b;
  t->app = mcpi_http1_relay_app(b->homes.relays[at]);
  t->body = rig_expand(body);
  snprintf(t->length, sizeof(t->length), "%zu", strlen(t->body));
  t->request = (mcp_http_request){.size = sizeof(mcp_http_request),
                                  .method = method,
                                  .target = "/mcp",
                                  .headers = t->headers,
                                  .peer = "127.0.0.1:4711"};
  add_header(t, "Host", "localhost");
  add_header(t, "Content-Type", "application/json");
  add_header(t, "content-length", announced != NULL ? announced : t->length);
  if (id != NULL) {
    add_header(t, "MCP-SESSION-ID", id);
  }
  if (b->upgrade != NULL) {
    add_header(t, "Upgrade", b->upgrade);
  }
  t->handle = t->app.on_head(t->app.userdata, &t->request, &responder, t);
}

/* The borrowed parts of the request are no longer valid from here on. */
static void send_body(trip *t) {
  if (t->handle != NULL) {
    t->app.on_body(t->handle, t->body, strlen(t->body));
  }
  memset(t->headers, 0, sizeof(t->headers));
  memset(&t->request, 0, sizeof(t->request));
  free(t->body);
  t->body = NULL;
}

static void leave(trip *t) {
  void *handle = t->handle;
  t->handle = NULL;
  t->is_over = 1;
  if (handle != NULL) {
    t->app.on_gone(handle);
  }
  free(t->body);
  t->body = NULL;
}

static void step(bench *b, int at) {
  for (int i = 0; i < TURNS; i++) {
    mcp_loop_step(b->loops[at]);
  }
}

static void turn(bench *b) {
  for (int i = 0; i < TURNS; i++) {
    step(b, i % LOOPS);
  }
}

static void send_to(trip *t, bench *b, int at, const char *method,
                    const char *id, const char *body) {
  send_head(t, b, at, method, id, NULL, body);
  send_body(t);
}

static void post(trip *t, bench *b, int at, const char *id, const char *body) {
  send_to(t, b, at, "POST", id, body);
}

/* Asserts that this is in what came. */
static void came(trip *t, const char *wanted) {
  char *text = rig_expand(wanted);
  turn(t->bench);
  if (strstr(t->answer, text) == NULL) {
    fail_msg("\"%s\" is not in \"%s\"", text, t->answer);
  }
  t->answer[0] = '\0';
  memset(t->answer, 0, sizeof(t->answer));
  free(text);
}

static void came_nothing(trip *t) {
  turn(t->bench);
  assert_string_equal(t->answer, "");
}

/* --- the bench ----------------------------------------------------------- */

#define INITIALIZE                                                             \
  "{$J,'id':0,'method':'initialize','params':{'protocolVersion':'2025-06-18'," \
  "'capabilities':{},'clientInfo':{'name':'c','version':'2'}}}"
#define PING "{$J,'id':1,'method':'ping'}"
#define PONG "{$J,'id':1,'result':{}}"
#define CALL(name)                                                             \
  "{$J,'id':1,'method':'tools/call','params':{'name':'" name "'}}"

static void on_cancel(mcp_call *call, void *userdata) {
  ((bench *)userdata)->cancelled++;
}

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->kept = call;
  mcp_call_on_cancel(call, on_cancel, b);
  return mcp_call_defer(call);
}

static int on_tell(mcp_call *call, void *userdata) {
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "\"careful\"");
  return mcp_call_reply_text(call, "told");
}

static int on_request(mcp_server *server, const mcp_http_request *request,
                      mcp_http_decision *decision, void *userdata) {
  bench *b = userdata;
  assert_ptr_equal(server, b->server);
  assert_string_equal(request->target, "/mcp");
  assert_string_equal(request->peer, "127.0.0.1:4711");
  b->asked++;
  decision->reason = "no";
  return b->refuse;
}

static void add_tool(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .handler = handler,
                         .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->server, &tool, NULL), 0);
}

static int add_loop(bench *b, int i, uint32_t legacy) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .legacy = legacy,
                                    .on_request = on_request,
                                    .userdata = b};
  b->loops[i] = mcp_loop_new(NULL, NULL);
  b->https[i] = mcp_http_new(b->server, b->loops[i], &options, NULL);
  assert_non_null(b->https[i]);
  return mcpi_http1_relay_new(b->loops[i], b->https[i], MAX_BYTES, &b->homes) !=
                 NULL
             ? 0
             : MCP_ERR_NOMEM;
}

static int begin_with(bench *b, uint32_t legacy,
                      const mcp_allocator *allocator) {
  int rc = 0;
  memset(b, 0, sizeof(*b));
  b->homes.allocator = allocator;
  b->server = mcp_server_new("test", "1", NULL, NULL);
  mcp_server_enable_logging(b->server);
  add_tool(b, "keep", on_keep);
  add_tool(b, "tell", on_tell);
  for (int i = 0; rc == 0 && i < LOOPS; i++) {
    rc = add_loop(b, i, legacy);
  }
  turn(b);
  return rc;
}

static void begin(bench *b) {
  assert_int_equal(begin_with(b, MCP_HTTP_SESSIONS, mcp_allocator_default()),
                   0);
}

static void close_loop(bench *b, int i) {
  mcpi_http1_relay_close(b->homes.relays[i]);
  mcp_http_free(b->https[i]);
  b->https[i] = NULL;
}

static void end(bench *b) {
  for (size_t i = 0; i < LOOPS; i++) {
    if (b->https[i] != NULL && i < b->homes.count) {
      close_loop(b, (int)i);
    } else {
      mcp_http_free(b->https[i]);
    }
  }
  mcpi_http1_homes_settle(&b->homes);
  for (int i = 0; i < LOOPS; i++) {
    mcpi_http1_relay_free(b->homes.relays[i]);
  }
  if (b->kept != NULL) {
    mcp_call_reply_text(b->kept, "late");
  }
  mcp_server_free(b->server);
  for (int i = 0; i < LOOPS; i++) {
    if (b->loops[i] != NULL) {
      mcp_loop_free(b->loops[i]);
    }
  }
}

static void answer(bench *b) {
  mcp_call *call = b->kept;
  b->kept = NULL;
  mcp_call_reply_text(call, "kept");
}

/* A session on that loop. */
static const char *open_session(bench *b, int at) {
  static char id[64];
  trip t;
  post(&t, b, at, NULL, INITIALIZE);
  came(&t, "WHOLE 200\n{$J,'id':0,'result'");
  snprintf(id, sizeof(id), "%s", t.id);
  assert_int_equal(id[0], 'A' + at);
  post(&t, b, at, id, "{$J,'method':'notifications/initialized'}");
  came(&t, "WHOLE 202");
  return id;
}

/* A call of a session on loop 1 that a client of loop 0 waits for. */
static void keep(bench *b, trip *t) {
  post(t, b, 0, open_session(b, 1), CALL("keep"));
  came_nothing(t);
  assert_non_null(b->kept);
}

static bench b;

static int set_up(void **state) {
  begin(&b);
  return 0;
}

static int tear_down(void **state) {
  end(&b);
  return 0;
}

#define RELAY_TEST(name) TEST_WITH(name, set_up, tear_down)

/* --- where a request goes ------------------------------------------------ */

RELAY_TEST(a_session_is_reached_from_every_loop) {
  trip t;
  for (int home = 0; home < LOOPS; home++) {
    const char *id = open_session(&b, home);
    for (int at = 0; at < LOOPS; at++) {
      post(&t, &b, at, id, PING);
      assert_int_equal(t.is_over, at == home); /* at once, or by letter */
      came(&t, "WHOLE 200\n" PONG);
    }
    send_to(&t, &b, 1 - home, "DELETE", id, "");
    came(&t, "WHOLE 204");
    post(&t, &b, home, id, PING);
    came(&t, "WHOLE 404");
  }
}

RELAY_TEST(a_home_that_there_is_not_is_this_one) {
  static const char *const ids[] = {"", "C", "_", "\x80", "A234"};
  trip t;
  for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
    post(&t, &b, 0, ids[i], PING);
    assert_true(t.is_over);
    came(&t, "WHOLE 404");
  }
  post(&t, &b, 0, "B234", PING);
  assert_false(t.is_over);
  came(&t, "WHOLE 404");
}

TEST(without_sessions_nothing_is_relayed) {
  trip t;
  assert_int_equal(begin_with(&b, MCP_HTTP_STATELESS, mcp_allocator_default()),
                   0);
  post(&t, &b, 0, "B234", "{$J,'id':1,'method':'tools/list'}");
  assert_true(t.is_over);
  came(&t, "WHOLE 200");
  end(&b);
}

/* It is in no session, whatever it says. */
RELAY_TEST(a_websocket_stays_where_it_came) {
  trip t;
  const char *id = open_session(&b, 1);
  b.upgrade = "websocket";
  send_to(&t, &b, 0, "GET", id, "");
  assert_false(t.is_over); /* on its way: there is no such wire */
  turn(&b);
  leave(&t);
  b.https[0]->options.wires |= MCP_HTTP_WEBSOCKET;
  send_to(&t, &b, 0, "GET", id, "");
  assert_true(t.is_over);
  came(&t, "WHOLE 404");
}

RELAY_TEST(the_program_is_asked_once) {
  trip t;
  const char *id = open_session(&b, 1);
  b.asked = 0;
  post(&t, &b, 0, id, PING);
  came(&t, PONG);
  assert_int_equal(b.asked, 1);
  b.refuse = 403;
  post(&t, &b, 0, id, PING);
  came(&t, "WHOLE 403\nno");
  assert_int_equal(b.asked, 2);
}

/* --- bodies -------------------------------------------------------------- */

RELAY_TEST(a_short_body_is_waited_for) {
  trip t;
  const char *id = open_session(&b, 1);
  b.asked = 0;
  send_head(&t, &b, 0, "POST", id, "9999", PING);
  turn(&b);
  assert_int_equal(b.asked, 0);
  send_body(&t);
  came(&t, PONG);
}

RELAY_TEST(a_long_body_comes_behind_its_head) {
  trip t;
  const char *id = open_session(&b, 1);
  b.asked = 0;
  send_head(&t, &b, 0, "POST", id, "10000", PING);
  turn(&b);
  assert_int_equal(b.asked, 1);
  send_body(&t);
  came(&t, PONG);
  assert_int_equal(b.asked, 1);
  b.refuse = 401;
  send_head(&t, &b, 0, "POST", id, "10000", PING);
  turn(&b);
  assert_true(t.is_over); /* before the body came */
  send_body(&t);
  came(&t, "WHOLE 401\nno");
  /* The body is on its way as the refusal is. */
  send_head(&t, &b, 0, "POST", id, "10000", PING);
  step(&b, 1);
  send_body(&t);
  came(&t, "WHOLE 401\nno");
}

/* --- streams ------------------------------------------------------------- */

RELAY_TEST(a_stream_comes_in_its_order) {
  trip t;
  post(&t, &b, 0, open_session(&b, 1), CALL("tell"));
  turn(&b);
  const char *begun = strstr(t.answer, "BEGIN 200\nid: 1-1\ndata: ");
  const char *told = strstr(t.answer, "id: 1-2\ndata: ");
  assert_non_null(begun);
  assert_non_null(told);
  assert_true(begun < told);
  assert_true(t.is_over);
  assert_string_equal(t.answer + strlen(t.answer) - 5, "\n\nEND");
}

static void log_much(mcp_call *call, size_t bytes) {
  enum { PIECE = 64 * 1024 };
  char *text = malloc(PIECE);
  memset(text, 'x', PIECE);
  text[0] = '"';
  text[PIECE - 2] = '"';
  text[PIECE - 1] = '\0';
  for (size_t sent = 0; sent < bytes; sent += PIECE) {
    mcp_call_log(call, MCP_LOG_WARNING, NULL, text);
  }
  free(text);
}

RELAY_TEST(what_is_under_way_is_bounded) {
  enum { MEGA = 1024 * 1024 };
  trip t;
  keep(&b, &t);
  log_much(b.kept, 10 * MEGA);
  step(&b, 1); /* the connection's loop is busy meanwhile */
  step(&b, 0);
  assert_in_range(t.written, MEGA, MEGA + 100000);
  answer(&b);
  turn(&b);
  assert_true(t.is_over);
}

static void await_sample(bench *self, const trip *t, size_t written) {
  while (t->written == written) {
    mcp_loop_wait(self->loops[0], 100);
    mcp_call_log(self->kept, MCP_LOG_WARNING, NULL, "\"more\"");
    turn(self);
  }
}

RELAY_TEST(a_client_that_does_not_read_is_spared) {
  trip t;
  keep(&b, &t);
  t.queued = 2 * 1024 * 1024;
  mcp_call_log(b.kept, MCP_LOG_WARNING, NULL, "\"first\"");
  came(&t, "first");
  size_t written = t.written;
  mcp_call_log(b.kept, MCP_LOG_WARNING, NULL, "\"second\"");
  turn(&b);
  assert_int_equal(t.written, written); /* left out */
  t.queued = 0;                         /* it reads again, so it is notified */
  await_sample(&b, &t, written);
  t.queued = 20 * 1024 * 1024;
  mcp_call_log(b.kept, MCP_LOG_WARNING, NULL, "\"last\"");
  came(&t, "last");
  answer(&b);
  came(&t, "ABORT");
}

static char *blanks(size_t len) {
  char *text = malloc(len + 1);
  memset(text, ' ', len);
  text[len] = '\0';
  return text;
}

/* Requests lie there until it comes to them: no more than that. */
RELAY_TEST(a_home_that_does_not_keep_up_is_spared) {
  enum { LEN = 1000000, WAITING = MAX_BYTES / LEN };
  trip t[WAITING + 1];
  const char *id = open_session(&b, 1);
  char *body = blanks(LEN);
  for (int i = 0; i <= WAITING; i++) {
    post(&t[i], &b, 0, id, body);
  }
  assert_string_equal(t[WAITING].answer, "WHOLE 503\n");
  for (int i = 0; i < WAITING; i++) {
    came(&t[i], "WHOLE 400");
  }
  post(&t[0], &b, 0, id, body);
  came(&t[0], "WHOLE 400");
  free(body);
}

RELAY_TEST(an_answer_past_the_limit_is_broken_off) {
  trip t;
  keep(&b, &t);
  char *text = blanks(MAX_BYTES);
  mcp_call_reply_text(b.kept, text);
  b.kept = NULL;
  came(&t, "ABORT");
  free(text);
}

RELAY_TEST(many_clients_that_do_not_read) {
  enum { COUNT = 5 };
  trip trips[COUNT];
  for (int i = 0; i < COUNT; i++) {
    send_to(&trips[i], &b, 0, "GET", open_session(&b, 1), "");
    trips[i].queued = 1000;
    came(&trips[i], "BEGIN 200");
  }
  add_tool(&b, "more", on_tell);
  for (int i = 0; i < COUNT; i++) {
    came(&trips[i], "list_changed");
  }
  leave(&trips[2]);
  for (int i = 0; i < 2; i++) {
    mcp_loop_wait(b.loops[0], 100);
    mcp_loop_wait(b.loops[0], 100);
    trips[i].queued = 0;
    leave(&trips[4 - i]);
  }
  leave(&trips[0]);
  leave(&trips[1]);
}

/* --- clients that go ----------------------------------------------------- */

RELAY_TEST(a_client_goes_before_its_body) {
  trip t;
  const char *id = open_session(&b, 1);
  send_head(&t, &b, 0, "POST", id, NULL, PING);
  leave(&t);
  turn(&b);
  send_head(&t, &b, 0, "POST", id, "10000", PING);
  leave(&t); /* both letters lie there */
  turn(&b);
  send_head(&t, &b, 0, "POST", id, "10000", PING);
  turn(&b);
  leave(&t);
  came_nothing(&t);
}

RELAY_TEST(a_client_goes_as_its_request_is_under_way) {
  trip t;
  post(&t, &b, 0, open_session(&b, 1), PING);
  leave(&t);
  came_nothing(&t);
}

RELAY_TEST(a_client_goes_as_its_answer_is_under_way) {
  static const char *const bodies[] = {PING, CALL("tell")};
  trip t;
  const char *id = open_session(&b, 1);
  for (int i = 0; i < 2; i++) {
    post(&t, &b, 0, id, bodies[i]);
    step(&b, 1);
    leave(&t);
    came_nothing(&t);
  }
}

/* In a session the call goes on (MCP 2025-11-25, Transports: Sending Messages
 * to the Server). */
RELAY_TEST(a_client_that_goes_frees_the_stream) {
  trip t;
  const char *id = open_session(&b, 1);
  send_to(&t, &b, 0, "GET", id, "");
  came(&t, "BEGIN 200");
  trip other;
  send_to(&other, &b, 0, "GET", id, "");
  came(&other, "WHOLE 409");
  leave(&t);
  turn(&b);
  send_to(&t, &b, 0, "GET", id, "");
  came(&t, "BEGIN 200");
  leave(&t);
}

RELAY_TEST(a_modern_call_is_cancelled) {
  trip t;
  const char *id = open_session(&b, 1);
  send_head(&t, &b, 0, "POST", id, NULL,
            "{$J,'id':1,'method':'tools/call','params':{'name':'keep',$M{}}}");
  add_header(&t, "MCP-Protocol-Version", "2026-07-28");
  add_header(&t, "Mcp-Method", "tools/call");
  add_header(&t, "Mcp-Name", "keep");
  send_body(&t);
  came_nothing(&t);
  assert_non_null(b.kept);
  leave(&t);
  turn(&b);
  assert_int_equal(b.cancelled, 1);
}

/* --- loops that end ------------------------------------------------------ */

RELAY_TEST(a_home_closes_first) {
  trip waiting;
  trip late;
  keep(&b, &waiting);
  post(&late, &b, 0, "B234", PING);
  close_loop(&b, 1);
  came(&waiting, "ABORT");
  came(&late, "ABORT");
  post(&late, &b, 0, "B234", PING);
  came(&late, "ABORT");
}

/* Nobody opens the letters any more: in each stage of a request. */
RELAY_TEST(letters_are_left) {
  trip t[6];
  keep(&b, &t[0]);
  answer(&b);
  keep(&b, &t[1]);
  log_much(b.kept, 100000);
  post(&t[2], &b, 0, "B234", PING);
  send_head(&t[3], &b, 0, "POST", "B234", NULL, PING);
  send_head(&t[4], &b, 0, "POST", "B234", "10000", PING);
  send_head(&t[5], &b, 0, "POST", "B234", "10000", PING);
  send_body(&t[5]);
  for (int i = 0; i < 6; i++) {
    leave(&t[i]);
  }
}

/* --- out of memory ------------------------------------------------------- */

/* Each client that asked gets an answer, or sees the connection end. */
static int relay_some(const mcp_allocator *allocator, void *userdata) {
  static const char *const bodies[] = {PING, CALL("tell"), PING};
  static const char *const lengths[] = {NULL, NULL, "10000"};
  trip t;
  int rc = begin_with(&b, MCP_HTTP_SESSIONS, allocator);
  const char *id = rc == 0 ? open_session(&b, 1) : NULL;
  for (int i = 0; rc == 0 && i < 3; i++) {
    send_head(&t, &b, 0, "POST", id, lengths[i], bodies[i]);
    turn(&b);
    send_body(&t);
    turn(&b);
    assert_true(t.is_over);
    if (strstr(t.answer, "WHOLE 503") != NULL ||
        strstr(t.answer, "ABORT") != NULL) {
      rc = MCP_ERR_NOMEM;
    }
  }
  if (rc == 0) { /* the home knows of no client any more */
    send_to(&t, &b, 0, "GET", id, "");
    turn(&b);
    rc = t.is_over ? MCP_ERR_NOMEM : 0;
    leave(&t);
  }
  end(&b);
  return rc;
}

TEST(nobody_waits_without_memory) {
  assert_in_range(failing_alloc_rerun(relay_some, NULL), 10, 100);
}
