/* SPDX-License-Identifier: MIT */
#include "tools.h"

#include <stdio.h>

static int waiting;   /* calls of tool_wait that have begun */
static int cancelled; /* those of them that were */

int tool_fail(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_failure(call, "disk %d is full", 3);
}

int tool_refuse(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_error(call, 42, "not today",
                              MCP_JSON({"retry": "tomorrow"}));
}

static void on_wait_cancelled(mcp_call *call, void *userdata) {
  (void)userdata;
  cancelled++;
  mcp_call_reply_text(call, "nobody reads this");
}

int tool_wait(mcp_call *call, double total) {
  int rc = mcp_call_defer(call);
  if (rc != 0) {
    return rc;
  }
  waiting++;
  mcp_call_progress(call, 1, total, "waiting");
  return mcp_call_on_cancel(call, on_wait_cancelled, NULL);
}

int tool_waiting(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, waiting);
}

int tool_cancelled(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, cancelled);
}

int tool_ask_age(mcp_call *call, const mcp_schema *form) {
  const mcp_json *who;
  const mcp_json *age;
  char message[128];
  int rc =
      mcp_call_ask_elicit(call, "who",
                          &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                                             .message = "Who are you?",
                                             .form = form},
                          &who);
  if (rc != 0) {
    return rc;
  }
  if (mcp_answer_action(who) != MCP_ACTION_ACCEPT) {
    return mcp_call_reply_text(call, "nobody");
  }
  const char *name = mcp_json_string(mcp_json_pointer(who, "/content/name"));
  snprintf(message, sizeof(message), "How old are you, %.80s?", name);
  rc = mcp_call_ask_elicit(
      call, "age",
      &(mcp_elicitation){
          .size = sizeof(mcp_elicitation),
          .message = message,
          .form = MCP_OBJECT(MCP_INTEGER("years", "Your age", .minimum = "0"))},
      &age);
  if (rc != 0) {
    return rc;
  }
  return mcp_call_reply_textf(
      call, "%s is %lld", name,
      (long long)mcp_json_int(mcp_json_pointer(age, "/content/years")));
}
