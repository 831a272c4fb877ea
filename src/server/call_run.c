/* SPDX-License-Identifier: MIT */
/* Handlers: running them on the loop's thread or on the pool, what they return,
 * and replies from any thread.
 *
 * On another thread, only the holder of a call uses its fields. Everything that
 * concerns the client is posted to the loop. Posts run in order: the reply
 * comes after the progress that was reported before it, and is the last post.
 * After it the call may be gone. */
#include "base/error.h"
#include "server/ask.h"
#include "server/handlers.h"
#include "server/reply.h"

/* --- what a handler returned -------------------------------------------- */

/* A positive number that is not MCP_PENDING is a mistake of the program too. */
static int is_failure_code(int rc) {
  return rc != 0 && rc != MCP_PENDING;
}

const char *mcpi_call_what_runs(const mcp_call *call) {
  return call->entry != NULL ? call->entry->name : call->method_name.ptr;
}

static void report_reply(mcp_call *call, int rc) {
  mcpi_shard_report(call->shard, rc, "%s: the reply failed: %s",
                    mcpi_call_what_runs(call), call->error.message);
}

/* `when` begins with a blank, or is empty. */
static void report_code(mcp_call *call, int rc, const char *when) {
  const char *what = mcpi_call_what_runs(call);
  if (mcpi_error_is_known(rc)) {
    mcpi_shard_report(call->shard, rc, "%s: the handler returned %s%s", what,
                      mcp_error_name(rc), when);
  } else {
    mcpi_shard_report(call->shard, MCP_ERR_INVALID,
                      "%s: the handler returned %d%s: handlers return 0 or an "
                      "MCP_ERR_* code",
                      what, rc, when);
  }
}

/* A missing client needs no action, and so no report. A reply that could not be
 * made has its report already. `when` is as in report_code. */
static void report_failure(mcp_call *call, int rc, const char *when) {
  if (rc == MCP_ERR_GONE || rc == call->reply_status) {
    return;
  }
  if (rc == call->error.code) {
    mcpi_shard_report(call->shard, rc, "%s: %s", mcpi_call_what_runs(call),
                      call->error.message);
  } else {
    report_code(call, rc, when);
  }
}

static void reply_dropped(mcp_call *call) {
  mcpi_reply_error(call, MCP_RPC_INTERNAL_ERROR,
                   MCPI_STR("the server dropped the request"),
                   mcpi_str_z(NULL));
}

static void answer_dropped(mcp_call *call, const char *how) {
  mcpi_shard_report(call->shard, MCP_ERR_INVALID,
                    "%s: the handler %s without a reply",
                    mcpi_call_what_runs(call), how);
  reply_dropped(call);
}

/* Whether the program caused the failure. The client then gets -32603 with the
 * reason (mcpi_call_client_message), and the program gets a report. If a client
 * cannot do something, or did not answer, that is not the program's fault. */
static int is_misuse(const mcp_call *call, int rc) {
  return call->error_rpc == MCP_RPC_INTERNAL_ERROR &&
         (rc == MCP_ERR_INVALID || rc == MCP_ERR_PARSE || rc == MCP_ERR_SCHEMA);
}

/* The recorded error is the reason only when the handler passed it on. */
static void answer_failure(mcp_call *call, int rc) {
  mcpi_reply_adopt_builder_error(call, rc);
  int is_read =
      call->method != NULL && call->method->id == MCPI_M_RESOURCES_READ;
  if (rc == MCP_ERR_NOT_FOUND && call->error.code != rc && is_read) {
    mcpi_resource_not_found(call);
  }
  if (call->error.code == rc) {
    if (is_misuse(call, rc)) {
      report_failure(call, rc, "");
    }
    mcpi_call_reply_recorded(call);
    return;
  }
  report_code(call, rc, "");
  mcpi_reply_error(call, MCP_RPC_INTERNAL_ERROR, MCPI_STR("internal error"),
                   mcpi_str_z(NULL));
}

static const char *first_question(const mcp_call *call) {
  mcpi_list *link = call->ask->questions.next;
  while (link != &call->ask->questions) {
    const mcpi_question *question = MCPI_CONTAINER(link, mcpi_question, link);
    if (question->answer == NULL) {
      return question->key;
    }
    link = link->next;
  }
  return "";
}

/* The handler continued as if it had the answer: the question is never sent. */
static void report_ignored(mcp_call *call, const char *what) {
  mcpi_shard_report(call->shard, MCP_ERR_INVALID,
                    "%s: the handler %s, but its question \"%s\" has no answer "
                    "yet: return MCP_PENDING",
                    mcpi_call_what_runs(call), what, first_question(call));
}

/* A failed result or an error may be the handler's answer to a failure. */
static int has_ignored_failure(const mcp_call *call) {
  return is_misuse(call, call->error.code) && !call->is_failure &&
         call->rpc_code == 0;
}

/* The client gets a result that lacks something, without knowing. */
static void report_ignored_failure(mcp_call *call) {
  mcpi_shard_report(call->shard, call->error.code,
                    "%s: the handler ignored a failure and replied: %s",
                    mcpi_call_what_runs(call), call->error.message);
}

