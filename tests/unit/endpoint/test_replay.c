/* SPDX-License-Identifier: MIT */
/* Streams that outlive their connections (PROTOCOL 3.4, resumption and
 * polling), with the store in memory, and with one that takes its time. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EVENTS = 64 };

/* A store that keeps what it is given, and answers when it is told to. */
typedef struct slow_replay {
  mcp_event_each_cb each;
  mcp_event_done_cb done;
  void *argument;
  uint64_t stream;
  uint64_t after;
} slow_replay;

typedef struct slow_store {
  mcp_event_store store;
  struct {
    uint64_t stream;
    uint64_t seq;
    char *data;
  } events[MAX_EVENTS];
  size_t event_count;
  struct {
    mcp_event_done_cb done;
    void *argument;
  } appends[MAX_EVENTS];
  size_t append_count;
  slow_replay replays[8];
  size_t replay_count;
  int forgotten;
  int rc; /* of what is asked; 0: it is done later */
} slow_store;

typedef struct bench {
  http_rig http;
  slow_store slow;
  mcp_call *kept[8];
  int kept_count;
  int rc;
} bench;

#define OPEN(revision) INITIALIZE(revision, "{'elicitation':{}}")
#define CHANGED "{$J,'method':'notifications/tools/list_changed'}"
#define LOG(text)                                                              \
  "{$J,'method':'notifications/message','params':{'level':'error',"            \
  "'data':'" text "'}}"

/* --- the slow store ----------------------------------------------------- */

static int on_append(void *userdata, const char *session, uint64_t stream,
                     uint64_t seq, const char *data, size_t len,
                     mcp_event_done_cb done, void *argument) {
  slow_store *slow = userdata;
  (void)session;
  if (slow->rc != 0) {
    return slow->rc;
  }
  size_t i = slow->event_count++;
  slow->events[i].stream = stream;
  slow->events[i].seq = seq;
  slow->events[i].data = calloc(1, len + 1);
  memcpy(slow->events[i].data, data, len);
  slow->appends[slow->append_count].done = done;
  slow->appends[slow->append_count++].argument = argument;
  return MCP_PENDING;
}

static int on_replay(void *userdata, const char *session, uint64_t stream,
                     uint64_t after, mcp_event_each_cb each,
                     mcp_event_done_cb done, void *argument) {
  slow_store *slow = userdata;
  (void)session;
  if (slow->rc != 0) {
    return slow->rc;
  }
  slow->replays[slow->replay_count++] =
      (slow_replay){each, done, argument, stream, after};
  return MCP_PENDING;
}

static void on_forget(void *userdata, const char *session) {
  slow_store *slow = userdata;
  assert_int_equal(strlen(session), 32);
  slow->forgotten++;
}

/* Appends are done in an order of their own. */
static void finish_appends(slow_store *slow, int rc) {
  while (slow->append_count > 0) {
    slow->append_count--;
    slow->appends[slow->append_count].done(
        slow->appends[slow->append_count].argument, rc);
  }
}

static void give_events(const slow_store *slow, const slow_replay *r) {
  for (size_t i = 0; i < slow->event_count; i++) {
    if (slow->events[i].stream == r->stream && slow->events[i].seq > r->after) {
      r->each(r->argument, slow->events[i].seq, slow->events[i].data,
              strlen(slow->events[i].data));
    }
  }
}

static slow_replay take_replay(slow_store *slow) {
  assert_true(slow->replay_count > 0);
  slow_replay r = slow->replays[0];
  slow->replay_count--;
  memmove(slow->replays, slow->replays + 1,
          slow->replay_count * sizeof(slow->replays[0]));
  return r;
}

static void finish_replay(slow_store *slow) {
  slow_replay r = take_replay(slow);
  give_events(slow, &r);
  r.done(r.argument, 0);
}

/* --- the bench ---------------------------------------------------------- */

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->kept[b->kept_count++] = call;
  return mcp_call_defer(call);
}

