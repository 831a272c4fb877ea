/* SPDX-License-Identifier: MIT */
/* The beginning of a task: its record is stored, and then its request gets its
 * id. */
#include "ext/tasks/running.h"

#include "ext/tasks/changes.h"
#include "ext/tasks/run.h"
#include <inttypes.h>

static int begin_make_id(mcpi_running_task *t, mcp_call *call) {
  mcp_error why;
  int rc = mcpi_task_make_id(t->shard->loop, t->id, &why);
  return rc == 0 ? 0
                 : mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s",
                                  why.message);
}

/* What the answer and the record say of a new task. */
static mcpi_task_data begin_first_data(const mcpi_running_task *t) {
  const mcp_call *call = t->call;
  int is_modern = mcpi_revision_is_modern(call->context.revision);
  return (mcpi_task_data){
      .revision = call->context.revision,
      .status = MCPI_TASK_WORKING,
      .created_ms = t->created_ms,
      .updated_ms = t->created_ms,
      .ttl_ms = t->ttl_ms,
      .poll_ms = t->tasks->poll_ms,
      .params = call->params,
      /* A modern request has the next two in its params. */
      .capabilities = is_modern ? NULL : call->context.client_capabilities,
      .client = is_modern ? NULL : call->context.client_info,
      .scopes = mcpi_str_z(call->grant != NULL ? call->grant->scopes : NULL)};
}

/* {"jsonrpc":"2.0","id":7,"result":{...}}, with the shape of the revision. */
static void put_created(const mcp_call *call, const char *id,
                        const mcpi_task_data *data, mcpi_buf *out) {
  int is_modern = mcpi_revision_is_modern(data->revision);
  mcpi_str info = call->shard->server->implementation[data->revision->index];
  mcpi_put_result_head(out, mcpi_buf_str(&call->id));
  mcpi_buf_puts(
      out, mcpi_str_z(is_modern ? "{\"resultType\":\"task\"" : "{\"task\":{"));
  if (is_modern) {
    mcpi_task_put_details(out, id, data);
    mcpi_buf_lit(out, ",\"_meta\":{\"" MCPI_META_SERVER_INFO "\":");
    mcpi_buf_puts(out, info);
  } else {
    mcpi_task_put_core(out, id, data);
    mcpi_buf_lit(out, "},\"_meta\":{");
    mcpi_task_put_related(out, id);
  }
  mcpi_buf_lit(out, "}}}");
}

/* The handler, if it runs already, goes on: its client waits for the reply. */
static void begin_refuse(const mcpi_running_task *t, int rc) {
  mcp_call *call = t->call;
  if (!t->starts_handler) {
    mcpi_shard_report(t->shard, rc,
                      "%s: no task was made, and the client waits: %s",
                      mcpi_call_what_runs(call), mcp_error_text(rc));
  } else if (call->sink != NULL) {
    mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR,
                   "the task could not be stored: %s", mcp_error_text(rc));
    mcpi_call_reply_recorded(call);
  }
}

/* The request has its answer, and the call goes on. */
static void begin_run(mcpi_running_task *t) {
  mcp_call *call = t->call;
  mcpi_run_go_on(t);
  mcpi_call_uncount(call);
  if (t->starts_handler) {
    mcpi_call_run(call, call->entry->handler, call->entry->userdata);
  }
}

/* The program's hook may cancel the call before the answer goes out. A trace
 * may reply while it goes out: then the task has let the call go, and may be
 * freed. */
static void begin_send(mcpi_running_task *t, mcpi_str created) {
  mcp_call *call = t->call;
  call->task = &t->task;
  mcpi_call_hold(call);
  mcpi_call_answer_early(call, call->sink, created, &t->task.sink);
  if (call->task == &t->task && call->sink == &t->task.sink) {
    begin_run(t);
  } else if (call->task == &t->task) {
    mcpi_run_abandon(t);
  }
  mcpi_call_unhold(call);
}

static void begin_answer(mcpi_running_task *t) {
  mcpi_buf text;
  mcpi_buf_init(&text, &t->shard->server->allocator, SIZE_MAX);
  const mcpi_task_data data = begin_first_data(t);
  put_created(t->call, t->id, &data, &text);
  if (text.error == 0) {
    begin_send(t, mcpi_buf_str(&text));
  } else {
    begin_refuse(t, text.error);
    mcpi_run_abandon(t);
  }
  mcpi_buf_deinit(&text);
}

