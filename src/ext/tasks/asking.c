/* SPDX-License-Identifier: MIT */
#include "ext/tasks/asking.h"

#include "core/task_shape.h"
#include "server/members.h"
#include "json/inline.h"

enum {
  /* Bytes of an id, which the question keeps. Ids have some dozens. */
  MAX_ID_LEN = 1024,
  MIN_POLL_MS = 100
};

typedef enum asking_state {
  ASKING_CREATING,
  ASKING_WATCHING,
  ASKING_GETTING,
  ASKING_FETCHING
} asking_state;

typedef struct mcpi_asking {
  mcpi_question *question;
  mcpi_pending_done done;
  asking_state state;
  mcpi_buf id; /* of the task; empty while CREATING */
  int64_t deadline_ms;
  mcpi_timer timer; /* WATCHING: the next tasks/get; else the deadline */
} asking;

static asking *asking_of(mcpi_pending *pending) {
  return MCPI_CONTAINER(pending, mcpi_question, pending)->asking;
}

static mcp_call *asking_call(const asking *a) {
  return a->question->ask->call;
}

/* --- its end ------------------------------------------------------------ */

static void asking_free(asking *a) {
  mcp_call *call = asking_call(a);
  a->question->asking = NULL;
  mcpi_loop_stop_timer(call->shard->loop, &a->timer);
  mcpi_buf_deinit(&a->id);
  mcpi_free(&call->shard->server->allocator, a, sizeof(*a));
}

/* The question has its answer, or will have none. */
static void asking_finish(asking *a, int status, mcpi_message *message,
                          const mcpi_envelope *reply, const mcp_error *err) {
  mcpi_pending *pending = &a->question->pending;
  mcpi_pending_done done = a->done;
  asking_free(a);
  done(pending, status, message, reply, err);
}

static void asking_fail(asking *a, int status, const char *why) {
  mcp_error err;
  mcp_error_set(&err, status, "%s", why);
  asking_finish(a, status, NULL, NULL, &err);
}

/* --- requests about the task -------------------------------------------- */

/* {"taskId":...} */
static void asking_put_params(const asking *a, mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  mcpi_put_name(out, "taskId");
  mcpi_json_put_string(out, mcpi_buf_str(&a->id));
  mcpi_buf_putc(out, '}');
}

/* Sends it on the call's stream: no other way to the client is certain to be
 * open. Returns 0, or an error. */
static int asking_request(const asking *a, mcpi_pending *pending,
                          mcpi_str method) {
  mcp_call *call = asking_call(a);
  mcpi_buf params;
  mcpi_buf_init(&params, &call->shard->server->allocator, SIZE_MAX);
  asking_put_params(a, &params);
  int rc = params.error;
  if (rc == 0 && call->sink != NULL) {
    rc = call->sink->ops->ask(call->sink, call, pending, method,
                              mcpi_buf_str(&params));
  } else if (rc == 0) {
    rc = mcpi_caller_ask(call->caller, pending, method, mcpi_buf_str(&params));
  }
  mcpi_buf_deinit(&params);
  return rc;
}

/* A tasks/cancel whose answer is of no interest. */
typedef struct asking_cancel {
  mcpi_pending pending;
  mcp_server *server;
} asking_cancel;

static void asking_on_cancelled(mcpi_pending *pending, int status,
                                mcpi_message *message,
                                const mcpi_envelope *reply,
                                const mcp_error *err) {
  asking_cancel *cancel = MCPI_CONTAINER(pending, asking_cancel, pending);
  (void)status;
  (void)message;
  (void)reply;
  (void)err;
  mcpi_free(&cancel->server->allocator, cancel, sizeof(*cancel));
}

/* Without memory, the task ends when the client forgets it. */
static void asking_cancel_task(const asking *a) {
  const mcp_call *call = asking_call(a);
  mcp_server *server = call->shard->server;
  if ((a->state != ASKING_WATCHING && a->state != ASKING_GETTING) ||
      !mcpi_capability_has(call->context.client_capabilities, "tasks.cancel")) {
    return;
  }
  asking_cancel *cancel = mcpi_calloc(&server->allocator, 1, sizeof(*cancel));
  if (cancel == NULL) {
    return;
  }
  cancel->server = server;
  cancel->pending.on_done = asking_on_cancelled;
  if (asking_request(a, &cancel->pending, MCPI_STR("tasks/cancel")) != 0) {
    mcpi_free(&server->allocator, cancel, sizeof(*cancel));
  }
}

/* --- one step ----------------------------------------------------------- */

/* Starts the timer for the deadline, or to be due before. */
static int asking_arm(asking *a, int64_t delay_ms) {
  mcp_loop *loop = asking_call(a)->shard->loop;
  int64_t left_ms = a->deadline_ms - mcpi_loop_now(loop);
  return mcpi_loop_start_timer(loop, &a->timer,
                               delay_ms < left_ms ? delay_ms : left_ms);
}