static int on_poll(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->kept[b->kept_count++] = call;
  b->rc = mcp_call_close_stream(call, 250);
  return mcp_call_defer(call);
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  const mcp_elicit question = {.size = sizeof(mcp_elicit),
                               .message = "Who?",
                               .form = MCP_OBJECT(MCP_STRING("name", "yours"))};
  (void)userdata;
  int rc = mcp_call_ask_elicit(call, "name", &question, &answer);
  return rc != 0 ? rc : mcp_call_reply_text(call, "asked");
}

static void add(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .handler = handler,
                         .userdata = b};
  mcp_server_add_tool(b->http.rig.server, &tool);
}

/* A news for the standalone stream. */
static void change(bench *b) {
  static int count;
  char name[16];
  snprintf(name, sizeof(name), "tool%d", count++);
  add(b, name, on_keep);
  rig_turn(&b->http.rig);
}

static int init(bench *b, int is_slow, const mcp_http_options *options,
                const mcp_allocator *allocator) {
  mcp_http_options all = {.size = sizeof(mcp_http_options)};
  memset(b, 0, sizeof(*b));
  b->slow.store = (mcp_event_store){.size = sizeof(mcp_event_store),
                                    .append = on_append,
                                    .replay = on_replay,
                                    .forget = on_forget,
                                    .userdata = &b->slow};
  if (options != NULL) {
    all = *options;
  }
  all.events = is_slow ? &b->slow.store : NULL;
  int rc = http_rig_init(&b->http, NULL, &all, allocator);
  if (rc == 0) {
    rc = mcp_server_enable_logging(b->http.rig.server);
    add(b, "keep", on_keep);
    add(b, "poll", on_poll);
    add(b, "ask", on_ask);
    rig_turn(&b->http.rig);
  }
  return rc;
}

/* after: a Last-Event-ID; NULL: none. */
static void listen_after(bench *b, http_trip *trip, const char *after) {
  char header[128] = "";
  if (after != NULL) {
    snprintf(header, sizeof(header), "Last-Event-ID: %s\n", after);
  }
  session_send(&b->http, trip, "GET", header, "");
}

static void begin(bench *b, const char *request, int is_slow) {
  assert_int_equal(init(b, is_slow, NULL, NULL), 0);
  session_open(&b->http, request);
}

static int reply(bench *b, int i, const char *text) {
  mcp_call *call = b->kept[i];
  b->kept[i] = NULL;
  return call != NULL ? mcp_call_reply_text(call, text) : 0;
}

static void end(bench *b) {
  for (int i = 0; i < b->kept_count; i++) {
    reply(b, i, "late");
  }
  mcp_http_free(b->http.http);
  b->http.http = NULL;
  finish_appends(&b->slow, 0);
  http_rig_deinit(&b->http);
  for (size_t i = 0; i < b->slow.event_count; i++) {
    free(b->slow.events[i].data);
  }
  b->slow.event_count = 0;
}

static int set_up(void **state) {
  static bench b;
  memset(&b, 0, sizeof(b));
  *state = &b;
  return 0;
}

static int tear_down(void **state) {
  end(*state);
  return 0;
}

#define REPLAY_TEST(name)                                                      \
  cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void tell(bench *b, const char *text) {
  mcp_call_logf(b->kept[0], MCP_LOG_ERROR, "%s", text);
  rig_turn(&b->http.rig);
}

/* --- resuming ----------------------------------------------------------- */

static void a_lost_stream_is_taken_up(void **state) {
  bench *b = *state;
  static http_trip lost;
  static http_trip found;
  begin(b, OPEN("2025-06-18"), 0);
  session_post(&b->http, &lost, LEGACY_CALL("1", "keep"));
  tell(b, "one");
  tell(b, "two");
  came(&lost,
       EVENTS(KEPT_EVENT("1-1", LOG("one")) KEPT_EVENT("1-2", LOG("two"))));
  trip_gone(&lost);
  tell(b, "three");
  listen_after(b, &found, "1-1");
  came(&found,
       EVENTS(KEPT_EVENT("1-2", LOG("two")) KEPT_EVENT("1-3", LOG("three"))));
  tell(b, "four");
  came(&found, KEPT_EVENT("1-4", LOG("four")));
  assert_int_equal(reply(b, 0, "kept"), 0);
  came(&found, KEPT_EVENT("1-5", LEGACY_TEXT("1", "kept")) "END");
  trip_deinit(&lost);
  trip_deinit(&found);
}

