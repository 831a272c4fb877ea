/* SPDX-License-Identifier: MIT */
#include "ext/tasks/running.h"

#include "ext/tasks/changes.h"
#include "ext/tasks/note.h"
#include "ext/tasks/run.h"
#include "server/ask.h"
#include "json/inline.h"

static mcpi_running_task *running_of(mcpi_task *task) {
  return MCPI_CONTAINER(task, mcpi_running_task, task);
}

static mcpi_running_task *running_of_sink(mcpi_sink *sink) {
  return running_of(MCPI_CONTAINER(sink, mcpi_task, sink));
}

static mcpi_running_task *running_of_work(mcpi_task_work *work) {
  return MCPI_CONTAINER(work, mcpi_running_task, work);
}

/* --- the table of running tasks -------------------------------------- */

int mcpi_run_add(mcpi_running_task *t) {
  mcp_server *server = t->shard->server;
  const mcpi_lock *lock = mcpi_server_lock(server);
  int rc = mcpi_map_add(&t->tasks->running, mcpi_str_z(t->id), t);
  mcpi_server_unlock(lock);
  return rc;
}

static void running_remove(mcpi_running_task *t) {
  mcp_server *server = t->shard->server;
  const mcpi_lock *lock = mcpi_server_lock(server);
  mcpi_map_remove_value(&t->tasks->running, mcpi_str_z(t->id), t);
  mcpi_server_unlock(lock);
}

int mcpi_running_task_exists(mcpi_tasks *tasks, const char *id) {
  const mcpi_lock *lock = mcpi_server_lock(tasks->server);
  int exists = mcpi_map_get(&tasks->running, mcpi_str_z(id)) != NULL;
  mcpi_server_unlock(lock);
  return exists;
}

int64_t mcpi_running_task_message(mcpi_tasks *tasks, const char *id,
                                  mcpi_buf *out) {
  const mcpi_lock *lock = mcpi_server_lock(tasks->server);
  const mcpi_running_task *t = mcpi_map_get(&tasks->running, mcpi_str_z(id));
  int64_t told_ms = 0;
  if (t != NULL && t->message.len > 0) {
    mcpi_buf_put(out, t->message.data, t->message.len);
    told_ms = t->told_ms;
  }
  mcpi_server_unlock(lock);
  return told_ms;
}

/* --- life ------------------------------------------------------------ */

static void running_on_expired(mcpi_timer *timer);
static const mcpi_task_ops running_ops;
static const mcpi_sink_ops running_sink_ops;

mcpi_running_task *mcpi_run_new(mcpi_tasks *tasks, mcpi_shard *shard) {
  const mcp_allocator *allocator = &shard->server->allocator;
  mcpi_running_task *t = mcpi_calloc(allocator, 1, sizeof(*t));
  if (t != NULL) {
    t->task.sink.ops = &running_sink_ops;
    t->task.ops = &running_ops;
    t->tasks = tasks;
    t->shard = shard;
    t->expiry.on_due = running_on_expired;
    mcpi_buf_init(&t->message, allocator, SIZE_MAX);
  }
  return t;
}

void mcpi_run_take_call(mcpi_running_task *t, mcp_call *call) {
  t->call = call;
  t->identity = call->identity;
  t->identity->refs++;
  call->has_begun_task = 1;
  mcpi_call_hold(call);
  mcpi_holder_add(t->identity->holder, MCPI_HELD_TASKS, 1);
}

/* The call may go, or go on without the task. */
static void running_leave_call(mcpi_running_task *t) {
  mcp_call *call = t->call;
  t->call = NULL;
  call->task = NULL;
  call->has_begun_task = 0;
  mcpi_holder_remove(t->identity->holder, MCPI_HELD_TASKS, 1);
  mcpi_call_unhold(call);
}

