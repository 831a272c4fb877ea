/* SPDX-License-Identifier: MIT */
/* While the client hands out questions, `unanswered` is one too high. Otherwise
 * a program that answers at once would send the next message before all
 * questions have been asked. */
#include "client/input_requests.h"

#include "client/params.h"
#include "client/question.h"

static void inputs_put_key(mcpi_request *request, mcpi_str key) {
  mcpi_buf *answers = &request->bufs.answers;
  if (answers->len > 0) {
    mcpi_buf_putc(answers, ',');
  }
  mcpi_json_put_string(answers, key);
  mcpi_buf_putc(answers, ':');
}

static void inputs_count(mcpi_request *request) {
  if (--request->inputs.unanswered == 0) {
    request->inputs.on_answered(request);
  }
}

/* --- the questions -------------------------------------------------------- */

static int inputs_on_answer(mcp_question *question, mcpi_str answer) {
  mcpi_request *request = question->request;
  inputs_put_key(request, question->key);
  mcpi_buf_puts(&request->bufs.answers, answer);
  inputs_count(request);
  return 0;
}

static int inputs_on_failure(mcp_question *question, int code,
                             const char *message) {
  (void)code;
  mcpi_request_fail_with(question->request, MCP_ERR_UNANSWERED, message);
  return 0;
}

static const mcpi_question_ops question_ops = {.answer = inputs_on_answer,
                                               .fail = inputs_on_failure};

static void answer_roots(mcpi_request *request, mcpi_str key) {
  const mcpi_buf *roots = &request->client->roots;
  mcpi_buf *answers = &request->bufs.answers;
  inputs_put_key(request, key);
  mcpi_buf_lit(answers, "{\"roots\":");
  mcpi_buf_put(answers, roots->data, roots->len);
  mcpi_buf_putc(answers, '}');
}

/* Asks one of the inputRequests of a result. Returns 0 if the question was
 * handed to the program or was answered at once. Otherwise returns
 * MCP_ERR_UNANSWERED (the program cannot answer it), MCP_ERR_LIMIT (too many
 * are open) or MCP_ERR_NOMEM, and err says why. */
static int inputs_ask_one(mcpi_request *request, mcpi_message *message,
                          mcpi_str key, const mcp_json *value, mcp_error *err) {
  mcp_client *client = request->client;
  mcpi_asked asked = {.message = message,
                      .name = mcpi_json_member_str(value, "method"),
                      .params = mcp_json_get(value, "params"),
                      .ops = &question_ops,
                      .request = request,
                      .key = key};
  if (asked.params != NULL && mcp_json_type(asked.params) != MCP_JSON_OBJECT) {
    return mcp_error_set(err, MCP_ERR_UNANSWERED,
                         "a question's params are not an object");
  }
  if (mcpi_question_check(client, &asked, err) != 0) {
    err->code = MCP_ERR_UNANSWERED;
    return MCP_ERR_UNANSWERED;
  }
  if (mcpi_question_has_ready_roots(client, asked.row)) {
    answer_roots(request, key);
    if (request->bufs.answers.error != 0) {
      return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    }
    return 0;
  }
  mcp_question *question;
  int rc = mcpi_question_new(&question, client, &asked, err);
  if (rc == 0) {
    request->inputs.unanswered++;
    mcpi_question_hand_out(question);
    return 0;
  }
  err->code =
      rc == MCP_ERR_NOMEM || rc == MCP_ERR_LIMIT ? rc : MCP_ERR_UNANSWERED;
  return err->code;
}

/* A handler may end the request, and free the client: its memory stays while
 * this event lasts. */
static void inputs_ask_all(mcpi_request *request, mcpi_message *message,
                           const mcp_json *questions,
                           int (*take)(mcpi_request *request, mcpi_str key)) {
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *value;
  request->state = MCPI_REQUEST_ASKING;
  request->inputs.unanswered = 1;
  mcp_json_iter_init(&iter, questions);
  while ((value = mcp_json_iter_next(&iter, &key)) != NULL) {
    mcp_error err = {0};
    if (take != NULL && !take(request, mcpi_json_str(key))) {
      continue;
    }
    int rc = inputs_ask_one(request, message, mcpi_json_str(key), value, &err);
    if (request->state != MCPI_REQUEST_ASKING) {
      return;
    }
    if (rc != 0) {
      mcpi_request_fail(request, &err);
      return;
    }
  }
  inputs_count(request);
}

/* --- from outside --------------------------------------------------------- */

void mcpi_inputs_ask(mcpi_request *request, mcpi_message *message,
                     const mcp_json *questions,
                     int (*take)(mcpi_request *request, mcpi_str key),
                     void (*on_answered)(mcpi_request *request)) {
  mcp_error err;
  if (mcp_json_size(questions) > MCPI_CLIENT_MAX_QUESTIONS) {
    mcp_error_set(&err, MCP_ERR_LIMIT, "%zu questions at once, of %d",
                  mcp_json_size(questions), MCPI_CLIENT_MAX_QUESTIONS);
    mcpi_request_fail(request, &err);
    return;
  }
  mcpi_message_ref(message);
  request->inputs.asked = message;
  request->inputs.on_answered = on_answered;
  mcpi_buf_clear(&request->bufs.answers);
  inputs_ask_all(request, message, questions, take);
}

void mcpi_inputs_put(const mcpi_request *request, mcpi_buf *buf) {
  const mcpi_buf *answers = &request->bufs.answers;
  if (answers->error != 0) {
    buf->error = answers->error;
  } else if (answers->len > 0) {
    mcpi_params_name(buf, "inputResponses");
    mcpi_buf_putc(buf, '{');
    mcpi_buf_put(buf, answers->data, answers->len);
    mcpi_buf_putc(buf, '}');
  }
}

void mcpi_inputs_end(mcpi_request *request) {
  if (request->inputs.unanswered > 0) {
    mcpi_question_forget_request(request);
    request->inputs.unanswered = 0;
  }
  mcpi_message_unref(request->inputs.asked);
  request->inputs.asked = NULL;
}
