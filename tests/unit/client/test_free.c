/* SPDX-License-Identifier: MIT */
/* A client is freed, closed and used inside each kind of its callbacks. */
#include "unit/client/kit.h"

enum { FREE, CLOSE, USE, ACTION_COUNT };

static int action; /* what the callbacks of the test do */
static int hits;   /* how often they were called */
static kit *tested;
/* The trace of a message with this text acts; NULL: none does. */
static const char *traced;
static int calls;       /* with act_done as their completion */
static int completions; /* of these */

static void act_now(void) {
  kit *k = tested;
  if (k->client == NULL) {
    return;
  }
  switch (action) {
  case FREE:
    mcp_client_free(k->client);
    k->client = NULL;
    break;
  case CLOSE:
    mcp_client_close(k->client);
    break;
  default:
    mcp_client_list_tools(k->client, NULL, NULL, NULL, NULL);
    mcp_client_subscribe(k->client, "x:a", NULL, NULL, NULL, NULL);
    mcp_client_cancel(k->client, 2, NULL);
    mcp_client_set_roots(k->client, "[]", NULL);
    break;
  }
}

/* While traces act, other callbacks do not. */
static void act(void) {
  hits++;
  if (traced == NULL) {
    act_now();
  }
}

static void act_done(mcp_client *client, const mcp_outcome *outcome,
                     void *userdata) {
  mcp_result *kept = mcp_result_ref(outcome->result);
  completions++;
  assert_int_equal(outcome->result != NULL, outcome->status == 0);
  act();
  /* The outcome that the client passed is still there. */
  assert_int_equal(outcome->error->code, outcome->status);
  if (kept != NULL) {
    assert_non_null(mcp_result_json(kept));
  }
  mcp_result_unref(kept);
}

static void act_question(mcp_question *question, void *userdata) {
  act();
  int rc = mcp_question_decline(question);
  assert_true(rc == 0 || rc == MCP_ERR_GONE);
}

static void act_question_first(mcp_question *question, void *userdata) {
  mcp_question_decline(question);
  act();
}

static void act_log(mcp_client *client, int level, const char *logger,
                    const mcp_json *data, void *userdata) {
  act();
  assert_int_equal(mcp_json_int(data), 1);
}

static void act_string(mcp_client *client, const char *string, void *userdata) {
  act();
  assert_non_null(string);
}

static void act_other(mcp_client *client, const char *method,
                      const mcp_json *params, void *userdata) {
  act_string(client, method, userdata);
}

static void act_error(mcp_client *client, const mcp_error *err,
                      void *userdata) {
  act_string(client, err->message, userdata);
}

static void act_progress(mcp_client *client, double progress, double total,
                         const char *message, void *userdata) {
  act_string(client, message, userdata);
}

static void act_open(mcp_client *client, const mcp_json *granted,
                     void *userdata) {
  act();
  assert_int_equal(mcp_json_type(granted), MCP_JSON_OBJECT);
}

static void kit_renew(kit *k) {
  action = FREE;
  traced = NULL;
  kit_deinit(k);
  assert_int_equal(kit_init(k, NULL), 0);
}

/* --- the callbacks ------------------------------------------------------ */

#define FORM                                                                   \
  "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\","               \
  "\"properties\":{}}}"
#define SAMPLE "{\"messages\":[],\"maxTokens\":5}"
#define ASKED(members)                                                         \
  RESULT("2", "{\"resultType\":\"input_required\",\"inputRequests\":{" members \
              "}}")
#define ASK_FORM(key)                                                          \
  "\"" key "\":{\"method\":\"elicitation/create\",\"params\":" FORM "}"

static void call(kit *k) {
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .on_progress = act_progress};
  mcp_client_call_tool(k->client, "t", NULL, &options, act_done, NULL, NULL);
  calls++;
}

static void call_quietly(kit *k) {
  mcp_client_call_tool(k->client, "t", NULL, NULL, NULL, NULL, NULL);
}

static void call_that_needs_a_visit(kit *k) {
  call_quietly(k);
  say(k, ERROR("2", "-32042",
               ",\"data\":{\"elicitations\":[{\"elicitationId\":\"x\"}]}"));
}

