/* SPDX-License-Identifier: MIT */
/* Checks of resources and prompts: those that are listed can be had. */
#include "common/json.h"
#include "doctor/checks.h"
#include "doctor/compose.h"
#include "doctor/judge.h"

#include <stdlib.h>
#include <string.h>

/* Only the first ones are read. */
enum { MAX_READS = 5 };

/* ---- resources --------------------------------------------------------- */

static void check_contents(ctl_doctor_talk *talk, const char *uri,
                           const mcp_json *result) {
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  const mcp_json *contents = mcp_json_get(result, "contents");
  ctl_doctor_check_cache(talk, result, "resources/read");
  if (!ctl_doctor_expect(talk->doctor, CTL_RULE_RESOURCE_CONTENTS,
                         mcp_json_type(contents) == MCP_JSON_ARRAY,
                         "%s: the result is %s", uri,
                         ctl_doctor_quote(result))) {
    return;
  }
  mcp_json_iter_init(&iter, contents);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *fault = ctl_doctor_contents_fault(one);
    ctl_doctor_expect(talk->doctor, CTL_RULE_RESOURCE_CONTENTS, fault == NULL,
                      "%s: %s: %s", uri, fault != NULL ? fault : "",
                      ctl_doctor_quote(one));
  }
}

static int needs_input(const mcp_json *result) {
  const char *type = ctl_json_member(result, "resultType");
  return type != NULL && strcmp(type, "complete") != 0;
}

static void read_resource(ctl_doctor_talk *talk, const char *uri) {
  char *params = ctl_doctor_params("uri", uri);
  const mcp_json *answer = ctl_doctor_ask(talk, "resources/read", params);
  const mcp_json *result = ctl_doctor_result(answer);
  free(params);
  if (answer != NULL && !needs_input(result) &&
      ctl_doctor_expect(talk->doctor, CTL_RULE_RESOURCE_UNREADABLE,
                        result != NULL, "%s got %s", uri,
                        ctl_doctor_words(answer))) {
    check_contents(talk, uri, result);
  }
}

static void check_missing(ctl_doctor_talk *talk) {
  const mcp_json *answer = ctl_doctor_ask(
      talk, "resources/read", "{\"uri\":\"doctor://no-such-resource\"}");
  int64_t code = ctl_doctor_code(answer);
  if (answer == NULL) {
    return;
  }
  if (talk->is_modern) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_RESOURCE_MISSING_CODE,
                      code == MCP_RPC_INVALID_PARAMS,
                      "doctor://no-such-resource got %s",
                      ctl_doctor_words(answer));
    return;
  }
  ctl_doctor_expect(
      talk->doctor, CTL_RULE_RESOURCE_MISSING,
      code == MCP_RPC_RESOURCE_NOT_FOUND || code == MCP_RPC_INVALID_PARAMS,
      "doctor://no-such-resource got %s", ctl_doctor_words(answer));
}

void ctl_doctor_check_resources(ctl_doctor_talk *talk,
                                const ctl_doctor_list *resources,
                                const ctl_doctor_list *templates) {
  for (size_t i = 0;
       i < resources->entry_count && !ctl_doctor_must_end(talk->doctor); i++) {
    const char *uri = ctl_json_member(resources->entries[i], "uri");
    ctl_doctor_expect(talk->doctor, CTL_RULE_RESOURCE_URI,
                      ctl_doctor_is_uri(uri), "a resource has the uri %s", uri);
    if (i < MAX_READS) {
      read_resource(talk, uri);
    }
  }
  for (size_t i = 0;
       i < templates->entry_count && !ctl_doctor_must_end(talk->doctor); i++) {
    const mcp_json *value = mcp_json_get(templates->entries[i], "uriTemplate");
    ctl_doctor_expect(talk->doctor, CTL_RULE_TEMPLATE_INVALID,
                      ctl_doctor_is_template(value), "a template is %s",
                      ctl_doctor_quote(value));
  }
  if (ctl_doctor_capability(talk, "resources") != NULL) {
    check_missing(talk);
  }
}

/* ---- prompts ----------------------------------------------------------- */

static int needs_arguments(const mcp_json *prompt) {
  mcp_json_iter iter;
  const mcp_json *argument = NULL;
  mcp_json_iter_init(&iter, mcp_json_get(prompt, "arguments"));
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_bool(mcp_json_get(argument, "required"))) {
      return 1;
    }
  }
  return 0;
}

/* Why a message of a prompt is not one; NULL: it is one. */
static const char *message_fault(const mcp_json *message) {
  const char *role = ctl_json_member(message, "role");
  const mcp_json *content = mcp_json_get(message, "content");
  if (role == NULL ||
      (strcmp(role, "user") != 0 && strcmp(role, "assistant") != 0)) {
    return "its role is neither user nor assistant";
  }
  return mcp_json_type(content) != MCP_JSON_OBJECT
             ? "its content is not one block"
             : ctl_doctor_block_fault(content);
}

static void check_prompt_messages(ctl_doctor_talk *talk, const char *name,
                                  const mcp_json *result) {
  mcp_json_iter iter;
  const mcp_json *message = NULL;
  const mcp_json *messages = mcp_json_get(result, "messages");
  ctl_doctor_expect(talk->doctor, CTL_RULE_PROMPT_RESULT,
                    mcp_json_type(messages) == MCP_JSON_ARRAY,
                    "prompt %s returned %s", name, ctl_doctor_quote(result));
  mcp_json_iter_init(&iter, messages);
  while ((message = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *fault = message_fault(message);
    ctl_doctor_expect(talk->doctor, CTL_RULE_PROMPT_RESULT, fault == NULL,
                      "prompt %s returned the message %s: %s", name,
                      ctl_doctor_quote(message), fault != NULL ? fault : "");
  }
}

static void get_prompt(ctl_doctor_talk *talk, const char *name) {
  char *params = ctl_doctor_params("name", name);
  const mcp_json *answer = ctl_doctor_ask(talk, "prompts/get", params);
  const mcp_json *result = ctl_doctor_result(answer);
  free(params);
  if (answer != NULL && !needs_input(result) &&
      ctl_doctor_expect(talk->doctor, CTL_RULE_PROMPT_FAILS, result != NULL,
                        "prompt %s got %s", name, ctl_doctor_words(answer))) {
    check_prompt_messages(talk, name, result);
  }
}

void ctl_doctor_check_prompts(ctl_doctor_talk *talk,
                              const ctl_doctor_list *prompts) {
  size_t count = 0;
  for (size_t i = 0; i < prompts->entry_count && count < MAX_READS; i++) {
    if (!needs_arguments(prompts->entries[i])) {
      count++;
      get_prompt(talk, ctl_json_member(prompts->entries[i], "name"));
    }
  }
  if (ctl_doctor_capability(talk, "prompts") == NULL) {
    return;
  }
  const mcp_json *answer = ctl_doctor_ask(
      talk, "prompts/get", "{\"name\":\"no_such_prompt_of_doctor\"}");
  if (answer != NULL) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_PROMPT_UNKNOWN,
                      ctl_doctor_code(answer) == MCP_RPC_INVALID_PARAMS,
                      "an unknown prompt got %s", ctl_doctor_words(answer));
  }
}