/* Sends the request of the next state. */
static void asking_step(asking *a, asking_state state, mcpi_str method,
                        mcpi_pending_done on_done) {
  mcpi_pending *pending = &a->question->pending;
  a->state = state;
  pending->on_done = on_done;
  int rc = asking_arm(a, INT64_MAX);
  if (rc == 0) {
    rc = asking_request(a, pending, method);
  }
  if (rc != 0) {
    asking_fail(a, rc, mcp_error_text(rc));
  }
}

static void asking_on_result(mcpi_pending *pending, int status,
                             mcpi_message *message, const mcpi_envelope *reply,
                             const mcp_error *err) {
  asking_finish(asking_of(pending), status, message, reply, err);
}

static void asking_watch(asking *a, const mcp_json *task) {
  a->state = ASKING_WATCHING;
  int rc = asking_arm(a, mcpi_task_poll_ms(task, MIN_POLL_MS));
  if (rc != 0) {
    asking_fail(a, rc, mcp_error_text(rc));
  }
}

/* The client has said what it knows of the task. */
static void asking_look(asking *a, const mcp_json *task) {
  mcpi_str status = mcpi_json_member_str(task, "status");
  switch (mcpi_task_status_find(status)) {
  case MCPI_TASK_WORKING:
  case MCPI_TASK_INPUT_REQUIRED:
    asking_watch(a, task);
    break;
  case MCPI_TASK_COMPLETED:
  case MCPI_TASK_FAILED:
    asking_step(a, ASKING_FETCHING, MCPI_STR("tasks/result"), asking_on_result);
    break;
  case MCPI_TASK_CANCELLED:
    asking_fail(a, MCP_ERR_UNANSWERED, "the client has cancelled the task");
    break;
  default:
    asking_fail(a, MCP_ERR_PROTOCOL, "the client's task has no valid status");
    break;
  }
}

static void asking_on_got(mcpi_pending *pending, int status,
                          mcpi_message *message, const mcpi_envelope *reply,
                          const mcp_error *err) {
  asking *a = asking_of(pending);
  mcpi_shard *shard = asking_call(a)->shard;
  mcpi_shard_enter(shard);
  if (status == 0) {
    asking_look(a, reply->result);
  } else {
    asking_finish(a, status, message, reply, err);
  }
  mcpi_shard_leave(shard);
}

static void asking_get(asking *a) {
  asking_step(a, ASKING_GETTING, MCPI_STR("tasks/get"), asking_on_got);
}

/* The task has had the time that a request would have had. */
static void asking_give_up(asking *a) {
  mcp_call *call = asking_call(a);
  mcpi_pending *pending = &a->question->pending;
  mcp_error why;
  if (pending->table != NULL) {
    mcpi_pending_remove(pending);
    mcpi_peer_send_cancel(&call->caller->peer, pending->id,
                          MCPI_STR("timed out"), 0);
  }
  asking_cancel_task(a);
  mcp_error_set(&why, MCP_ERR_UNANSWERED,
                "no answer within %lu ms (ask_timeout_ms)",
                (unsigned long)call->shard->server->limits.ask_timeout_ms);
  asking_finish(a, why.code, NULL, NULL, &why);
}

static void asking_on_due(mcpi_timer *timer) {
  asking *a = MCPI_CONTAINER(timer, asking, timer);
  mcpi_shard *shard = asking_call(a)->shard;
  mcpi_shard_enter(shard);
  if (mcpi_loop_now(shard->loop) >= a->deadline_ms) {
    asking_give_up(a);
  } else {
    asking_get(a);
  }
  mcpi_shard_leave(shard);
}

/* --- its beginning ------------------------------------------------------ */

static void asking_take_task(asking *a, const mcp_json *task) {
  mcpi_str id = mcpi_json_member_str(task, "taskId");
  if (id.len == 0 || id.len > MAX_ID_LEN) {
    asking_fail(a, MCP_ERR_PROTOCOL, "the client's task has no valid id");
    return;
  }
  mcpi_buf_puts(&a->id, id);
  if (a->id.error != 0) {
    asking_fail(a, a->id.error, mcp_error_text(a->id.error));
    return;
  }
  asking_look(a, task);
}

/* A client may answer at once instead: nothing obliges it to make a task. */
static void asking_on_created(mcpi_pending *pending, int status,
                              mcpi_message *message, const mcpi_envelope *reply,
                              const mcp_error *err) {
  asking *a = asking_of(pending);
  mcpi_shard *shard = asking_call(a)->shard;
  const mcp_json *task =
      status == 0 ? mcpi_json_get(reply->result, "task") : NULL;
  mcpi_shard_enter(shard);
  if (mcp_json_type(task) == MCP_JSON_OBJECT) {
    asking_take_task(a, task);
  } else {
    asking_finish(a, status, message, reply, err);
  }
  mcpi_shard_leave(shard);
}

