/* SPDX-License-Identifier: MIT */
/* A round of questions. In the modern era they are sent as an input_required
 * result, in the legacy era as requests of the server. When they are answered,
 * the handler runs again.
 *
 * In the legacy era the state never leaves the server. It is sealed and opened
 * again nevertheless, so that the same limits and rules hold in both eras. */
#include "server/ask.h"

#include "server/members.h"
#include "server/reply.h"

static int fail_round(mcp_call *call, int rc) {
  return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR,
                        "the questions could not be sent: %s",
                        mcp_error_text(rc));
}

/* In the legacy era the server's request has a time limit of its own,
 * ask_timeout_ms. The state lasts twice as long, so that the request ends
 * first. */
static int64_t expiry_ms(const mcp_call *call) {
  mcpi_shard *shard = call->shard;
  int64_t lifetime_ms = shard->server->limits.ask_timeout_ms;
  if (!mcpi_revision_is_modern(call->context.revision)) {
    lifetime_ms *= 2;
  }
  return mcpi_loop_wall(shard->loop) + lifetime_ms;
}

static int seal_state(mcpi_ask *ask, mcpi_buf *out) {
  mcpi_buf text;
  mcpi_buf_init(&text, &ask->call->shard->server->allocator, MCPI_STATE_MAX);
  mcpi_ask_put_state(ask, expiry_ms(ask->call), &text);
  int rc = text.error;
  if (rc == 0) {
    rc = mcpi_state_seal(ask->call, mcpi_str_n(text.data, text.len), out);
  }
  mcpi_buf_deinit(&text);
  return rc;
}

/* --- modern ------------------------------------------------------------- */

static void put_request(const mcpi_question *question, mcpi_buf *out) {
  mcpi_put_comma(out);
  mcpi_json_put_string(out, mcpi_str_z(question->key));
  mcpi_buf_lit(out, ":{");
  mcpi_put_string_member(out, "method", question->method->name);
  /* Some clients fail on a question without params, which roots/list is. */
  mcpi_put_name(out, "params");
  mcpi_buf_puts(out,
                question->params.len > 0
                    ? mcpi_str_n(question->params.data, question->params.len)
                    : MCPI_STR("{}"));
  mcpi_buf_putc(out, '}');
}

void mcpi_ask_put_requests(const mcpi_ask *ask, mcpi_buf *out) {
  for (mcpi_list *link = ask->questions.next; link != &ask->questions;
       link = link->next) {
    mcpi_question *question = MCPI_CONTAINER(link, mcpi_question, link);
    if (question->answer == NULL) {
      put_request(question, out);
    }
  }
}

/* Answers the request, which ends it: the retry is another request. */
static int send_modern(mcpi_ask *ask) {
  mcp_call *call = ask->call;
  mcpi_reply_reset(call);
  int rc = seal_state(ask, &ask->sealed);
  if (rc != 0) {
    return fail_round(call, rc);
  }
  call->is_input_required = 1;
  mcpi_reply_begin(call);
  mcpi_put_name(&call->out, "inputRequests");
  mcpi_buf_putc(&call->out, '{');
  mcpi_ask_put_requests(ask, &call->out);
  mcpi_buf_putc(&call->out, '}');
  mcpi_put_name(&call->out, "requestState");
  mcpi_buf_putc(&call->out, '"');
  mcpi_buf_put(&call->out, ask->sealed.data, ask->sealed.len);
  mcpi_buf_putc(&call->out, '"');
  mcpi_reply_end(call);
  return 0;
}

/* --- legacy: the answers ------------------------------------------------ */

static void put_collected(const mcpi_ask *ask, int wants_failures,
                          mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  for (mcpi_list *link = ask->questions.next; link != &ask->questions;
       link = link->next) {
    mcpi_question *question = MCPI_CONTAINER(link, mcpi_question, link);
    const mcpi_buf *value =
        wants_failures ? &question->failure : &question->result;
    if (value->len > 0) {
      mcpi_put_comma(out);
      mcpi_json_put_string(out, mcpi_str_z(question->key));
      mcpi_buf_putc(out, ':');
      mcpi_buf_put(out, value->data, value->len);
    }
  }
  mcpi_buf_putc(out, '}');
}

