/* SPDX-License-Identifier: MIT */
#include "ext/tasks/waiter.h"

#include "ext/tasks/answers.h"
#include "ext/tasks/changes.h"
#include "ext/tasks/task_request.h"
#include "ext/tasks/waiting.h"
#include "server/ask.h"
#include "server/members.h"
#include "json/inline.h"

typedef struct task_waiter {
  mcpi_task_waiting waiting;
  mcpi_task_work work;
  mcp_call *call;    /* held, and deferred; has the id */
  int is_gone;       /* in LOADING: the client has left */
  mcpi_timer expiry; /* of the record */
  mcp_doc *given;
} task_waiter;

static task_waiter *waiter_of(mcpi_task_work *work) {
  return MCPI_CONTAINER(work, task_waiter, work);
}

static void waiter_load(task_waiter *w);

/* Its questions are cancelled. */
static void waiter_look(mcpi_task_waiting *waiting) {
  task_waiter *w = MCPI_CONTAINER(waiting, task_waiter, waiting);
  if (waiting->state == MCPI_TASK_ASKING) {
    mcpi_ask_cancel(w->call);
    mcpi_ask_forget_run(w->call->ask);
  }
  mcpi_task_waiting_add(waiting);
  waiter_load(w);
}

/* --- its end --------------------------------------------------------- */

/* The deferred call has its reply, or is dropped here. */
static void waiter_free(task_waiter *w) {
  mcp_call *call = w->call;
  mcp_server *server = w->work.shard->server;
  mcpi_task_waiting_remove(&w->waiting);
  mcpi_loop_stop_timer(w->work.shard->loop, &w->expiry);
  mcp_doc_free(w->given);
  mcpi_free(&server->allocator, w, sizeof(*w));
  mcp_call_drop(call);
  mcpi_call_unhold(call);
}

/* If it has asked, another one that waits may ask. */
static void waiter_on_cancel(mcp_call *call, void *userdata) {
  task_waiter *w = userdata;
  mcpi_tasks *tasks = w->waiting.tasks;
  int has_asked = w->waiting.state == MCPI_TASK_ASKING;
  (void)call;
  if (w->waiting.state == MCPI_TASK_LOADING) {
    w->is_gone = 1;
    return;
  }
  mcpi_task_waiting_set(&w->waiting, MCPI_TASK_WAITING);
  if (has_asked) {
    mcpi_call_hold(call);
    const char *id = w->waiting.id;
    waiter_free(w);
    mcpi_task_waiters_wake(tasks, id, 0);
    mcpi_call_unhold(call);
  } else {
    waiter_free(w);
  }
}

/* --- its reply -------------------------------------------------------- */

static void reply_result(const task_waiter *w, const mcp_json *result) {
  mcpi_buf text;
  mcpi_buf_init(&text, &w->work.shard->server->allocator, SIZE_MAX);
  mcpi_json_put_value(&text, result);
  mcpi_task_reply(w->call, &text);
  mcpi_buf_deinit(&text);
}

static void reply_error(const task_waiter *w, const mcp_json *error) {
  const mcp_json *data = mcpi_json_get(error, "data");
  const char *message = mcp_json_string(mcpi_json_get(error, "message"));
  mcpi_buf text;
  mcpi_buf_init(&text, &w->work.shard->server->allocator, SIZE_MAX);
  if (data != NULL) {
    mcpi_json_put_value(&text, data);
  }
  mcpi_task_reply_error(
      w->call, (int)mcp_json_int(mcpi_json_get(error, "code")),
      message != NULL ? message : "the task has failed", &text);
  mcpi_buf_deinit(&text);
}