static const char *asking_capability(const mcpi_method *method) {
  switch (method->id) {
  case MCPI_M_ELICIT:
    return "tasks.requests.elicitation.create";
  case MCPI_M_SAMPLE:
    return "tasks.requests.sampling.createMessage";
  default:
    return NULL;
  }
}

static int asking_is_wanted(const mcpi_question *question) {
  const mcpi_context *context = &question->ask->call->context;
  const char *capability = asking_capability(question->method);
  return capability != NULL &&
         mcpi_revision_has(context->revision, MCPI_HAS_TASKS) &&
         mcpi_capability_has(context->client_capabilities, capability);
}

static asking *asking_new(mcpi_question *question, mcpi_pending_done done) {
  const mcpi_shard *shard = question->ask->call->shard;
  const mcp_allocator *allocator = &shard->server->allocator;
  asking *a = mcpi_calloc(allocator, 1, sizeof(*a));
  if (a != NULL) {
    a->question = question;
    a->done = done;
    a->deadline_ms =
        mcpi_loop_now(shard->loop) + shard->server->limits.ask_timeout_ms;
    a->timer.on_due = asking_on_due;
    mcpi_buf_init(&a->id, allocator, SIZE_MAX);
    question->asking = a;
    question->pending.on_done = asking_on_created;
  }
  return a;
}

/* The question's params with `task`. The client keeps the task for twice as
 * long as the server waits, so that the server never comes too late. */
static void asking_put_question(const mcpi_question *question, mcpi_buf *out) {
  const mcp_limits *limits = &question->ask->call->shard->server->limits;
  mcpi_buf_put(out, question->params.data, question->params.len - 1);
  mcpi_put_name(out, "task");
  mcpi_buf_lit(out, "{\"ttl\":");
  mcpi_json_put_uint(out, 2 * (uint64_t)limits->ask_timeout_ms);
  mcpi_buf_lit(out, "}}");
}

int mcpi_asking_send(mcpi_question *question, mcpi_pending_done done) {
  mcp_call *call = question->ask->call;
  if (!asking_is_wanted(question)) {
    return 1;
  }
  asking *a = asking_new(question, done);
  if (a == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_buf params;
  mcpi_buf_init(&params, &call->shard->server->allocator, SIZE_MAX);
  asking_put_question(question, &params);
  int rc = params.error;
  if (rc == 0) {
    rc = mcpi_ask_request(question, mcpi_buf_str(&params));
  }
  mcpi_buf_deinit(&params);
  if (rc != 0) {
    asking_free(a);
  }
  return rc;
}

void mcpi_asking_take_back(mcpi_question *question) {
  asking *a = question->asking;
  asking_cancel_task(a);
  asking_free(a);
}

/* --- notifications ------------------------------------------------------ */

static asking *asking_in_call(const mcp_call *call, mcpi_str id) {
  const mcpi_list *questions = &call->ask->questions;
  for (mcpi_list *link = questions->next; link != questions;
       link = link->next) {
    asking *a = MCPI_CONTAINER(link, mcpi_question, link)->asking;
    if (a != NULL && a->state == ASKING_WATCHING &&
        mcpi_str_eq(mcpi_buf_str(&a->id), id)) {
      return a;
    }
  }
  return NULL;
}

/* Returns the question of this client whose task has that id and is watched, or
 * NULL. */
static asking *asking_find(const mcpi_caller *caller, mcpi_str id) {
  asking *found = NULL;
  const mcpi_list *calls = &caller->calls;
  for (mcpi_list *link = calls->next; found == NULL && link != calls;
       link = link->next) {
    const mcp_call *call = MCPI_CONTAINER(link, mcp_call, link);
    if (call->stage == MCPI_CALL_ASKING) {
      found = asking_in_call(call, id);
    }
  }
  return found;
}

/* The server does not read the status in the notification, but asks for it: so
 * one place reads it, and a client gains nothing by sending many. */
static int asking_on_status(mcp_call *call, void *userdata) {
  (void)userdata;
  asking *a = call->caller != NULL
                  ? asking_find(call->caller,
                                mcpi_json_member_str(call->params, "taskId"))
                  : NULL;
  if (a != NULL) {
    asking_get(a);
  }
  return 0;
}

int mcpi_asking_add_notification(mcp_server *server, mcp_error *err) {
  const mcp_method method = {.size = sizeof(method),
                             .name = "notifications/tasks/status",
                             .first_revision = MCP_REVISION_2025_11_25,
                             .last_revision = MCP_REVISION_2025_11_25,
                             .handler = asking_on_status,
                             .is_notification = 1};
  return mcp_server_add_method(server, &method, err);
}
