/* SPDX-License-Identifier: MIT */
/* Questions of the server's. */
#include "client/question.h"

#include "client/describe.h"
#include "client/dispatch.h"
#include "client/elicit.h"
#include "client/rounds.h"
#include "client/sample.h"

/* --- may it be asked ---------------------------------------------------- */

static int refuse_method(const char *why, mcpi_str name, mcp_error *err) {
  mcp_error_set(err, MCP_ERR_UNSUPPORTED, "%s: \"%.*s\"", why,
                (int)(name.len < 64 ? name.len : 64),
                name.ptr != NULL ? name.ptr : "");
  return MCP_RPC_METHOD_NOT_FOUND;
}

static int check_method(const mcp_client *client, const mcpi_method *row,
                        mcpi_str name, mcp_error *err) {
  const int needed = MCPI_TO_CLIENT | MCPI_IS_REQUEST;
  if (client->revision == NULL) {
    mcp_error_set(err, MCP_ERR_PROTOCOL, "not initialized");
    return MCP_RPC_INVALID_REQUEST;
  }
  if (row == NULL || (row->flags & needed) != needed ||
      !mcpi_method_in(row, client->revision)) {
    return refuse_method("unknown method", name, err);
  }
  if (!mcpi_client_can_answer(client, row->id)) {
    return refuse_method("this client did not declare", name, err);
  }
  return 0;
}

/* 0, or the MCP_RPC_* that a legacy server is told. */
static int check(const mcp_client *client, const mcpi_method *row,
                 mcpi_str name, const mcp_json *params, int *is_url,
                 mcp_error *err) {
  *is_url = 0;
  int code = check_method(client, row, name, err);
  if (code != 0) {
    return code;
  }
  if (mcpi_members_check(row->params, params, err) != 0) {
    return MCP_RPC_INVALID_PARAMS;
  }
  switch (row->id) {
  case MCPI_M_ELICIT:
    return mcpi_elicit_check(client, params, is_url, err);
  case MCPI_M_SAMPLE:
    return mcpi_sample_check(client, params, err);
  default:
    return 0;
  }
}

/* --- making and ending one ---------------------------------------------- */

/* Those that the program has yet to answer count, the cancelled ones too: a
 * server could pile them up by asking and cancelling. */
static int check_room(const mcp_client *client, mcp_error *err) {
  if (client->question_count < MCPI_CLIENT_MAX_QUESTIONS) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_LIMIT, "more than %d questions at once",
                       MCPI_CLIENT_MAX_QUESTIONS);
}

static void unlink_question(mcp_question *question) {
  if (!mcpi_list_is_empty(&question->link)) {
    question->client->question_count--;
    mcpi_list_remove(&question->link);
  }
}

static void question_free(mcp_question *question) {
  unlink_question(question);
  mcpi_list_remove(&question->orphan.link);
  mcp_validator_unref(question->validator);
  mcpi_message_unref(question->message);
  mcpi_block_unref(question->block);
}

static void release_orphan(mcpi_orphan *orphan) {
  question_free(MCPI_CONTAINER(orphan, mcp_question, orphan));
}

/* The form is compiled at once: one that is none is the server's fault, not
 * the user's. */
static int compile(mcp_question *question, mcp_error *err) {
  mcp_client *client = question->client;
  mcp_error why;
  if (question->row->id != MCPI_M_ELICIT || question->is_url) {
    return 0;
  }
  int rc = mcpi_form_compile(
      &question->validator, mcp_json_get(question->params, "requestedSchema"),
      &client->form_rules,
      mcpi_revision_has(client->revision, MCPI_HAS_ELICIT_RICH)
          ? MCPI_FORM_RICH
          : MCPI_FORM_PLAIN,
      &client->loop->allocator, &why);
  return rc == 0 ? 0
                 : mcp_error_set(err, rc, "params.requestedSchema: %s",
                                 why.message);
}

static mcp_question *question_new(mcp_client *client, mcpi_message *message,
                                  mcpi_str id_text) {
  mcpi_block *block =
      mcpi_block_take(&client->loop->pool, sizeof(mcp_question) + id_text.len);
  if (block == NULL) {
    return NULL;
  }
  mcp_question *question = mcpi_block_data(block);
  *question =
      (mcp_question){.block = block, .client = client, .message = message};
  mcpi_list_init(&question->orphan.link);
  question->orphan.release = release_orphan;
  mcpi_message_ref(message);
  mcpi_list_append(&client->questions, &question->link);
  client->question_count++;
  if (id_text.len > 0) {
    memcpy(question + 1, id_text.ptr, id_text.len);
    question->inflight.id_text =
        mcpi_str_n((const char *)(question + 1), id_text.len);
  }
  return question;
}