static void two_calls(kit *k) {
  call(k);
  call(k);
}

static void list(kit *k) {
  calls++;
  mcp_client_list_tools(k->client, NULL, act_done, NULL, NULL);
}

static void do_listen(kit *k) {
  const mcp_listen_filter filter = {.size = sizeof(mcp_listen_filter),
                                    .tools = 1};
  mcp_client_listen(k->client, &filter, NULL, act_open, NULL, NULL, NULL);
}

static void subscribe(kit *k) {
  calls++;
  mcp_client_subscribe(k->client, "x:b", NULL, act_done, NULL, NULL);
}

static void nothing(kit *k) {
}

#define TASK(status)                                                           \
  "\"taskId\":\"t1\",\"createdAt\":\"\",\"lastUpdatedAt\":\"\",\"ttlMs\":"     \
  "null,"                                                                      \
  "\"status\":" status
#define NOW(status) NOTE("notifications/tasks", "{" TASK(status) "}")
#define BECAME_TASK                                                            \
  RESULT("2", "{\"resultType\":\"task\"," TASK("\"working\"") "}")

static void call_a_task(kit *k) {
  call(k);
  say(k, BECAME_TASK);
}

typedef struct moment {
  const char *name;
  int is_modern;
  void (*prepare)(kit *k);
  const char *message; /* NULL: the server hangs up; "": time passes */
  /* With tasks: the trace of a message with this text acts, and no other
   * callback; "": the others do. NULL: without tasks. */
  const char *traced;
} moment;

static const moment moments[] = {
    {"result", 1, two_calls, RESULT("2", "{\"content\":[]}"), NULL},
    {"refusal", 0, call, ERROR("2", "1", ",\"data\":[]"), NULL},
    {"violation", 1, call, RESULT("2", "[]"), NULL},
    {"page", 1, list, RESULT("2", "{\"tools\":[]}"), NULL},
    {"timeout", 1, two_calls, "", NULL},
    {"end", 1, two_calls, NULL, NULL},
    {"end of a legacy server", 0, two_calls, NULL, NULL},
    {"progress", 1, call,
     NOTE("notifications/progress",
          "{\"progressToken\":2,\"progress\":1,\"message\":\"m\"}"),
     NULL},
    {"log", 1, two_calls,
     NOTE("notifications/message", "{\"level\":\"info\",\"data\":1}"), NULL},
    {"tools changed", 0, nothing,
     NOTE("notifications/tools/list_changed", "{}"), NULL},
    {"updated", 0, call,
     NOTE("notifications/resources/updated", "{\"uri\":\"x\"}"), NULL},
    {"elicited", 0, call_that_needs_a_visit,
     NOTE("notifications/elicitation/complete", "{\"elicitationId\":\"x\"}"),
     NULL},
    {"notification", 0, nothing, NOTE("x/y", "{}"), NULL},
    {"error", 1, nothing, "rubbish", NULL},
    {"stray reply", 1, call, RESULT("77", "{}"), NULL},
    {"form", 0, call, REQUEST("1", "elicitation/create", FORM), NULL},
    {"sample", 0, nothing, REQUEST("1", "sampling/createMessage", SAMPLE),
     NULL},
    {"roots", 0, nothing, REQUEST("1", "roots/list", "{}"), NULL},
    {"asked form", 1, call, ASKED(ASK_FORM("a") "," ASK_FORM("b")), NULL},
    {"asked roots", 1, call_quietly,
     ASKED("\"a\":{\"method\":\"roots/list\"}," ASK_FORM("b")), NULL},
    {"open", 1, do_listen,
     NOTE("notifications/subscriptions/acknowledged",
          "{\"notifications\":{},\"_meta\":{"
          "\"io.modelcontextprotocol/subscriptionId\":2}}"),
     NULL},
    {"subscribed", 1, subscribe,
     NOTE("notifications/subscriptions/acknowledged",
          "{\"notifications\":{\"resourceSubscriptions\":[\"x:b\"]},"
          "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":2}}"),
     NULL},
    {"task progress", 1, call_a_task,
     NOW("\"working\",\"statusMessage\":\"m\""), ""},
    {"task end", 1, call_a_task,
     NOW("\"completed\",\"result\":{\"content\":[]}"), ""},
    {"task failure", 1, call_a_task,
     NOW("\"failed\",\"error\":{\"code\":1,\"message\":\"m\"}"), ""},
    {"task question", 1, call_a_task,
     NOW("\"input_required\",\"inputRequests\":{" ASK_FORM("a") "," ASK_FORM(
         "b") "}"),
     ""},
    {"task stream", 1, call, BECAME_TASK, "subscriptions/listen"},
    {"task poll", 1, call_a_task, "", "tasks/get"},
    {"task answer", 1, call_a_task,
     NOW("\"input_required\",\"inputRequests\":{" ASK_FORM("a") "}"),
     "tasks/update"},
    {"end of a task's stream", 1, call_a_task,
     NOW("\"completed\",\"result\":{\"content\":[]}"),
     "notifications/cancelled"},
    {"task that is cancelled", 1, call_a_task,
     NOW("\"input_required\",\"inputRequests\":{\"a\":{\"method\":\"x\"}}"),
     "tasks/cancel"},
};

