/* SPDX-License-Identifier: MIT */
/* Tools that need input, round by round (2026-07-28): each handler asks, is run
 * again with the answers, and goes on. The keys of the questions are the
 * suite's. */
#include "conformance.h"

#include <stddef.h>

/* --- the questions ------------------------------------------------------- */

static int ask_string(mcp_call *call, const char *key, const char *message,
                      const char *field, const mcp_json **answer) {
  return mcp_call_ask_elicit(
      call, key,
      &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                         .message = message,
                         .form = MCP_OBJECT(MCP_STRING(field, NULL))},
      answer);
}

static int ask_ok(mcp_call *call, const mcp_json **answer) {
  return mcp_call_ask_elicit(
      call, "confirm",
      &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                         .message = "Please confirm",
                         .form = MCP_OBJECT(MCP_BOOLEAN("ok", NULL))},
      answer);
}

static int ask_model(mcp_call *call, const char *key, const char *prompt,
                     int64_t max_tokens, const mcp_json **answer) {
  return mcp_call_ask_sample(call, key,
                             &(mcp_sampling){.size = sizeof(mcp_sampling),
                                             .prompt = prompt,
                                             .max_tokens = max_tokens},
                             answer);
}

/* What the user put into a field; "nobody" where the form was not sent. */
static const char *filled_in(const mcp_json *answer, const char *field) {
  const char *text =
      mcp_json_string(mcp_json_get(mcp_json_get(answer, "content"), field));
  return text != NULL ? text : "nobody";
}

static const char *first_root(const mcp_json *roots) {
  const char *uri = mcp_json_string(mcp_json_pointer(roots, "/roots/0/uri"));
  return uri != NULL ? uri : "none";
}

/* --- one question -------------------------------------------------------- */

static int on_elicitation(mcp_call *call, void *userdata) {
  const mcp_json *name;
  (void)userdata;
  int rc = ask_string(call, "user_name", "What is your name?", "name", &name);
  return rc != 0 ? rc
                 : mcp_call_reply_textf(call, "Hello, %s!",
                                        filled_in(name, "name"));
}

static int on_sampling(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = ask_model(call, "capital_question", "What is the capital of France?",
                     100, &answer);
  return rc != 0 ? rc : reply_sampled(call, answer);
}

static int on_list_roots(mcp_call *call, void *userdata) {
  const mcp_json *roots;
  (void)userdata;
  int rc = mcp_call_ask_roots(call, "client_roots", &roots);
  return rc != 0
             ? rc
             : mcp_call_reply_textf(call, "Roots: %zu, the first: %s",
                                    mcp_json_size(mcp_json_get(roots, "roots")),
                                    first_root(roots));
}

/* --- state that travels with the client ---------------------------------- */

/* Remembers, in the client's hands, that the first round has been. */
static int on_request_state(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_set_state(call, MCP_JSON({"round": 1}));
  if (rc == 0) {
    rc = ask_ok(call, &answer);
  }
  if (rc != 0) {
    return rc;
  }
  int is_kept = mcp_json_int(mcp_json_get(mcp_call_state(call), "round")) == 1;
  return mcp_call_reply_text(call, is_kept ? "state-ok" : "state-lost");
}

/* A state that was altered never gets here: the library refuses it. */
static int on_tampered_state(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = ask_ok(call, &answer);
  return rc != 0 ? rc : reply_elicited(call, "Confirmed", answer);
}

/* --- several questions, in one round and in several ---------------------- */

static int on_multiple_inputs(mcp_call *call, void *userdata) {
  const mcp_json *name;
  const mcp_json *greeting;
  const mcp_json *roots;
  (void)userdata;
  int rc = ask_string(call, "user_name", "What is your name?", "name", &name);
  rc = together(
      rc, ask_model(call, "greeting", "Generate a greeting", 50, &greeting));
  rc = together(rc, mcp_call_ask_roots(call, "client_roots", &roots));
  if (rc != 0) {
    return rc;
  }
  return mcp_call_reply_textf(call, "%s (to %s, who works in %s)",
                              text_of_model(greeting), filled_in(name, "name"),
                              first_root(roots));
}

static int on_multi_round(mcp_call *call, void *userdata) {
  const mcp_json *name;
  const mcp_json *color;
  (void)userdata;
  int rc = ask_string(call, "step1", "Step 1: your name?", "name", &name);
  if (rc == 0) {
    rc = ask_string(call, "step2", "Step 2: your favourite color?", "color",
                    &color);
  }
  if (rc != 0) {
    return rc;
  }
  return mcp_call_reply_textf(call, "%s likes %s", filled_in(name, "name"),
                              filled_in(color, "color"));
}

/* Asks whom the client can reach: its model, else its user. */
static int on_capabilities(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  if (!mcp_call_client_has(call, "sampling")) {
    return on_elicitation(call, userdata);
  }
  int rc = ask_model(call, "greeting", "Generate a greeting", 50, &answer);
  return rc != 0 ? rc : reply_sampled(call, answer);
}

/* ------------------------------------------------------------------------- */

void add_round_tools(mcp_server *server) {
  add_plain_tool(server, "test_input_required_result_elicitation",
                 "Asks for a name", on_elicitation);
  add_plain_tool(server, "test_input_required_result_sampling",
                 "Asks the client's model", on_sampling);
  add_plain_tool(server, "test_input_required_result_list_roots",
                 "Asks for the client's roots", on_list_roots);
  add_plain_tool(server, "test_input_required_result_request_state",
                 "Keeps a state from round to round", on_request_state);
  add_plain_tool(server, "test_input_required_result_multiple_inputs",
                 "Asks three questions at once", on_multiple_inputs);
  add_plain_tool(server, "test_input_required_result_multi_round",
                 "Asks a question after another", on_multi_round);
  add_plain_tool(server, "test_input_required_result_tampered_state",
                 "Refuses a state that is not its own", on_tampered_state);
  add_plain_tool(server, "test_input_required_result_capabilities",
                 "Asks what the client can answer", on_capabilities);
}
