/* SPDX-License-Identifier: MIT */
/* The program, or its HTTP server, ends things while the endpoint is at work:
 * in handlers, hooks, and while the endpoint sends. */
#include "support/http_bench.h"
#include <mcp/tasks.h>
#include <stdio.h>
#include <string.h>

/* What ends, and when. */
typedef struct axe {
  http_bench *b;
  http_trip *trip;
  enum { ENDPOINT, SERVER, CLIENT, BOTH, AXE_KINDS } what;
  int after; /* pieces of the trip's answer */
} axe;

static void axe_fall(const axe *a) {
  if (a->what == SERVER || a->what == BOTH) {
    http_bench_free_server(a->b);
  }
  if (a->what == ENDPOINT || a->what == BOTH) {
    http_bench_free_endpoint(a->b);
  }
  if (a->what == CLIENT) {
    trip_gone(a->trip);
  }
}

/* The HTTP server may find at any byte that its client has gone, and so may
 * whoever it reports to. */
static void on_piece(http_trip *trip, void *userdata) {
  axe *a = userdata;
  if (a->after-- == 0) {
    axe_fall(a);
  }
}

static int on_fell(mcp_call *call, void *userdata) {
  axe_fall(userdata);
  return mcp_call_reply_text(call, "down");
}

static int on_tell_and_fell(mcp_call *call, void *userdata) {
  mcp_call_log(call, MCP_LOG_ERROR, NULL, "1");
  axe_fall(userdata);
  mcp_call_log(call, MCP_LOG_ERROR, NULL, "2");
  return mcp_call_reply_text(call, "down");
}

/* ---- handlers and hooks ------------------------------------------------- */

HTTP_TEST(a_handler_may_free_everything) {
  static const mcp_call_cb handlers[] = {on_fell, on_tell_and_fell};
  http_bench *b = *state;
  for (int i = 0; i < AXE_KINDS * 4; i++) {
    axe a = {b, &b->trips[0], i % AXE_KINDS, 0};
    http_bench_restart(b, NULL);
    http_bench_add_tool(b, "fell", handlers[i / AXE_KINDS % 2], &a);
    session_open(&b->http, INITIALIZE("2025-06-18", "{}"));
    if (i < AXE_KINDS * 2) {
      session_post(&b->http, &b->trips[0], LEGACY_CALL("1", "fell"));
    } else {
      trip_send(&b->trips[0], &b->http, CALL("1", "fell"));
    }
    assert_true(b->trips[0].is_over);
  }
}

static void on_cancel_free(mcp_call *call, void *userdata) {
  http_bench *b = userdata;
  b->cancelled++;
  mcp_http_free(b->http.http);
  mcp_call_drop(call);
}

static int on_wait(mcp_call *call, void *userdata) {
  mcp_call_on_cancel(call, on_cancel_free, userdata);
  return mcp_call_defer(call);
}

/* To free the endpoint ends the calls. */
HTTP_TEST(each_call_that_a_free_ends_may_free_again) {
  http_bench *b = *state;
  http_bench_add_tool(b, "wait", on_wait, b);
  session_open(&b->http, INITIALIZE("2025-06-18", "{}"));
  session_post(&b->http, &b->trips[0], LEGACY_CALL("1", "wait"));
  trip_send(&b->trips[1], &b->http, CALL("1", "wait"));
  trip_send(&b->trips[2], &b->http, CALL("1", "wait"));
  http_bench_free_endpoint(b);
  assert_int_equal(b->cancelled, 3);
  for (size_t i = 0; i < 3; i++) {
    came(&b->trips[i], "ABORT");
  }
}

static int on_request_free(mcp_server *server, const mcp_http_request *request,
                           mcp_http_decision *decision, void *userdata) {
  (void)server, (void)request, (void)decision;
  axe_fall(userdata);
  return 0;
}

HTTP_TEST(the_hook_may_free_everything) {
  http_bench *b = *state;
  axe a = {.b = b};
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .on_request = on_request_free,
                                    .userdata = &a};
  a.what = SERVER;
  http_bench_restart(b, &options);
  ask(&b->http, CALL("1", "hello"),
      "503 text/plain; charset=utf-8\nthe server is shutting down\n");
  a.what = BOTH;
  http_bench_restart(b, &options);
  trip_begin(&b->trips[0], &b->http, CALL("1", "hello"));
  trip_body(&b->trips[0]);
  came(&b->trips[0], "ABORT");
}

/* Messages that were shown: with a server, and without. */
typedef struct shown {
  axe a;
  int with;
  int without;
} shown;

static void on_trace_free(mcp_server *server, const mcp_traced_message *message,
                          void *userdata) {
  shown *s = userdata;
  if (server != NULL) {
    s->with++;
    axe_fall(&s->a);
  } else {
    s->without++;
  }
}

