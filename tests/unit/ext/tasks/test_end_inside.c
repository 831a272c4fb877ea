/* SPDX-License-Identifier: MIT */
/* A trace runs inside a send. It closes the connection, or frees the server,
 * while the server sends what belongs to a task. */
#include "support/cm.h"
#include "support/prompt_transport.h"
#include "support/server_rig.h"
#include <mcp/client.h>
#include <mcp/tasks.h>
#include <stdio.h>
#include <string.h>

enum { TIMEOUT_MS = 600 * 1000, TTL_MS = 500 * 1000 };

enum { CLOSES, FREES, DEEDS };

typedef struct bench {
  server_rig rig;
  mcp_connection *connection;
  mcp_client *client;
  mcp_question *questions[2];
  int question_count;
  int status; /* of the call; 1: it has not ended */
  uint64_t number;
  /* When the server sends a message that contains this text, the trace does the
   * deed; NULL: never. */
  const char *text;
  int deed;
  int was_done;
  int end_count; /* how often the server reported the end */
} bench;

/* ---- the server --------------------------------------------------------- */

static int ask(mcp_call *call, const char *key) {
  const mcp_elicitation question = {.size = sizeof(mcp_elicitation),
                                    .message = "Who?",
                                    .form =
                                        MCP_OBJECT(MCP_STRING("name", NULL))};
  const mcp_json *answer;
  return mcp_call_ask_elicit(call, key, &question, &answer);
}

/* Two questions, which are asked in one round. */
static int on_ask(mcp_call *call, void *userdata) {
  (void)userdata;
  int first = ask(call, "first");
  int second = ask(call, "second");
  int rc = first != 0 ? first : second;
  return rc != 0 ? rc : mcp_call_reply_text(call, "done");
}

static void on_ended(mcp_connection *connection, const mcp_error *err,
                     void *userdata) {
  bench *b = userdata;
  (void)connection;
  (void)err;
  b->connection = NULL;
  b->end_count++;
}

static int has_text(const mcp_traced_message *message, const char *text) {
  size_t len = strlen(text);
  for (size_t at = 0; at + len <= message->len; at++) {
    if (memcmp(message->text + at, text, len) == 0) {
      return 1;
    }
  }
  return 0;
}

static void on_trace(mcp_transport *transport,
                     const mcp_traced_message *message, void *userdata) {
  bench *b = userdata;
  (void)transport;
  if (!message->is_sent || b->was_done || b->text == NULL ||
      !has_text(message, b->text)) {
    return;
  }
  b->was_done = 1;
  if (b->deed == CLOSES) {
    mcp_connection_close(b->connection, 0);
  } else {
    mcp_server_free(b->rig.server);
    b->rig.server = NULL;
  }
}

/* ---- the client --------------------------------------------------------- */

static void on_question(mcp_question *question, void *userdata) {
  bench *b = userdata;
  assert_true(b->question_count < 2);
  b->questions[b->question_count++] = question;
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  bench *b = userdata;
  (void)client;
  b->status = outcome->status;
}

static void accept_both(bench *b) {
  for (int i = 0; i < 2; i++) {
    assert_int_equal(
        mcp_question_accept(b->questions[i], "{\"name\":\"x\"}", NULL), 0);
  }
}

static void cancel(bench *b) {
  assert_int_equal(mcp_client_cancel(b->client, b->number, NULL), 0);
}

/* The server looks at the client's tasks each second. */
static void pass_poll(bench *b) {
  rig_pass(&b->rig, 1000);
}

static void pass_timeout(bench *b) {
  rig_pass(&b->rig, TIMEOUT_MS);
}

static void pass_ttl(bench *b) {
  rig_pass(&b->rig, TTL_MS);
}

/* ---- the table ---------------------------------------------------------- */

typedef struct end_case {
  const char *text;
  /* What makes the server send the message; NULL: the call itself. */
  void (*cause)(bench *b);
  enum { PLAIN, QUESTIONS_ARE_TASKS, CALL_IS_TASK } kind;
} end_case;