static int traces;

static void act_trace(mcp_client *client, const mcp_traced_message *message,
                      void *userdata) {
  if (traced != NULL && message->is_sent &&
      memmem(message->text, message->len, traced, strlen(traced)) != NULL) {
    traces++;
    act_now();
  }
}

static mcp_client_options acting_options(kit *k, int answers_first) {
  mcp_client_options options = options_of(k);
  options.on_log = act_log;
  options.on_list_changed = act_string;
  options.on_resource_updated = act_string;
  options.on_elicitation_complete = act_string;
  options.on_notification = act_other;
  options.on_error = act_error;
  options.on_closed = act_error;
  options.on_elicit = answers_first ? act_question_first : act_question;
  options.on_sample = options.on_elicit;
  options.on_roots = options.on_elicit;
  return options;
}

#define CAN(roots, more)                                                       \
  "{\"roots\":" roots ",\"sampling\":{},\"elicitation\":{\"form\":{}}" more "}"
#define TASKS ",\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}"

static void run(kit *k, const moment *m, int what, int answers_first) {
  mcp_client_options options = acting_options(k, answers_first);
  tested = k;
  action = what;
  calls = 0;
  completions = 0;
  traced = NULL;
  if (m->traced != NULL) {
    options.use_tasks = 1;
    options.on_trace = act_trace;
    connect_modern_as(k, &options, CAN("{}", TASKS));
  } else if (m->is_modern) {
    connect_modern_as(k, &options, CAN("{}", ""));
  } else {
    connect_legacy_as(k, &options, "2025-11-25",
                      CAN("{\"listChanged\":true}", ""));
  }
  m->prepare(k);
  turn(k);
  hits = 0;
  traces = 0;
  traced = m->traced != NULL && m->traced[0] != '\0' ? m->traced : NULL;
  if (m->message == NULL) {
    k->far->close(k->far);
  } else if (m->message[0] != '\0') {
    say(k, m->message);
  }
  pass(k, m->message != NULL && m->message[0] == '\0' ? 60000 : 0);
  if (hits + traces == 0) {
    print_error("%s: no callback\n", m->name);
  }
  assert_true(hits + traces > 0);
  assert_int_equal(traces > 0, traced != NULL);
  assert_true(completions <= calls); /* each completes once */
  kit_renew(k);
}

KIT_TEST(each_callback_may_free_close_and_call) {
  for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++) {
    for (int what = 0; what < ACTION_COUNT; what++) {
      run(*state, &moments[i], what, 0);
      run(*state, &moments[i], what, 1);
    }
  }
}