HTTP_TEST(a_trace_does_not_get_a_freed_server) {
  http_bench *b = *state;
  shown s = {.a = {.b = b, .what = SERVER}};
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .on_trace = on_trace_free,
                                    .userdata = &s};
  http_bench_restart(b, &options);
  ask(&b->http, CALL("1", "hello"),
      JSON("503", ERROR("1", "-32603", "the server is shutting down")));
  assert_int_equal(s.with, 1);
  assert_int_equal(s.without, 1);
}

/* ---- while the endpoint sends ------------------------------------------- */

HTTP_TEST(each_piece_of_an_answer_may_free_everything) {
  static const char *const openings[] = {INITIALIZE("2025-06-18", "{}"),
                                         INITIALIZE("2025-11-25", "{}")};
  http_bench *b = *state;
  for (int i = 0; i < AXE_KINDS * 5 * 6; i++) {
    http_trip *trip = &b->trips[0];
    axe a = {b, trip, i % AXE_KINDS, i / AXE_KINDS % 5};
    int way = i / (AXE_KINDS * 5);
    http_bench_restart(b, NULL);
    session_open(&b->http, openings[way % 2]);
    trip->on_answer = on_piece;
    trip->userdata = &a;
    if (way / 2 == 0) {
      session_post(&b->http, trip, LEGACY_CALL("1", "tell"));
    } else if (way / 2 == 1) {
      session_send(&b->http, trip, "GET", "", "");
      if (b->http.rig.server != NULL) {
        http_bench_add_tool(b, "more", on_fell, &a);
      }
      rig_pass(&b->http.rig, 10000);
    } else {
      session_post(&b->http, trip, LEGACY_CALL("1", "keep"));
      rig_pass(&b->http.rig, 10000);
      rig_pass(&b->http.rig, 10000);
    }
    http_bench_answer(b);
  }
}

HTTP_TEST(the_end_of_a_session_may_free_everything) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .session_idle_ms = 1000,
                                    .session_max_ms = 1000};
  http_bench *b = *state;
  for (int i = 0; i < AXE_KINDS * 3; i++) {
    http_trip *get = &b->trips[0];
    axe a = {b, get, i % AXE_KINDS, 0};
    http_bench_restart(b, &options);
    session_open(&b->http, INITIALIZE("2025-06-18", "{}"));
    session_post(&b->http, &b->trips[1], LEGACY_CALL("1", "keep"));
    session_send(&b->http, get, "GET", "", "");
    get->on_answer = on_piece;
    get->userdata = &a;
    if (i / AXE_KINDS == 0) {
      rig_pass(&b->http.rig, 1000);
    } else if (i / AXE_KINDS == 1) {
      session_send(&b->http, &b->trips[2], "DELETE", "", "");
      assert_true(b->trips[2].is_over);
    } else {
      mcp_server_drain(b->http.rig.server, 0);
    }
    assert_true(get->is_over && b->trips[1].is_over);
  }
}

HTTP_TEST(each_piece_of_an_sse_stream_may_free_everything) {
  static const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                           .wires = MCP_HTTP_SSE};
  static const char *const bodies[] = {LEGACY_CALL("1", "tell"),
                                       LEGACY_CALL("1", "fell"),
                                       "{$J,'id':1,'method':'ping'}"};
  http_bench *b = *state;
  for (int i = 0; i < AXE_KINDS * 5 * 3; i++) {
    http_trip *get = &b->trips[0];
    axe a = {b, get, i % AXE_KINDS, i / AXE_KINDS % 5};
    char request[500];
    http_bench_restart(b, &options);
    http_bench_add_tool(b, "fell", on_fell, &a);
    get->on_answer = on_piece;
    get->userdata = &a;
    trip_send(get, &b->http,
              "GET /sse\nHost: localhost\nAccept: text/event-stream\n\n");
    const char *where = strstr(get->answer.bytes, "/messages?");
    if (where != NULL && b->http.http != NULL) {
      snprintf(request, sizeof(request),
               "POST %.*s\nHost: localhost\nContent-Type: application/json\n\n"
               "%s",
               (int)strcspn(where, "\n"), where, bodies[i / (AXE_KINDS * 5)]);
      trip_send(&b->trips[1], &b->http, request);
    }
  }
}

/* ---- while the server asks ---------------------------------------------- */

/* Falls when the endpoint shows this text. */
typedef struct trap {
  axe a;
  const char *text;
  int has_fallen;
} trap;

static void on_trace_fall(mcp_server *server, const mcp_traced_message *message,
                          void *userdata) {
  trap *t = userdata;
  char text[2000];
  snprintf(text, sizeof(text), "%.*s", (int)message->len, message->text);
  if (message->is_sent && !t->has_fallen && strstr(text, t->text) != NULL) {
    t->has_fallen = 1;
    axe_fall(&t->a);
  }
}