/* Puts the answers where those of a retry would be. */
static int round_collect(mcpi_ask *ask) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcpi_shard *shard = ask->call->shard;
  mcpi_message *collected = NULL;
  mcpi_buf text;
  mcpi_buf_init(&text, &shard->server->allocator, SIZE_MAX);
  mcpi_buf_lit(&text, "{\"answers\":");
  put_collected(ask, 0, &text);
  mcpi_buf_lit(&text, ",\"failures\":");
  put_collected(ask, 1, &text);
  mcpi_buf_putc(&text, '}');
  int rc = text.error;
  if (rc == 0) {
    rc = mcpi_message_parse(&collected, &shard->loop->pool, text.data, text.len,
                            &limits, NULL);
  }
  mcpi_buf_deinit(&text);
  if (rc == 0) {
    mcpi_message_unref(ask->collected);
    ask->collected = collected;
    ask->responses = mcp_json_get(collected->root, "answers");
    ask->new_failures = mcp_json_get(collected->root, "failures");
  }
  return rc;
}

/* Reads the new answers first: opening the state frees the memory of the old
 * ones. */
static int prepare_run(mcpi_ask *ask) {
  int rc = round_collect(ask);
  if (rc != 0) {
    return fail_round(ask->call, rc);
  }
  mcpi_ask_forget_run(ask);
  rc = mcpi_ask_open(ask, mcpi_str_n(ask->sealed.data, ask->sealed.len));
  mcpi_buf_clear(&ask->sealed);
  return rc;
}

static void run_again(mcpi_ask *ask) {
  mcp_call *call = ask->call;
  int rc = prepare_run(ask);
  if (rc != 0) {
    mcpi_call_reply_recorded(call);
    return;
  }
  mcpi_reply_reset(call);
  mcpi_call_run(call, call->handler, call->handler_userdata);
}

/* The call that asked is another one. */
static void end_added_round(mcpi_ask *ask) {
  mcp_call *call = ask->call;
  void (*on_round)(mcp_call * call, int status) = ask->on_round;
  int rc = round_collect(ask);
  mcpi_ask_forget_run(ask);
  on_round(call, rc);
}

/* All answers have arrived. If the connection has just closed, or the call was
 * cancelled inside a send, the handler does not run again. */
static void end_round(mcpi_ask *ask) {
  mcp_call *call = ask->call;
  call->stage = MCPI_CALL_READY;
  if (mcp_call_is_cancelled(call) ||
      call->caller->peer.state == MCPI_PEER_CLOSED) {
    mcpi_call_cancel(call);
  } else if (ask->on_round != NULL) {
    end_added_round(ask);
  } else {
    run_again(ask);
  }
  mcpi_call_unhold(call);
}

/* Keeps an answer as text, and later as values: together they take about the
 * size of its message. Returns 0, or an error when that is more than may be
 * kept. */
static int keep_result(mcpi_question *question, const mcpi_message *message,
                       const mcp_json *result, mcp_error *err) {
  mcp_call *call = question->ask->call;
  size_t bytes = message->block->cap;
  mcpi_keep_bytes(call->identity, bytes);
  if (mcpi_caller_check_bytes(call->caller, err) != 0) {
    mcpi_unkeep_bytes(call->identity, bytes);
    return MCP_ERR_LIMIT;
  }
  call->own_bytes += bytes;
  mcpi_json_put_value(&question->result, result);
  return 0;
}

/* Returns 0, or MCP_ERR_LIMIT when the answer is too long, as `limit` says. */
static int keep_answer(mcpi_question *question, int status,
                       const mcpi_message *message, const mcpi_envelope *reply,
                       const mcp_error *err, mcp_error *limit) {
  int kept = 0;
  const char *why = err != NULL ? err->message : mcp_error_text(status);
  if (status == 0) {
    kept = keep_result(question, message, reply->result, limit);
    status = kept;
    why = "the answers take too many bytes";
  }
  if (status != 0) {
    mcpi_json_put_string(&question->failure, mcpi_str_z(why));
  }
  return kept;
}

/* The handler, and the report of an answer that is too long, call the program,
 * which may cancel the call. The hold keeps the call until this function
 * returns. */
static void round_on_answer(mcpi_pending *pending, int status,
                            mcpi_message *message, const mcpi_envelope *reply,
                            const mcp_error *err) {
  mcpi_question *question = MCPI_CONTAINER(pending, mcpi_question, pending);
  mcpi_ask *ask = question->ask;
  mcp_call *call = ask->call;
  mcpi_shard *shard = call->shard;
  mcp_error limit;
  mcpi_shard_enter(shard);
  mcpi_call_hold(call);
  if (status == MCP_ERR_TIMEOUT) {
    mcpi_peer_send_cancel(&call->caller->peer, pending->id,
                          MCPI_STR("timed out"), 0);
  }
  int kept = keep_answer(question, status, message, reply, err, &limit);
  if (call->stage == MCPI_CALL_ASKING && --ask->waiting_count == 0) {
    end_round(ask);
  }
  if (kept != 0) {
    mcpi_shard_refused(shard, MCPI_LIMIT_BYTES, call->peer, limit.message);
  }
  mcpi_call_unhold(call);
  mcpi_shard_leave(shard);
}

