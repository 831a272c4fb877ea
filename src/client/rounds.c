/* SPDX-License-Identifier: MIT */
/* While the client hands out questions, `unanswered` is one too high. Otherwise
 * a program that answers at once would send the round before all questions have
 * been asked. */
#include "client/rounds.h"

#include "client/cached.h"
#include "client/params.h"
#include "client/question.h"
#include "client/send.h"

enum {
  /* The pause before a round without questions: such a server only wants the
   * request again, and would get it in a tight loop. */
  PAUSE_MS = 250
};

static void rounds_put_key(mcpi_request *request, mcpi_str key) {
  mcpi_buf *answers = &request->bufs.answers;
  if (answers->len > 0) {
    mcpi_buf_putc(answers, ',');
  }
  mcpi_json_put_string(answers, key);
  mcpi_buf_putc(answers, ':');
}

/* The state is sent back as it came, and only when there was one. */
static void rounds_send(mcpi_request *request) {
  mcpi_buf *extra = &request->bufs.extra;
  const mcpi_buf *answers = &request->bufs.answers;
  mcpi_buf_clear(extra);
  if (answers->len > 0) {
    mcpi_params_name(extra, "inputResponses");
    mcpi_buf_putc(extra, '{');
    mcpi_buf_put(extra, answers->data, answers->len);
    mcpi_buf_putc(extra, '}');
  }
  if (request->rounds.state.ptr != NULL) {
    mcpi_params_name(extra, "requestState");
    mcpi_json_put_string(extra, request->rounds.state);
  }
  mcpi_message_unref(request->rounds.asked);
  request->rounds.asked = NULL;
  if (answers->error != 0 || extra->error != 0) {
    mcpi_request_fail_with(request, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  mcpi_request_resend(request);
}

static void rounds_pause(mcpi_request *request) {
  request->state = MCPI_REQUEST_PAUSED;
  request->on_due = rounds_send;
  int rc =
      mcpi_loop_start_timer(request->client->loop, &request->timer, PAUSE_MS);
  if (rc != 0) {
    mcpi_request_fail_with(request, rc, mcp_error_text(rc));
  }
}

static void rounds_count(mcpi_request *request) {
  if (--request->rounds.unanswered == 0) {
    rounds_send(request);
  }
}

/* --- the questions -------------------------------------------------------- */

static int rounds_on_answer(mcp_question *question, mcpi_str answer) {
  mcpi_request *request = question->request;
  rounds_put_key(request, question->key);
  mcpi_buf_puts(&request->bufs.answers, answer);
  rounds_count(request);
  return 0;
}

static int rounds_on_failure(mcp_question *question, int code,
                             const char *message) {
  (void)code;
  mcpi_request_fail_with(question->request, MCP_ERR_UNANSWERED, message);
  return 0;
}

static const mcpi_question_ops question_ops = {.answer = rounds_on_answer,
                                               .fail = rounds_on_failure};

static void answer_roots(mcpi_request *request, mcpi_str key) {
  const mcpi_buf *roots = &request->client->roots;
  mcpi_buf *answers = &request->bufs.answers;
  rounds_put_key(request, key);
  mcpi_buf_lit(answers, "{\"roots\":");
  mcpi_buf_put(answers, roots->data, roots->len);
  mcpi_buf_putc(answers, '}');
}

/* Asks one of the inputRequests of a result. Returns 0 if the question was
 * handed to the program or was answered at once. Otherwise returns
 * MCP_ERR_UNANSWERED (the program cannot answer it), MCP_ERR_LIMIT (too many
 * are open) or MCP_ERR_NOMEM, and err says why. */
static int rounds_ask_one(mcpi_request *request, mcpi_message *message,
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
    request->rounds.unanswered++;
    mcpi_question_hand_out(question);
    return 0;
  }
  err->code =
      rc == MCP_ERR_NOMEM || rc == MCP_ERR_LIMIT ? rc : MCP_ERR_UNANSWERED;
  return err->code;
}

/* A handler may end the request, and free the client: its memory stays while
 * this event lasts. */
static void rounds_ask_all(mcpi_request *request, mcpi_message *message,
                           const mcp_json *questions) {
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *value;
  request->state = MCPI_REQUEST_ASKING;
  request->rounds.unanswered = 1;
  mcp_json_iter_init(&iter, questions);
  while ((value = mcp_json_iter_next(&iter, &key)) != NULL) {
    mcp_error err = {0};
    int rc = rounds_ask_one(request, message, mcpi_json_str(key), value, &err);
    if (request->state != MCPI_REQUEST_ASKING) {
      return;
    }
    if (rc != 0) {
      mcpi_request_fail(request, &err);
      return;
    }
  }
  rounds_count(request);
}

static int rounds_check(const mcpi_request *request, const mcp_json *questions,
                        const mcp_json *state, mcp_error *err) {
  int type = mcp_json_type(questions);
  int state_type = mcp_json_type(state);
  if ((type != MCP_JSON_OBJECT && type != MCP_JSON_NONE) ||
      (state_type != MCP_JSON_STRING && state_type != MCP_JSON_NONE) ||
      (type == MCP_JSON_NONE && state_type == MCP_JSON_NONE)) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL,
                         "input_required without proper questions or state");
  }
  if (mcp_json_size(questions) > MCPI_CLIENT_MAX_QUESTIONS) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "%zu questions at once, of %d",
                         mcp_json_size(questions), MCPI_CLIENT_MAX_QUESTIONS);
  }
  uint32_t max_rounds = request->client->options.max_rounds;
  if (request->rounds.count >= max_rounds) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "more than %lu rounds of questions",
                         (unsigned long)max_rounds);
  }
  return 0;
}

void mcpi_rounds_ask(mcpi_request *request, mcpi_message *message,
                     const mcp_json *result) {
  const mcp_json *questions = mcp_json_get(result, "inputRequests");
  const mcp_json *state = mcp_json_get(result, "requestState");
  mcp_error err;
  if (rounds_check(request, questions, state, &err) != 0) {
    mcpi_request_fail(request, &err);
    return;
  }
  mcpi_cached_forbid(request); /* the answer depends on the program's answers */
  request->rounds.count++;
  mcpi_message_ref(message);
  request->rounds.asked = message;
  request->rounds.state = mcpi_json_str(state);
  mcpi_buf_clear(&request->bufs.answers);
  if (mcp_json_size(questions) == 0) {
    rounds_pause(request);
  } else {
    rounds_ask_all(request, message, questions);
  }
}

void mcpi_rounds_end(mcpi_request *request) {
  if (request->rounds.unanswered > 0) {
    mcpi_question_forget_request(request);
    request->rounds.unanswered = 0;
  }
  mcpi_message_unref(request->rounds.asked);
  request->rounds.asked = NULL;
}