/* The result or the error that the call of the tool would have had. */
static void waiter_reply(const task_waiter *w, const mcpi_task_data *data) {
  const mcp_json *meta = mcpi_json_get(data->result, "_meta");
  if (mcpi_json_get(meta, MCPI_META_RELATED_TASK) == NULL) {
    mcpi_task_add_related(w->call, w->work.id);
  }
  if (data->result != NULL) {
    reply_result(w, data->result);
  } else if (data->error != NULL) {
    reply_error(w, data->error);
  } else {
    mcp_call_reply_error(w->call, MCP_RPC_INTERNAL_ERROR,
                         "the task was cancelled", NULL);
  }
}

static void waiter_refuse(const task_waiter *w, int status) {
  mcp_error why;
  int is_unknown = status == MCP_ERR_NOT_FOUND;
  if (is_unknown) {
    mcp_error_set(&why, status, "unknown task \"%s\"", w->work.id);
  } else {
    mcp_error_set(&why, status, "the task could not be read: %s",
                  mcp_error_text(status));
  }
  mcp_call_reply_error(
      w->call, is_unknown ? MCP_RPC_INVALID_PARAMS : MCP_RPC_INTERNAL_ERROR,
      why.message, NULL);
}

/* --- questions ------------------------------------------------------- */

/* The params with _meta that names the task. */
static void put_related_params(mcpi_buf *out, const mcp_json *params,
                               const char *id) {
  mcpi_buf_putc(out, '{');
  mcpi_put_members(out, params, "_meta");
  mcpi_put_name(out, "_meta");
  mcpi_buf_putc(out, '{');
  mcpi_put_members(out, mcpi_json_get(params, "_meta"), NULL);
  mcpi_task_put_related(out, id);
  mcpi_buf_lit(out, "}}");
}

static int waiter_add_question(const task_waiter *w, const mcp_json *key,
                               const mcp_json *question) {
  mcpi_buf params;
  mcpi_buf_init(&params, &w->work.shard->server->allocator, SIZE_MAX);
  put_related_params(&params, mcpi_json_get(question, "params"), w->work.id);
  int rc = params.error;
  if (rc == 0) {
    rc = mcpi_ask_add(w->call, mcpi_json_str(key),
                      mcpi_json_member_str(question, "method"),
                      mcpi_buf_str(&params));
  }
  mcpi_buf_deinit(&params);
  return rc;
}

static void waiter_on_answers(mcp_call *call, int status);

/* If there is no way to the client on this stream, another may come. */
static void waiter_ask(task_waiter *w, const mcp_json *questions) {
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *question;
  int rc = 0;
  if (!mcpi_task_waiting_claim(&w->waiting)) {
    return;
  }
  mcp_json_iter_init(&iter, questions);
  while (rc == 0 && (question = mcp_json_iter_next(&iter, &key)) != NULL) {
    rc = waiter_add_question(w, key, question);
  }
  if (rc == 0) {
    rc = mcpi_ask_send_added(w->call, waiter_on_answers);
  } else if (w->call->ask != NULL) {
    mcpi_ask_forget_run(w->call->ask);
  }
  if (rc != 0) {
    mcpi_task_waiting_set(&w->waiting, MCPI_TASK_WAITING);
  }
}

static int change_by_asking(mcpi_task_work *work, mcpi_task_data *data) {
  task_waiter *w = waiter_of(work);
  const mcpi_ask *ask = w->call->ask;
  return mcpi_task_take_answers(work, data, ask->responses, ask->new_failures,
                                &w->given);
}

/* --- looking --------------------------------------------------------- */

/* Nobody reports that the time of a record is over. One that loads sees it. */
static void waiter_on_expired(mcpi_timer *timer) {
  task_waiter *w = MCPI_CONTAINER(timer, task_waiter, expiry);
  mcpi_shard *shard = w->work.shard;
  mcpi_shard_enter(shard);
  if (w->waiting.state != MCPI_TASK_LOADING) {
    waiter_look(&w->waiting);
  }
  mcpi_shard_leave(shard);
}

