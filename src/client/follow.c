/* SPDX-License-Identifier: MIT */
#include "client/follow.h"

#include "client/input_requests.h"
#include "client/params.h"
#include "client/question.h"
#include "client/send.h"
#include "client/settle.h"
#include "client/task_rows.h"
#include "client/task_stream.h"
#include "client/task_view.h"
#include "core/context.h"

enum {
  MAX_FAILURES = 3 /* messages that may fail in a row */
};

static const mcpi_request_kind follow_kind;

static void follow_poll(mcpi_request *request);

/* --- time ----------------------------------------------------------------- */

/* The clock of requests, which stands still while the user is asked. */
static int64_t follow_now(const mcpi_request *request) {
  return mcpi_pending_now(&request->client->peer.pending);
}

/* INT64_MAX: no limit. */
static int64_t follow_left(const mcpi_request *request) {
  int64_t deadline_ms = request->follow.deadline_ms;
  return deadline_ms != INT64_MAX ? deadline_ms - follow_now(request)
                                  : INT64_MAX;
}

/* Returns 0 when the time is over: then the request has failed. */
static int follow_has_time(mcpi_request *request) {
  mcp_error err;
  if (follow_left(request) > 0) {
    return 1;
  }
  mcp_error_set(
      &err, MCP_ERR_TIMEOUT, "the task has not ended within %lu ms (%s)",
      (unsigned long)request->follow.limit_ms, request->pending.max_name);
  mcpi_request_fail(request, &err);
  return 0;
}

static void follow_pause(mcpi_request *request) {
  int64_t wait_ms = request->follow.poll_ms;
  int64_t left_ms = follow_left(request);
  request->state = MCPI_REQUEST_PAUSED;
  request->on_due = follow_poll;
  int rc = mcpi_loop_start_timer(request->client->loop, &request->timer,
                                 wait_ms < left_ms ? wait_ms : left_ms);
  if (rc != 0) {
    mcpi_request_fail_with(request, rc, mcp_error_text(rc));
  } else if (!request->follow.has_stream &&
             mcpi_client_is_modern(request->client)) {
    request->follow.has_stream = 1;
    mcpi_task_stream_open(request);
  }
}

/* --- messages ------------------------------------------------------------- */

/* The id is the request's name, which HTTP repeats in Mcp-Name. */
static void follow_put_id(mcpi_request *request, mcpi_buf *params) {
  mcpi_params_name(params, "taskId");
  mcpi_json_put_string(params, mcpi_request_name(request));
}

/* Sends the next message, whose further params are in bufs.extra. */
static void follow_send(mcpi_request *request, mcpi_task_verb verb,
                        uint32_t timeout_ms) {
  mcpi_buf *params = &request->bufs.params;
  request->row = mcpi_task_row(request->client, verb);
  request->method = mcpi_str_z(request->row->name);
  if (!follow_has_time(request)) {
    return;
  }
  int64_t left_ms = follow_left(request);
  request->timeout_ms = timeout_ms;
  request->max_ms = left_ms < UINT32_MAX ? (uint32_t)left_ms : 0;
  mcpi_buf_clear(params);
  follow_put_id(request, params);
  if (params->error != 0 || request->bufs.extra.error != 0) {
    mcpi_request_fail_with(request, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  mcpi_request_relaunch(request);
}

static void follow_poll(mcpi_request *request) {
  mcpi_buf_clear(&request->bufs.extra);
  follow_send(request, MCPI_TASK_GET, request->follow.timeout_ms);
}

/* 2025-11-25. It waits for the end of the task, so only the whole time limits
 * it. */
static void follow_fetch(mcpi_request *request) {
  mcpi_buf_clear(&request->bufs.extra);
  follow_send(request, MCPI_TASK_RESULT, 0);
}

/* --- questions (2026-07-28) ----------------------------------------------- */

/* The server may list a question again until it has seen the answer. */
static int has_new_question(const mcpi_request *request,
                            const mcp_json *questions) {
  mcp_json_iter iter;
  const mcp_json *key;
  mcp_json_iter_init(&iter, questions);
  while (mcp_json_iter_next(&iter, &key) != NULL) {
    if (!mcpi_key_set_has(&request->follow.questions, mcpi_json_str(key))) {
      return 1;
    }
  }
  return 0;
}

/* Without memory the question may come twice. */
static int take_question(mcpi_request *request, mcpi_str key) {
  return mcpi_key_set_add(&request->follow.questions, key) != MCP_ERR_EXISTS;
}

/* The clock stood still while the program was asked. */
static void follow_answer(mcpi_request *request) {
  mcpi_request_follow *follow = &request->follow;
  mcpi_buf *extra = &request->bufs.extra;
  if (follow->deadline_ms != INT64_MAX) {
    follow->deadline_ms += follow_now(request) - follow->asked_ms;
  }
  mcpi_buf_clear(extra);
  mcpi_inputs_put(request, extra);
  mcpi_inputs_end(request);
  follow_send(request, MCPI_TASK_UPDATE, follow->timeout_ms);
}

static int follow_check_questions(const mcpi_request *request,
                                  const mcp_json *questions, mcp_error *err) {
  if (mcp_json_type(questions) != MCP_JSON_OBJECT) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL,
                         "a task that is input_required has no proper "
                         "inputRequests");
  }
  if (mcp_json_size(questions) > MCPI_CLIENT_MAX_QUESTIONS) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "%zu questions at once, of %d",
                         mcp_json_size(questions), MCPI_CLIENT_MAX_QUESTIONS);
  }
  uint32_t max_rounds = request->client->options.max_rounds;
  if (request->follow.rounds >= max_rounds &&
      has_new_question(request, questions)) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "more than %lu rounds of questions",
                         (unsigned long)max_rounds);
  }
  return 0;
}

