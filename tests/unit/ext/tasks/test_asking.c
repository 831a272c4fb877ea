/* SPDX-License-Identifier: MIT */
/* Our server asks our client as tasks; tests/wire/server/ask-tasks.txt has what
 * they say, and what other clients may do. */
#include "support/cm.h"
#include "support/server_rig.h"
#include <mcp/client.h>
#include <mcp/tasks.h>
#include <stdio.h>
#include <string.h>

typedef struct pair {
  server_rig rig;
  mcp_client *client;
  mcp_question *question;         /* the last one that was asked */
  int status;                     /* of the last request; 1: none has ended */
  char text[MCP_ERROR_TEXT_SIZE]; /* of its result, or its error */
} pair;

static int asking_handler(mcp_call *call, void *userdata) {
  const mcp_elicitation question = {.size = sizeof(mcp_elicitation),
                                    .message = "Who?",
                                    .form =
                                        MCP_OBJECT(MCP_STRING("name", NULL))};
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_elicit(call, "who", &question, &answer);
  if (rc != 0) {
    return rc;
  }
  const char *name =
      mcp_json_string(mcp_json_get(mcp_json_get(answer, "content"), "name"));
  return mcp_call_reply_textf(call, "hello %s", name != NULL ? name : "you");
}

static void keep_question(mcp_question *question, void *userdata) {
  ((pair *)userdata)->question = question;
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  pair *p = userdata;
  (void)client;
  p->status = outcome->status;
  const char *text = outcome->status == 0 ? mcp_result_text(outcome->result)
                                          : outcome->error->message;
  snprintf(p->text, sizeof(p->text), "%s", text != NULL ? text : "");
}

static void start_server(pair *p) {
  const mcp_tasks_options tasks = {.size = sizeof(tasks), .ask_as_tasks = 1};
  const mcp_tool tool = {
      .size = sizeof(tool), .name = "asks", .handler = asking_handler};
  assert_int_equal(rig_init(&p->rig, NULL, NULL), 0);
  assert_int_equal(mcp_server_enable_tasks(p->rig.server, &tasks, NULL), 0);
  assert_int_equal(mcp_server_add_tool(p->rig.server, &tool, NULL), 0);
}

static void start_client(pair *p) {
  const mcp_client_options options = {.size = sizeof(options),
                                      .revision = "2025-11-25",
                                      .use_tasks = 1,
                                      .on_elicit = keep_question,
                                      .userdata = p};
  mcp_transport *near;
  mcp_transport *far;
  mcp_loop *loop = p->rig.loop;
  assert_int_equal(mcp_memory_pair(loop, &near, &far, NULL), 0);
  assert_int_equal(
      mcp_server_connect(p->rig.server, loop, far, NULL, NULL, NULL), 0);
  p->client = mcp_client_new(loop, "c", "1", &options, NULL);
  assert_non_null(p->client);
  assert_int_equal(mcp_client_connect(p->client, near, on_done, p, NULL), 0);
  rig_turn(&p->rig);
  assert_int_equal(p->status, 0);
}

static int pair_set_up(void **state) {
  static pair p;
  memset(&p, 0, sizeof(p));
  p.status = 1;
  *state = &p;
  start_server(&p);
  start_client(&p);
  return 0;
}

static int pair_tear_down(void **state) {
  pair *p = *state;
  mcp_client_free(p->client);
  rig_deinit(&p->rig);
  return 0;
}

#define PAIR_TEST(name) TEST_WITH(name, pair_set_up, pair_tear_down)

/* Calls the tool, whose question then waits. */
static uint64_t call_asking(pair *p) {
  uint64_t number = 0;
  const mcp_request_options options = {.size = sizeof(options),
                                       .request = &number};
  p->status = 1;
  p->question = NULL;
  assert_int_equal(
      mcp_client_call_tool(p->client, "asks", NULL, &options, on_done, p, NULL),
      0);
  rig_turn(&p->rig);
  assert_non_null(p->question);
  assert_int_equal(p->status, 1);
  return number;
}

PAIR_TEST(an_answer_reaches_the_call_at_once) {
  pair *p = *state;
  call_asking(p);
  rig_pass(&p->rig, 10500); /* between two looks at the task */
  assert_int_equal(p->status, 1);
  assert_int_equal(mcp_question_accept(p->question, "{\"name\":\"Ada\"}", NULL),
                   0);
  rig_turn(&p->rig);
  assert_int_equal(p->status, 0);
  assert_string_equal(p->text, "hello Ada");
}

PAIR_TEST(a_user_may_decline) {
  pair *p = *state;
  call_asking(p);
  assert_int_equal(mcp_question_decline(p->question), 0);
  rig_turn(&p->rig);
  assert_int_equal(p->status, 0);
  assert_string_equal(p->text, "hello you");
}

PAIR_TEST(a_program_may_fail) {
  pair *p = *state;
  call_asking(p);
  assert_int_equal(mcp_question_fail(p->question, -5, "no terminal"), 0);
  rig_turn(&p->rig);
  assert_int_equal(p->status, MCP_ERR_REMOTE);
  assert_string_equal(p->text,
                      "question \"who\" was not answered: no terminal");
}

PAIR_TEST(a_cancelled_call_cancels_the_question) {
  pair *p = *state;
  uint64_t number = call_asking(p);
  assert_int_equal(mcp_question_is_cancelled(p->question), 0);
  assert_int_equal(mcp_client_cancel(p->client, number, NULL), 0);
  rig_turn(&p->rig);
  assert_int_equal(p->status, MCP_ERR_CANCELLED);
  assert_int_equal(mcp_question_is_cancelled(p->question), 1);
  assert_int_equal(mcp_question_decline(p->question), MCP_ERR_GONE);
}

PAIR_TEST(the_end_of_the_server_ends_the_question) {
  pair *p = *state;
  call_asking(p);
  mcp_server_free(p->rig.server);
  p->rig.server = NULL;
  rig_turn(&p->rig);
  assert_int_equal(p->status, MCP_ERR_CLOSED);
  assert_int_equal(mcp_question_is_cancelled(p->question), 1);
  assert_int_equal(mcp_question_decline(p->question), MCP_ERR_GONE);
}