/* The client has cancelled the call, and needs no answer; or it sent a
 * notification: then only a report can say that the handler failed. */
static void end_unanswered(mcp_call *call, int rc) {
  if (is_failure_code(rc) && !mcp_call_is_cancelled(call)) {
    report_failure(call, rc, "");
  }
  mcpi_call_set_finished(call);
}

static void answer_for(mcp_call *call, int rc) {
  if (mcpi_call_has_reply(call)) {
    if (is_failure_code(rc)) {
      report_failure(call, rc, " after its reply");
    } else if (mcpi_call_has_questions(call)) {
      report_ignored(call, "replied");
    } else if (has_ignored_failure(call)) {
      report_ignored_failure(call);
    }
  } else if (call->sink == NULL) {
    end_unanswered(call, rc);
  } else if (rc == MCP_PENDING && mcpi_call_has_questions(call)) {
    mcpi_ask_send(call);
  } else if (rc < 0) {
    answer_failure(call, rc);
  } else if (rc == MCP_PENDING) {
    answer_dropped(call, "returned MCP_PENDING, having asked nothing,");
  } else if (mcpi_call_has_questions(call)) {
    answer_dropped(call,
                   "asked a question, did not return MCP_PENDING, and ended");
  } else if (rc != 0) {
    report_code(call, rc, " without a reply");
    reply_dropped(call);
  } else {
    answer_dropped(call, "returned");
  }
}

/* Another thread may hold a deferred call by now. So this reads only what was
 * written before the handler deferred, what the loop's thread writes, and
 * atomics. Nothing notes a question after the handler has deferred. */
static void check_deferred(mcp_call *call, int rc) {
  if (is_failure_code(rc)) {
    report_code(call, rc, " after it had deferred");
  } else if (mcpi_call_has_questions(call)) {
    report_ignored(call, "deferred");
  } else if (rc == MCP_PENDING) {
    mcpi_shard_report(call->shard, MCP_ERR_INVALID,
                      "%s: the handler returned MCP_PENDING after it had "
                      "deferred",
                      mcpi_call_what_runs(call));
  } else if (atomic_load(&call->asked_late)) {
    mcpi_shard_report(call->shard, MCP_ERR_INVALID,
                      "%s: the handler asked after it had deferred: ask first, "
                      "and defer when all answers are there",
                      mcpi_call_what_runs(call));
  }
}

/* The handler's hold on a deferred call becomes the program's, unless the reply
 * has already come. */
static void after_handler(mcp_call *call, int rc) {
  int is_deferred = mcpi_call_is_deferred(call);
  if (call->stage != MCPI_CALL_ASKING) { /* for a task: ext/tasks/waiter.c */
    call->stage =
        call->stage == MCPI_CALL_REPLIED ? MCPI_CALL_FINISHED : MCPI_CALL_READY;
  }
  if (!is_deferred) {
    call->on_cancel = NULL;
    answer_for(call, rc);
  } else {
    check_deferred(call, rc);
  }
  if (!is_deferred || mcpi_call_is_finished(call)) {
    mcpi_call_unhold(call);
  }
}

/* --- running ------------------------------------------------------------ */

static void come_home(void *argument) {
  mcp_call *call = argument;
  mcpi_shard *shard = call->shard;
  mcpi_shard_enter(shard);
  after_handler(call, call->handler_status);
  mcpi_shard_leave(shard);
}

/* On a thread of the pool. The library's loops need no memory to post the call
 * back. Another loop may fail to; then only this call is lost. */
static void work(void *argument) {
  mcp_call *call = argument;
  call->handler_status = call->handler(call, call->handler_userdata);
  mcp_loop_post(call->shard->loop, come_home, call);
}

static int submit_work(mcp_call *call) {
  const mcp_platform *platform = &call->shard->loop->platform;
  if (platform->run_blocking == NULL) {
    return mcpi_call_fail(call, MCP_ERR_PLATFORM, MCP_RPC_INTERNAL_ERROR,
                          "the platform has no run_blocking");
  }
  int rc = platform->run_blocking(platform->userdata, work, call);
  if (rc != 0) {
    return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR,
                          "too many calls wait for a thread: try again later");
  }
  return 0;
}

void mcpi_call_run(mcp_call *call, mcp_call_cb handler, void *userdata) {
  call->handler = handler;
  call->handler_userdata = userdata;
  call->stage = MCPI_CALL_RUNNING;
  mcpi_call_hold(call);
  if (!call->is_blocking) {
    int rc = handler(call, userdata);
    after_handler(call, rc);
    return;
  }
  int rc = submit_work(call);
  if (rc != 0) {
    after_handler(call, rc);
  }
}

/* --- the program's reply ------------------------------------------------ */

