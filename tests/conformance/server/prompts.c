/* SPDX-License-Identifier: MIT */
/* The prompts: plain, with arguments, with content, and one that asks. */
#include "conformance.h"

#include <string.h>

static int on_simple(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "This is a simple prompt for testing.");
}

static int on_arguments(mcp_call *call, void *userdata) {
  const char *arg1 = mcp_call_string(call, "arg1");
  const char *arg2 = mcp_call_string(call, "arg2");
  (void)userdata;
  if (arg1 == NULL || arg2 == NULL) {
    return MCP_ERR_INVALID;
  }
  return mcp_call_reply_textf(
      call, "Prompt with arguments: arg1='%s', arg2='%s'", arg1, arg2);
}

/* Both arguments know the same words. */
static int on_complete(mcp_call *call, void *userdata) {
  static const char *const words[] = {"test-value", "testing", "other"};
  const char *typed = mcp_call_complete_value(call);
  (void)userdata;
  if (typed == NULL) {
    return MCP_ERR_INVALID;
  }
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strncmp(words[i], typed, strlen(typed)) == 0) {
      mcp_call_add_completion(call, words[i]);
    }
  }
  return mcp_call_reply(call);
}

static int on_embedded(mcp_call *call, void *userdata) {
  const char *uri = mcp_call_string(call, "resourceUri");
  (void)userdata;
  if (uri == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = add_embedded(call, uri, "text/plain",
                        "Embedded resource content for testing.");
  return rc != 0 ? rc
                 : mcp_call_reply_text(
                       call, "Please process the embedded resource above.");
}

static int on_image(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = add_red_pixel(call);
  return rc != 0 ? rc
                 : mcp_call_reply_text(call, "Please analyze the image above.");
}

/* Prompts ask as tools do. */
static int on_input_required(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_elicit(
      call, "user_context",
      &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                         .message = "What is it about?",
                         .form =
                             MCP_OBJECT(MCP_STRING("context", "The subject"))},
      &answer);
  if (rc != 0) {
    return rc;
  }
  const char *context =
      mcp_json_string(mcp_json_pointer(answer, "/content/context"));
  return mcp_call_reply_textf(call, "Use this context: %s",
                              context != NULL ? context : "none");
}

static void add_plain(mcp_server *server, const char *name,
                      const char *description, mcp_call_cb handler) {
  mcp_server_add_prompt(server,
                        &(mcp_prompt){.size = sizeof(mcp_prompt),
                                      .name = name,
                                      .description = description,
                                      .handler = handler},
                        NULL);
}

static void add_with_arguments(mcp_server *server) {
  static const mcp_prompt_argument two[] = {
      {.name = "arg1", .description = "The first", .required = 1},
      {.name = "arg2", .description = "The second", .required = 1},
  };
  static const mcp_prompt_argument uri[] = {
      {.name = "resourceUri", .description = "What to embed", .required = 1},
  };
  mcp_server_add_prompt(server,
                        &(mcp_prompt){.size = sizeof(mcp_prompt),
                                      .name = "test_prompt_with_arguments",
                                      .description = "Shows its two arguments",
                                      .arguments = two,
                                      .argument_count = 2,
                                      .handler = on_arguments,
                                      .complete = on_complete},
                        NULL);
  mcp_server_add_prompt(
      server,
      &(mcp_prompt){.size = sizeof(mcp_prompt),
                    .name = "test_prompt_with_embedded_resource",
                    .description = "Brings a resource along",
                    .arguments = uri,
                    .argument_count = 1,
                    .handler = on_embedded},
      NULL);
}

void add_prompts(mcp_server *server) {
  add_plain(server, "test_simple_prompt", "One message", on_simple);
  add_with_arguments(server);
  add_plain(server, "test_prompt_with_image", "Brings an image along",
            on_image);
  add_plain(server, "test_input_required_result_prompt",
            "Asks the user before it answers", on_input_required);
}
