/* SPDX-License-Identifier: MIT */
#include "client/question.h"

#include "base/error.h"
#include "client/describe.h"
#include "client/elicit.h"
#include "client/sample.h"

/* --- may it be asked ---------------------------------------------------- */

static int question_refuse_method(const char *why, mcpi_str name,
                                  mcp_error *err) {
  mcp_error_set(err, MCP_ERR_UNSUPPORTED, "%s: \"%.*s\"", why,
                (int)(name.len < 64 ? name.len : 64),
                name.ptr != NULL ? name.ptr : "");
  return MCP_RPC_METHOD_NOT_FOUND;
}

static int question_check_method(const mcp_client *client,
                                 const mcpi_method *row, mcpi_str name,
                                 mcp_error *err) {
  const int needed = MCPI_TO_CLIENT | MCPI_IS_REQUEST;
  if (client->revision == NULL) {
    mcp_error_set(err, MCP_ERR_PROTOCOL, "not initialized");
    return MCP_RPC_INVALID_REQUEST;
  }
  if (row == NULL || (row->flags & needed) != needed ||
      !mcpi_method_in(row, client->revision)) {
    return question_refuse_method("unknown method", name, err);
  }
  if (!mcpi_client_can_answer(client, row->id)) {
    return question_refuse_method("this client did not declare", name, err);
  }
  return 0;
}

int mcpi_question_check(const mcp_client *client, mcpi_asked *asked,
                        mcp_error *err) {
  asked->row = mcpi_method_find(asked->name);
  asked->is_url = 0;
  int code = question_check_method(client, asked->row, asked->name, err);
  if (code != 0) {
    return code;
  }
  if (mcpi_members_check(asked->row->params, "params", asked->params, err) !=
      0) {
    return MCP_RPC_INVALID_PARAMS;
  }
  switch (asked->row->id) {
  case MCPI_M_ELICIT:
    return mcpi_elicit_check(client, asked->params, &asked->is_url, err);
  case MCPI_M_SAMPLE:
    return mcpi_sample_check(client, asked->params, err);
  default:
    return 0;
  }
}

int mcpi_question_has_ready_roots(const mcp_client *client,
                                  const mcpi_method *row) {
  return row->id == MCPI_M_ROOTS_LIST && client->options.on_roots == NULL;
}

/* --- its life ------------------------------------------------------------- */

static void question_unlink(mcp_question *question) {
  if (!mcpi_list_is_empty(&question->link)) {
    question->client->question_count--;
    mcpi_list_remove(&question->link);
  }
}

void mcpi_question_free(mcp_question *question) {
  question_unlink(question);
  mcpi_list_remove(&question->orphan.link);
  mcp_validator_unref(question->validator);
  mcpi_message_unref(question->message);
  mcpi_block_unref(question->block);
}

static void question_release(mcpi_orphan *orphan) {
  mcpi_question_free(MCPI_CONTAINER(orphan, mcp_question, orphan));
}

/* The form is compiled at once: a form that is not valid is a fault of the
 * server, not of the user. */
static int question_compile(mcp_question *question, mcp_error *err) {
  mcp_client *client = question->client;
  mcp_error why;
  if (question->row->id != MCPI_M_ELICIT || question->is_url) {
    return 0;
  }
  int is_rich = mcpi_revision_has(client->revision, MCPI_HAS_ELICIT_RICH);
  int rc = mcpi_form_compile(
      &question->validator, mcp_json_get(question->params, "requestedSchema"),
      &client->form_rules, is_rich ? MCPI_FORM_RICH : MCPI_FORM_PLAIN,
      &client->loop->allocator, &why);
  if (rc == 0) {
    return 0;
  }
  return mcp_error_set(err, rc == MCP_ERR_NOMEM ? rc : MCP_ERR_INVALID,
                       "params.requestedSchema: %s", why.message);
}