static void follow_ask(mcpi_request *request, mcpi_message *message,
                       const mcp_json *task) {
  const mcp_json *questions = mcp_json_get(task, "inputRequests");
  mcp_error err;
  if (follow_check_questions(request, questions, &err) != 0) {
    mcpi_request_fail(request, &err);
  } else if (!has_new_question(request, questions)) {
    follow_pause(request);
  } else {
    request->follow.rounds++;
    request->follow.asked_ms = follow_now(request);
    mcpi_inputs_ask(request, message, questions, take_question, follow_answer);
  }
}

/* --- the end of the task -------------------------------------------------- */

/* From here on the request is the tools/call that its result belongs to. */
static void become_call(mcpi_request *request) {
  mcpi_buf *name = &request->bufs.name;
  const mcpi_buf *tool = &request->follow.tool;
  request->follow.has_ended = 1;
  request->row = &mcpi_methods[MCPI_M_TOOLS_CALL];
  request->method = mcpi_str_z(request->row->name);
  mcpi_buf_clear(name);
  mcpi_buf_put(name, tool->data, tool->len);
  request->is_schemaless = tool->len == 0;
  if (name->error != 0) {
    mcpi_request_fail_with(request, MCP_ERR_NOMEM, "out of memory");
  }
}

static void follow_succeed(mcpi_request *request, mcpi_message *message,
                           const mcp_json *result) {
  mcp_error err;
  int asks = 0;
  become_call(request);
  if (request->state == MCPI_REQUEST_ENDED) {
    return;
  }
  if (mcpi_request_check(request, result, &asks, &err) != 0) {
    mcpi_request_fail(request, &err);
  } else if (asks) {
    mcpi_request_fail_with(request, MCP_ERR_PROTOCOL,
                           "the result of a task is input_required");
  } else {
    mcpi_request_take_result(request, message, result);
  }
}

static void follow_fail(mcpi_request *request, mcpi_message *message,
                        const mcp_json *error) {
  const mcpi_envelope reply = {.error = error};
  request->follow.has_ended = 1;
  if (mcp_json_type(error) != MCP_JSON_OBJECT) {
    mcpi_request_fail_with(request, MCP_ERR_PROTOCOL,
                           "a task has failed without an error");
    return;
  }
  mcpi_request_fail_remote(request, message, &reply);
}

/* A server should send what the call would have had as its answer. Some send
 * nothing for a task that has failed, or that is cancelled meanwhile. Then the
 * status says what has happened. (2025-11-25) */
static void follow_result(mcpi_request *request, mcpi_message *message,
                          const mcp_json *result) {
  const mcpi_request_follow *follow = &request->follow;
  mcp_error err;
  if (follow->status == MCPI_TASK_COMPLETED ||
      mcp_json_get(result, "content") != NULL ||
      mcp_json_get(result, "structuredContent") != NULL) {
    follow_succeed(request, message, result);
  } else if (follow->status != MCPI_TASK_FAILED) {
    follow_pause(request);
  } else {
    request->follow.has_ended = 1;
    mcp_error_set(&err, MCP_ERR_PROTOCOL,
                  "a task has failed without a result%s%.*s",
                  follow->message.len > 0 ? ": " : "", (int)follow->message.len,
                  follow->message.len > 0 ? follow->message.data : "");
    mcpi_request_fail(request, &err);
  }
}

