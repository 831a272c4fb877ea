/* SPDX-License-Identifier: MIT */
/* prompts/get (MCP, Prompts). */
#include "schema/say.h"
#include "server/handlers.h"

/* Names all that are missing, so that one more try is enough. */
static int check_required(mcp_call *call) {
  const mcpi_entry *prompt = call->entry;
  mcpi_sentence names;
  size_t missing = 0;
  mcpi_sentence_init(&names);
  for (size_t i = 0; i < prompt->argument_count; i++) {
    const mcp_prompt_argument *argument = &prompt->arguments[i];
    if (argument->required &&
        mcp_json_get(call->arguments, argument->name) == NULL) {
      mcpi_buf_puts(&names.buf, mcpi_str_z(missing > 0 ? ", " : ""));
      mcpi_say_string(&names.buf, mcpi_str_z(argument->name));
      missing++;
    }
  }
  if (missing == 0) {
    return 0;
  }
  return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                        "the prompt \"%s\" needs the argument%s %.*s",
                        prompt->name, missing > 1 ? "s" : "",
                        (int)names.buf.len, names.space);
}

int mcpi_check_strings(mcp_call *call, const mcp_json *arguments) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, arguments);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    if (mcp_json_type(value) != MCP_JSON_STRING) {
      mcpi_sentence why;
      mcpi_sentence_init(&why);
      mcpi_say(&why.buf, "the argument ");
      mcpi_say_string(&why.buf, mcpi_json_str(name));
      mcpi_say(&why.buf, " must be a string, not ");
      mcpi_say_value(&why.buf, value);
      return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                            "%.*s", (int)why.buf.len, why.space);
    }
  }
  return 0;
}

/* Finds the prompt and checks its arguments. */
static int open_prompt(mcp_call *call) {
  mcpi_str name = mcpi_json_member_str(call->params, "name");
  mcpi_entry *prompt =
      mcpi_registry_find(call->shard->registries[MCPI_PROMPTS], name);
  if (prompt == NULL) {
    return mcpi_call_fail(call, MCP_ERR_NOT_FOUND, MCP_RPC_INVALID_PARAMS,
                          "unknown prompt \"%.*s\"", (int)name.len, name.ptr);
  }
  call->reply_kind = MCPI_REPLY_KIND_PROMPT;
  call->entry = mcpi_entry_ref(prompt);
  call->arguments = mcp_json_get(call->params, "arguments");
  call->is_blocking = prompt->is_blocking;
  int rc = mcpi_call_require_entry(call, prompt);
  if (rc == 0) {
    rc = check_required(call);
  }
  return rc != 0 ? rc : mcpi_check_strings(call, call->arguments);
}

void mcpi_on_prompts_get(mcp_call *call) {
  if (open_prompt(call) != 0) {
    mcpi_call_reply_recorded(call);
    return;
  }
  mcpi_call_run(call, call->entry->handler, call->entry->userdata);
}
