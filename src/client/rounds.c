/* SPDX-License-Identifier: MIT */
#include "client/rounds.h"

#include "client/cached.h"
#include "client/input_requests.h"
#include "client/params.h"
#include "client/send.h"

enum {
  /* The pause before a round without questions: such a server only wants the
   * request again, and would get it in a tight loop. */
  PAUSE_MS = 250
};

/* The state is sent back as it came, and only when there was one. */
static void rounds_send(mcpi_request *request) {
  mcpi_buf *extra = &request->bufs.extra;
  mcpi_buf_clear(extra);
  mcpi_inputs_put(request, extra);
  if (request->rounds.state.ptr != NULL) {
    mcpi_params_name(extra, "requestState");
    mcpi_json_put_string(extra, request->rounds.state);
  }
  mcpi_inputs_end(request);
  if (extra->error != 0) {
    mcpi_request_fail_with(request, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  mcpi_request_resend(request);
}

/* Keeps the message, which has the state. */
static void rounds_pause(mcpi_request *request, mcpi_message *message) {
  mcpi_message_ref(message);
  request->inputs.asked = message;
  mcpi_buf_clear(&request->bufs.answers);
  request->state = MCPI_REQUEST_PAUSED;
  request->on_due = rounds_send;
  int rc =
      mcpi_loop_start_timer(request->client->loop, &request->timer, PAUSE_MS);
  if (rc != 0) {
    mcpi_request_fail_with(request, rc, mcp_error_text(rc));
  }
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
  request->rounds.state = mcpi_json_str(state);
  if (mcp_json_size(questions) == 0) {
    rounds_pause(request, message);
  } else {
    mcpi_inputs_ask(request, message, questions, NULL, rounds_send);
  }
}