static void follow_cancelled(mcpi_request *request,
                             const mcpi_task_view *task) {
  mcp_error err;
  request->follow.has_ended = 1;
  mcp_error_set(&err, MCP_ERR_CANCELLED, "the task was cancelled%s%s",
                task->message != NULL ? ": " : "",
                task->message != NULL ? task->message : "");
  mcpi_request_fail(request, &err);
}

/* --- its status ----------------------------------------------------------- */

/* Gives a new status message to the program. Returns 0 if the program has ended
 * the request meanwhile. */
static int follow_report(mcpi_request *request, const mcpi_task_view *task) {
  mcpi_request_follow *follow = &request->follow;
  mcpi_str message = mcpi_str_z(task->message);
  if (message.ptr == NULL ||
      mcpi_str_eq(mcpi_buf_str(&follow->message), message)) {
    return 1;
  }
  mcpi_buf_clear(&follow->message);
  mcpi_buf_puts(&follow->message, message);
  if (follow->on_progress != NULL) {
    follow->on_progress(request->client, 0, 0, task->message,
                        request->progress_userdata);
  }
  return request->state != MCPI_REQUEST_ENDED;
}

/* A status that is not known will change. */
static void follow_status_core(mcpi_request *request,
                               const mcpi_task_view *task) {
  switch (task->status) {
  case MCPI_TASK_CANCELLED:
    follow_cancelled(request, task);
    break;
  case MCPI_TASK_INPUT_REQUIRED:
  case MCPI_TASK_COMPLETED:
  case MCPI_TASK_FAILED:
    follow_fetch(request);
    break;
  default:
    follow_pause(request);
    break;
  }
}

static void follow_status_extension(mcpi_request *request,
                                    const mcpi_task_view *task,
                                    mcpi_message *message,
                                    const mcp_json *json) {
  switch (task->status) {
  case MCPI_TASK_CANCELLED:
    follow_cancelled(request, task);
    break;
  case MCPI_TASK_COMPLETED:
    follow_succeed(request, message, mcp_json_get(json, "result"));
    break;
  case MCPI_TASK_FAILED:
    follow_fail(request, message, mcp_json_get(json, "error"));
    break;
  case MCPI_TASK_INPUT_REQUIRED:
    follow_ask(request, message, json);
    break;
  default:
    follow_pause(request);
    break;
  }
}

static void follow_status(mcpi_request *request, mcpi_message *message,
                          const mcp_json *json) {
  mcpi_task_view task;
  mcp_error err;
  if (mcpi_task_view_read(&task, json, &err) != 0) {
    mcpi_request_fail(request, &err);
    return;
  }
  request->follow.poll_ms = task.poll_ms;
  request->follow.status = task.status;
  if (!follow_report(request, &task)) {
    return;
  }
  if (request->follow.ends_answered &&
      task.status != MCPI_TASK_INPUT_REQUIRED) {
    mcpi_request_take_result(request, message, json);
  } else if (mcpi_client_is_modern(request->client)) {
    follow_status_extension(request, &task, message, json);
  } else {
    follow_status_core(request, &task);
  }
}

/* --- answers -------------------------------------------------------------- */

/* The task goes on when a message is lost, or the session has ended. */
static int may_try_again(mcpi_request *request, int status) {
  return (status == MCP_ERR_TIMEOUT || status == MCP_ERR_IO ||
          status == MCP_ERR_CLOSED) &&
         ++request->follow.failures < MAX_FAILURES &&
         !mcpi_client_is_ending(request->client);
}

static void follow_on_failure(mcpi_request *request, int status,
                              mcpi_message *message, const mcpi_envelope *reply,
                              const mcp_error *err) {
  if (status == MCP_ERR_REMOTE) {
    /* The task has ended so, or the server does not know it. */
    request->follow.has_ended |=
        mcpi_task_row_is(request->row, MCPI_TASK_RESULT) ||
        (mcpi_task_row_is(request->row, MCPI_TASK_GET) &&
         mcp_json_int(mcp_json_get(reply->error, "code")) ==
             MCP_RPC_INVALID_PARAMS);
    mcpi_request_fail_remote(request, message, reply);
  } else if (!may_try_again(request, status)) {
    mcpi_request_fail(request, err);
  } else if (follow_has_time(request)) {
    follow_pause(request);
  }
}