static void begin(bench *b, const end_case *c, int is_prompt) {
  const mcp_limits limits = {.size = sizeof(limits),
                             .ask_timeout_ms = TIMEOUT_MS};
  const mcp_server_options options = {.size = sizeof(options),
                                      .limits = &limits};
  const mcp_tasks_options tasks = {.size = sizeof(tasks),
                                   .ask_as_tasks =
                                       c->kind == QUESTIONS_ARE_TASKS,
                                   .ttl_ms = TTL_MS};
  const mcp_tool tool = {.size = sizeof(tool),
                         .name = "asks",
                         .task = c->kind == CALL_IS_TASK ? MCP_TASK_REQUIRED
                                                         : MCP_TASK_FORBIDDEN,
                         .handler = on_ask};
  const mcp_connection_options ends = {
      .size = sizeof(ends), .on_closed = on_ended, .userdata = b};
  const mcp_client_options mine = {.size = sizeof(mine),
                                   .revision = "2025-11-25",
                                   .use_tasks = 1,
                                   .on_elicit = on_question,
                                   .userdata = b};
  mcp_transport *near;
  mcp_transport *far;
  memset(b, 0, sizeof(*b));
  assert_int_equal(rig_init(&b->rig, &options, NULL), 0);
  assert_int_equal(mcp_server_enable_tasks(b->rig.server, &tasks, NULL), 0);
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
  mcp_loop *loop = b->rig.loop;
  assert_int_equal(mcp_memory_pair(loop, &near, &far, NULL), 0);
  far = is_prompt ? prompt_transport_new(far) : far;
  far = mcp_transport_trace(loop, far, on_trace, b, NULL);
  assert_int_equal(
      mcp_server_connect(b->rig.server, loop, far, &ends, &b->connection, NULL),
      0);
  b->client = mcp_client_new(loop, "c", "1", &mine, NULL);
  assert_int_equal(mcp_client_connect(b->client, near, on_done, b, NULL), 0);
  rig_turn(&b->rig);
  /* for the client to know that the tool must be a task */
  assert_int_equal(mcp_client_list_tools(b->client, NULL, on_done, b, NULL), 0);
  rig_turn(&b->rig);
  assert_int_equal(b->status, 0);
}

static void call_tool(bench *b) {
  const mcp_request_options options = {.size = sizeof(options),
                                       .request = &b->number};
  b->status = 1;
  assert_int_equal(
      mcp_client_call_tool(b->client, "asks", NULL, &options, on_done, b, NULL),
      0);
  rig_turn(&b->rig);
}

static void end(bench *b) {
  mcp_client_free(b->client);
  rig_deinit(&b->rig);
}

static void run(bench *b, const end_case *c, int deed, int is_prompt) {
  begin(b, c, is_prompt);
  b->deed = deed;
  b->text = c->cause == NULL ? c->text : NULL;
  call_tool(b);
  if (c->cause != NULL) {
    rig_pass(&b->rig, 1500); /* the client asks for the result of its task */
    assert_int_equal(b->question_count, 2);
    assert_int_equal(b->status, 1);
    b->text = c->text;
    c->cause(b);
    rig_turn(&b->rig);
  }
  rig_pass(&b->rig, 1500);
  if (!b->was_done) {
    fail_msg("%s was not sent", c->text);
  }
  assert_int_equal(b->end_count, 1);
  assert_int_equal(mcp_server_connection_count(b->rig.server), 0);
  assert_int_equal(b->status,
                   c->cause == cancel ? MCP_ERR_CANCELLED : MCP_ERR_CLOSED);
  end(b);
}

/* One line of the table. */
#define END_TEST(name, text_, cause_, kind_)                                   \
  TEST(name) {                                                                 \
    static const end_case c = {text_, cause_, kind_};                          \
    static bench b;                                                            \
    for (int deed = 0; deed < DEEDS; deed++) {                                 \
      run(&b, &c, deed, 0);                                                    \
      run(&b, &c, deed, 1);                                                    \
    }                                                                          \
  }

/* ask_round.c */
END_TEST(in_a_plain_question, "\"elicitation/create\"", NULL, PLAIN)
END_TEST(in_the_cancellation_of_a_late_plain_question,
         "\"notifications/cancelled\"", pass_timeout, PLAIN)
END_TEST(in_the_cancellation_of_a_plain_question, "\"notifications/cancelled\"",
         cancel, PLAIN)
/* asking.c */
END_TEST(in_a_question, "\"elicitation/create\"", NULL, QUESTIONS_ARE_TASKS)
END_TEST(in_tasks_get, "\"tasks/get\"", pass_poll, QUESTIONS_ARE_TASKS)
END_TEST(in_tasks_result, "\"tasks/result\"", accept_both, QUESTIONS_ARE_TASKS)
END_TEST(in_tasks_cancel_of_a_late_question, "\"tasks/cancel\"", pass_timeout,
         QUESTIONS_ARE_TASKS)
END_TEST(in_tasks_cancel_of_a_cancelled_call, "\"tasks/cancel\"", cancel,
         QUESTIONS_ARE_TASKS)
/* begin.c, changes.c */
END_TEST(in_the_answer_with_a_task, "\"working\"", NULL, CALL_IS_TASK)
END_TEST(in_the_status_of_a_task, "\"notifications/tasks/status\"", NULL,
         CALL_IS_TASK)
/* waiter.c */
END_TEST(in_a_question_of_a_task, "\"elicitation/create\"", NULL, CALL_IS_TASK)
END_TEST(in_the_cancellation_of_a_late_question, "\"notifications/cancelled\"",
         pass_ttl, CALL_IS_TASK)
/* task_request.c, running.c */
END_TEST(in_the_answer_to_tasks_cancel, "\"cancelled\"", cancel, CALL_IS_TASK)