void mcpi_run_free(mcpi_running_task *t) {
  const mcp_allocator *allocator = &t->shard->server->allocator;
  mcpi_loop_stop_timer(t->shard->loop, &t->expiry);
  running_remove(t);
  if (t->call != NULL) {
    running_leave_call(t);
  }
  mcpi_identity_unref(t->shard, t->identity);
  mcp_doc_free(t->outcome);
  mcpi_buf_deinit(&t->message);
  mcpi_free(allocator, t, sizeof(*t));
}

/* The timer cancels the handler. Without memory for the timer, the handler runs
 * on, and only the record expires. */
void mcpi_run_go_on(mcpi_running_task *t) {
  mcp_loop *loop = t->shard->loop;
  memcpy(t->call->task_id, t->id, sizeof(t->id));
  atomic_store(&t->call->has_task_id, 1);
  if (t->expires_ms != INT64_MAX) {
    mcpi_loop_start_timer(loop, &t->expiry,
                          t->expires_ms - mcpi_loop_wall(loop));
  }
}

static void running_on_expired(mcpi_timer *timer) {
  mcpi_running_task *t = MCPI_CONTAINER(timer, mcpi_running_task, expiry);
  mcpi_shard *shard = t->shard;
  mcpi_shard_enter(shard);
  mcpi_call_cancel(t->call);
  mcpi_shard_leave(shard);
}

/* --- saving ---------------------------------------------------------- */

static int change_to_reply(mcpi_task_work *work, mcpi_task_data *data);
static void running_save(mcpi_running_task *t,
                         int (*change)(mcpi_task_work *work,
                                       mcpi_task_data *data));

/* A result may be too large for the store: an error in its place is not. */
static int running_replace_outcome(mcpi_running_task *t) {
  static const char lost[] =
      "{\"error\":{\"code\":-32603,\"message\":\"the result of the task could "
      "not be stored\"}}";
  const mcp_allocator *allocator = &t->shard->server->allocator;
  mcp_doc_free(t->outcome);
  t->outcome = NULL;
  t->is_lost = 1;
  return mcpi_doc_parse(&t->outcome, lost, sizeof(lost) - 1, NULL, allocator,
                        NULL);
}

static void running_on_saved(mcpi_task_work *work, int status,
                             const mcpi_task_data *data) {
  mcpi_running_task *t = running_of_work(work);
  if (status == 0) {
    mcpi_task_changed(t->tasks, t->shard, t->identity, t->id, work->owner,
                      data);
  }
  if (status == 0 || status == MCP_ERR_NOT_FOUND) {
    mcpi_run_free(t);
    return;
  }
  mcpi_shard_report(t->shard, status,
                    "task %s: what it came to could not be stored: %s", t->id,
                    mcp_error_text(status));
  if (!t->is_lost && running_replace_outcome(t) == 0) {
    running_save(t, change_to_reply);
  } else {
    mcpi_run_free(t);
  }
}

/* Ends the run. The structure lives until the change is stored. */
static void running_save(mcpi_running_task *t,
                         int (*change)(mcpi_task_work *work,
                                       mcpi_task_data *data)) {
  mcpi_loop_stop_timer(t->shard->loop, &t->expiry);
  running_remove(t);
  t->work = (mcpi_task_work){.tasks = t->tasks,
                             .shard = t->shard,
                             .id = t->id,
                             .is_ours = 1,
                             .change = change,
                             .done = running_on_saved};
  mcpi_task_work_start(&t->work);
}

static void running_put_message(const mcpi_running_task *t,
                                mcpi_task_data *data) {
  if (t->message.len > 0) {
    data->message = mcpi_buf_str(&t->message);
  }
  data->updated_ms = mcpi_loop_wall(t->shard->loop);
}

/* --- the reply ------------------------------------------------------- */