static int on_ask_name(mcp_call *call, void *userdata) {
  const mcp_elicitation question = {.size = sizeof(mcp_elicitation),
                                    .message = "Who?",
                                    .form =
                                        MCP_OBJECT(MCP_STRING("name", NULL))};
  const mcp_json *answer;
  int rc = mcp_call_ask_elicit(call, "who", &question, &answer);
  return rc != 0 ? rc : mcp_call_reply_text(call, "done");
}

#define RUNS_QUESTIONS                                                         \
  "{'elicitation':{},'tasks':{'cancel':{},'requests':{'elicitation':{"         \
  "'create':{}}}}}"
#define TASK_OF_CLIENT                                                         \
  "{$J,'id':1,'result':{'task':{'taskId':'t','status':'working',"              \
  "'pollInterval':1000}}}"

/* The client runs the question as a task, which the server then looks at, or
 * cancels with its call. */
static void ask_by_task(http_bench *b) {
  const mcp_tasks_options tasks = {.size = sizeof(tasks), .ask_as_tasks = 1};
  mcp_server_enable_tasks(b->http.rig.server, &tasks, NULL);
  http_bench_add_tool(b, "asks", on_ask_name, NULL);
  session_open(&b->http, INITIALIZE("2025-11-25", RUNS_QUESTIONS));
  session_send(&b->http, &b->trips[3], "GET", "", "");
  session_post(&b->http, &b->trips[0], LEGACY_CALL("1", "asks"));
  if (b->http.http != NULL) {
    session_post(&b->http, &b->trips[1], TASK_OF_CLIENT);
  }
  rig_pass(&b->http.rig, 1000);
  if (b->http.http != NULL) {
    session_post(&b->http, &b->trips[2], CANCEL("1"));
  }
}

HTTP_TEST(a_trace_of_a_question_may_free_everything) {
  static const char *const texts[] = {"elicitation/create", "tasks/get",
                                      "tasks/cancel"};
  http_bench *b = *state;
  for (int i = 0; i < AXE_KINDS * 3; i++) {
    trap t = {.a = {b, &b->trips[0], i % AXE_KINDS, 0},
              .text = texts[i / AXE_KINDS]};
    const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                      .on_trace = on_trace_fall,
                                      .userdata = &t};
    http_bench_restart(b, &options);
    ask_by_task(b);
    if (!t.has_fallen) {
      fail_msg("%s was not sent", t.text);
    }
    http_bench_free_endpoint(b);
  }
}

#define LISTEN                                                                 \
  MODERN("subscriptions/listen", "",                                           \
         "{$J,'id':1,'method':'subscriptions/listen','params':{"               \
         "'notifications':{'toolsListChanged':true},$M{}}}")

static void on_piece_leave(http_trip *trip, void *userdata) {
  trip_gone(trip);
}

HTTP_TEST(clients_may_leave_while_news_are_sent) {
  http_bench *b = *state;
  for (int i = 0; i < 3; i++) {
    trip_send(&b->trips[i], &b->http, LISTEN);
    trip_forget(&b->trips[i]);
  }
  b->trips[0].on_answer = on_piece_leave;
  b->trips[1].on_answer = on_piece_leave;
  mcp_server_remove_tool(b->http.rig.server, "hello");
  came(&b->trips[2],
       EVENT("{$J,'method':'notifications/tools/list_changed','params':{"
             "'_meta':{'io.modelcontextprotocol/subscriptionId':1}}}"));
  assert_true(b->trips[0].is_over && b->trips[1].is_over);
  assert_int_equal(mcp_server_connection_count(b->http.rig.server), 1);
}

/* ---- between head and body ---------------------------------------------- */

HTTP_TEST(a_client_may_leave_before_its_body) {
  http_bench *b = *state;
  trip_begin(&b->trips[0], &b->http, CALL("1", "keep"));
  trip_gone(&b->trips[0]);
  assert_int_equal(b->kept_count, 0);
}

HTTP_TEST(a_drain_refuses_a_body_whose_head_has_come) {
  http_bench *b = *state;
  trip_begin(&b->trips[0], &b->http, CALL("1", "hello"));
  mcp_server_drain(b->http.rig.server, 1000);
  trip_body(&b->trips[0]);
  came(&b->trips[0],
       "503 text/plain; charset=utf-8\nthe server is shutting down\n");
}

HTTP_TEST(without_abort_a_free_answers_with_500) {
  http_bench *b = *state;
  b->trips[0].cannot_abort = 1;
  trip_begin(&b->trips[0], &b->http, CALL("1", "hello"));
  http_bench_free_endpoint(b);
  came(&b->trips[0], "500");
}