static mcp_question *question_make(mcp_client *client,
                                   const mcpi_asked *asked) {
  mcpi_str id_text = asked->id_text;
  mcpi_block *block =
      mcpi_block_take(&client->loop->pool, sizeof(mcp_question) + id_text.len);
  if (block == NULL) {
    return NULL;
  }
  mcp_question *question = mcpi_block_data(block);
  *question = (mcp_question){.block = block,
                             .client = client,
                             .message = asked->message,
                             .row = asked->row,
                             .params = asked->params,
                             .is_url = asked->is_url,
                             .ops = asked->ops,
                             .request = asked->request,
                             .key = asked->key,
                             .orphan.release = question_release};
  mcpi_list_init(&question->orphan.link);
  mcpi_message_ref(asked->message);
  mcpi_list_append(&client->questions, &question->link);
  client->question_count++;
  if (id_text.len > 0) {
    memcpy(question + 1, id_text.ptr, id_text.len);
    question->inflight.id_text =
        mcpi_str_n((const char *)(question + 1), id_text.len);
  }
  return question;
}

/* Cancelled questions that the program has yet to answer count too: a server
 * could pile them up by asking and cancelling. */
int mcpi_question_new(mcp_question **out, mcp_client *client,
                      const mcpi_asked *asked, mcp_error *err) {
  if (client->question_count >= MCPI_CLIENT_MAX_QUESTIONS) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "more than %d questions at once",
                         MCPI_CLIENT_MAX_QUESTIONS);
  }
  mcp_question *question = question_make(client, asked);
  if (question == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = question_compile(question, err);
  if (rc != 0) {
    mcpi_question_free(question);
    return rc;
  }
  *out = question;
  return 0;
}

static void hand_out_sample(mcp_question *question) {
  const mcp_client_options *options = &question->client->options;
  options->on_sample(question, options->userdata);
}

static void hand_out_roots(mcp_question *question) {
  const mcp_client_options *options = &question->client->options;
  options->on_roots(question, options->userdata);
}

static void hand_out_elicit(mcp_question *question) {
  const mcp_client_options *options = &question->client->options;
  options->on_elicit(question, options->userdata);
}

void mcpi_question_hand_out(mcp_question *question) {
  static void (*const handlers[MCPI_M_COUNT])(mcp_question *) = {
#define REQUEST_TO_CLIENT(id, name, handler, ...) [id] = handler,
#include "core/methods.def"
  };
  handlers[question->row->id](question);
}

/* --- the program's answers ---------------------------------------------- */

static int question_is_gone(const mcp_question *question) {
  return question->client == NULL || question->is_cancelled;
}

/* Called before the answer leaves: whatever the answer causes then finds the
 * question answered. */
static void question_detach(mcp_question *question) {
  if (question->client == NULL) {
    return; /* the question was forgotten */
  }
  if (!question->is_cancelled && question->inflight.id_text.len > 0) {
    mcpi_peer_untrack(&question->client->peer, &question->inflight);
    mcpi_pending_let_go(&question->client->peer.pending);
  }
  question_unlink(question);
}

static int question_end_gone(mcp_question *question) {
  question_detach(question);
  mcpi_question_free(question);
  return MCP_ERR_GONE;
}

/* If a question cannot be answered, for example because there is no memory, the
 * server must not wait for the answer. */
static int question_finish(mcp_question *question, mcpi_str result) {
  mcp_client *client = question->client;
  mcpi_client_enter(client);
  question_detach(question);
  int rc = question->ops->answer(question, result);
  if (rc != 0 && rc != MCP_ERR_CLOSED) {
    question->ops->fail(question, MCP_RPC_INTERNAL_ERROR, mcp_error_text(rc));
  }
  mcpi_question_free(question);
  mcpi_client_return(client);
  return rc == MCP_ERR_CLOSED ? MCP_ERR_GONE : rc;
}

static int question_fail(mcp_question *question, int code,
                         const char *message) {
  mcp_client *client = question->client;
  mcpi_client_enter(client);
  question_detach(question);
  int rc = question->ops->fail(question, code, message);
  mcpi_question_free(question);
  mcpi_client_return(client);
  return rc == MCP_ERR_CLOSED ? MCP_ERR_GONE : rc;
}