/* The client may have cancelled the task meanwhile: then it stays so. */
static int change_to_reply(mcpi_task_work *work, mcpi_task_data *data) {
  const mcpi_running_task *t = running_of_work(work);
  const mcp_json *root = mcp_doc_root(t->outcome);
  const mcp_json *result = mcpi_json_get(root, "result");
  const mcp_json *error = mcpi_json_get(root, "error");
  if (mcpi_task_has_ended(data)) {
    return 0;
  }
  running_put_message(t, data);
  mcpi_task_data_end(data,
                     error != NULL ? MCPI_TASK_FAILED : MCPI_TASK_COMPLETED,
                     mcpi_loop_wall(t->shard->loop));
  data->result = result;
  data->error = error;
  if (error != NULL) {
    data->message = mcpi_json_member_str(error, "message");
  }
  return 1;
}

static int change_to_cancelled(mcpi_task_work *work, mcpi_task_data *data) {
  if (mcpi_task_has_ended(data)) {
    return 0;
  }
  mcpi_task_data_end(data, MCPI_TASK_CANCELLED,
                     mcpi_loop_wall(work->shard->loop));
  return 1;
}

/* The client learns that the result is lost. If there is no memory for that
 * either, the record says that the task works until its time is over. */
static int running_take_reply(mcpi_running_task *t, const char *message,
                              size_t len) {
  const mcp_allocator *allocator = &t->shard->server->allocator;
  int rc = mcpi_doc_parse(&t->outcome, message, len, NULL, allocator, NULL);
  running_leave_call(t);
  if (rc != 0) {
    mcpi_shard_report(t->shard, rc, "task %s: its result is lost: %s", t->id,
                      mcp_error_text(rc));
  }
  if (rc == 0 || running_replace_outcome(t) == 0) {
    running_save(t, change_to_reply);
  } else {
    mcpi_run_free(t);
  }
  return rc;
}

void mcpi_run_abandon(mcpi_running_task *t) {
  running_leave_call(t);
  running_save(t, change_to_cancelled);
}

/* --- what a sink does ------------------------------------------------ */

static int running_send(mcpi_sink *sink, mcp_call *call, int what, int rpc_code,
                        const char *message, size_t len) {
  (void)call;
  (void)rpc_code;
  switch (what) {
  case MCPI_SEND_RESULT:
  case MCPI_SEND_ERROR:
    return running_take_reply(running_of_sink(sink), message, len);
  default: /* no stream leads to the client */
    return 0;
  }
}

static int running_ask_client(mcpi_sink *sink, mcp_call *call,
                              mcpi_pending *pending, mcpi_str method,
                              mcpi_str params) {
  (void)sink;
  (void)call;
  (void)pending;
  (void)method;
  (void)params;
  return MCP_ERR_UNSUPPORTED; /* questions come to running_ask */
}

/* tasks/cancel, the end of its time or of the server: in the first case the
 * record says so already; in the others it stays as it is. */
static void running_ended(mcpi_sink *sink, mcp_call *call) {
  (void)call;
  mcpi_run_free(running_of_sink(sink));
}

static const mcpi_sink_ops running_sink_ops = {
    .send = running_send, .ask = running_ask_client, .ended = running_ended};

/* --- progress -------------------------------------------------------- */

static void put_count(mcpi_buf *out, double progress, double total) {
  mcpi_json_put_number(out, progress);
  if (total > 0) {
    mcpi_buf_lit(out, " of ");
    mcpi_json_put_number(out, total);
  }
}

/* "reading (3 of 10)", "reading", "3 of 10" or "3". */
static void put_progress(mcpi_buf *out, double progress, double total,
                         mcpi_str text) {
  if (text.ptr == NULL) {
    put_count(out, progress, total);
    return;
  }
  mcpi_buf_puts(out, text);
  if (total > 0) {
    mcpi_buf_lit(out, " (");
    put_count(out, progress, total);
    mcpi_buf_putc(out, ')');
  }
}

