/* SPDX-License-Identifier: MIT */
/* Checks of tools: their names and schemas, and what calls return. Only tools
 * that say that they change nothing are called, and those that the user
 * names. */
#include "common/json.h"
#include "common/report.h"
#include "doctor/checks.h"
#include "doctor/judge.h"
#include "schema/conform.h"

#include <mcp/schema.h>
#include <stdlib.h>
#include <string.h>

/* More tools than this are not called. */
enum { MAX_CALLS = 20 };

/* ---- names ------------------------------------------------------------- */

static void check_name(ctl_doctor_talk *talk, const mcp_json *tool) {
  size_t len = 0;
  const mcp_json *value = mcp_json_get(tool, "name");
  const char *name = mcp_json_string_n(value, &len);
  if (ctl_doctor_expect(talk->doctor, CTL_RULE_TOOL_NAME,
                        ctl_doctor_is_tool_name(name, len),
                        "a tool has the name %s", ctl_doctor_quote(value))) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_TOOL_NAME_HOSTS,
                      ctl_doctor_is_host_name(name, len),
                      "a tool has the name %s, %zu characters",
                      ctl_doctor_quote(value), len);
  }
}

/* ---- schemas ----------------------------------------------------------- */

static int is_type_object(const mcp_json *schema) {
  const char *type = ctl_json_member(schema, "type");
  return type != NULL && strcmp(type, "object") == 0;
}

static int compiles(const mcp_json *schema, const char *draft, mcp_error *err) {
  const mcp_validator_options options = {.size = sizeof(options),
                                         .draft = draft};
  mcp_validator *validator = mcp_validator_new(schema, &options, err);
  mcp_validator_unref(validator);
  return validator != NULL;
}

/* Before 2025-11-25 the specification did not say which draft a schema without
 * "$schema" is of. Returns whether the schema is valid for 2020-12. */
static int check_schema(ctl_doctor_talk *talk, int rule, const char *name,
                        const mcp_json *schema) {
  mcp_error err = {0};
  int is_valid = compiles(schema, MCP_DRAFT_2020_12, &err);
  int is_old = strcmp(talk->revision, "2025-11-25") < 0;
  ctl_doctor_expect(talk->doctor, rule,
                    is_valid ||
                        (is_old && compiles(schema, MCP_DRAFT_07, NULL)),
                    "tool %s: %s", name, err.message);
  return is_valid;
}

static void check_input(ctl_doctor_talk *talk, const char *name,
                        const mcp_json *tool) {
  const mcp_json *schema = mcp_json_get(tool, "inputSchema");
  if (ctl_doctor_expect(
          talk->doctor, CTL_RULE_INPUT_SCHEMA,
          mcp_json_type(schema) == MCP_JSON_OBJECT && is_type_object(schema),
          "tool %s has the inputSchema %s", name, ctl_doctor_quote(schema))) {
    check_schema(talk, CTL_RULE_INPUT_SCHEMA_INVALID, name, schema);
  }
}

/* The schema; NULL: the tool has none that is valid. */
static const mcp_json *check_output(ctl_doctor_talk *talk, const char *name,
                                    const mcp_json *tool) {
  const mcp_json *schema = mcp_json_get(tool, "outputSchema");
  int is_any = talk->is_modern && (mcp_json_type(schema) == MCP_JSON_OBJECT ||
                                   mcp_json_type(schema) == MCP_JSON_BOOL);
  if (schema == NULL || !ctl_doctor_expect(talk->doctor, CTL_RULE_OUTPUT_SCHEMA,
                                           is_any || is_type_object(schema),
                                           "tool %s has the outputSchema %s",
                                           name, ctl_doctor_quote(schema))) {
    return NULL;
  }
  return check_schema(talk, CTL_RULE_OUTPUT_SCHEMA_INVALID, name, schema)
             ? schema
             : NULL;
}

/* ---- descriptions ------------------------------------------------------ */

static void check_description(ctl_doctor_talk *talk, const char *name,
                              const mcp_json *tool) {
  const char *description = ctl_json_member(tool, "description");
  const mcp_json *annotations = mcp_json_get(tool, "annotations");
  ctl_doctor_expect(talk->doctor, CTL_RULE_TOOL_DESCRIPTION,
                    description != NULL && description[0] != '\0',
                    "tool %s has no description", name);
  ctl_doctor_expect(talk->doctor, CTL_RULE_TOOL_ANNOTATIONS,
                    ctl_doctor_are_annotations(annotations),
                    "tool %s has the annotations %s", name,
                    ctl_doctor_quote(annotations));
}

/* ---- results ----------------------------------------------------------- */

static void check_content(ctl_doctor_talk *talk, const char *name,
                          const mcp_json *result) {
  mcp_json_iter iter;
  const mcp_json *block = NULL;
  const mcp_json *content = mcp_json_get(result, "content");
  if (!ctl_doctor_expect(talk->doctor, CTL_RULE_TOOL_RESULT,
                         mcp_json_type(content) == MCP_JSON_ARRAY,
                         "tool %s returned %s", name,
                         ctl_doctor_quote(result))) {
    return;
  }
  mcp_json_iter_init(&iter, content);
  while ((block = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *fault = ctl_doctor_block_fault(block);
    ctl_doctor_expect(talk->doctor, CTL_RULE_TOOL_RESULT, fault == NULL,
                      "tool %s returned the block %s: %s", name,
                      ctl_doctor_quote(block), fault != NULL ? fault : "");
  }
}

static void check_structured(ctl_doctor_talk *talk, const char *name,
                             const mcp_json *result, const mcp_json *schema) {
  const mcp_json *value = mcp_json_get(result, "structuredContent");
  mcp_error err = {0};
  if (value == NULL) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_OUTPUT_BROKEN, 0,
                      "tool %s has an outputSchema, and returned no "
                      "structuredContent",
                      name);
    return;
  }
  int is_valid = ctl_conform(schema, value, &err) == 0;
  ctl_doctor_expect(talk->doctor, CTL_RULE_OUTPUT_BROKEN, is_valid,
                    "tool %s returned the structuredContent %s: %s", name,
                    ctl_doctor_quote(value), err.message);
}