static void hand_out(mcp_question *question) {
  const mcp_client_options *options = &question->client->options;
  switch (question->row->id) {
  case MCPI_M_ELICIT:
    options->on_elicit(question, options->userdata);
    break;
  case MCPI_M_SAMPLE:
    options->on_sample(question, options->userdata);
    break;
  default:
    options->on_roots(question, options->userdata);
    break;
  }
}

/* --- legacy: a request to us -------------------------------------------- */

static void on_cancel(mcpi_inflight *inflight, mcpi_str reason) {
  mcp_question *question = MCPI_CONTAINER(inflight, mcp_question, inflight);
  (void)reason;
  question->is_cancelled = 1;
  mcpi_pending_let_go(&question->client->peer.pending);
}

static int send_result(mcp_client *client, mcpi_str id_text, mcpi_str result) {
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

static int send_roots(mcp_client *client, mcpi_str id_text, mcpi_buf *result) {
  mcpi_buf_lit(result, "{\"roots\":");
  mcpi_buf_put(result, client->roots.data, client->roots.len);
  mcpi_buf_putc(result, '}');
  return result->error != 0
             ? result->error
             : send_result(client, id_text,
                           mcpi_str_n(result->data, result->len));
}

static int send_error(mcp_client *client, mcpi_str id_text, int code,
                      const char *message) {
  return mcpi_peer_send_error(&client->peer, id_text, code, mcpi_str_z(message),
                              (mcpi_str){NULL, 0});
}

static int has_ready_roots(const mcp_client *client, const mcpi_method *row) {
  return row->id == MCPI_M_ROOTS_LIST && client->options.on_roots == NULL;
}

/* 0, or the MCP_RPC_* to answer. */
static int hold(mcp_question *question, mcp_error *err) {
  mcp_client *client = question->client;
  int rc = compile(question, err);
  if (rc != 0) {
    return rc == MCP_ERR_NOMEM ? MCP_RPC_INTERNAL_ERROR
                               : MCP_RPC_INVALID_PARAMS;
  }
  question->inflight.on_cancel = on_cancel;
  rc = mcpi_peer_track(&client->peer, &question->inflight);
  if (rc == 0) {
    mcpi_pending_hold(&client->peer.pending);
    return 0;
  }
  mcp_error_set(err, rc, "%s",
                rc == MCP_ERR_EXISTS ? "a request of that id is being answered"
                                     : mcp_error_text(rc));
  return rc == MCP_ERR_EXISTS ? MCP_RPC_INVALID_REQUEST
                              : MCP_RPC_INTERNAL_ERROR;
}

static int take_request(mcp_client *client, mcpi_message *message,
                        const mcpi_envelope *envelope, mcpi_str id_text,
                        mcp_error *err) {
  const mcpi_method *row = mcpi_method_find(envelope->method);
  int is_url = 0;
  int code =
      check(client, row, envelope->method, envelope->params, &is_url, err);
  if (code != 0) {
    return code;
  }
  if (check_room(client, err) != 0) {
    return MCP_RPC_INTERNAL_ERROR;
  }
  mcp_question *question = question_new(client, message, id_text);
  if (question == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return MCP_RPC_INTERNAL_ERROR;
  }
  question->row = row;
  question->params = envelope->params;
  question->is_url = is_url;
  code = hold(question, err);
  if (code != 0) {
    question_free(question);
    return code;
  }
  if (is_url) {
    mcpi_elicit_remember(client, envelope->params);
  }
  hand_out(question);
  return 0;
}

static int answer_request(mcp_client *client, mcpi_message *message,
                          const mcpi_envelope *envelope, mcpi_str id_text,
                          mcpi_buf *spare) {
  const mcpi_method *row = mcpi_method_find(envelope->method);
  mcp_error err;
  int is_url = 0;
  if (row != NULL && row->id == MCPI_M_PING) {
    return send_result(client, id_text, MCPI_STR("{}"));
  }
  if (row != NULL && has_ready_roots(client, row) &&
      check(client, row, envelope->method, envelope->params, &is_url, &err) ==
          0) {
    return send_roots(client, id_text, spare);
  }
  int code = take_request(client, message, envelope, id_text, &err);
  return code != 0 ? send_error(client, id_text, code, err.message) : 0;
}

/* Where the result has no room an error may have some; else the server waits
 * in vain. */
static void give_up(mcp_client *client, mcpi_str id_text, int rc) {
  mcp_error err;
  if (id_text.len > 0 && send_error(client, id_text, MCP_RPC_INTERNAL_ERROR,
                                    mcp_error_text(rc)) == 0) {
    return;
  }
  mcp_error_set(&err, rc, "a request of the server's cannot be answered: %s",
                mcp_error_text(rc));
  mcpi_client_report(client, &err);
}

/* Only clients send these: a peer that sends one before it has answered any
 * returns the client's own messages, as cat does. An answer would come back as
 * well, and be taken for the peer's. */
static int is_echo(const mcp_client *client, mcpi_str name) {
  const mcpi_method *row = mcpi_method_find(name);
  return client->revision == NULL && row != NULL &&
         (row->id == MCPI_M_INITIALIZE || row->id == MCPI_M_DISCOVER);
}

static void end_echo(mcp_client *client) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_PROTOCOL,
                "the peer sends the client's own requests back: it is not an "
                "MCP server");
  mcpi_client_hang_up(client, &err);
}

