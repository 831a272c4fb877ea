/* SPDX-License-Identifier: MIT */
/* What one client may take of an endpoint, and what is left for the others:
 * calls, sessions, and what the program and /health say when a limit
 * refuses. */
#include "support/cm.h"
#include "support/http_rig.h"

#include "endpoint/endpoint.h"
#include <stdio.h>
#include <string.h>

typedef struct bench {
  http_rig http;
  mcp_call *kept[64];
  int kept_count;
  int cancelled;
} bench;

static bench b;

#define GREEDY "192.0.2.1:1000"
#define OTHER "192.0.2.2:1000"
#define PING(id) "{$J,'id':" id ",'method':'ping'}"
#define PONG(id) JSON("200", "{$J,'id':" id ",'result':{}}")
#define START INITIALIZE("2025-06-18", "{'elicitation':{}}")
#define HEALTH "GET /health\nHost: localhost\n\n"
#define HEALTHY "200 text/plain; charset=utf-8\nok\n"
#define DEGRADED(limit) "200 text/plain; charset=utf-8\ndegraded: " limit "\n"
#define NO_SESSION(id)                                                         \
  JSON("404", ERROR(id, "-32600", "no such session: send initialize again"))

static void on_cancelled(mcp_call *call, void *userdata) {
  b.cancelled++;
  mcp_call_drop(call);
}

static int on_keep(mcp_call *call, void *userdata) {
  b.kept[b.kept_count++] = call;
  mcp_call_on_cancel(call, on_cancelled, &b);
  return mcp_call_defer(call);
}

static int on_hello(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, "hello");
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  const mcp_elicitation question = {
      .size = sizeof(mcp_elicitation),
      .message = "Who?",
      .form = MCP_OBJECT(MCP_STRING("name", "yours"))};
  int rc = mcp_call_ask_elicit(call, "name", &question, &answer);
  return rc != 0 ? rc : mcp_call_reply_text(call, "asked");
}

static void add(const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = name, .handler = handler};
  assert_int_equal(mcp_server_add_tool(b.http.rig.server, &tool, NULL), 0);
}

static void begin(const mcp_server_options *server,
                  const mcp_http_options *options) {
  memset(&b, 0, sizeof(b));
  assert_int_equal(http_rig_init(&b.http, server, options, NULL), 0);
  add("keep", on_keep);
  add("hello", on_hello);
  add("ask", on_ask);
  rig_turn(&b.http.rig);
}

static void end(void) {
  http_rig_deinit(&b.http);
}

static int set_up(void **state) {
  memset(&b, 0, sizeof(b));
  return 0;
}

static int tear_down(void **state) {
  end();
  return 0;
}

static size_t session_count(void) {
  return b.http.http->sessions.count;
}

/* Sends a request of the session, and notes the status of its answer so far; 0:
 * there is none. The client has gone by then. */
static int post_and_leave(const char *body) {
  http_trip trip = {0};
  int status = 0;
  session_post(&b.http, &trip, body);
  if (trip.answer.len > 0) {
    sscanf(trip.answer.bytes, "%d", &status);
  }
  trip_deinit(&trip);
  return status;
}

/* Begins as many calls that stay as there is room for, and leaves them
 * behind. */
static int pile_up(const char *name) {
  char body[200];
  for (int count = 0;; count++) {
    assert_true(count < 2000);
    snprintf(body, sizeof(body), LEGACY_CALL("%d", "%s"), count, name);
    if (post_and_leave(body) == 503) {
      return count;
    }
  }
}

#define posted(body, expected)                                                 \
  do {                                                                         \
    static http_trip posting;                                                  \
    session_post(&b.http, &posting, body);                                     \
    trip_expect(&posting, __FILE__, __LINE__, expected);                       \
    trip_deinit(&posting);                                                     \
  } while (0)

#define SHARE_TEST(name) TEST_WITH(name, set_up, tear_down)

