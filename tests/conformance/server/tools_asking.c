/* SPDX-License-Identifier: MIT */
/* Tools that ask one question: a legacy client gets it as a request, a modern
 * one as the first round of its call. */
#include "conformance.h"

static int on_sampling(mcp_call *call, void *userdata) {
  const char *prompt = mcp_call_string(call, "prompt");
  const mcp_json *answer;
  (void)userdata;
  if (prompt == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = mcp_call_ask_sample(call, "response",
                               &(mcp_sampling){.size = sizeof(mcp_sampling),
                                               .prompt = prompt,
                                               .max_tokens = 100},
                               &answer);
  return rc != 0 ? rc : reply_sampled(call, answer);
}

static int on_elicitation(mcp_call *call, void *userdata) {
  const char *message = mcp_call_string(call, "message");
  const mcp_json *answer;
  (void)userdata;
  if (message == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = mcp_call_ask_elicit(
      call, "user",
      &(mcp_elicitation){
          .size = sizeof(mcp_elicitation),
          .message = message,
          .form = MCP_OBJECT(MCP_STRING("username", "Your user name"),
                             MCP_STRING("email", "Your address"))},
      &answer);
  return rc != 0 ? rc : reply_elicited(call, "User response", answer);
}

/* For a client without capabilities: the server's error names the one that the
 * client lacks. */
static int on_missing_capability(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_sample(call, "greeting",
                               &(mcp_sampling){.size = sizeof(mcp_sampling),
                                               .prompt = "Say hello",
                                               .max_tokens = 100},
                               &answer);
  return rc != 0 ? rc : reply_sampled(call, answer);
}

static int on_streaming_elicitation(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_elicit(
      call, "confirm",
      &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                         .message = "Go on?",
                         .form = MCP_OBJECT(MCP_BOOLEAN("confirmed", "Go on"))},
      &answer);
  return rc != 0 ? rc : reply_elicited(call, "User response", answer);
}

void add_asking_tools(mcp_server *server) {
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "test_sampling",
                  .description = "Asks the client's model",
                  .input = MCP_OBJECT(MCP_STRING("prompt", "What")),
                  .handler = on_sampling},
      NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "test_elicitation",
                  .description = "Asks the user",
                  .input = MCP_OBJECT(MCP_STRING("message", "What")),
                  .handler = on_elicitation},
      NULL);
  add_plain_tool(server, "test_missing_capability",
                 "Needs a client with a model", on_missing_capability);
  add_plain_tool(server, "test_streaming_elicitation",
                 "Asks the user to confirm", on_streaming_elicitation);
}
