/* SPDX-License-Identifier: MIT */
#include "client/tool.h"

#include "client/follow.h"
#include "client/input_requests.h"
#include "client/mirror.h"
#include "client/pages.h"
#include "client/params.h"
#include "client/result.h"
#include "client/send.h"
#include "client/settle.h"
#include "client/task_view.h"
#include <mcp/server.h>

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

/* --- calls that become tasks ---------------------------------------------- */

/* 1: the client asks for tasks, because the server makes none of its own
 * accord. */
static int asks_for_tasks(const mcp_client *client) {
  return client->options.use_tasks &&
         mcpi_revision_has(client->revision, MCPI_HAS_TASKS) &&
         mcp_client_server_has(client, "tasks.requests.tools.call");
}

static void tool_put_task(mcpi_request *call) {
  mcpi_buf *extra = &call->bufs.extra;
  mcpi_buf_clear(extra);
  if (!call->rounds.is_task) {
    return;
  }
  mcpi_params_name(extra, "task");
  mcpi_buf_putc(extra, '{');
  if (call->task_ttl_ms != 0) {
    mcpi_params_name(extra, "ttl");
    mcpi_json_put_uint(extra, call->task_ttl_ms);
  }
  mcpi_buf_putc(extra, '}');
  mcpi_request_note(call, extra->error);
}

void mcpi_tool_choose_task(mcpi_request *call) {
  const mcp_client *client = call->client;
  if (!asks_for_tasks(client)) {
    return;
  }
  int support =
      mcpi_task_tools_find(&client->task_tools, mcpi_request_name(call));
  call->rounds.is_task = call->kind == &mcpi_request_task
                             ? support != MCP_TASK_FORBIDDEN
                             : support == MCP_TASK_REQUIRED;
  tool_put_task(call);
}

/* -32601: the tool requires a task, or cannot be one. If the list of tools is
 * current, the error says something else. */
static int may_switch(const mcpi_request *call, int status,
                      const mcpi_envelope *reply) {
  const mcp_client *client = call->client;
  return status == MCP_ERR_REMOTE && !call->rounds.has_switched &&
         !call->is_raw && asks_for_tasks(client) &&
         !client->task_tools.is_current &&
         mcp_json_int(mcp_json_get(reply->error, "code")) ==
             MCP_RPC_METHOD_NOT_FOUND;
}

static void switch_task(mcpi_request *call) {
  call->rounds.has_switched = 1;
  call->rounds.is_task = !call->rounds.is_task;
  tool_put_task(call);
  if (call->error != 0) {
    mcpi_request_fail_with(call, MCP_ERR_NOMEM, "out of memory");
  } else {
    mcpi_request_resend(call);
  }
}

static int has_become_task(const mcpi_request *call, int status,
                           const mcpi_envelope *reply) {
  const mcp_client *client = call->client;
  return status == 0 && client->options.use_tasks && !call->is_raw &&
         (call->rounds.is_task || mcpi_client_is_modern(client)) &&
         mcpi_task_is_made(client, reply->result);
}

static void give_task(mcpi_request *call, mcpi_message *message,
                      const mcp_json *result) {
  const mcpi_result_page page = {message, result};
  mcpi_task_view task;
  mcp_error err;
  if (mcpi_task_view_read(&task, result, &err) != 0) {
    mcpi_request_fail(call, &err);
    return;
  }
  mcp_result *made = mcpi_result_new(&call->client->loop->pool, &page, 1, NULL);
  if (made != NULL) {
    mcpi_result_set_task(made);
  }
  mcpi_request_succeed(call, made);
}

/* --- the answer ----------------------------------------------------------- */

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
  if (may_switch(call, status, reply)) {
    switch_task(call);
  } else if (!has_become_task(call, status, reply)) {
    mcpi_request_settle(call, status, message, reply, err);
  } else if (call->kind == &mcpi_request_task) {
    give_task(call, message, reply->result);
  } else {
    mcpi_follow_begin(call, reply->result);
  }
}

const mcpi_request_kind mcpi_request_tool = {.on_reply = tool_on_reply,
                                             .on_end = mcpi_inputs_end};
const mcpi_request_kind mcpi_request_task = {.on_reply = tool_on_reply,
                                             .on_end = mcpi_inputs_end};