/* --- calls -------------------------------------------------------------- */

SHARE_TEST(calls_left_behind_leave_room_for_others) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_calls = 320};
  int total = 0;
  begin(NULL, &options);
  b.http.peer = GREEDY;
  for (int i = 0; i < 10; i++) {
    session_open(&b.http, START);
    total += pile_up("ask");
  }
  assert_in_range(total, 120, (320 - 20) / 2);
  b.http.peer = OTHER;
  session_open(&b.http, START);
  posted(LEGACY_CALL("1", "hello"), JSON("200", LEGACY_TEXT("1", "hello")));
  ask(&b.http, CALL("1", "hello"), JSON("200", RESULT_TEXT("1", "hello")));
  assert_in_range(pile_up("ask"), 16, 160);
}

/* The connections of one address have shares of what the address may have. */
SHARE_TEST(a_greedy_session_leaves_room_for_others_of_its_address) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_calls = 320};
  begin(NULL, &options);
  session_open(&b.http, START);
  assert_in_range(pile_up("ask"), 60, 75);
  session_open(&b.http, START);
  posted(LEGACY_CALL("1", "hello"), JSON("200", LEGACY_TEXT("1", "hello")));
  ask(&b.http, CALL("1", "hello"), JSON("200", RESULT_TEXT("1", "hello")));
}

SHARE_TEST(a_principal_is_one_client_wherever_it_is) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_calls = 100};
  static http_trip trips[60];
  char peer[40];
  int taken = 0;
  begin(NULL, &options);
  for (int i = 0; i < 60; i++) {
    snprintf(peer, sizeof(peer), "192.0.2.%d:1", i + 1);
    b.http.peer = peer;
    trips[i].principal = "ann";
    trip_send(&trips[i], &b.http, CALL("1", "keep"));
    taken += !trips[i].is_over;
  }
  assert_int_equal(taken, (100 - 6) / 2);
  ask(&b.http, CALL("1", "hello"), JSON("200", RESULT_TEXT("1", "hello")));
  for (int i = 0; i < 60; i++) {
    trip_deinit(&trips[i]);
  }
  rig_turn(&b.http.rig);
}

SHARE_TEST(ipv6_addresses_of_one_network_are_one_client) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_rate = 1};
  begin(NULL, &options);
  b.http.peer = "[2001:db8:1:2::1]:1";
  ask(&b.http, CALL("1", "hello"), JSON("200", RESULT_TEXT("1", "hello")));
  b.http.peer = "[2001:db8:1:2:ffff::2]:1";
  ask(&b.http, CALL("1", "hello"),
      "429 text/plain; charset=utf-8\ntoo many requests\n");
  b.http.peer = "[2001:db8:1:3::1]:1";
  ask(&b.http, CALL("1", "hello"), JSON("200", RESULT_TEXT("1", "hello")));
}

/* The server cannot know whether two of them are the same. */
SHARE_TEST(clients_without_an_address_are_apart) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_calls = 40};
  static http_trip trips[40];
  begin(NULL, &options);
  b.http.peer = "";
  for (int i = 0; i < 40; i++) {
    trip_send(&trips[i], &b.http, CALL("1", "keep"));
    assert_false(trips[i].is_over);
  }
  ask(&b.http, CALL("1", "hello"),
      JSON("503", ERROR("1", "-32603", ALL_TAKEN("40"))));
  for (int i = 0; i < 40; i++) {
    trip_deinit(&trips[i]);
  }
  rig_turn(&b.http.rig);
}

