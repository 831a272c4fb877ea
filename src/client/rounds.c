/* SPDX-License-Identifier: MIT */
/* Rounds of questions.
 *
 * While questions are handed out, `unanswered` is one too high, so that a
 * program which answers at once does not send the round before all have been
 * asked. */
#include "client/rounds.h"

#include "client/dispatch.h"
#include "client/params.h"
#include "client/question.h"

enum {
  /* Before a round without questions: the server only wants us to come back,
   * and would be asked in a tight loop else. */
  PAUSE_MS = 250
};

void mcpi_rounds_put_key(mcpi_request *request, mcpi_str key) {
  mcpi_buf *answers = &request->bufs.answers;
  if (answers->len > 0) {
    mcpi_buf_putc(answers, ',');
  }
  mcpi_json_put_string(answers, key);
  mcpi_buf_putc(answers, ':');
}

/* The state goes back byte by byte, and only when there was one. */
static void send_round(mcpi_request *request) {
  mcpi_buf *extra = &request->bufs.extra;
  const mcpi_buf *answers = &request->bufs.answers;
  mcpi_buf_clear(extra);
  if (answers->len > 0) {
    mcpi_params_name(extra, "inputResponses");
    mcpi_buf_putc(extra, '{');
    mcpi_buf_put(extra, answers->data, answers->len);
    mcpi_buf_putc(extra, '}');
  }
  if (request->state.ptr != NULL) {
    mcpi_params_name(extra, "requestState");
    mcpi_json_put_string(extra, request->state);
  }
  mcpi_message_unref(request->asked);
  request->asked = NULL;
  if (answers->error != 0 || extra->error != 0) {
    mcpi_request_fail_with(request, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  mcpi_request_resend(request);
}

static void pause(mcpi_request *request) {
  request->phase = MCPI_REQUEST_PAUSED;
  request->on_due = send_round;
  int rc =
      mcpi_loop_start_timer(request->client->loop, &request->timer, PAUSE_MS);
  if (rc != 0) {
    mcpi_request_fail_with(request, rc, mcp_error_text(rc));
  }
}

static void count_answer(mcpi_request *request) {
  if (--request->unanswered == 0) {
    send_round(request);
  }
}

void mcpi_rounds_answer(mcpi_request *request, mcpi_str key, mcpi_str answer) {
  mcpi_rounds_put_key(request, key);
  mcpi_buf_puts(&request->bufs.answers, answer);
  count_answer(request);
}

/* A handler may end the request, and free the client: its memory stays while
 * this event lasts. */
static void ask_all(mcpi_request *request, mcpi_message *message,
                    const mcp_json *questions) {
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *value;
  request->phase = MCPI_REQUEST_ASKING;
  request->unanswered = 1;
  mcp_json_iter_init(&iter, questions);
  while ((value = mcp_json_iter_next(&iter, &key)) != NULL) {
    mcp_error err;
    int rc =
        mcpi_question_ask(request, message, mcpi_json_str(key), value, &err);
    if (request->phase != MCPI_REQUEST_ASKING) {
      return;
    }
    if (rc != 0) {
      mcpi_request_fail(request, &err);
      return;
    }
  }
  count_answer(request);
}

static int check(const mcpi_request *request, const mcp_json *questions,
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
  if (request->round_count >= max_rounds) {
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
  if (check(request, questions, state, &err) != 0) {
    mcpi_request_fail(request, &err);
    return;
  }
  request->round_count++;
  mcpi_message_ref(message);
  request->asked = message;
  request->state = mcpi_json_str(state);
  mcpi_buf_clear(&request->bufs.answers);
  if (mcp_json_size(questions) == 0) {
    pause(request);
  } else {
    ask_all(request, message, questions);
  }
}
