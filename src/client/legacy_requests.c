/* SPDX-License-Identifier: MIT */
/* Requests of a legacy server. */
#include "client/legacy_requests.h"

#include "client/close.h"
#include "client/elicit.h"
#include "client/question.h"
#include "client/report.h"

/* --- answers -------------------------------------------------------------- */

static int asked_send_result(mcp_client *client, mcpi_str id_text,
                             mcpi_str result) {
  const mcp_send_info known = {
      .kind = MCP_MESSAGE_RESULT, .id = id_text.ptr, .id_len = id_text.len};
  mcpi_buf *buf = &client->scratch;
  mcpi_buf_clear(buf);
  mcpi_put_result_head(buf, id_text);
  mcpi_buf_puts(buf, result);
  mcpi_buf_putc(buf, '}');
  return buf->error != 0
             ? buf->error
             : mcpi_peer_send(&client->peer, buf->data, buf->len, &known);
}

static int send_error(mcp_client *client, mcpi_str id_text, int code,
                      const char *message) {
  return mcpi_peer_send_error(&client->peer, id_text, code, mcpi_str_z(message),
                              (mcpi_str){NULL, 0});
}

static int send_roots(mcp_client *client, mcpi_str id_text) {
  const mcpi_buf *roots = &client->roots;
  mcpi_buf result;
  mcpi_buf_init(&result, &client->loop->allocator, SIZE_MAX);
  mcpi_buf_lit(&result, "{\"roots\":");
  mcpi_buf_put(&result, roots->data, roots->len);
  mcpi_buf_putc(&result, '}');
  int rc = result.error;
  if (rc == 0) {
    rc = asked_send_result(client, id_text, mcpi_buf_str(&result));
  }
  mcpi_buf_deinit(&result);
  return rc;
}

static int asked_on_answer(mcp_question *question, mcpi_str answer) {
  return asked_send_result(question->client, question->inflight.id_text,
                           answer);
}

static int asked_on_failure(mcp_question *question, int code,
                            const char *message) {
  return send_error(question->client, question->inflight.id_text, code,
                    message);
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
  int rc = mcpi_peer_track(&client->peer, &question->inflight);
  if (rc == 0) {
    mcpi_pending_hold(&client->peer.pending);
    return 0;
  }
  if (rc == MCP_ERR_EXISTS) {
    mcp_error_set(err, rc, "a request of that id is being answered");
    return MCP_RPC_INVALID_REQUEST;
  }
  mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  return MCP_RPC_INTERNAL_ERROR;
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
  int code = question_track(question, err);
  if (code != 0) {
    mcpi_question_free(question);
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
    return asked_send_result(client, id_text, MCPI_STR("{}"));
  }
  int code = mcpi_question_check(client, &asked, &err);
  if (code == 0 && mcpi_question_has_ready_roots(client, asked.row)) {
    return send_roots(client, id_text);
  }
  if (code == 0) {
    code = asked_ask_program(client, &asked, &err);
  }
  return code != 0 ? send_error(client, id_text, code, err.message) : 0;
}

/* Reports a result that cannot be sent. If there is no memory for the result,
 * there may be memory for an error; otherwise the server gets no answer. */
static void asked_report(mcp_client *client, mcpi_str id_text, int rc) {
  mcp_error err;
  if (id_text.len > 0 && send_error(client, id_text, MCP_RPC_INTERNAL_ERROR,
                                    mcp_error_text(rc)) == 0) {
    return;
  }
  mcp_error_set(&err, rc, "a request of the server's cannot be answered: %s",
                mcp_error_text(rc));
  mcpi_client_report(client, &err);
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
  if (rc != 0 && rc != MCP_ERR_CLOSED) {
    asked_report(client, id, rc);
  }
  mcpi_buf_deinit(&id_text);
}