SHARE_TEST(a_listen_is_no_call_in_flight) {
  static const char listen[] =
      MODERN("subscriptions/listen", "",
             "{$J,'id':1,'method':'subscriptions/listen','params':{"
             "'notifications':{'toolsListChanged':true},$M{}}}");
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_calls = 1};
  static http_trip listens[3];
  begin(NULL, &options);
  for (int i = 0; i < 3; i++) {
    trip_send(&listens[i], &b.http, listen);
    assert_false(listens[i].is_over);
    assert_true(listens[i].answer.len > 0);
  }
  ask(&b.http, CALL("1", "hello"), JSON("200", RESULT_TEXT("1", "hello")));
  for (int i = 0; i < 3; i++) {
    trip_deinit(&listens[i]);
  }
  rig_turn(&b.http.rig);
  ask(&b.http, CALL("1", "hello"), JSON("200", RESULT_TEXT("1", "hello")));
}

/* --- idleness ----------------------------------------------------------- */

SHARE_TEST(calls_left_behind_end_with_their_session) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .session_idle_ms = 1000,
                                    .keepalive_ms = 100000};
  begin(NULL, &options);
  session_open(&b.http, START);
  assert_int_equal(post_and_leave(LEGACY_CALL("1", "keep")), 0);
  rig_pass(&b.http.rig, 999);
  assert_int_equal(b.cancelled, 0);
  assert_int_equal(session_count(), 1);
  rig_pass(&b.http.rig, 1);
  assert_int_equal(b.cancelled, 1);
  assert_int_equal(session_count(), 0);
  posted(PING("1"), NO_SESSION("1"));
}

SHARE_TEST(a_session_idles_from_the_end_of_its_last_exchange) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .session_idle_ms = 1000,
                                    .keepalive_ms = 100000};
  static http_trip trip;
  begin(NULL, &options);
  session_open(&b.http, START);
  session_post(&b.http, &trip, LEGACY_CALL("1", "keep"));
  rig_pass(&b.http.rig, 1900);
  mcp_call_reply_text(b.kept[0], "kept");
  came(&trip, JSON("200", LEGACY_TEXT("1", "kept")));
  trip_deinit(&trip);
  rig_pass(&b.http.rig, 999);
  assert_int_equal(session_count(), 1);
  rig_pass(&b.http.rig, 1);
  assert_int_equal(session_count(), 0);
}

SHARE_TEST(a_session_that_is_not_taken_up_ends) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .initialized_ms = 500};
  for (int i = 0; i < 2; i++) {
    int wait_ms = i == 0 ? 60000 : 500;
    begin(NULL, i == 0 ? NULL : &options);
    session_initialize(&b.http, START, NULL);
    rig_pass(&b.http.rig, wait_ms - 1);
    assert_int_equal(session_count(), 1);
    rig_pass(&b.http.rig, 1);
    assert_int_equal(session_count(), 0);
    posted(INITIALIZED,
           JSON("404", ERROR_ALONE("-32600",
                                   "no such session: send initialize again")));
    end();
  }
}

SHARE_TEST(any_second_request_takes_a_session_up) {
  static const char *const seconds[] = {INITIALIZED, PING("1")};
  for (int i = 0; i < 3; i++) {
    static http_trip get;
    begin(NULL, NULL);
    session_initialize(&b.http, START, NULL);
    rig_pass(&b.http.rig, 59999);
    if (i < 2) {
      post_and_leave(seconds[i]);
    } else {
      session_send(&b.http, &get, "GET", "", "");
      trip_deinit(&get);
    }
    rig_pass(&b.http.rig, 1);
    assert_int_equal(session_count(), 1);
    rig_pass(&b.http.rig, 1800000 - 2);
    assert_int_equal(session_count(), 1);
    rig_pass(&b.http.rig, 1);
    assert_int_equal(session_count(), 0);
    end();
  }
}

/* --- sessions ----------------------------------------------------------- */

SHARE_TEST(initialize_alone_keeps_nobody_out) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_sessions = 40};
  char mine[64];
  begin(NULL, &options);
  b.http.peer = GREEDY;
  session_open(&b.http, START);
  memcpy(mine, b.http.session_id, sizeof(mine));
  for (int i = 0; i < 60; i++) {
    session_initialize(&b.http, START, NULL);
  }
  assert_int_equal(session_count(), 20);
  b.http.peer = OTHER;
  session_open(&b.http, START);
  posted(PING("1"), PONG("1"));
  assert_int_equal(session_count(), 21);
  memcpy(b.http.session_id, mine, sizeof(mine));
  posted(PING("2"), PONG("2")); /* it had a second request */
}

