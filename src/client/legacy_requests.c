/* SPDX-License-Identifier: MIT */
/* Requests of a legacy server. */
#include "client/legacy_requests.h"

#include "client/close.h"
#include "client/elicit.h"
#include "client/question.h"
#include "client/question_task_methods.h"
#include "client/question_tasks.h"
#include "client/respond.h"
#include "core/task_shape.h"

/* --- answers -------------------------------------------------------------- */

static int send_roots(mcp_client *client, mcpi_str id_text) {
  const mcpi_buf *roots = &client->roots;
  mcpi_buf result;
  mcpi_buf_init(&result, &client->loop->allocator, SIZE_MAX);
  mcpi_buf_lit(&result, "{\"roots\":");
  mcpi_buf_put(&result, roots->data, roots->len);
  mcpi_buf_putc(&result, '}');
  return mcpi_respond_buf(client, id_text, &result);
}

/* The answer to a question that belongs to a task of the server's says so too
 * (MCP 2025-11-25, Tasks: Related Task Metadata). */
static int asked_on_answer(mcp_question *question, mcpi_str answer) {
  mcp_client *client = question->client;
  mcpi_str id_text = question->inflight.id_text;
  const mcp_json *task = mcp_json_get(mcp_json_get(question->params, "_meta"),
                                      MCPI_META_RELATED_TASK);
  const char *task_id = mcp_json_string(mcp_json_get(task, "taskId"));
  if (task_id == NULL || !mcpi_revision_has(client->revision, MCPI_HAS_TASKS)) {
    return mcpi_respond(client, id_text, answer);
  }
  mcpi_buf result;
  mcpi_buf_init(&result, &client->loop->allocator, SIZE_MAX);
  int rc = mcpi_respond_put_related(client, answer, task_id, &result);
  if (rc == 0) {
    return mcpi_respond_buf(client, id_text, &result);
  }
  mcpi_buf_deinit(&result);
  return rc;
}

static int asked_on_failure(mcp_question *question, int code,
                            const char *message) {
  return mcpi_respond_error(question->client, question->inflight.id_text, code,
                            mcpi_str_z(message));
}

static const mcpi_question_ops question_ops = {.answer = asked_on_answer,
                                               .fail = asked_on_failure};

/* --- questions for the program -------------------------------------------- */

static void asked_on_cancel(mcpi_inflight *inflight, mcpi_str reason) {
  mcp_question *question = MCPI_CONTAINER(inflight, mcp_question, inflight);
  (void)reason;
  question->is_cancelled = 1;
  mcpi_pending_let_go(&question->client->peer.pending);
}

/* Records an open question. The clocks of our requests stop while a question is
 * open: the server may need the answer first. Returns 0, or the MCP_RPC_* to
 * answer. */
static int question_track(mcp_question *question, mcp_error *err) {
  mcp_client *client = question->client;
  question->inflight.on_cancel = asked_on_cancel;
  int code = mcpi_respond_later(client, &question->inflight, err);
  if (code == 0) {
    mcpi_pending_hold(&client->peer.pending);
  }
  return code;
}

/* Returns 0, or the MCP_RPC_* to answer. */
static int asked_ask_program(mcp_client *client, const mcpi_asked *asked,
                             mcp_error *err) {
  mcp_question *question;
  int rc = mcpi_question_new(&question, client, asked, err);
  if (rc != 0) {
    return rc == MCP_ERR_INVALID ? MCP_RPC_INVALID_PARAMS
                                 : MCP_RPC_INTERNAL_ERROR;
  }
  const mcp_json *task = mcpi_question_task_wanted(question);
  int code = task != NULL ? mcpi_question_task_begin(question, task, err)
                          : question_track(question, err);
  if (code != 0 || question->client == NULL) {
    mcpi_question_free(question); /* the program does not get it */
    return code;
  }
  if (asked->is_url) {
    mcpi_elicit_remember(client, asked->params);
  }
  mcpi_question_hand_out(question);
  return 0;
}

/* --- requests ------------------------------------------------------------- */

static int answer_request(mcp_client *client, mcpi_message *message,
                          const mcpi_envelope *envelope, mcpi_str id_text) {
  const mcpi_method *row = mcpi_method_find(envelope->method);
  mcpi_asked asked = {.message = message,
                      .name = envelope->method,
                      .params = envelope->params,
                      .ops = &question_ops,
                      .id_text = id_text};
  mcp_error err;
  if (row != NULL && row->id == MCPI_M_PING) {
    return mcpi_respond(client, id_text, MCPI_STR("{}"));
  }
  if (mcpi_question_task_methods_have(client, envelope->method)) {
    return mcpi_question_task_methods_serve(client, envelope, id_text);
  }
  int code = mcpi_question_check(client, &asked, &err);
  if (code == 0 && mcpi_question_has_ready_roots(client, asked.row)) {
    return send_roots(client, id_text);
  }
  if (code == 0) {
    code = asked_ask_program(client, &asked, &err);
  }
  return code != 0 ? mcpi_respond_error(client, id_text, code,
                                        mcpi_str_z(err.message))
                   : 0;
}

/* Whether the peer returns the client's own messages, as cat does. Only clients
 * send these methods, and no server sends one before it has answered. An answer
 * would return as well, and the client would take it for the peer's. */
static int asked_is_echo(const mcp_client *client, mcpi_str name) {
  const mcpi_method *row = mcpi_method_find(name);
  return client->revision == NULL && row != NULL &&
         (row->id == MCPI_M_INITIALIZE || row->id == MCPI_M_DISCOVER);
}

void mcpi_legacy_request_receive(mcp_client *client, mcpi_message *message,
                                 const mcpi_envelope *envelope) {
  mcp_error err;
  mcpi_buf id_text;
  if (asked_is_echo(client, envelope->method)) {
    mcp_error_set(&err, MCP_ERR_PROTOCOL,
                  "the peer sends the client's own requests back: it is not an "
                  "MCP server");
    mcpi_client_hang_up(client, &err);
    return;
  }
  mcpi_buf_init(&id_text, &client->loop->allocator, SIZE_MAX);
  mcpi_id_put(&id_text, envelope->id);
  int rc = id_text.error;
  mcpi_str id = mcpi_str_n(id_text.data, rc == 0 ? id_text.len : 0);
  if (rc == 0) {
    rc = answer_request(client, message, envelope, id);
  }
  mcpi_respond_failed(client, id, rc);
  mcpi_buf_deinit(&id_text);
}