/* On the loop's thread. */
static int call_run_finish(mcp_call *call) {
  mcpi_shard *shard = call->shard;
  int rc = MCP_ERR_GONE;
  mcpi_shard_enter(shard);
  if (call->sink != NULL && atomic_load(&call->reply) == MCPI_REPLY_DROPPED) {
    answer_dropped(call, "dropped the call");
  } else if (call->sink != NULL) {
    rc = mcpi_reply_finish(call);
    if (call->reply_status != 0) {
      report_reply(call, rc); /* whatever the handler returns */
    }
  }
  mcpi_call_set_finished(call);
  if (mcpi_call_is_deferred(call) && !mcpi_call_is_running(call)) {
    mcpi_call_unhold(call);
  }
  mcpi_shard_leave(shard);
  return rc;
}

/* The thread that replied has continued, so a failure to send is reported and
 * not returned. */
static void finish_posted(void *argument) {
  mcp_call *call = argument;
  mcpi_shard *shard = call->shard;
  mcpi_shard_enter(shard);
  mcpi_call_hold(call);
  int rc = call_run_finish(call);
  if (rc != 0 && rc != MCP_ERR_GONE && call->reply_status == 0) {
    report_reply(call, rc);
  }
  mcpi_call_unhold(call);
  mcpi_shard_leave(shard);
}

/* `reply` says how the call has its reply from now on. */
static int submit(mcp_call *call, mcpi_call_reply reply) {
  mcp_loop *loop = call->shard->loop;
  int before = atomic_exchange(&call->reply, reply);
  if (mcpi_loop_is_home(loop)) {
    return call_run_finish(call);
  }
  int is_gone = mcp_call_is_cancelled(call);
  int rc = mcp_loop_post(loop, finish_posted, call);
  if (rc != 0) {
    atomic_store(&call->reply, before);
    return rc;
  }
  return is_gone ? MCP_ERR_GONE : 0;
}

int mcpi_call_submit(mcp_call *call) {
  if (mcpi_call_has_reply(call)) {
    return MCP_ERR_INVALID;
  }
  return submit(call, mcpi_call_is_deferred(call) ? MCPI_REPLY_GIVEN_LATER
                                                  : MCPI_REPLY_GIVEN);
}

int mcp_call_defer(mcp_call *call) {
  enum { REPLY_BYTES = 1024 };
  if (call == NULL) {
    return MCP_ERR_INVALID;
  }
  if (mcpi_call_has_reply(call) || !mcpi_call_is_running(call)) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "only a handler that has not replied can defer");
  }
  /* allocated here, so that a short reply needs no memory later */
  if (mcpi_buf_reserve(&call->out, REPLY_BYTES) == NULL) {
    return mcpi_call_fail(call, MCP_ERR_NOMEM, MCP_RPC_INTERNAL_ERROR,
                          "out of memory");
  }
  atomic_store(&call->reply, MCPI_REPLY_DEFERRED);
  return 0;
}

void mcp_call_drop(mcp_call *call) {
  if (call != NULL && atomic_load(&call->reply) == MCPI_REPLY_DEFERRED) {
    submit(call, MCPI_REPLY_DROPPED);
  }
}

/* --- cancellation ------------------------------------------------------- */

int mcp_call_is_cancelled(const mcp_call *call) {
  return call != NULL && atomic_load(&call->cancelled);
}

typedef struct registration {
  mcp_call *call;
  void (*on_cancel)(mcp_call *call, void *userdata);
  void *userdata;
} registration;

/* The call may have been cancelled before this post arrived. */
static void register_posted(void *argument) {
  registration posted = *(registration *)argument;
  mcp_call *call = posted.call;
  mcpi_shard *shard = call->shard;
  mcpi_free(&shard->server->allocator, argument, sizeof(posted));
  mcpi_shard_enter(shard);
  if (mcp_call_is_cancelled(call) && posted.on_cancel != NULL) {
    posted.on_cancel(call, posted.userdata);
  } else {
    call->on_cancel = posted.on_cancel;
    call->on_cancel_userdata = posted.userdata;
  }
  mcpi_shard_leave(shard);
}

static int post_registration(const registration *wanted) {
  mcpi_shard *shard = wanted->call->shard;
  const mcp_allocator *allocator = &shard->server->allocator;
  registration *posted = mcpi_alloc(allocator, sizeof(*posted));
  if (posted == NULL) {
    return MCP_ERR_NOMEM;
  }
  *posted = *wanted;
  int rc = mcp_loop_post(shard->loop, register_posted, posted);
  if (rc != 0) {
    mcpi_free(allocator, posted, sizeof(*posted));
  }
  return rc;
}

int mcp_call_on_cancel(mcp_call *call,
                       void (*on_cancel)(mcp_call *call, void *userdata),
                       void *userdata) {
  if (call == NULL || mcpi_call_has_reply(call)) {
    return MCP_ERR_INVALID;
  }
  int is_home = mcpi_loop_is_home(call->shard->loop);
  if (mcp_call_is_cancelled(call)) {
    if (is_home && on_cancel == NULL) { /* perhaps it has not run yet */
      call->on_cancel = NULL;
    }
    return MCP_ERR_GONE;
  }
  if (!is_home) {
    const registration wanted = {call, on_cancel, userdata};
    return post_registration(&wanted);
  }
  call->on_cancel = on_cancel;
  call->on_cancel_userdata = userdata;
  return 0;
}