SHARE_TEST(the_longest_idle_of_those_never_used_goes_first) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_sessions = 3};
  char ids[4][64];
  begin(NULL, &options);
  for (int i = 0; i < 4; i++) {
    if (i == 1) {
      session_open(&b.http, START);
    } else {
      session_initialize(&b.http, START, NULL);
    }
    memcpy(ids[i], b.http.session_id, sizeof(ids[i]));
    rig_pass(&b.http.rig, 10);
  }
  assert_int_equal(session_count(), 3);
  for (int i = 0; i < 4; i++) {
    memcpy(b.http.session_id, ids[i], sizeof(ids[i]));
    assert_int_equal(post_and_leave(PING("1")), i == 0 ? 404 : 200);
  }
  /* All had a second request by now. */
  ask(&b.http, START, JSON("503", ERROR("0", "-32603", ALL_IN_USE("3"))));
}

/* Although theirs are idle for longer. */
SHARE_TEST(the_client_with_most_sessions_makes_room_for_others) {
  static const char *const modest[] = {"198.51.100.1:1", "198.51.100.2:1",
                                       "198.51.100.3:1", "198.51.100.4:1"};
  enum { MODEST = 4 };
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_sessions = 20};
  char ids[MODEST][64];
  begin(NULL, &options);
  for (int i = 0; i < MODEST; i++) {
    b.http.peer = modest[i];
    session_initialize(&b.http, START, NULL);
    memcpy(ids[i], b.http.session_id, sizeof(ids[i]));
  }
  b.http.peer = GREEDY;
  for (int i = 0; i < 30; i++) {
    session_initialize(&b.http, START, NULL);
  }
  assert_int_equal(session_count(), 20);
  for (int i = 0; i < MODEST; i++) { /* they are as many again */
    b.http.peer = OTHER;
    session_initialize(&b.http, START, NULL);
  }
  assert_int_equal(session_count(), 20);
  for (int i = 0; i < MODEST; i++) {
    b.http.peer = modest[i];
    memcpy(b.http.session_id, ids[i], sizeof(ids[i]));
    assert_int_equal(post_and_leave(PING("1")), 200);
  }
}

SHARE_TEST(a_client_has_its_share_of_sessions) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_sessions = 40};
  begin(NULL, &options);
  b.http.peer = GREEDY;
  for (int i = 0; i < 20; i++) {
    session_open(&b.http, START);
  }
  ask(&b.http, START,
      JSON("503",
           ERROR("0", "-32603",
                 "too many sessions: this client has 20, and its share of the "
                 "40 is 20 (max_sessions): end one with DELETE, or try again "
                 "later")));
  b.http.peer = OTHER;
  for (int i = 0; i < 16; i++) {
    session_open(&b.http, START);
    posted(PING("1"), PONG("1"));
  }
  b.http.peer = "192.0.2.3:1";
  for (int i = 0; i < 4; i++) {
    session_open(&b.http, START);
    posted(PING("1"), PONG("1"));
  }
  assert_int_equal(session_count(), 40);
  ask(&b.http, START, JSON("503", ERROR("0", "-32603", ALL_IN_USE("40"))));
}

/* A newcomer's handshake is not ended for one who has many. */
SHARE_TEST(a_client_with_fewer_sessions_is_not_evicted_for_one_with_more) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_sessions = 4};
  char mine[64];
  begin(NULL, &options);
  b.http.peer = OTHER;
  session_initialize(&b.http, START, NULL);
  memcpy(mine, b.http.session_id, sizeof(mine));
  b.http.peer = GREEDY;
  for (int i = 0; i < 20; i++) {
    session_initialize(&b.http, START, NULL);
  }
  assert_int_equal(session_count(), 4);
  b.http.peer = OTHER;
  memcpy(b.http.session_id, mine, sizeof(mine));
  posted(PING("1"), PONG("1"));
}