static void follow_answered(mcpi_request *request, mcpi_message *message,
                            const mcp_json *result) {
  if (request->follow.ends_answered) {
    mcpi_request_take_result(request, message, result);
  } else {
    follow_poll(request);
  }
}

static void follow_on_reply(mcpi_request *request, int status,
                            mcpi_message *message, const mcpi_envelope *reply,
                            const mcp_error *err) {
  mcp_error wrong;
  int asks = 0;
  if (status != 0) {
    follow_on_failure(request, status, message, reply, err);
    return;
  }
  request->follow.failures = 0;
  if (mcpi_task_row_is(request->row, MCPI_TASK_RESULT)) {
    follow_result(request, message, reply->result);
  } else if (mcpi_request_check(request, reply->result, &asks, &wrong) != 0) {
    mcpi_request_fail(request, &wrong);
  } else if (mcpi_task_row_is(request->row, MCPI_TASK_UPDATE)) {
    follow_answered(request, message, reply->result);
  } else {
    follow_status(request, message, reply->result);
  }
}

/* --- reports of changes --------------------------------------------------- */

/* Whether a report is news to the request. During other messages the next
 * answer says the same; tasks/result says nothing until the task has ended. */
static int follow_listens(const mcpi_request *request) {
  return request->state == MCPI_REQUEST_PAUSED ||
         (request->state == MCPI_REQUEST_WAITING &&
          mcpi_task_row_is(request->row, MCPI_TASK_RESULT));
}

/* The request that follows this task and listens; NULL: none does. */
static mcpi_request *find_follower(const mcp_client *client, mcpi_str id) {
  mcpi_list *link = client->active.next;
  for (; link != &client->active; link = link->next) {
    mcpi_request *request = MCPI_CONTAINER(link, mcpi_request, link);
    if (request->kind == &follow_kind && follow_listens(request) &&
        mcpi_str_eq(mcpi_request_name(request), id)) {
      return request;
    }
  }
  return NULL;
}

/* A modern report names the stream that it came on. */
static mcpi_request *find_reported(const mcp_client *client,
                                   const mcpi_envelope *envelope, mcpi_str id) {
  const mcp_json *stream_id =
      mcp_json_get(envelope->meta, MCPI_META_SUBSCRIPTION_ID);
  if (stream_id == NULL || !mcpi_client_is_modern(client)) {
    return find_follower(client, id);
  }
  const mcpi_request *stream = mcpi_request_find_listen(client, stream_id);
  mcpi_request *owner = stream != NULL ? stream->listen.owner : NULL;
  return owner != NULL && owner->kind == &follow_kind &&
                 follow_listens(owner) &&
                 mcpi_str_eq(mcpi_request_name(owner), id)
             ? owner
             : NULL;
}

void mcpi_follow_notified(mcp_client *client, mcpi_message *message,
                          const mcpi_envelope *envelope) {
  mcpi_task_view task;
  if (mcpi_task_view_read(&task, envelope->params, NULL) != 0) {
    return;
  }
  mcpi_request *request = find_reported(client, envelope, task.id);
  if (request == NULL) {
    return;
  }
  if (request->state == MCPI_REQUEST_PAUSED) {
    mcpi_loop_stop_timer(client->loop, &request->timer);
    follow_status(request, message, envelope->params);
  } else {
    follow_report(request, &task);
  }
}

/* Progress of the call whose task is followed (2025-11-25). */
static void follow_on_progress(mcpi_token *token, double progress, double total,
                               const char *message) {
  mcpi_request *request = MCPI_CONTAINER(token, mcpi_request, follow.token);
  mcp_client *client = request->client;
  mcpi_client_enter(client);
  request->follow.on_progress(client, progress, total, message,
                              request->progress_userdata);
  mcpi_client_leave(client);
}

/* --- the end of the request ----------------------------------------------- */