static void an_answer_waits_for_its_client(void **state) {
  bench *b = *state;
  static http_trip trip;
  begin(b, OPEN("2025-06-18"), 0);
  session_post(&b->http, &trip, LEGACY_CALL("1", "keep"));
  tell(b, "one");
  trip_gone(&trip);
  assert_int_equal(reply(b, 0, "kept"), 0);
  trip_deinit(&trip);
  for (int i = 0; i < 2; i++) { /* as often as it asks */
    listen_after(b, &trip, "1-1");
    came(&trip, EVENTS(KEPT_EVENT("1-2", LEGACY_TEXT("1", "kept")) "END"));
    trip_deinit(&trip);
  }
  listen_after(b, &trip, "1-2");
  came(&trip, EVENTS("END"));
  trip_deinit(&trip);
}

static void an_answer_without_id_is_lost(void **state) {
  bench *b = *state;
  static http_trip trip;
  begin(b, OPEN("2025-06-18"), 0);
  session_post(&b->http, &trip, LEGACY_CALL("1", "keep"));
  trip_gone(&trip);
  assert_int_equal(reply(b, 0, "kept"), MCP_ERR_GONE);
  trip_deinit(&trip);
}

static void streams_are_kept_apart(void **state) {
  bench *b = *state;
  static http_trip trips[2];
  static http_trip get;
  begin(b, OPEN("2025-06-18"), 0);
  for (int i = 0; i < 2; i++) {
    session_post(&b->http, &trips[i],
                 i == 0 ? LEGACY_CALL("1", "keep") : LEGACY_CALL("2", "keep"));
    mcp_call_log(b->kept[i], MCP_LOG_ERROR, NULL, "\"x\"");
    trip_gone(&trips[i]);
  }
  reply(b, 0, "first");
  reply(b, 1, "second");
  listen_after(b, &get, "2-0");
  came(&get, EVENTS(KEPT_EVENT("2-1", LOG("x"))
                        KEPT_EVENT("2-2", LEGACY_TEXT("2", "second")) "END"));
  trip_deinit(&get);
  for (int i = 0; i < 2; i++) {
    trip_deinit(&trips[i]);
  }
}

static void a_client_that_is_back_takes_over(void **state) {
  bench *b = *state;
  static http_trip old;
  static http_trip new;
  begin(b, OPEN("2025-06-18"), 0);
  session_post(&b->http, &old, LEGACY_CALL("1", "keep"));
  tell(b, "one");
  trip_forget(&old);
  listen_after(b, &new, "1-1");
  came(&old, "END");
  came(&new, EVENTS(""));
  tell(b, "two");
  came(&new, KEPT_EVENT("1-2", LOG("two")));
  reply(b, 0, "kept");
  came(&new, KEPT_EVENT("1-3", LEGACY_TEXT("1", "kept")) "END");
  trip_deinit(&old);
  trip_deinit(&new);
}

typedef struct axe {
  bench *b;
  http_trip *other;
  int what;
} axe;

static void fell(http_trip *trip, void *userdata) {
  axe *a = userdata;
  if (!trip->is_over) {
    return;
  }
  if (a->what == 0) {
    mcp_http_free(a->b->http.http);
    a->b->http.http = NULL;
  } else if (a->what == 1) {
    mcp_server_free(a->b->http.rig.server);
    a->b->http.rig.server = NULL;
  } else {
    trip_gone(a->other);
  }
}

static void a_stream_that_is_taken_over_may_free_everything(void **state) {
  bench *b = *state;
  for (int what = 0; what < 3; what++) {
    static http_trip old;
    static http_trip new;
    axe a = {b, &new, what};
    begin(b, OPEN("2025-06-18"), 0);
    session_post(&b->http, &old, LEGACY_CALL("1", "keep"));
    tell(b, "one");
    old.on_answer = fell;
    old.userdata = &a;
    listen_after(b, &new, "1-1");
    assert_true(old.is_over);
    assert_true(new.is_over);
    old.on_answer = NULL;
    trip_deinit(&old);
    trip_deinit(&new);
    end(b);
  }
}