static int question_put_form(mcp_question *question, const char *content,
                             mcpi_buf *buf, mcp_error *err) {
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
  if (question_is_gone(question)) {
    return question_end_gone(question);
  }
  mcpi_buf buf;
  mcpi_buf_init(&buf, &question->client->loop->allocator, SIZE_MAX);
  int rc = question_put_form(question, content, &buf, err);
  if (rc == 0) {
    rc = question_finish(question, mcpi_str_n(buf.data, buf.len));
  } else if (rc == MCP_ERR_NOMEM) {
    question_fail(question, MCP_RPC_INTERNAL_ERROR, "out of memory");
  }
  mcpi_buf_deinit(&buf);
  return rc;
}

/* The user declines or cancels. A page that the user does not visit has no end
 * that the server could report. */
static int question_turn_down(mcp_question *question, mcpi_str result) {
  if (question->is_url) {
    mcpi_elicit_forget(question->client, question->params);
  }
  return question_finish(question, result);
}

int mcp_question_decline(mcp_question *question) {
  if (question == NULL) {
    return MCP_ERR_INVALID;
  }
  if (question_is_gone(question)) {
    return question_end_gone(question);
  }
  if (question->row->id == MCPI_M_ELICIT) {
    return question_turn_down(question, MCPI_STR("{\"action\":\"decline\"}"));
  }
  return question_fail(question, MCP_RPC_USER_REJECTED, "refused by the user");
}

int mcp_question_cancel(mcp_question *question) {
  if (question == NULL || question->row->id != MCPI_M_ELICIT) {
    return mcp_question_decline(question);
  }
  if (question_is_gone(question)) {
    return question_end_gone(question);
  }
  return question_turn_down(question, MCPI_STR("{\"action\":\"cancel\"}"));
}

static int question_answer(mcp_question *question, mcpi_message *message) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, &question->client->loop->allocator, SIZE_MAX);
  mcpi_json_put_value(&buf, message->root);
  int rc = buf.error;
  if (rc == 0) {
    rc = question_finish(question, mcpi_str_n(buf.data, buf.len));
  } else {
    question_fail(question, MCP_RPC_INTERNAL_ERROR, "out of memory");
  }
  mcpi_buf_deinit(&buf);
  return rc;
}

/* Returns 0. If the answer is not valid, the question stays open:
 * MCP_ERR_INVALID or MCP_ERR_NOMEM. */
static int question_read_result(const mcp_question *question, const char *text,
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
  if (rc == 0 && mcpi_members_check(question->row->result, "result",
                                    (*out)->root, &why) != 0) {
    mcpi_message_unref(*out);
    mcp_error_set(err, MCP_ERR_INVALID, "%s", why.message);
    rc = MCP_ERR_INVALID;
  }
  return rc;
}

int mcp_question_answer(mcp_question *question, const char *result,
                        mcp_error *err) {
  mcpi_message *message;
  if (question == NULL || result == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "question or result is NULL");
  }
  if (question_is_gone(question)) {
    return question_end_gone(question);
  }
  int rc = question_read_result(question, result, &message, err);
  if (rc == MCP_ERR_NOMEM) {
    question_fail(question, MCP_RPC_INTERNAL_ERROR, "out of memory");
  } else if (rc == 0) {
    rc = question_answer(question, message);
    mcpi_message_unref(message);
  }
  return rc;
}

int mcp_question_fail(mcp_question *question, int code, const char *message) {
  if (question == NULL) {
    return MCP_ERR_INVALID;
  }
  if (question_is_gone(question)) {
    return question_end_gone(question);
  }
  return question_fail(question, code, message != NULL ? message : "");
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
  return question == NULL || question_is_gone(question);
}

/* The memory stays until the program answers the question, or the loop ends. */
static void question_forget(mcp_client *client, mcp_question *question) {
  question_detach(question);
  mcpi_list_append(&client->loop->orphans, &question->orphan.link);
  question->client = NULL;
  question->request = NULL;
}

void mcpi_question_forget_all(mcp_client *client) {
  while (!mcpi_list_is_empty(&client->questions)) {
    question_forget(client,
                    MCPI_CONTAINER(client->questions.next, mcp_question, link));
  }
}

void mcpi_question_forget_request(mcpi_request *request) {
  mcp_client *client = request->client;
  mcpi_list *link = client->questions.next;
  while (link != &client->questions) {
    mcp_question *question = MCPI_CONTAINER(link, mcp_question, link);
    link = link->next;
    if (question->request == request) {
      question_forget(client, question);
    }
  }
}