/* ---- tools that the user names ------------------------------------------ */

/* Whether a word, TOOL or TOOL=ARGUMENTS, names the tool. */
static int is_word_for(const char *word, const char *name) {
  size_t len = strlen(name);
  return strncmp(word, name, len) == 0 &&
         (word[len] == '\0' || word[len] == '=');
}

static int has_tool_for(const ctl_doctor_list *tools, const char *word) {
  for (size_t i = 0; i < tools->entry_count; i++) {
    if (is_word_for(word, ctl_json_member(tools->entries[i], "name"))) {
      return 1;
    }
  }
  return 0;
}

/* Warns once of the words that name no tool of the server. */
static void check_named(ctl_doctor *doctor, const ctl_doctor_list *tools) {
  const ctl_options *options = doctor->options;
  for (int i = 0; i < options->arg_count && !doctor->has_named; i++) {
    const char *word = options->args[i];
    if (!has_tool_for(tools, word)) {
      ctl_report(0,
                 "warning: the server has no tool '%.*s', so it was not "
                 "called",
                 (int)strcspn(word, "="), word);
    }
  }
  doctor->has_named = 1;
}

/* ---- calls ------------------------------------------------------------- */

/* What the user named: TOOL or TOOL=ARGUMENTS. NULL: nothing. */
static const char *named_arguments(const ctl_options *options,
                                   const char *name) {
  for (int i = 0; i < options->arg_count; i++) {
    const char *word = options->args[i];
    if (is_word_for(word, name)) {
      return word[strlen(name)] == '=' ? word + strlen(name) + 1 : "{}";
    }
  }
  return NULL;
}

/* The arguments to call a tool with, as JSON; NULL: it must not be called. */
static const char *arguments_for(const ctl_doctor_talk *talk, const char *name,
                                 const mcp_json *tool) {
  const char *named = named_arguments(talk->doctor->options, name);
  int is_harmless =
      mcp_json_bool(mcp_json_pointer(tool, "/annotations/readOnlyHint")) &&
      mcp_json_size(mcp_json_pointer(tool, "/inputSchema/required")) == 0;
  if (named != NULL) {
    return named;
  }
  return is_harmless ? "{}" : NULL;
}

/* Owned; NULL: the arguments are not JSON, or out of memory. */
static char *call_params(const char *name, const char *arguments) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "name", name);
  mcp_builder_json(out, "arguments", arguments);
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, NULL);
  char *copy = text != NULL ? strdup(text) : NULL;
  mcp_builder_free(out);
  return copy;
}

static void call_tool(ctl_doctor_talk *talk, const char *name,
                      const char *arguments, const mcp_json *schema) {
  char *params = call_params(name, arguments);
  const mcp_json *answer =
      params != NULL ? ctl_doctor_ask(talk, "tools/call", params) : NULL;
  const mcp_json *result = ctl_doctor_result(answer);
  const char *type = ctl_json_member(result, "resultType");
  int is_complete = type == NULL || strcmp(type, "complete") == 0;
  if (result != NULL && is_complete) {
    check_content(talk, name, result);
    if (schema != NULL && !mcp_json_bool(mcp_json_get(result, "isError"))) {
      check_structured(talk, name, result, schema);
    }
  }
  free(params);
}

static void check_tool(ctl_doctor_talk *talk, const mcp_json *tool,
                       int *calls) {
  const char *name = ctl_json_member(tool, "name");
  check_name(talk, tool);
  check_description(talk, name, tool);
  check_input(talk, name, tool);
  const mcp_json *schema = check_output(talk, name, tool);
  const char *arguments = arguments_for(talk, name, tool);
  if (arguments != NULL && *calls < MAX_CALLS) {
    ++*calls;
    call_tool(talk, name, arguments, schema);
  }
}

static void check_unknown_tool(ctl_doctor_talk *talk) {
  const mcp_json *answer =
      ctl_doctor_ask(talk, "tools/call",
                     "{\"name\":\"no_such_tool_of_doctor\","
                     "\"arguments\":{}}");
  int is_tool_error =
      mcp_json_bool(mcp_json_pointer(answer, "/result/isError"));
  if (answer != NULL &&
      ctl_doctor_expect(talk->doctor, CTL_RULE_TOOL_UNKNOWN,
                        is_tool_error || ctl_doctor_result(answer) == NULL,
                        "a call of an unknown tool got %s",
                        ctl_doctor_words(answer))) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_TOOL_UNKNOWN_CODE,
                      ctl_doctor_code(answer) == MCP_RPC_INVALID_PARAMS,
                      "a call of an unknown tool got %s",
                      ctl_doctor_words(answer));
  }
}

void ctl_doctor_check_tools(ctl_doctor_talk *talk,
                            const ctl_doctor_list *tools) {
  int calls = 0;
  check_named(talk->doctor, tools);
  for (size_t i = 0;
       i < tools->entry_count && !ctl_doctor_must_end(talk->doctor); i++) {
    check_tool(talk, tools->entries[i], &calls);
  }
  if (ctl_doctor_capability(talk, "tools") != NULL) {
    check_unknown_tool(talk);
  }
}