static void the_ids_of_events_are_checked(void **state) {
  static const char *const ids[] = {"",
                                    "x",
                                    "1",
                                    "-1",
                                    "1-",
                                    "1-1x",
                                    "1-1-",
                                    "1-1-x",
                                    "1-1-2-3",
                                    "1-9999",
                                    "9-1",
                                    "0-99",
                                    "99999999999999999999999-1"};
  bench *b = *state;
  static http_trip trip;
  static http_trip get;
  begin(b, OPEN("2025-06-18"), 0);
  session_post(&b->http, &trip, LEGACY_CALL("1", "keep"));
  tell(b, "one");
  for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
    char expected[300];
    snprintf(expected, sizeof(expected),
             JSON("400",
                  ERROR_ALONE("-32600", "Last-Event-ID: \\\"%s\\\" is no event "
                                        "of this session")),
             ids[i]);
    listen_after(b, &get, ids[i]);
    came(&get, expected);
    trip_deinit(&get);
  }
  trip_deinit(&trip);
}

/* --- the standalone stream ---------------------------------------------- */

static void news_wait_for_a_client_that_listens(void **state) {
  bench *b = *state;
  static http_trip get;
  begin(b, OPEN("2025-06-18"), 0);
  change(b);
  listen_after(b, &get, NULL);
  came(&get, EVENTS(KEPT_EVENT("0-1", CHANGED)));
  change(b);
  came(&get, KEPT_EVENT("0-2", CHANGED));
  trip_deinit(&get);
  change(b);
  listen_after(b, &get, NULL);
  came(&get, EVENTS(KEPT_EVENT("0-3", CHANGED)));
  trip_deinit(&get);
  listen_after(b, &get, "0-1");
  came(&get, EVENTS(KEPT_EVENT("0-2", CHANGED) KEPT_EVENT("0-3", CHANGED)));
  trip_deinit(&get);
}

static void a_client_that_does_not_read_may_come_back(void **state) {
  bench *b = *state;
  static http_trip get;
  begin(b, OPEN("2025-06-18"), 0);
  listen_after(b, &get, NULL);
  get.queued = 16 * 1024 * 1024 + 1;
  change(b);
  came(&get, EVENTS("ABORT"));
  trip_deinit(&get);
  listen_after(b, &get, NULL);
  came(&get, EVENTS(KEPT_EVENT("0-1", CHANGED)));
  trip_deinit(&get);
}

static void the_store_keeps_events_up_to_its_limit(void **state) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .replay_bytes =
                                        430 /* of three, with 32 bits too */};
  bench *b = *state;
  static http_trip get;
  assert_int_equal(init(b, 0, &options, NULL), 0);
  session_open(&b->http, OPEN("2025-06-18"));
  for (int i = 0; i < 10; i++) {
    change(b);
  }
  listen_after(b, &get, NULL);
  came(&get, EVENTS(KEPT_EVENT("0-8", CHANGED) KEPT_EVENT("0-9", CHANGED)
                        KEPT_EVENT("0-10", CHANGED)));
  trip_deinit(&get);
}

static void questions_find_the_client_on_either_stream(void **state) {
  bench *b = *state;
  static http_trip trip;
  static http_trip get;
  begin(b, OPEN("2025-06-18"), 0);
  listen_after(b, &get, NULL);
  trip_forget(&get);
  char request[1000];
  snprintf(request, sizeof(request),
           "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
           "Accept: application/json\nMcp-Session-Id: %s\n\n%s",
           b->http.session_id, LEGACY_CALL("1", "ask"));
  trip_send(&trip, &b->http, request);
  came(&trip, "");
  assert_non_null(strstr(get.answer.bytes, "elicitation/create"));
  trip_deinit(&trip);
  trip_deinit(&get);
}

