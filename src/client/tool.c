/* SPDX-License-Identifier: MIT */
#include "client/tool.h"

#include "client/mirror.h"
#include "client/pages.h"
#include "client/rounds.h"
#include "client/send.h"
#include "client/settle.h"

/* The client sends the call whether it got the list or not: the server says if
 * the headers are still wrong. */
static void relist_on_reply(mcpi_request *list, int status,
                            mcpi_message *message, const mcpi_envelope *reply,
                            const mcp_error *err) {
  mcp_client *client = list->client;
  uint64_t number = list->pages.waits_for;
  mcpi_pages_reply(list, status, message, reply, err);
  if (list->state != MCPI_REQUEST_ENDED || client->is_freed) {
    return;
  }
  mcpi_request *call = mcpi_request_find(client, number);
  if (call != NULL && call->state == MCPI_REQUEST_PAUSED) {
    mcpi_request_resend(call);
  }
}

/* Returns 0 when there is no memory to list the tools. Sending shows the list
 * to a trace, which may end both requests. */
static int relist(mcpi_request *call) {
  static const mcpi_request_kind kind = {.on_reply = relist_on_reply,
                                         .on_end = mcpi_pages_end};
  mcp_client *client = call->client;
  mcp_error err;
  mcpi_request *list =
      mcpi_request_take(client, &mcpi_methods[MCPI_M_TOOLS_LIST], &kind);
  if (list == NULL) {
    return 0;
  }
  mcpi_pages_begin(list);
  list->pages.waits_for = call->number;
  list->timeout_ms = call->timeout_ms;
  list->max_ms = call->max_ms;
  list->pending.timeout_name = call->pending.timeout_name;
  list->pending.max_name = call->pending.max_name;
  call->state = MCPI_REQUEST_PAUSED;
  if (mcpi_request_send(list, &err) != 0) {
    mcpi_request_drop(list);
    return call->state == MCPI_REQUEST_ENDED;
  }
  return 1;
}

static int may_relist(const mcpi_request *call, int status,
                      const mcpi_envelope *reply) {
  return status == MCP_ERR_REMOTE && !call->rounds.has_relisted &&
         mcp_json_int(mcp_json_get(reply->error, "code")) ==
             MCP_RPC_HEADER_MISMATCH &&
         mcpi_mirror_is_on(call->client);
}

static void tool_on_reply(mcpi_request *call, int status, mcpi_message *message,
                          const mcpi_envelope *reply, const mcp_error *err) {
  mcp_client *client = call->client;
  if (may_relist(call, status, reply)) {
    mcpi_cache_drop_all_of(&client->cache, MCPI_M_TOOLS_LIST, &client->scratch);
    call->rounds.has_relisted = 1;
    if (relist(call)) {
      return;
    }
  }
  mcpi_request_settle(call, status, message, reply, err);
}

const mcpi_request_kind mcpi_request_tool = {.on_reply = tool_on_reply,
                                             .on_end = mcpi_rounds_end};
