/* SPDX-License-Identifier: MIT */
/* Streams that outlive their connections (MCP 2025-11-25, Transports:
 * Resumability and Redelivery), with a store that takes its time, and a program
 * that frees everything meanwhile. The store in memory is in
 * tests/wire/http/replay.txt. */
#include "support/cm.h"
#include "support/http_rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EVENTS = 64 };

/* A store that keeps the arguments of a replay, and answers when the test asks
 * it to. */
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
  int rc;             /* of what is asked; 0: it is done later */
  mcp_server *logger; /* to which the store logs; NULL: it does not */
} slow_store;

typedef struct bench {
  http_rig http;
  slow_store slow;
  mcp_call *kept[8];
  int kept_count;
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
  if (slow->logger != NULL) {
    assert_int_equal(
        mcp_server_log(slow->logger, MCP_LOG_ERROR, "store", "\"forgotten\""),
        0);
  }
}

/* Appends are done in an order of their own. */
static void finish_appends(slow_store *slow, int rc) {
  while (slow->append_count > 0) {
    slow->append_count--;
    slow->appends[slow->append_count].done(
        rc, slow->appends[slow->append_count].argument);
  }
}

static void give_events(const slow_store *slow, const slow_replay *r) {
  for (size_t i = 0; i < slow->event_count; i++) {
    if (slow->events[i].stream == r->stream && slow->events[i].seq > r->after) {
      r->each(slow->events[i].seq, slow->events[i].data,
              strlen(slow->events[i].data), r->argument);
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
  r.done(0, r.argument);
}

/* --- the bench ---------------------------------------------------------- */

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->kept[b->kept_count++] = call;
  return mcp_call_defer(call);
}

static void add(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .handler = handler,
                         .userdata = b};
  mcp_server_add_tool(b->http.rig.server, &tool, NULL);
}

/* A news for the standalone stream. */
static void change(bench *b) {
  static int count;
  char name[16];
  snprintf(name, sizeof(name), "tool%d", count++);
  add(b, name, on_keep);
  rig_turn(&b->http.rig);
}

static void init(bench *b, int is_slow, const mcp_http_options *options) {
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
  assert_int_equal(http_rig_init(&b->http, NULL, &all, NULL), 0);
  assert_int_equal(mcp_server_enable_logging(b->http.rig.server), 0);
  add(b, "keep", on_keep);
  rig_turn(&b->http.rig);
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
  init(b, is_slow, NULL);
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

static void tell(bench *b, const char *text) {
  mcp_call_logf(b->kept[0], MCP_LOG_ERROR, "%s", text);
  rig_turn(&b->http.rig);
}

/* --- resuming ----------------------------------------------------------- */

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

#define REPLAY_TEST(name) TEST_WITH(name, set_up, tear_down)

REPLAY_TEST(a_stream_that_is_taken_over_may_free_everything) {
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

/* --- a store that takes its time ---------------------------------------- */

REPLAY_TEST(messages_sent_during_a_replay_follow_it) {
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
  r.done(0, r.argument);
  finish_appends(&b->slow, 0);
  finish_replay(&b->slow);
  came(&trip, KEPT_EVENT("1-3", LOG("three"))
                  KEPT_EVENT("1-4", LEGACY_TEXT("1", "kept")) "END");
  assert_int_equal(b->slow.replay_count, 0);
  trip_deinit(&trip);
  end(b);
  assert_int_equal(b->slow.forgotten, 1);
}

REPLAY_TEST(a_replay_goes_to_the_client_that_asked) {
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
  r.done(0, r.argument);
  came(&second, "");
  finish_replay(&b->slow);
  came(&second, KEPT_EVENT("0-1", CHANGED) KEPT_EVENT("0-2", CHANGED)
                    KEPT_EVENT("0-3", CHANGED));
  change(b);
  came(&second, KEPT_EVENT("0-4", CHANGED));
  trip_deinit(&first);
  trip_deinit(&second);
}

REPLAY_TEST(a_replay_that_fails_breaks_off) {
  bench *b = *state;
  static http_trip trip;
  begin(b, OPEN("2025-06-18"), 1);
  change(b);
  listen_after(b, &trip, NULL);
  slow_replay r = take_replay(&b->slow);
  r.done(MCP_ERR_IO, r.argument);
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

REPLAY_TEST(an_event_that_cannot_be_kept_is_reported) {
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

REPLAY_TEST(everything_may_go_during_a_replay) {
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
    r.done(0, r.argument);
    finish_appends(&b->slow, 0);
    trip_deinit(&trip);
    end(b);
  }
}

/* The standalone stream has ended by then. */
REPLAY_TEST(a_message_to_a_session_that_is_forgotten_is_dropped) {
  bench *b = *state;
  static http_trip leaving;
  begin(b, OPEN("2025-06-18"), 1);
  b->slow.logger = b->http.rig.server;
  session_send(&b->http, &leaving, "DELETE", "", "");
  assert_int_equal(b->slow.forgotten, 1);
  assert_int_equal(b->slow.event_count, 0);
  assert_int_equal(mcp_server_connection_count(b->http.rig.server), 0);
  trip_deinit(&leaving);
}

REPLAY_TEST(a_stream_that_was_taken_up_does_not_keep_the_session) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .session_idle_ms = 1000};
  bench *b = *state;
  static http_trip trip;
  init(b, 1, &options);
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
  r.done(0, r.argument);
}
