/* SPDX-License-Identifier: MIT */
/* tools/call (MCP, Tools). */
#include "base/profile.h"
#include "schema/validator.h"
#include "server/handlers.h"
#include "server/reply.h"
#include "json/inline.h"

/* Refused arguments are a failure of the tool and not of the protocol, in every
 * revision, so that a model reads them and tries again (MCP 2025-11-25, Tools:
 * Error Handling). */
static void refuse_arguments(mcp_call *call) {
  mcpi_buf *text = &call->tail; /* not in use yet */
  mcpi_buf_lit(text, "Invalid arguments for the tool \"");
  mcpi_buf_puts(text, call->entry->key);
  mcpi_buf_lit(text, "\":");
  int rc = mcpi_validator_say(call->entry->input_validator,
                              mcp_call_arguments(call), 0, "\n- ", text);
  if (rc == 0) {
    rc = mcp_call_add_text_n(call, text->data, text->len);
  }
  mcpi_buf_recycle(text, MCPI_PROFILE_SCRATCH);
  if (rc == 0) {
    call->is_failure = 1;
    mcpi_reply_finish(call);
    return;
  }
  mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s", mcp_error_text(rc));
  mcpi_call_reply_recorded(call);
}

/* The name is a string: the dispatcher has checked params. */
void mcpi_on_tools_call(mcp_call *call) {
  mcpi_str name =
      mcpi_json_text(mcpi_json_find(call->params, MCPI_STR("name")));
  mcpi_entry *tool =
      mcpi_registry_find(call->shard->registries[MCPI_TOOLS], name);
  if (tool == NULL) {
    mcpi_call_fail(call, MCP_ERR_NOT_FOUND, MCP_RPC_INVALID_PARAMS,
                   "unknown tool \"%.*s\"", (int)name.len, name.ptr);
    mcpi_call_reply_recorded(call);
    return;
  }
  call->reply_kind = MCPI_REPLY_KIND_TOOL;
  call->entry = mcpi_entry_ref(tool);
  call->arguments = mcpi_json_find(call->params, MCPI_STR("arguments"));
  call->is_blocking = tool->is_blocking;
  if (mcpi_call_require_entry(call, tool) != 0) {
    mcpi_call_reply_recorded(call);
    return;
  }
  if (!mcp_validator_accepts(tool->input_validator, mcp_call_arguments(call))) {
    refuse_arguments(call);
    return;
  }
  mcpi_task_maker *tasks = call->shard->server->tasks;
  if (tasks == NULL || tasks->admit(tasks, call)) {
    mcpi_call_run(call, tool->handler, tool->userdata);
  }
}