/* What the record says, with the new message. */
static void running_show(const mcpi_running_task *t) {
  const mcp_call *call = t->call;
  const char *owner = call->principal != NULL ? call->principal : "";
  const mcpi_task_data data = {.revision = call->context.revision,
                               .status = MCPI_TASK_WORKING,
                               .message = mcpi_buf_str(&t->message),
                               .created_ms = t->created_ms,
                               .updated_ms = t->told_ms,
                               .ttl_ms = t->ttl_ms,
                               .poll_ms = t->tasks->poll_ms};
  if (t->message.error == 0) {
    mcpi_task_show(t->shard, t->identity, t->id, owner, &data);
  }
}

/* Progress without memory is lost, as it may be. */
static void running_progress(mcpi_task *task, double progress, double total,
                             mcpi_str text) {
  mcpi_running_task *t = running_of(task);
  mcp_server *server = t->shard->server;
  const mcpi_lock *lock = mcpi_server_lock(server);
  mcpi_buf_clear(&t->message);
  put_progress(&t->message, progress, total, text);
  t->told_ms = mcpi_loop_wall(t->shard->loop);
  mcpi_server_unlock(lock);
  running_show(t);
}

/* --- questions ------------------------------------------------------- */

static int change_to_asking(mcpi_task_work *work, mcpi_task_data *data) {
  const mcpi_running_task *t = running_of_work(work);
  const mcp_json *root = mcp_doc_root(t->outcome);
  if (mcpi_task_has_ended(data)) {
    return 0;
  }
  running_put_message(t, data);
  data->status = MCPI_TASK_INPUT_REQUIRED;
  data->questions = mcpi_json_get(root, "questions");
  data->state = mcpi_json_get(root, "state");
  data->answers = NULL;
  data->failures = NULL;
  return 1;
}

static int running_take_questions(mcpi_running_task *t, const mcpi_ask *ask) {
  const mcp_allocator *allocator = &t->shard->server->allocator;
  mcpi_buf text;
  mcpi_buf_init(&text, allocator, SIZE_MAX);
  mcpi_buf_lit(&text, "{\"questions\":{");
  mcpi_ask_put_requests(ask, &text);
  mcpi_buf_lit(&text, "},\"state\":");
  mcpi_ask_put_state(ask, INT64_MAX, &text);
  mcpi_buf_putc(&text, '}');
  int rc = text.error;
  if (rc == 0) {
    rc =
        mcpi_doc_parse(&t->outcome, text.data, text.len, NULL, allocator, NULL);
  }
  mcpi_buf_deinit(&text);
  return rc;
}

static int running_ask(mcpi_task *task, mcp_call *call) {
  mcpi_running_task *t = running_of(task);
  int rc = running_take_questions(t, call->ask);
  if (rc != 0) {
    return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR,
                          "the questions could not be stored: %s",
                          mcp_error_text(rc));
  }
  call->sink = NULL;
  mcpi_call_set_finished(call);
  running_leave_call(t);
  running_save(t, change_to_asking);
  return 0;
}

static void running_note(mcpi_task *task, mcpi_str state) {
  const mcpi_running_task *t = running_of(task);
  mcpi_task_note(t->tasks, t->shard, t->id, state);
}

static const mcpi_task_ops running_ops = {
    .progress = running_progress, .note = running_note, .ask = running_ask};

/* --- cancelling ------------------------------------------------------ */

static int cancel_in_shard(mcpi_shard *shard, mcpi_str id) {
  mcp_server *server = shard->server;
  mcpi_tasks *tasks = mcpi_tasks_of(server);
  const mcpi_lock *lock = mcpi_server_lock(server);
  const mcpi_running_task *t = mcpi_map_get(&tasks->running, id);
  int is_here = t != NULL && t->shard == shard;
  mcpi_server_unlock(lock);
  if (is_here) {
    mcpi_call_cancel(t->call);
  }
  return 0;
}

/* A letter without memory is reported by the loop that sends it: the handler
 * runs on, and its reply is dropped. */
void mcpi_running_task_cancel(mcpi_tasks *tasks, const char *id) {
  mcpi_shards_run(tasks->server, cancel_in_shard, mcpi_str_z(id));
}