/* Nobody listens, and it is too long to be kept: its call need not wait. */
static void a_lost_question_ends_its_call(void **state) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .replay_bytes = 100};
  bench *b = *state;
  static http_trip trip;
  char request[1000];
  assert_int_equal(init(b, 0, &options, NULL), 0);
  session_open(&b->http, OPEN("2025-06-18"));
  snprintf(request, sizeof(request),
           "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
           "Accept: application/json\nMcp-Session-Id: %s\n\n%s",
           b->http.session_id, LEGACY_CALL("1", "ask"));
  trip_send(&trip, &b->http, request);
  assert_true(trip.is_over);
  trip_deinit(&trip);
}

/* --- polling ------------------------------------------------------------ */

static void a_client_that_can_poll_learns_where_it_is(void **state) {
  bench *b = *state;
  static http_trip trip;
  static http_trip get;
  begin(b, OPEN("2025-11-25"), 0);
  listen_after(b, &get, NULL);
  came(&get, EVENTS(PRIMED("0-0-1")));
  session_post(&b->http, &trip, LEGACY_CALL("1", "keep"));
  came(&trip, EVENTS(PRIMED("1-0-2")));
  trip_gone(&trip);
  assert_int_equal(reply(b, 0, "kept"), 0);
  trip_deinit(&trip);
  listen_after(b, &trip, "1-0-2");
  came(&trip, EVENTS(PRIMED("1-0-3")
                         KEPT_EVENT("1-1", LEGACY_TEXT("1", "kept")) "END"));
  trip_deinit(&trip);
  trip_deinit(&get);
}

static void a_handler_may_send_its_client_away(void **state) {
  bench *b = *state;
  static http_trip trip;
  begin(b, OPEN("2025-11-25"), 0);
  session_post(&b->http, &trip, LEGACY_CALL("1", "poll"));
  assert_int_equal(b->rc, 0);
  came(&trip, EVENTS(PRIMED("1-0-1") "retry: 250\n\nEND"));
  trip_deinit(&trip);
  assert_int_equal(mcp_call_close_stream(b->kept[0], 0), 0);
  listen_after(b, &trip, "1-0-1");
  came(&trip, EVENTS(PRIMED("1-0-2")));
  tell(b, "soon");
  came(&trip, KEPT_EVENT("1-1", LOG("soon")));
  assert_int_equal(mcp_call_close_stream(b->kept[0], 0), 0);
  came(&trip, "END");
  trip_deinit(&trip);
  assert_int_equal(reply(b, 0, "kept"), 0);
  listen_after(b, &trip, "1-1");
  came(&trip, EVENTS(PRIMED("1-1-3")
                         KEPT_EVENT("1-2", LEGACY_TEXT("1", "kept")) "END"));
  trip_deinit(&trip);
}

/* On a thread of the pool, as far as the rig has one. */
static int on_blocking(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->rc = mcp_call_close_stream(call, 0);
  return mcp_call_reply_text(call, "done");
}

static void a_blocking_handler_may_send_its_client_away(void **state) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = "blocking",
                         .is_blocking = 1,
                         .handler = on_blocking};
  mcp_tool mine = tool;
  bench *b = *state;
  static http_trip trip;
  begin(b, OPEN("2025-11-25"), 0);
  mine.userdata = b;
  mcp_server_add_tool(b->http.rig.server, &mine);
  session_post(&b->http, &trip, LEGACY_CALL("1", "blocking"));
  came(&trip, EVENTS(PRIMED("1-0-1")));
  rig_work(&b->http.rig);
  assert_int_equal(b->rc, 0);
  came(&trip, "END");
  trip_deinit(&trip);
  listen_after(b, &trip, "1-0-1");
  came(&trip, EVENTS(PRIMED("1-0-2")
                         KEPT_EVENT("1-1", LEGACY_TEXT("1", "done")) "END"));
  trip_deinit(&trip);
}

static void clients_that_cannot_poll_are_not_sent_away(void **state) {
  bench *b = *state;
  static http_trip trip;
  begin(b, OPEN("2025-06-18"), 0);
  session_post(&b->http, &trip, LEGACY_CALL("1", "poll"));
  assert_int_equal(b->rc, MCP_ERR_UNSUPPORTED);
  trip_deinit(&trip);
  trip_send(&trip, &b->http, CALL("1", "poll"));
  assert_int_equal(b->rc, MCP_ERR_UNSUPPORTED);
  trip_deinit(&trip);
  assert_int_equal(mcp_call_close_stream(NULL, 0), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_close_stream(b->kept[1], 0), MCP_ERR_GONE);
  reply(b, 0, "kept");
  reply(b, 1, "kept");
}