/* The handler of a call that has become a task meanwhile may have replied, and
 * the client may have gone. */
static void begin_on_created(void *argument, int status) {
  mcpi_running_task *t = argument;
  mcpi_shard *shard = t->shard;
  mcpi_shard_enter(shard);
  mcpi_tasks_let_go(shard);
  if (status != 0) {
    begin_refuse(t, status);
    mcpi_run_free(t);
  } else if (t->call->sink == NULL) {
    mcpi_run_abandon(t);
  } else {
    begin_answer(t);
  }
  mcpi_shard_leave(shard);
}

static void begin_create(mcpi_running_task *t, const mcpi_buf *data) {
  const mcp_task_store *store = &t->tasks->store;
  const char *principal = t->call->principal;
  const mcp_task_record record = {.id = t->id,
                                  .owner = principal != NULL ? principal : "",
                                  .version = 1,
                                  .created_ms = t->created_ms,
                                  .expires_ms = t->expires_ms,
                                  .data = data->data,
                                  .data_len = data->len};
  mcpi_tasks_hold(t->shard);
  store->create(store->userdata, t->shard->loop, &record, begin_on_created, t);
}

/* The record is written from the call before another thread may use it. */
static int begin_store(mcpi_running_task *t) {
  mcpi_buf text;
  mcpi_buf_init(&text, &t->shard->server->allocator, SIZE_MAX);
  const mcpi_task_data data = begin_first_data(t);
  mcpi_task_data_put(&text, &data);
  int rc = text.error;
  if (rc == 0) {
    rc = mcpi_run_add(t);
  }
  if (rc == 0) {
    begin_create(t, &text);
  }
  mcpi_buf_deinit(&text);
  return rc;
}

static int begin_fail_nomem(mcp_call *call) {
  return mcpi_call_fail(call, MCP_ERR_NOMEM, MCP_RPC_INTERNAL_ERROR,
                        "out of memory");
}

static void begin_on_expired(void *argument, int status) {
  mcpi_shard *shard = argument;
  (void)status; /* the next time comes */
  mcpi_shard_enter(shard);
  mcpi_tasks_let_go(shard);
  mcpi_shard_leave(shard);
}

/* Expired records make room for the new one. */
static void begin_check_time(mcpi_tasks *tasks, mcpi_shard *shard) {
  enum { EXPIRE_EACH_MS = 1000 };
  const mcp_task_store *store = &tasks->store;
  int64_t now_ms = mcpi_loop_wall(shard->loop);
  uint32_t passed_ms = (uint32_t)now_ms - atomic_load(&tasks->expired_ms);
  if (passed_ms >= EXPIRE_EACH_MS) {
    atomic_store(&tasks->expired_ms, (uint32_t)now_ms);
    mcpi_tasks_hold(shard);
    store->expire(store->userdata, shard->loop, now_ms, begin_on_expired,
                  shard);
  }
}

static int begin_check_room(const mcpi_tasks *tasks, mcp_call *call) {
  const mcpi_holder *holder = call->identity->holder;
  if (mcpi_holder_has_room(holder, MCPI_HELD_TASKS, tasks->max_tasks, 1)) {
    return 0;
  }
  return mcpi_call_fail(call, MCP_ERR_LIMIT, MCP_RPC_INTERNAL_ERROR,
                        "too many tasks are running: the server allows %" PRIu32
                        ", and each client a share of them; try again when one "
                        "has ended",
                        tasks->max_tasks);
}

int mcpi_running_task_begin(mcpi_tasks *tasks, mcp_call *call, int64_t ttl_ms) {
  int rc = begin_check_room(tasks, call);
  if (rc != 0) {
    return rc;
  }
  mcpi_running_task *t = mcpi_run_new(tasks, call->shard);
  if (t == NULL) {
    return begin_fail_nomem(call);
  }
  rc = begin_make_id(t, call);
  if (rc == 0) {
    t->created_ms = mcpi_loop_wall(call->shard->loop);
    t->ttl_ms = ttl_ms;
    t->expires_ms = ttl_ms >= 0 ? t->created_ms + ttl_ms : INT64_MAX;
    t->starts_handler = call->handler == NULL;
    begin_check_time(tasks, call->shard);
    mcpi_run_take_call(t, call);
    rc = begin_store(t) == 0 ? 0 : begin_fail_nomem(call);
  }
  if (rc != 0) {
    mcpi_run_free(t);
  }
  return rc;
}