void mcpi_question_receive(mcp_client *client, mcpi_message *message,
                           const mcpi_envelope *envelope) {
  if (is_echo(client, envelope->method)) {
    end_echo(client);
    return;
  }
  mcpi_buf id_text;
  mcpi_buf spare;
  mcpi_buf_init(&id_text, &client->loop->allocator, SIZE_MAX);
  mcpi_buf_init(&spare, &client->loop->allocator, SIZE_MAX);
  mcpi_id_put(&id_text, envelope->id);
  mcpi_str id = mcpi_str_n(id_text.data, id_text.error == 0 ? id_text.len : 0);
  int rc = id_text.error;
  if (rc == 0) {
    rc = answer_request(client, message, envelope, id, &spare);
  }
  if (rc != 0 && rc != MCP_ERR_CLOSED) {
    give_up(client, id, rc);
  }
  mcpi_buf_deinit(&spare);
  mcpi_buf_deinit(&id_text);
}

/* --- modern: part of a result ------------------------------------------- */

static int answer_roots(mcpi_request *request, mcpi_str key) {
  mcp_client *client = request->client;
  mcpi_rounds_put_key(request, key);
  mcpi_buf_lit(&request->bufs.answers, "{\"roots\":");
  mcpi_buf_put(&request->bufs.answers, client->roots.data, client->roots.len);
  mcpi_buf_putc(&request->bufs.answers, '}');
  return request->bufs.answers.error;
}

static int check_asked(const mcp_client *client, const mcpi_method *row,
                       mcpi_str name, const mcp_json *params, int *is_url,
                       mcp_error *err) {
  if (params != NULL && mcp_json_type(params) != MCP_JSON_OBJECT) {
    return mcp_error_set(err, MCP_ERR_UNANSWERED,
                         "a question's params are not an object");
  }
  if (check(client, row, name, params, is_url, err) == 0) {
    return 0;
  }
  err->code = MCP_ERR_UNANSWERED;
  return MCP_ERR_UNANSWERED;
}