/* --- a store that takes its time ---------------------------------------- */

static void messages_sent_during_a_replay_follow_it(void **state) {
  bench *b = *state;
  static http_trip trip;
  begin(b, OPEN("2025-06-18"), 1);
  session_post(&b->http, &trip, LEGACY_CALL("1", "keep"));
  tell(b, "one");
  trip_deinit(&trip);
  tell(b, "two");
  listen_after(b, &trip, "1-0");
  came(&trip, EVENTS(""));
  slow_replay r = take_replay(&b->slow);
  give_events(&b->slow, &r);
  came(&trip, KEPT_EVENT("1-1", LOG("one")) KEPT_EVENT("1-2", LOG("two")));
  tell(b, "three");
  reply(b, 0, "kept");
  came(&trip, "");
  r.done(r.argument, 0);
  finish_appends(&b->slow, 0);
  finish_replay(&b->slow);
  came(&trip, KEPT_EVENT("1-3", LOG("three"))
                  KEPT_EVENT("1-4", LEGACY_TEXT("1", "kept")) "END");
  assert_int_equal(b->slow.replay_count, 0);
  trip_deinit(&trip);
  end(b);
  assert_int_equal(b->slow.forgotten, 1);
}

static void a_replay_goes_to_the_client_that_asked(void **state) {
  bench *b = *state;
  static http_trip first;
  static http_trip second;
  begin(b, OPEN("2025-06-18"), 1);
  change(b);
  change(b);
  change(b);
  listen_after(b, &first, "0-2");
  trip_forget(&first);
  slow_replay r = take_replay(&b->slow);
  trip_gone(&first);
  listen_after(b, &second, "0-0");
  trip_forget(&second);
  give_events(&b->slow, &r);
  r.done(r.argument, 0);
  came(&second, "");
  finish_replay(&b->slow);
  came(&second, KEPT_EVENT("0-1", CHANGED) KEPT_EVENT("0-2", CHANGED)
                    KEPT_EVENT("0-3", CHANGED));
  change(b);
  came(&second, KEPT_EVENT("0-4", CHANGED));
  trip_deinit(&first);
  trip_deinit(&second);
}

static void a_replay_that_fails_breaks_off(void **state) {
  bench *b = *state;
  static http_trip trip;
  begin(b, OPEN("2025-06-18"), 1);
  change(b);
  listen_after(b, &trip, NULL);
  slow_replay r = take_replay(&b->slow);
  r.done(r.argument, MCP_ERR_IO);
  came(&trip, EVENTS("ABORT"));
  trip_deinit(&trip);
  listen_after(b, &trip, NULL);
  finish_replay(&b->slow);
  came(&trip, EVENTS(KEPT_EVENT("0-1", CHANGED)));
  trip_deinit(&trip);
  b->slow.rc = MCP_ERR_IO;
  listen_after(b, &trip, NULL);
  came(&trip, EVENTS("ABORT"));
  trip_deinit(&trip);
}

static void an_event_that_cannot_be_kept_is_reported(void **state) {
  bench *b = *state;
  static http_trip trip;
  begin(b, OPEN("2025-06-18"), 1);
  session_post(&b->http, &trip, LEGACY_CALL("1", "keep"));
  tell(b, "one");
  finish_appends(&b->slow, MCP_ERR_IO);
  assert_string_equal(b->http.rig.reports.bytes,
                      "an event could not be kept: input/output error");
  trip_gone(&trip);
  b->slow.rc = MCP_ERR_IO;
  assert_int_equal(reply(b, 0, "kept"), MCP_ERR_GONE);
  trip_deinit(&trip);
  b->slow.rc = 0;
}

