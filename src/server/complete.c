/* SPDX-License-Identifier: MIT */
/* completion/complete (MCP, Completion). */
#include "schema/say.h"
#include "server/handlers.h"
#include "server/reply.h"

/* Records the error -32602 on the call: what is wrong, and the value. A value
 * with NUL is not shown. */
static int fail_params(mcp_call *call, const char *what, mcpi_str value) {
  if (mcpi_str_has_nul(value)) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                          "%s: the text contains NUL (\\u0000)", what);
  }
  return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                        "%s \"%.*s\"", what, (int)value.len,
                        value.ptr != NULL ? value.ptr : "");
}

static mcpi_entry *complete_find(const mcp_call *call, int kind, mcpi_str key) {
  return mcpi_registry_find(call->shard->registries[kind], key);
}

/* Finds the template, or a resource: its URI is a template without
 * variables. */
static mcpi_entry *find_resource(mcp_call *call, mcpi_str uri) {
  mcpi_entry *entry = complete_find(call, MCPI_TEMPLATES, uri);
  if (entry == NULL) {
    entry = complete_find(call, MCPI_RESOURCES, uri);
  }
  if (entry == NULL) {
    fail_params(call, "unknown resource template", uri);
  }
  return entry;
}

/* Finds the entry whose argument is completed. If the reference is unknown,
 * returns NULL, and the error is recorded on the call. */
static mcpi_entry *find_reference(mcp_call *call) {
  const mcp_json *ref = mcp_json_get(call->params, "ref");
  mcpi_str type = mcpi_json_member_str(ref, "type");
  mcpi_str name = mcpi_json_member_str(ref, "name");
  if (mcpi_str_eq(type, MCPI_STR("ref/resource"))) {
    return find_resource(call, mcpi_json_member_str(ref, "uri"));
  }
  if (!mcpi_str_eq(type, MCPI_STR("ref/prompt"))) {
    fail_params(call, "unknown ref type", type);
    return NULL;
  }
  mcpi_entry *prompt = complete_find(call, MCPI_PROMPTS, name);
  if (prompt == NULL) {
    fail_params(call, "unknown prompt", name);
  }
  return prompt;
}

static int has_argument(const mcpi_entry *prompt, mcpi_str name) {
  for (size_t i = 0; i < prompt->argument_count; i++) {
    if (mcpi_str_eq(name, mcpi_str_z(prompt->arguments[i].name))) {
      return 1;
    }
  }
  return 0;
}

static int has_variable(const mcpi_uri_template *tpl, mcpi_str name) {
  for (size_t i = 0; i < mcpi_uri_template_var_count(tpl); i++) {
    if (mcpi_str_eq(name, mcpi_uri_template_var_name(tpl, i))) {
      return 1;
    }
  }
  return 0;
}

static int complete_check_argument(mcp_call *call, const mcpi_entry *entry) {
  const mcp_json *argument = mcp_json_get(call->params, "argument");
  const mcp_json *name = mcp_json_get(argument, "name");
  mcpi_str text = mcpi_json_str(name);
  if (text.ptr == NULL || mcpi_json_member_str(argument, "value").ptr == NULL) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                          "argument needs a name and a value, both strings");
  }
  if (mcpi_str_has_nul(text)) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                          "argument.name must not contain NUL (\\u0000)");
  }
  if ((entry->kind == MCPI_PROMPTS && !has_argument(entry, text)) ||
      (entry->kind == MCPI_TEMPLATES && !has_variable(entry->tpl, text))) {
    return fail_params(call, "unknown argument", text);
  }
  return 0;
}

/* Checks the arguments that were filled in before. */
static int check_context(mcp_call *call) {
  const mcp_json *arguments = mcp_call_complete_context(call);
  int type = mcp_json_type(arguments);
  if (type != MCP_JSON_NONE && type != MCP_JSON_OBJECT) {
    mcpi_sentence found;
    mcpi_sentence_init(&found);
    mcpi_say_value(&found.buf, arguments);
    return mcpi_call_fail(
        call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
        "params.context.arguments must be an object, not %.*s",
        (int)found.buf.len, found.space);
  }
  return mcpi_check_strings(call, arguments);
}

/* Opens the completion and checks which entry its argument belongs to. Returns
 * 1, or 0, recorded. */
static int open_completion(mcp_call *call) {
  mcpi_entry *entry = find_reference(call);
  if (entry == NULL) {
    return 0;
  }
  call->reply_kind = MCPI_REPLY_KIND_COMPLETION;
  call->entry = mcpi_entry_ref(entry);
  call->is_blocking = entry->is_blocking;
  return mcpi_call_require_entry(call, entry) == 0 &&
         complete_check_argument(call, entry) == 0 && check_context(call) == 0;
}

void mcpi_on_complete(mcp_call *call) {
  if (!open_completion(call)) {
    mcpi_call_reply_recorded(call);
  } else if (call->entry->complete == NULL) {
    mcpi_reply_finish(call);
  } else {
    mcpi_call_run(call, call->entry->complete, call->entry->userdata);
  }
}