KIT_TEST(the_completion_of_connect_may_free_close_and_call) {
  static const char *const answers[] = {
      HELLO_MODERN("1"),
      ERROR("1", "-32022", ",\"data\":{\"supported\":[\"2031-01-01\"]}"), NULL};
  kit *k = *state;
  for (int i = 0; i < 3; i++) {
    for (int what = 0; what < ACTION_COUNT; what++) {
      mcp_transport *near;
      mcp_client_options options = acting_options(k, 0);
      tested = k;
      action = what;
      assert_int_equal(kit_remake(k, &options, NULL), 0);
      assert_int_equal(mcp_memory_pair(k->loop, &near, &k->far, NULL), 0);
      k->far->owner = k;
      k->far->on_message = far_message;
      k->far->on_error = far_error;
      k->far->on_close = far_close;
      k->far->start(k->far, NULL);
      assert_int_equal(
          mcp_client_connect(k->client, near, act_done, NULL, NULL), 0);
      turn(k);
      hits = 0;
      if (answers[i] != NULL) {
        say(k, answers[i]);
      } else {
        k->far->close(k->far);
      }
      turn(k);
      assert_true(hits > 0);
      kit_renew(k);
    }
  }
}

/* --- more than one at once ---------------------------------------------- */

static void free_twice(mcp_client *client, const mcp_outcome *outcome,
                       void *userdata) {
  kit *k = userdata;
  hits++;
  assert_int_equal(mcp_client_ping(client, NULL, NULL, NULL, NULL),
                   MCP_ERR_CLOSED);
  mcp_client_close(client);
  mcp_client_free(client); /* already under way: harmless */
  k->client = NULL;
}

KIT_TEST(completions_run_before_free_returns) {
  kit *k = *state;
  connect_modern(k);
  hits = 0;
  for (int i = 0; i < 5; i++) {
    mcp_client_call_tool(k->client, "t", NULL, NULL, free_twice, k, NULL);
  }
  mcp_client_list_prompts(k->client, NULL, free_twice, k, NULL);
  mcp_client_subscribe(k->client, "x:a", NULL, free_twice, k, NULL);
  mcp_client_free(k->client);
  assert_int_equal(hits, 7);
  expect_log(k, "");
}

KIT_TEST(freeing_completes_connect) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  connect_with(k, &options);
  mcp_client_free(k->client);
  k->client = NULL;
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, MCP_ERR_CLOSED);
  mcp_client_free(NULL);
}

KIT_TEST(a_kept_answer_is_given_before_free_returns) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_modern(k);
  mcp_client_set_log_level(k->client, MCP_LOG_INFO, NULL, on_done, e, NULL);
  mcp_client_free(k->client);
  k->client = NULL;
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, 0);
}

static void free_when_told(mcp_client *client, const mcp_error *err,
                           void *userdata) {
  kit *k = userdata;
  k->client = NULL;
  mcp_client_free(client);
}

KIT_TEST(the_report_of_a_broken_listen_may_free) {
  kit *k = *state;
  const mcp_listen_filter filter = {.size = sizeof(mcp_listen_filter),
                                    .tools = 1};
  mcp_client_options options = options_of(k);
  ending *e = new_ending(k);
  options.on_error = free_when_told;
  connect_modern_as(k, &options, "{}");
  mcp_client_listen(k->client, &filter, NULL, NULL, on_done, e, NULL);
  turn(k);
  say(k, NOTE("notifications/subscriptions/acknowledged",
              "{\"notifications\":{},\"_meta\":{"
              "\"io.modelcontextprotocol/subscriptionId\":2}}"));
  say(k, RESULT("2", "{}"));
  assert_null(k->client);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
}

static void report_rubbish(kit *k, mcp_client_options *options) {
  options->max_reports = 1;
  connect_modern_as(k, options, "{}");
  say(k, "rubbish");
  say(k, "rubbish");
  say(k, "rubbish");
}

KIT_TEST(a_freed_client_reports_no_count) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  report_rubbish(k, &options);
  k->log[0] = '\0';
  mcp_client_free(k->client);
  k->client = NULL;
  pass(k, 1000);
  expect_log(k, "");
}

static void free_at_the_count(mcp_client *client, const mcp_error *err,
                              void *userdata) {
  if (strstr(err->message, "left out") != NULL) {
    free_when_told(client, err, userdata);
  }
}

KIT_TEST(the_count_of_reports_may_free) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.on_error = free_at_the_count;
  report_rubbish(k, &options);
  pass(k, 1000);
  assert_null(k->client);
}
