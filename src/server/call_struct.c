/* SPDX-License-Identifier: MIT */
/* Arguments and results of tools as structures (mcp/fields.h). */
#include "base/error.h"
#include "schema/structs/struct_type.h"
#include "server/call.h"
#include "server/reply.h"

/* A handler that asks runs several times, and each run has a structure of its
 * own until the call ends. */
int mcp_call_get_struct(mcp_call *call, const mcp_struct_type *type,
                        const void **out) {
  mcp_error why;
  if (call == NULL || out == NULL) {
    return MCP_ERR_INVALID;
  }
  void *made = mcp_struct_from_json(type, mcp_call_arguments(call),
                                    &call->shard->server->allocator, &why);
  if (made == NULL) {
    int is_clients = why.code == MCP_ERR_SCHEMA || why.code == MCP_ERR_LIMIT;
    mcpi_call_fail(call, why.code,
                   is_clients ? MCP_RPC_INVALID_PARAMS : MCP_RPC_INTERNAL_ERROR,
                   "%s", why.message);
    if (is_clients) {
      call->error_answer = MCPI_ANSWER_BAD_ARGUMENT;
    }
    return why.code;
  }
  mcpi_struct_head *head = mcpi_struct_head_of(made);
  head->next = call->structs;
  call->structs = head;
  *out = made;
  return 0;
}

int mcp_call_reply_struct(mcp_call *call, const mcp_struct_type *type,
                          const void *structure) {
  mcp_error why;
  int rc = mcpi_reply_check(call, 1U << MCPI_REPLY_KIND_TOOL,
                            "mcp_call_reply_struct");
  if (rc != 0) {
    return rc;
  }
  mcp_builder *builder = mcp_call_structured(call);
  if (builder == NULL) {
    return MCP_ERR_NOMEM; /* recorded */
  }
  rc = mcp_struct_write(type, structure, NULL, builder, &why);
  if (rc != 0) {
    call->structured = MCPI_STRUCTURED_NONE; /* so that a text may follow */
    return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR,
                          "the structured result: %s", why.message);
  }
  return mcp_call_reply(call);
}