/* Nobody will ask for the result of a task that the request has made. */
static void follow_cancel_task(mcpi_request *request) {
  mcp_client *client = request->client;
  mcpi_request *cancel = mcpi_request_take(
      client, mcpi_task_row(client, MCPI_TASK_CANCEL), &mcpi_request_plain);
  if (cancel == NULL) {
    return;
  }
  mcpi_request_set_name(cancel, mcpi_request_name(request));
  follow_put_id(cancel, &cancel->bufs.params);
  cancel->timeout_ms = client->options.request_timeout_ms;
  mcpi_request_start(cancel);
}

/* Sending calls a trace, which may free the client. */
static void follow_on_end(mcpi_request *request) {
  mcpi_request_follow *follow = &request->follow;
  mcpi_list_remove(&follow->token.link);
  mcpi_inputs_end(request);
  mcpi_task_stream_close(request);
  if (follow->is_ours && !follow->has_ended &&
      mcpi_client_is_open(request->client)) {
    follow_cancel_task(request);
  }
  mcpi_buf_deinit(&follow->tool);
  mcpi_buf_deinit(&follow->message);
  mcpi_key_set_deinit(&follow->questions);
}

static const mcpi_request_kind follow_kind = {.on_reply = follow_on_reply,
                                              .on_end = follow_on_end};

/* --- the beginning -------------------------------------------------------- */

static void follow_init(mcpi_request *request, mcpi_str tool,
                        int64_t deadline_ms) {
  mcpi_request_follow *follow = &request->follow;
  mcp_loop *loop = request->client->loop;
  *follow = (mcpi_request_follow){.limit_ms = request->max_ms,
                                  .timeout_ms = request->timeout_ms,
                                  .deadline_ms = deadline_ms,
                                  .poll_ms = MCPI_TASK_POLL_MS,
                                  .on_progress = request->on_progress};
  request->on_progress = NULL; /* the messages have none */
  request->arguments = NULL;
  mcpi_buf_init(&follow->tool, &loop->allocator, SIZE_MAX);
  mcpi_key_set_init(&follow->questions, &loop->allocator, loop->hash_seed);
  mcpi_list_init(&follow->token.link);
  mcpi_buf_init(&follow->message, &loop->allocator, SIZE_MAX);
  if (tool.ptr != NULL) {
    mcpi_buf_puts(&follow->tool, tool);
    mcpi_buf_putc(&follow->tool, '\0');
  }
}

void mcpi_follow_prepare(mcpi_request *request, const char *tool) {
  request->kind = &follow_kind;
  follow_init(request, mcpi_str_z(tool),
              request->max_ms != 0 ? follow_now(request) + request->max_ms
                                   : INT64_MAX);
  mcpi_request_note(request, request->follow.tool.error);
}

void mcpi_follow_prepare_answers(mcpi_request *request) {
  mcpi_follow_prepare(request, NULL);
  request->follow.ends_answered = 1;
}

/* In 2025-11-25 progress may come as long as the task works. */
static void follow_keep_token(mcpi_request *call) {
  mcpi_token *token = &call->follow.token;
  mcp_client *client = call->client;
  if (call->follow.on_progress != NULL && !mcpi_client_is_modern(client)) {
    token->on_progress = follow_on_progress;
    mcpi_pending_keep_token(&client->peer.pending, token, &call->pending);
  }
}

/* What more a server may say of a task that does not work is not in its first
 * answer. */
static void follow_first(mcpi_request *call, const mcpi_task_view *task) {
  if (task->status != MCPI_TASK_WORKING) {
    follow_poll(call);
    return;
  }
  follow_pause(call);
  if (call->state == MCPI_REQUEST_PAUSED) {
    follow_report(call, task);
  }
}

void mcpi_follow_begin(mcpi_request *call, const mcp_json *result) {
  mcpi_task_view task;
  mcp_error err;
  mcpi_str tool = mcpi_request_name(call);
  if (mcpi_task_view_read(&task, result, &err) != 0) {
    mcpi_request_fail(call, &err);
    return;
  }
  mcpi_inputs_end(call);
  call->kind = &follow_kind;
  follow_init(call, tool, call->pending.latest_ms);
  follow_keep_token(call);
  call->follow.is_ours = 1;
  call->follow.poll_ms = task.poll_ms;
  mcpi_buf_clear(&call->bufs.name);
  mcpi_request_set_name(call, task.id);
  if (call->error != 0 || call->follow.tool.error != 0) {
    mcpi_request_fail_with(call, MCP_ERR_NOMEM, "out of memory");
  } else {
    follow_first(call, &task);
  }
}