/* --- what is said ------------------------------------------------------- */

SHARE_TEST(health_says_which_limit_refuses) {
  const mcp_http_options options = {
      .size = sizeof(mcp_http_options), .max_calls = 1, .max_sessions = 1};
  static http_trip trip;
  begin(NULL, &options);
  session_open(&b.http, START);
  trip_send(&trip, &b.http, CALL("1", "keep"));
  ask(&b.http, HEALTH, HEALTHY); /* at the limit nobody was refused yet */
  ask(&b.http, CALL("2", "hello"),
      JSON("503", ERROR("2", "-32603", ALL_TAKEN("1"))));
  ask(&b.http, HEALTH, DEGRADED("max_calls"));
  rig_pass(&b.http.rig, 9999);
  ask(&b.http, HEALTH, DEGRADED("max_calls"));
  rig_pass(&b.http.rig, 1);
  ask(&b.http, HEALTH, HEALTHY);
  ask(&b.http, START, JSON("503", ERROR("0", "-32603", ALL_IN_USE("1"))));
  ask(&b.http, HEALTH, DEGRADED("max_sessions"));
  trip_deinit(&trip);
  rig_turn(&b.http.rig);
}

SHARE_TEST(refusals_are_reported_once_and_then_counted) {
  static const char once[] = "192.0.2.1:1000: refused: " ALL_TAKEN("1");
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_calls = 1};
  static http_trip trip;
  char twice[600];
  begin(NULL, &options);
  b.http.peer = GREEDY;
  trip_send(&trip, &b.http, CALL("1", "keep"));
  for (int i = 0; i < 100; i++) {
    ask(&b.http, CALL("2", "hello"),
        JSON("503", ERROR("2", "-32603", ALL_TAKEN("1"))));
  }
  assert_string_equal(b.http.rig.reports.bytes, once);
  rig_pass(&b.http.rig, 10000); /* the count comes without another refusal */
  snprintf(twice, sizeof(twice),
           "%s\nmax_calls refused 99 more within ten seconds", once);
  assert_string_equal(b.http.rig.reports.bytes, twice);
  ask(&b.http, CALL("2", "hello"),
      JSON("503", ERROR("2", "-32603", ALL_TAKEN("1"))));
  snprintf(twice, sizeof(twice),
           "%s\nmax_calls refused 99 more within ten seconds\n%s", once, once);
  assert_string_equal(b.http.rig.reports.bytes, twice);
  trip_deinit(&trip);
  rig_turn(&b.http.rig);
}

SHARE_TEST(sessions_that_are_evicted_are_reported) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_sessions = 1};
  begin(NULL, &options);
  for (int i = 0; i < 5; i++) {
    session_initialize(&b.http, START, NULL);
  }
  assert_int_equal(session_count(), 1);
  assert_string_equal(
      b.http.rig.reports.bytes,
      "127.0.0.1:4711: max_sessions: a session that had no request after "
      "initialize was ended, to make room for another");
  ask(&b.http, HEALTH, HEALTHY); /* nobody was refused */
}

SHARE_TEST(an_eviction_does_not_silence_a_refusal) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .max_sessions = 1};
  begin(NULL, &options);
  session_initialize(&b.http, START, NULL);
  session_initialize(&b.http, START, NULL);
  assert_non_null(strstr(b.http.rig.reports.bytes, "was ended"));
  posted(PING("1"), PONG("1"));
  ask(&b.http, START, JSON("503", ERROR("0", "-32603", ALL_IN_USE("1"))));
  assert_non_null(strstr(b.http.rig.reports.bytes, "refused: too many"));
}