int mcpi_question_ask(mcpi_request *request, mcpi_message *message,
                      mcpi_str key, const mcp_json *value, mcp_error *err) {
  mcp_client *client = request->client;
  mcpi_str name = mcpi_json_member_str(value, "method");
  const mcpi_method *row = mcpi_method_find(name);
  const mcp_json *params = mcp_json_get(value, "params");
  int is_url = 0;
  int rc = check_asked(client, row, name, params, &is_url, err);
  if (rc != 0) {
    return rc;
  }
  if (has_ready_roots(client, row)) {
    return answer_roots(request, key);
  }
  rc = check_room(client, err);
  if (rc != 0) {
    return rc;
  }
  mcp_question *question = question_new(client, message, (mcpi_str){NULL, 0});
  if (question == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  question->row = row;
  question->params = params;
  question->is_url = is_url;
  question->request = request;
  question->key = key;
  rc = compile(question, err);
  if (rc != 0) {
    question_free(question);
    err->code = rc == MCP_ERR_NOMEM ? rc : MCP_ERR_UNANSWERED;
    return err->code;
  }
  request->unanswered++;
  hand_out(question);
  return 0;
}

/* --- the program's answers ---------------------------------------------- */

static int is_gone(const mcp_question *question) {
  return question->client == NULL || question->is_cancelled;
}

/* Before the answer leaves, so that whatever it leads to finds the question
 * answered. */
static void detach(mcp_question *question) {
  if (question->client == NULL) {
    return; /* it was forgotten */
  }
  if (!question->is_cancelled && question->inflight.id_text.len > 0) {
    mcpi_peer_untrack(&question->client->peer, &question->inflight);
    mcpi_pending_let_go(&question->client->peer.pending);
  }
  unlink_question(question);
}

static int gone(mcp_question *question) {
  detach(question);
  question_free(question);
  return MCP_ERR_GONE;
}

static int is_legacy(const mcp_question *question) {
  return question->request == NULL;
}

static int deliver(mcp_question *question, mcpi_str result) {
  if (is_legacy(question)) {
    return send_result(question->client, question->inflight.id_text, result);
  }
  mcpi_rounds_answer(question->request, question->key, result);
  return 0;
}

/* What cannot be said, be it for lack of memory, must not leave the server
 * waiting. */
static int deliver_failure(mcp_question *question, int code,
                           const char *message) {
  if (is_legacy(question)) {
    return send_error(question->client, question->inflight.id_text, code,
                      message);
  }
  mcpi_request_fail_with(question->request, MCP_ERR_UNANSWERED, message);
  return 0;
}

static int finish(mcp_question *question, mcpi_str result) {
  mcp_client *client = question->client;
  mcpi_client_enter(client);
  detach(question);
  int rc = deliver(question, result);
  if (rc != 0 && rc != MCP_ERR_CLOSED) {
    deliver_failure(question, MCP_RPC_INTERNAL_ERROR, mcp_error_text(rc));
  }
  question_free(question);
  mcpi_client_return(client);
  return rc == MCP_ERR_CLOSED ? MCP_ERR_GONE : rc;
}

static int finish_failed(mcp_question *question, int code,
                         const char *message) {
  mcp_client *client = question->client;
  mcpi_client_enter(client);
  detach(question);
  int rc = deliver_failure(question, code, message);
  question_free(question);
  mcpi_client_return(client);
  return rc == MCP_ERR_CLOSED ? MCP_ERR_GONE : rc;
}

static int put_form(mcp_question *question, const char *content, mcpi_buf *buf,
                    mcp_error *err) {
  mcpi_buf_lit(buf, "{\"action\":\"accept\"");
  if (!question->is_url) {
    mcpi_buf_lit(buf, ",\"content\":");
    int rc = mcpi_elicit_put(question->client, question->validator,
                             content != NULL ? content : "{}", buf, err);
    if (rc != 0) {
      return rc;
    }
  }
  mcpi_buf_putc(buf, '}');
  return buf->error;
}

int mcp_question_accept(mcp_question *question, const char *content,
                        mcp_error *err) {
  if (question == NULL || question->row->id != MCPI_M_ELICIT ||
      (question->is_url && content != NULL)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "not an elicitation, or content for a URL");
  }
  if (is_gone(question)) {
    return gone(question);
  }
  mcpi_buf buf;
  mcpi_buf_init(&buf, &question->client->loop->allocator, SIZE_MAX);
  int rc = put_form(question, content, &buf, err);
  if (rc == 0) {
    rc = finish(question, mcpi_str_n(buf.data, buf.len));
  } else if (rc == MCP_ERR_NOMEM) {
    finish_failed(question, MCP_RPC_INTERNAL_ERROR, "out of memory");
  }
  mcpi_buf_deinit(&buf);
  return rc;
}

/* A URL that is not visited has no end that the server could tell of. */
static int turn_down(mcp_question *question, mcpi_str result) {
  if (question->is_url) {
    mcpi_elicit_forget(question->client, question->params);
  }
  return finish(question, result);
}

