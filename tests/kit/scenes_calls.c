/* SPDX-License-Identifier: MIT */
/* Scenarios with a server at one end and a client at the other. */
#include "kit_check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 1000 };

/* Deferred calls, in the order in which they came. */
static mcp_call *held[MANY];
static size_t held_count;
static size_t cancelled_count;

static size_t done_count;
static int32_t last_status;

static int echo(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "number"));
}

static int hold(mcp_call *call, void *userdata) {
  (void)userdata;
  CHECK(held_count < MANY);
  held[held_count++] = call;
  return mcp_call_defer(call);
}

static void on_cancel(mcp_call *call, void *userdata) {
  (void)userdata;
  cancelled_count++;
  CHECK(mcp_call_is_cancelled(call));
}

static int hold_until_cancelled(mcp_call *call, void *userdata) {
  mcp_call_on_cancel(call, on_cancel, NULL);
  return hold(call, userdata);
}

static void add_tool(mcp_server *server, const char *name,
                     mcp_call_cb handler) {
  mcp_tool tool = {.size = sizeof(mcp_tool),
                   .name = name,
                   .input = MCP_OBJECT(MCP_NUMBER("number", "any")),
                   .handler = handler};
  CHECK(mcp_server_add_tool(server, &tool, NULL) == 0);
}

static void connect_both(uint32_t policy) {
  mcp_client_options options = {.size = sizeof(mcp_client_options),
                                .policy = policy};
  mcp_server *server = mcp_server_new("kit", "1", NULL, NULL);
  CHECK(server != NULL);
  held_count = 0;
  cancelled_count = 0;
  done_count = 0;
  add_tool(server, "echo", echo);
  add_tool(server, "hold", hold);
  add_tool(server, "hold_until_cancelled", hold_until_cancelled);
  kit_connect(server, &options);
}

static void note_done(mcp_client *client, const mcp_outcome *outcome,
                      void *userdata) {
  (void)client;
  (void)userdata;
  last_status = outcome->status;
  done_count++;
}

/* The answer must be the call's own number. */
static void check_answer(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  note_done(client, outcome, userdata);
  if (outcome->status != 0) {
    printf("# %s\n", outcome->error->message);
  }
  CHECK(outcome->status == 0);
  const char *text = mcp_result_text(outcome->result);
  CHECK(text != NULL);
  CHECK(strtoul(text, NULL, 10) == (size_t)(uintptr_t)userdata);
}

static void call(const char *tool, size_t number, mcp_done_cb on_done,
                 uint64_t *request) {
  char arguments[40];
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .request = request};
  snprintf(arguments, sizeof(arguments), "{\"number\":%zu}", number);
  CHECK(mcp_client_call_tool(scene.client, tool, arguments, &options, on_done,
                             (void *)(uintptr_t)number, NULL) == 0);
}

static void a_call_is_answered(void) {
  connect_both(scene.kind->policy);
  for (size_t i = 0; i < 3; i++) {
    call("echo", i, check_answer, NULL);
    WAIT_UNTIL(done_count == i + 1);
  }
}

static void a_legacy_call_is_answered(void) {
  connect_both(MCP_POLICY_LEGACY);
  call("echo", 7, check_answer, NULL);
  WAIT_UNTIL(done_count == 1);
}

static void many_calls_are_in_flight(void) {
  connect_both(scene.kind->policy);
  for (size_t i = 0; i < MANY; i++) {
    call("hold", i, check_answer, NULL);
  }
  WAIT_UNTIL(held_count == MANY);
  for (size_t i = MANY; i-- > 0;) { /* the last one first */
    CHECK(echo(held[i], NULL) == 0);
  }
  WAIT_UNTIL(done_count == MANY);
}

static void a_call_is_cancelled(void) {
  uint64_t request = 0;
  connect_both(scene.kind->policy);
  call("hold_until_cancelled", 1, note_done, &request);
  WAIT_UNTIL(held_count == 1);
  CHECK(mcp_client_cancel(scene.client, request, "no more") == 0);
  WAIT_UNTIL(done_count == 1 && cancelled_count == 1);
  CHECK(last_status == MCP_ERR_CANCELLED);
  mcp_call_reply_text(held[0], "too late");
  call("echo", 2, check_answer, NULL); /* nothing comes in between */
  WAIT_UNTIL(done_count == 2);
}

static void closing_completes_every_call(void) {
  connect_both(scene.kind->policy);
  for (size_t i = 0; i < 100; i++) {
    call("hold", i, note_done, NULL);
  }
  WAIT_UNTIL(held_count == 100);
  mcp_client_close(scene.client);
  WAIT_UNTIL(done_count == 100);
  CHECK(last_status == MCP_ERR_CLOSED);
  int is_heard = (scene.kind->flags & KIT_NO_FAREWELL) == 0;
  WAIT_UNTIL(!is_heard || mcp_server_connection_count(scene.server) == 0);
  for (size_t i = 0; i < 100; i++) {
    int rc = mcp_call_reply_text(held[i], "too late");
    CHECK(rc == MCP_ERR_GONE || (!is_heard && rc == 0));
  }
  WAIT_UNTIL(mcp_server_connection_count(scene.server) == 0);
  CHECK(done_count == 100); /* each once */
}

static void draining_answers_what_is_in_flight(void) {
  connect_both(scene.kind->policy);
  call("hold", 5, check_answer, NULL);
  WAIT_UNTIL(held_count == 1);
  mcp_server_drain(scene.server, 60 * 1000);
  CHECK(echo(held[0], NULL) == 0);
  WAIT_UNTIL(done_count == 1 && mcp_server_connection_count(scene.server) == 0);
}

const kit_scenario kit_call_scenes[] = {
    {"a call is answered", a_call_is_answered, 0},
    {"a legacy call is answered", a_legacy_call_is_answered, 0},
    {"1000 calls are in flight", many_calls_are_in_flight, 0},
    {"a call is cancelled", a_call_is_cancelled, KIT_NO_CANCELLING},
    {"closing completes every call", closing_completes_every_call, 0},
    {"draining answers what is in flight", draining_answers_what_is_in_flight,
     0},
    {NULL, NULL, 0},
};