static void everything_may_go_during_a_replay(void **state) {
  bench *b = *state;
  for (int how = 0; how < 4; how++) {
    static http_trip trip;
    begin(b, OPEN("2025-06-18"), 1);
    change(b);
    listen_after(b, &trip, NULL);
    slow_replay r = take_replay(&b->slow);
    if (how == 0) {
      mcp_http_free(b->http.http);
      b->http.http = NULL;
    } else if (how == 1) {
      mcp_server_free(b->http.rig.server);
      b->http.rig.server = NULL;
    } else if (how == 2) {
      static http_trip leaving;
      session_send(&b->http, &leaving, "DELETE", "", "");
      trip_deinit(&leaving);
    } else {
      trip_gone(&trip);
    }
    rig_turn(&b->http.rig);
    assert_true(trip.is_over);
    give_events(&b->slow, &r);
    r.done(r.argument, 0);
    finish_appends(&b->slow, 0);
    trip_deinit(&trip);
    end(b);
  }
}

static void a_stream_that_was_taken_up_does_not_keep_the_session(void **state) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .session_idle_ms = 1000};
  bench *b = *state;
  static http_trip trip;
  assert_int_equal(init(b, 1, &options, NULL), 0);
  session_open(&b->http, OPEN("2025-06-18"));
  session_post(&b->http, &trip, LEGACY_CALL("1", "keep"));
  tell(b, "one");
  reply(b, 0, "kept");
  trip_deinit(&trip);
  listen_after(b, &trip, "1-0");
  slow_replay r = take_replay(&b->slow);
  trip_deinit(&trip);
  rig_pass(&b->http.rig, 1000);
  assert_int_equal(mcp_server_connection_count(b->http.rig.server), 0);
  r.done(r.argument, 0);
}

/* --- memory ------------------------------------------------------------- */

static int scenario(const mcp_allocator *allocator, void *userdata) {
  bench b;
  http_trip trip = {0};
  (void)userdata;
  int rc = init(&b, 0, NULL, allocator);
  if (rc == 0) {
    session_open(&b.http, OPEN("2025-11-25"));
    session_post(&b.http, &trip, LEGACY_CALL("1", "poll"));
    trip_deinit(&trip);
    change(&b);
    listen_after(&b, &trip, NULL);
    trip_deinit(&trip);
    listen_after(&b, &trip, "1-0");
    if (b.kept_count > 0) {
      tell(&b, "one");
    }
    trip_deinit(&trip);
    for (int i = 0; i < b.kept_count; i++) {
      reply(&b, i, "kept");
    }
    listen_after(&b, &trip, "1-0");
    trip_deinit(&trip);
  }
  if (b.http.http != NULL) {
    end(&b);
  }
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(scenario, NULL) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      REPLAY_TEST(a_lost_stream_is_taken_up),
      REPLAY_TEST(an_answer_waits_for_its_client),
      REPLAY_TEST(an_answer_without_id_is_lost),
      REPLAY_TEST(streams_are_kept_apart),
      REPLAY_TEST(a_client_that_is_back_takes_over),
      REPLAY_TEST(a_stream_that_is_taken_over_may_free_everything),
      REPLAY_TEST(the_ids_of_events_are_checked),
      REPLAY_TEST(news_wait_for_a_client_that_listens),
      REPLAY_TEST(a_client_that_does_not_read_may_come_back),
      REPLAY_TEST(the_store_keeps_events_up_to_its_limit),
      REPLAY_TEST(questions_find_the_client_on_either_stream),
      REPLAY_TEST(a_lost_question_ends_its_call),
      REPLAY_TEST(a_client_that_can_poll_learns_where_it_is),
      REPLAY_TEST(a_handler_may_send_its_client_away),
      REPLAY_TEST(a_blocking_handler_may_send_its_client_away),
      REPLAY_TEST(clients_that_cannot_poll_are_not_sent_away),
      REPLAY_TEST(messages_sent_during_a_replay_follow_it),
      REPLAY_TEST(a_replay_goes_to_the_client_that_asked),
      REPLAY_TEST(a_replay_that_fails_breaks_off),
      REPLAY_TEST(an_event_that_cannot_be_kept_is_reported),
      REPLAY_TEST(everything_may_go_during_a_replay),
      REPLAY_TEST(a_stream_that_was_taken_up_does_not_keep_the_session),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("http_replay", tests, NULL, NULL);
}
