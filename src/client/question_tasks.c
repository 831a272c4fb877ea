/* SPDX-License-Identifier: MIT */
/* Questions that run as tasks. Ids are of use only on their connection. Nobody
 * else can use them, but a server may have clients of its own that see them, so
 * they cannot be guessed. */
#include "client/question_tasks.h"

#include "base/error.h"
#include "client/describe.h"
#include "client/params.h"
#include "client/respond.h"

#include <assert.h>

enum {
  /* Tasks that are open or kept. Each open task has an open question, so it is
   * the limit of these. */
  MAX_TASKS = MCPI_CLIENT_MAX_QUESTIONS,
  /* How long a task is known after it was made: time for a person to answer,
   * and for the server to fetch the result. */
  TTL_MS = 10 * 60 * 1000,
  MAX_TTL_MS = 60 * 60 * 1000,
  /* A person seldom answers sooner. */
  POLL_MS = 1000
};

/* A tasks/result whose task has not ended. */
typedef struct question_task_wait {
  mcpi_block *block; /* which this lies in, with its id text */
  mcpi_list link;    /* in task->waits */
  mcpi_inflight inflight;
} question_task_wait;

/* --- references ---------------------------------------------------------- */

void mcpi_question_task_unref(mcpi_question_task *task) {
  assert(task->refs > 0);
  if (--task->refs > 0) {
    return;
  }
  mcpi_buf_deinit(&task->result);
  mcpi_buf_deinit(&task->reason);
  mcpi_free(&task->client->loop->allocator, task, sizeof(*task));
}

/* --- requests that wait for the end -------------------------------------- */

static void task_wait_free(question_task_wait *wait) {
  mcpi_list_remove(&wait->link);
  mcpi_block_unref(wait->block);
}

static void task_wait_on_cancel(mcpi_inflight *inflight, mcpi_str reason) {
  (void)reason;
  task_wait_free(MCPI_CONTAINER(inflight, question_task_wait, inflight));
}

/* Takes the first one out of the list, and out of the table of requests in
 * flight. The caller owns it. NULL: the list is empty. */
static question_task_wait *task_next_wait(mcpi_question_task *task) {
  if (mcpi_list_is_empty(&task->waits)) {
    return NULL;
  }
  question_task_wait *wait =
      MCPI_CONTAINER(task->waits.next, question_task_wait, link);
  mcpi_list_remove(&wait->link);
  mcpi_peer_untrack(&task->client->peer, &wait->inflight);
  return wait;
}

/* Answers all of them with what `respond` sends. The caller holds the task. */
static void task_answer_waits(mcpi_question_task *task,
                              int (*respond)(const mcpi_question_task *task,
                                             mcpi_str id_text)) {
  question_task_wait *wait;
  while ((wait = task_next_wait(task)) != NULL) {
    mcpi_str id_text = wait->inflight.id_text;
    mcpi_respond_failed(task->client, id_text, respond(task, id_text));
    task_wait_free(wait);
  }
}

int mcpi_question_task_respond_later(mcpi_question_task *task, mcpi_str id_text,
                                     mcp_error *err) {
  mcp_client *client = task->client;
  mcpi_block *block = mcpi_block_take(&client->loop->pool,
                                      sizeof(question_task_wait) + id_text.len);
  if (block == NULL) {
    mcpi_no_memory(err);
    return MCP_RPC_INTERNAL_ERROR;
  }
  question_task_wait *wait = mcpi_block_data(block);
  *wait = (question_task_wait){.block = block,
                               .inflight.on_cancel = task_wait_on_cancel};
  memcpy(wait + 1, id_text.ptr, id_text.len);
  wait->inflight.id_text = mcpi_str_n((const char *)(wait + 1), id_text.len);
  mcpi_list_append(&task->waits, &wait->link);
  int code = mcpi_respond_later(client, &wait->inflight, err);
  if (code != 0) {
    task_wait_free(wait);
  }
  return code;
}

/* --- what the server sees ------------------------------------------------ */

static mcpi_str task_reason(const mcpi_question_task *task) {
  return task->reason.error == 0 ? mcpi_buf_str(&task->reason)
                                 : MCPI_STR("out of memory");
}

void mcpi_question_task_put(const mcpi_question_task *task, mcpi_buf *out) {
  mcpi_task_shape shape = {.id = task->id,
                           .status = task->status,
                           .created_ms = task->created_ms,
                           .updated_ms = task->updated_ms,
                           .ttl_ms = task->ttl_ms,
                           .poll_ms = POLL_MS};
  if (task->status == MCPI_TASK_FAILED) {
    shape.message = task_reason(task);
  }
  mcpi_buf_putc(out, '{');
  mcpi_task_shape_put(out, &shape, 0);
  mcpi_buf_putc(out, '}');
}