/* --- legacy: the requests ----------------------------------------------- */

/* Cancels the questions that are in flight: those in the table of requests that
 * wait for an answer, and those that the client runs as tasks. */
static void round_take_back(mcpi_ask *ask) {
  mcpi_peer *peer = &ask->call->caller->peer;
  for (mcpi_list *link = ask->questions.next; link != &ask->questions;
       link = link->next) {
    mcpi_question *question = MCPI_CONTAINER(link, mcpi_question, link);
    if (question->pending.table != NULL) {
      mcpi_pending_remove(&question->pending);
      mcpi_peer_send_cancel(peer, question->pending.id,
                            MCPI_STR("the call that asked was cancelled"), 0);
    }
    if (question->asking != NULL) {
      ask->call->shard->server->tasks->take_back(question);
    }
  }
  ask->waiting_count = 0;
}

/* The question before may have been the end of the call. */
int mcpi_ask_request(mcpi_question *question, mcpi_str params) {
  mcp_call *call = question->ask->call;
  if (call->sink == NULL) {
    return MCP_ERR_GONE;
  }
  return call->sink->ops->ask(call->sink, call, &question->pending,
                              mcpi_str_z(question->method->name), params);
}

static int send_question(mcpi_question *question) {
  mcp_call *call = question->ask->call;
  const mcpi_task_maker *maker = call->shard->server->tasks;
  if (maker != NULL && maker->ask != NULL) {
    int rc = maker->ask(question, round_on_answer);
    if (rc <= 0) {
      return rc;
    }
  }
  question->pending.on_done = round_on_answer;
  return mcpi_ask_request(
      question, mcpi_str_n(question->params.data, question->params.len));
}

static int send_questions(mcpi_ask *ask) {
  for (mcpi_list *link = ask->questions.next; link != &ask->questions;
       link = link->next) {
    mcpi_question *question = MCPI_CONTAINER(link, mcpi_question, link);
    if (question->answer == NULL) {
      int rc = send_question(question);
      if (rc != 0) {
        return rc;
      }
      ask->waiting_count++;
    }
  }
  return 0;
}

/* Returns 0; otherwise none of them waits for its answer. */
static int begin_round(mcpi_ask *ask) {
  int rc = send_questions(ask);
  if (rc != 0) {
    round_take_back(ask);
    return rc;
  }
  ask->call->stage = MCPI_CALL_ASKING;
  mcpi_call_hold(ask->call);
  return 0;
}

static int send_legacy(mcpi_ask *ask) {
  int rc = seal_state(ask, &ask->sealed);
  if (rc == 0) {
    rc = begin_round(ask);
  }
  return rc != 0 ? fail_round(ask->call, rc) : 0;
}

int mcpi_ask_send_added(mcp_call *call,
                        void (*on_round)(mcp_call *call, int status)) {
  mcpi_ask *ask = call->ask;
  ask->on_round = on_round;
  if (call->sink == NULL) {
    return MCP_ERR_GONE;
  }
  int rc = begin_round(ask);
  if (rc != 0) {
    mcpi_ask_forget_run(ask);
  }
  return rc;
}

/* --- both --------------------------------------------------------------- */

static int send_round(mcpi_ask *ask) {
  mcp_call *call = ask->call;
  if (call->task != NULL) {
    return call->task->ops->ask(call->task, call);
  }
  return mcpi_revision_is_modern(call->context.revision) ? send_modern(ask)
                                                         : send_legacy(ask);
}

void mcpi_ask_send(mcp_call *call) {
  mcpi_ask *ask = call->ask;
  mcpi_buf_clear(&ask->sealed);
  if (send_round(ask) != 0) {
    mcpi_call_reply_recorded(call);
  }
}

void mcpi_ask_cancel(mcp_call *call) {
  if (call->stage == MCPI_CALL_ASKING) {
    call->stage = MCPI_CALL_READY;
    round_take_back(call->ask);
    mcpi_call_unhold(call);
  }
}