/* Without memory for the timer, it waits until the task changes. */
static void waiter_watch_time(task_waiter *w) {
  mcp_loop *loop = w->work.shard->loop;
  if (w->work.expires_ms != INT64_MAX) {
    w->expiry.on_due = waiter_on_expired;
    mcpi_loop_start_timer(loop, &w->expiry,
                          w->work.expires_ms - mcpi_loop_wall(loop));
  }
}

static void waiter_go_on(task_waiter *w, const mcpi_task_data *data) {
  waiter_watch_time(w);
  if (w->waiting.is_stale) {
    waiter_load(w);
  } else if (data->status == MCPI_TASK_INPUT_REQUIRED) {
    waiter_ask(w, data->questions);
  } else {
    mcpi_task_waiting_set(&w->waiting, MCPI_TASK_WAITING);
  }
}

static void waiter_on_loaded(mcpi_task_work *work, int status,
                             const mcpi_task_data *data) {
  task_waiter *w = waiter_of(work);
  if (w->is_gone) {
    waiter_free(w);
  } else if (status != 0) {
    waiter_refuse(w, status);
    waiter_free(w);
  } else if (mcpi_task_has_ended(data)) {
    waiter_reply(w, data);
    waiter_free(w);
  } else {
    waiter_go_on(w, data);
  }
}

/* Its own answers are stored: the task goes on before this one looks again,
 * since that may be its end. */
static void waiter_on_answered(mcpi_task_work *work, int status,
                               const mcpi_task_data *data) {
  task_waiter *w = waiter_of(work);
  mcp_doc *given = w->given;
  w->given = NULL;
  if (status == 0 && given != NULL) {
    mcpi_task_after_answers(work, data, w->call->identity);
  }
  mcp_doc_free(given);
  if (w->is_gone) {
    waiter_free(w);
  } else {
    waiter_load(w);
  }
}

static void waiter_start(task_waiter *w,
                         int (*change)(mcpi_task_work *work,
                                       mcpi_task_data *data),
                         void (*done)(mcpi_task_work *work, int status,
                                      const mcpi_task_data *data)) {
  const mcpi_task_work fresh = {.tasks = w->work.tasks,
                                .shard = w->work.shard,
                                .id = w->work.id,
                                .principal = w->work.principal,
                                .change = change,
                                .done = done};
  w->work = fresh;
  mcpi_task_work_start(&w->work);
}

static void waiter_load(task_waiter *w) {
  w->waiting.is_stale = 0;
  waiter_start(w, NULL, waiter_on_loaded);
}

static void waiter_on_answers(mcp_call *call, int status) {
  task_waiter *w = call->on_cancel_userdata;
  mcpi_task_waiting_set(&w->waiting, MCPI_TASK_LOADING);
  if (status != 0) {
    waiter_load(w); /* and asks again */
  } else {
    waiter_start(w, change_by_asking, waiter_on_answered);
  }
}

/* --- its beginning --------------------------------------------------- */

int mcpi_task_on_result(mcp_call *call, void *userdata) {
  mcpi_tasks *tasks = userdata;
  mcp_server *server = tasks->server;
  task_waiter *w = mcpi_calloc(&server->allocator, 1, sizeof(*w));
  if (w == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcp_call_defer(call);
  if (rc != 0) {
    mcpi_free(&server->allocator, w, sizeof(*w));
    return rc;
  }
  mcpi_call_hold(call);
  mcp_call_on_cancel(call, waiter_on_cancel, w);
  w->call = call;
  w->waiting = (mcpi_task_waiting){.tasks = tasks,
                                   .shard = call->shard,
                                   .id = mcpi_task_request_id(call),
                                   .look = waiter_look};
  w->work = (mcpi_task_work){.tasks = tasks,
                             .shard = call->shard,
                             .id = w->waiting.id,
                             .principal = call->principal};
  mcpi_list_init(&w->waiting.link);
  mcpi_task_waiting_add(&w->waiting);
  waiter_load(w);
  return 0;
}