/* {"task":{...},"_meta":{...}} */
static int task_respond_created(const mcpi_question_task *task,
                                mcpi_str id_text) {
  mcpi_buf result;
  mcpi_buf_init(&result, &task->client->loop->allocator, SIZE_MAX);
  mcpi_buf_lit(&result, "{\"task\":");
  mcpi_question_task_put(task, &result);
  mcpi_buf_lit(&result, ",\"_meta\":{");
  mcpi_task_put_related(&result, task->id);
  mcpi_buf_lit(&result, "}}");
  return mcpi_respond_buf(task->client, id_text, &result);
}

int mcpi_question_task_respond_end(const mcpi_question_task *task,
                                   mcpi_str id_text) {
  switch (task->status) {
  case MCPI_TASK_COMPLETED:
    return mcpi_respond(task->client, id_text, mcpi_buf_str(&task->result));
  case MCPI_TASK_FAILED:
    return mcpi_respond_error(task->client, id_text, task->code,
                              task_reason(task));
  default:
    return mcpi_respond_error(task->client, id_text, MCP_RPC_INTERNAL_ERROR,
                              MCPI_STR("the task was cancelled"));
  }
}

int mcpi_question_task_respond_unknown(mcp_client *client, mcpi_str id_text,
                                       const char *id) {
  mcp_error why;
  mcp_error_set(&why, MCP_ERR_NOT_FOUND, "unknown task \"%s\"", id);
  return mcpi_respond_error(client, id_text, MCP_RPC_INVALID_PARAMS,
                            mcpi_str_z(why.message));
}

/* The task's time is over. */
static int task_respond_expired(const mcpi_question_task *task,
                                mcpi_str id_text) {
  return mcpi_question_task_respond_unknown(task->client, id_text, task->id);
}

/* Servers need not rely on it (MCP 2025-11-25, Tasks: Task Status
 * Notification): one that cannot be sent is lost. */
static void task_notify(const mcpi_question_task *task) {
  mcpi_buf params;
  mcpi_buf_init(&params, &task->client->loop->allocator, SIZE_MAX);
  mcpi_question_task_put(task, &params);
  if (params.error == 0) {
    mcpi_peer_send_notification(&task->client->peer,
                                MCPI_STR("notifications/tasks/status"),
                                mcpi_buf_str(&params), NULL);
  }
  mcpi_buf_deinit(&params);
}

/* --- the end ------------------------------------------------------------- */

static void task_end(mcpi_question_task *task, mcpi_task_status status) {
  mcpi_pending_let_go(&task->client->peer.pending);
  task->question->task = NULL;
  task->question = NULL;
  task->status = status;
  task->updated_ms = mcpi_loop_wall(task->client->loop);
  mcpi_list_append(&task->client->question_tasks.ended, &task->ended_link);
}

void mcpi_question_task_show_end(mcpi_question_task *task) {
  task_notify(task);
  task_answer_waits(task, mcpi_question_task_respond_end);
}

static void task_finish(mcpi_question_task *task, mcpi_task_status status) {
  mcpi_question_task_ref(task);
  task_end(task, status);
  mcpi_question_task_show_end(task);
  mcpi_question_task_unref(task);
}

void mcpi_question_task_cancel(mcpi_question_task *task) {
  task->question->is_cancelled = 1;
  task_end(task, MCPI_TASK_CANCELLED);
}

static int task_on_answer(mcp_question *question, mcpi_str answer) {
  mcpi_question_task *task = question->task;
  int rc =
      mcpi_respond_put_related(task->client, answer, task->id, &task->result);
  if (rc == 0) {
    task_finish(task, MCPI_TASK_COMPLETED);
  }
  return rc;
}

static int task_on_failure(mcp_question *question, int code,
                           const char *message) {
  mcpi_question_task *task = question->task;
  task->code = code;
  mcpi_buf_puts(&task->reason, mcpi_str_z(message));
  task_finish(task, MCPI_TASK_FAILED);
  return 0;
}

static const mcpi_question_ops task_ops = {.answer = task_on_answer,
                                           .fail = task_on_failure};

/* The program's question, if it is open, is cancelled. Nobody waits any
 * longer. Does nothing if the task was forgotten before. */
static void task_forget(mcpi_question_task *task) {
  mcp_client *client = task->client;
  question_task_wait *wait;
  if (mcpi_list_is_empty(&task->link)) {
    return;
  }
  if (task->question != NULL) {
    mcpi_question_task_cancel(task);
  }
  while ((wait = task_next_wait(task)) != NULL) {
    task_wait_free(wait);
  }
  mcpi_loop_stop_timer(client->loop, &task->expiry);
  mcpi_list_remove(&task->link);
  mcpi_list_remove(&task->ended_link);
  client->question_tasks.count--;
  mcpi_question_task_unref(task);
}