int mcp_question_decline(mcp_question *question) {
  if (question == NULL) {
    return MCP_ERR_INVALID;
  }
  if (is_gone(question)) {
    return gone(question);
  }
  if (question->row->id == MCPI_M_ELICIT) {
    return turn_down(question, MCPI_STR("{\"action\":\"decline\"}"));
  }
  return finish_failed(question, MCP_RPC_USER_REJECTED, "refused by the user");
}

int mcp_question_cancel(mcp_question *question) {
  if (question == NULL || question->row->id != MCPI_M_ELICIT) {
    return mcp_question_decline(question);
  }
  if (is_gone(question)) {
    return gone(question);
  }
  return turn_down(question, MCPI_STR("{\"action\":\"cancel\"}"));
}

static int answer(mcp_question *question, mcpi_message *message) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, &question->client->loop->allocator, SIZE_MAX);
  mcpi_json_put_value(&buf, message->root);
  int rc = buf.error;
  if (rc == 0) {
    rc = finish(question, mcpi_str_n(buf.data, buf.len));
  } else {
    finish_failed(question, MCP_RPC_INTERNAL_ERROR, "out of memory");
  }
  mcpi_buf_deinit(&buf);
  return rc;
}

/* 0, or the question is still open: MCP_ERR_INVALID or MCP_ERR_NOMEM. */
static int read_result(const mcp_question *question, const char *text,
                       mcpi_message **out, mcp_error *err) {
  mcp_error why;
  if (question->row->id == MCPI_M_ELICIT) {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "an elicitation is answered by mcp_question_accept, _decline "
                  "or _cancel");
    return MCP_ERR_INVALID;
  }
  int rc =
      mcpi_client_parse(question->client, "result", mcpi_str_z(text), out, err);
  if (rc == 0 &&
      mcpi_members_check(question->row->result, (*out)->root, &why) != 0) {
    mcpi_message_unref(*out);
    mcp_error_set(err, MCP_ERR_INVALID, "%s", why.message);
    rc = MCP_ERR_INVALID;
  }
  return rc;
}

int mcp_question_answer(mcp_question *question, const char *result) {
  mcpi_message *message;
  if (question == NULL || result == NULL) {
    return MCP_ERR_INVALID;
  }
  if (is_gone(question)) {
    return gone(question);
  }
  mcp_error *err = &question->client->error;
  err->code = 0;
  int rc = read_result(question, result, &message, err);
  if (rc == MCP_ERR_NOMEM) {
    finish_failed(question, MCP_RPC_INTERNAL_ERROR, "out of memory");
  } else if (rc == 0) {
    rc = answer(question, message);
    mcpi_message_unref(message);
  }
  return rc;
}

int mcp_question_fail(mcp_question *question, int code, const char *message) {
  if (question == NULL) {
    return MCP_ERR_INVALID;
  }
  if (is_gone(question)) {
    return gone(question);
  }
  return finish_failed(question, code, message != NULL ? message : "");
}

/* --- looking at one, and forgetting it ---------------------------------- */

const char *mcp_question_method(const mcp_question *question) {
  return question != NULL ? question->row->name : NULL;
}

const mcp_json *mcp_question_params(const mcp_question *question) {
  return question != NULL ? question->params : NULL;
}

mcp_client *mcp_question_client(const mcp_question *question) {
  return question != NULL ? question->client : NULL;
}

int mcp_question_is_cancelled(const mcp_question *question) {
  return question == NULL || is_gone(question);
}

/* It stays until the program answers it, or until the loop ends. */
static void forget(mcp_client *client, mcp_question *question) {
  detach(question);
  mcpi_list_append(&client->loop->orphans, &question->orphan.link);
  question->client = NULL;
  question->request = NULL;
}

void mcpi_question_forget_all(mcp_client *client) {
  while (!mcpi_list_is_empty(&client->questions)) {
    forget(client, MCPI_CONTAINER(client->questions.next, mcp_question, link));
  }
}

void mcpi_question_forget_request(mcpi_request *request) {
  mcp_client *client = request->client;
  mcpi_list *link = client->questions.next;
  while (request->unanswered > 0 && link != &client->questions) {
    mcp_question *question = MCPI_CONTAINER(link, mcp_question, link);
    link = link->next;
    if (question->request == request) {
      forget(client, question);
      request->unanswered--;
    }
  }
  request->unanswered = 0;
}
