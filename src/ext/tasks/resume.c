/* SPDX-License-Identifier: MIT */
/* Another run of a task's handler: its call is made from the record. */
#include "ext/tasks/running.h"

#include "ext/tasks/run.h"
#include "server/ask.h"
#include "server/handlers.h"
#include "json/inline.h"

/* Fills a call from the record as the dispatcher does from a message. */
static void resume_fill_call(mcp_call *call, mcpi_message *message,
                             const mcpi_task_data *data, const char *id) {
  const mcp_json *root = message->root;
  const mcp_json *meta;
  mcpi_keep(call->identity, message);
  call->message = message;
  call->method = &mcpi_methods[MCPI_M_TOOLS_CALL];
  call->method_name = mcpi_str_z(call->method->name);
  call->params = mcpi_json_get(root, "params");
  call->context.revision = data->revision;
  meta = mcpi_json_get(call->params, "_meta");
  if (mcpi_revision_is_modern(data->revision)) {
    call->context.client_capabilities =
        mcpi_json_get(meta, MCPI_META_CLIENT_CAPABILITIES);
    call->context.client_info = mcpi_json_get(meta, MCPI_META_CLIENT_INFO);
  } else {
    call->context.client_capabilities = mcpi_json_get(root, "capabilities");
    call->context.client_info = mcpi_json_get(root, "client");
  }
  mcpi_json_put_string(&call->id, mcpi_str_z(id));
}

/* The record as a message, which the call keeps. NULL: no memory. */
static mcpi_message *resume_read_record(mcpi_shard *shard,
                                        const mcpi_task_data *data) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcpi_message *message = NULL;
  mcpi_buf text;
  mcpi_buf_init(&text, &shard->server->allocator, SIZE_MAX);
  mcpi_task_data_put(&text, data);
  if (text.error == 0 &&
      mcpi_message_parse(&message, &shard->loop->pool, text.data, text.len,
                         &limits, NULL) != 0) {
    message = NULL;
  }
  mcpi_buf_deinit(&text);
  return message;
}

static int resume_give_identity(mcp_call *call, mcpi_identity *identity,
                                const char *owner, const mcpi_task_data *data) {
  const char *principal = owner[0] != '\0' ? owner : NULL;
  if (identity == NULL) {
    identity = mcpi_identity_share(call->shard, principal, NULL);
  } else {
    identity->refs++;
  }
  if (identity == NULL) {
    return MCP_ERR_NOMEM;
  }
  call->identity = identity;
  call->principal = identity->principal;
  call->peer = identity->peer;
  if (data->scopes.ptr == NULL) {
    return 0;
  }
  call->grant = mcpi_grant_new(&call->shard->server->allocator,
                               mcpi_str_z(owner), data->scopes);
  return call->grant != NULL ? 0 : MCP_ERR_NOMEM;
}

static int resume_fill(mcpi_running_task *t, const mcpi_task_data *data,
                       mcp_call *call) {
  mcpi_message *message = resume_read_record(t->shard, data);
  if (message == NULL) {
    return MCP_ERR_NOMEM;
  }
  resume_fill_call(call, message, data, t->id);
  int rc = mcpi_ask_restore(call, message);
  mcpi_message_unref(message);
  return rc != 0 ? rc : call->id.error;
}

static void resume_start_again(mcpi_running_task *t, mcp_call *call) {
  mcpi_list_append(&t->shard->left_calls, &call->link);
  mcpi_run_take_call(t, call);
  call->sink = &t->task.sink;
  call->task = &t->task;
  mcpi_run_go_on(t);
  mcpi_shard_refresh(t->shard);
  mcpi_on_tools_call(call);
}

/* A damaged store may give back any numbers. */
static int64_t resume_expiry(const mcpi_task_data *data) {
  int64_t created_ms = data->created_ms > 0 ? data->created_ms : 0;
  return data->ttl_ms >= 0 && created_ms <= INT64_MAX - data->ttl_ms
             ? created_ms + data->ttl_ms
             : INT64_MAX;
}

int mcpi_running_task_resume(mcpi_tasks *tasks, mcpi_shard *shard,
                             mcpi_identity *identity, const char *id,
                             const char *owner, const mcpi_task_data *data) {
  mcpi_running_task *t = mcpi_run_new(tasks, shard);
  mcp_call *call = mcpi_call_new(shard);
  int rc = t != NULL && call != NULL ? 0 : MCP_ERR_NOMEM;
  if (rc == 0) {
    snprintf(t->id, sizeof(t->id), "%s", id);
    t->created_ms = data->created_ms;
    t->ttl_ms = data->ttl_ms;
    t->expires_ms = resume_expiry(data);
    rc = resume_give_identity(call, identity, owner, data);
  }
  if (rc == 0) {
    rc = resume_fill(t, data, call);
  }
  if (rc == 0) {
    rc = mcpi_run_add(t);
  }
  if (rc == 0) {
    resume_start_again(t, call);
  } else if (t != NULL) {
    mcpi_run_free(t);
  }
  if (call != NULL) {
    mcpi_call_unhold(call);
  }
  return rc;
}