static void task_on_expired(mcpi_timer *timer) {
  mcpi_question_task *task = MCPI_CONTAINER(timer, mcpi_question_task, expiry);
  mcp_client *client = task->client;
  mcpi_client_enter(client);
  mcpi_question_task_ref(task);
  task_answer_waits(task, task_respond_expired);
  task_forget(task);
  mcpi_question_task_unref(task);
  mcpi_client_leave(client);
}

void mcpi_question_tasks_forget(mcp_client *client) {
  mcpi_list *list = &client->question_tasks.list;
  while (!mcpi_list_is_empty(list)) {
    task_forget(MCPI_CONTAINER(list->next, mcpi_question_task, link));
  }
}

/* --- the beginning ------------------------------------------------------- */

const mcp_json *mcpi_question_task_wanted(const mcp_question *question) {
  const mcp_json *task = mcp_json_get(question->params, "task");
  int may_be_task =
      question->row->id == MCPI_M_ELICIT || question->row->id == MCPI_M_SAMPLE;
  return may_be_task && mcp_json_type(task) == MCP_JSON_OBJECT &&
                 mcpi_client_runs_tasks(question->client,
                                        question->client->revision)
             ? task
             : NULL;
}

/* null and what is not a positive number ask for no certain time. */
static int64_t task_wanted_ttl(const mcp_json *wanted) {
  double ttl_ms = mcp_json_number(mcp_json_get(wanted, "ttl"));
  if (!(ttl_ms > 0)) {
    return TTL_MS;
  }
  return ttl_ms < MAX_TTL_MS ? (int64_t)ttl_ms : MAX_TTL_MS;
}

/* Drops the task that ended first if there is no room for another one. There is
 * such a task: the new question counts among the open ones, so that fewer than
 * MAX_TASKS others have an open task. */
static void tasks_make_room(mcp_client *client) {
  mcpi_question_tasks *tasks = &client->question_tasks;
  if (tasks->count >= MAX_TASKS) {
    assert(!mcpi_list_is_empty(&tasks->ended));
    task_forget(
        MCPI_CONTAINER(tasks->ended.next, mcpi_question_task, ended_link));
  }
}

static mcpi_question_task *task_make(mcp_question *question, int64_t ttl_ms) {
  mcp_client *client = question->client;
  mcp_loop *loop = client->loop;
  mcpi_question_task *task = mcpi_calloc(&loop->allocator, 1, sizeof(*task));
  if (task == NULL) {
    return NULL;
  }
  task->refs = 1;
  task->client = client;
  task->question = question;
  task->number = ++client->question_tasks.last_number;
  task->created_ms = mcpi_loop_wall(loop);
  task->updated_ms = task->created_ms;
  task->ttl_ms = ttl_ms;
  task->expiry.on_due = task_on_expired;
  mcpi_list_init(&task->ended_link);
  mcpi_list_init(&task->waits);
  mcpi_buf_init(&task->result, &loop->allocator, SIZE_MAX);
  mcpi_buf_init(&task->reason, &loop->allocator, SIZE_MAX);
  mcpi_list_append(&client->question_tasks.list, &task->link);
  client->question_tasks.count++;
  mcpi_pending_hold(&client->peer.pending); /* as for any question */
  return task;
}

/* Returns 0, or an MCP_ERR_*. */
static int task_start(mcpi_question_task *task, mcpi_str id_text,
                      mcp_error *err) {
  mcp_loop *loop = task->client->loop;
  int rc = mcpi_task_make_id(loop, task->id, err);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_loop_start_timer(loop, &task->expiry, task->ttl_ms);
  if (rc == 0) {
    rc = task_respond_created(task, id_text);
  }
  return rc != 0 ? mcp_error_set(err, rc, "%s", mcp_error_text(rc)) : 0;
}

/* The question's id was that of its request, which has its answer now. */
int mcpi_question_task_begin(mcp_question *question, const mcp_json *wanted,
                             mcp_error *err) {
  tasks_make_room(question->client);
  mcpi_question_task *task = task_make(question, task_wanted_ttl(wanted));
  if (task == NULL) {
    mcpi_no_memory(err);
    return MCP_RPC_INTERNAL_ERROR;
  }
  question->task = task;
  question->ops = &task_ops;
  mcpi_question_task_ref(task);
  int rc = task_start(task, question->inflight.id_text, err);
  if (rc == 0) {
    question->inflight.id_text = mcpi_str_n(NULL, 0);
  } else {
    task_forget(task);
  }
  mcpi_question_task_unref(task);
  return rc == 0 ? 0 : MCP_RPC_INTERNAL_ERROR;
}
