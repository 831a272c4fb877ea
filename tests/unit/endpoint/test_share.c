/* SPDX-License-Identifier: MIT */
/* Shares of one client in an endpoint's calls and sessions, and what is left
 * for the others. tests/wire/http/share.txt shows how sessions end and what
 * /health says. */
#include "support/cm.h"
#include "support/http_rig.h"

#include "endpoint/endpoint.h"
#include <stdio.h>
#include <string.h>

typedef struct bench {
  http_rig http;
  mcp_call *kept[64];
  int kept_count;
} bench;

static bench b;

#define GREEDY "192.0.2.1:1000"
#define OTHER "192.0.2.2:1000"
#define PING(id) "{$J,'id':" id ",'method':'ping'}"
#define PONG(id) JSON("200", "{$J,'id':" id ",'result':{}}")
#define START INITIALIZE("2025-06-18", "{'elicitation':{}}")

static void on_cancelled(mcp_call *call, void *userdata) {
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
