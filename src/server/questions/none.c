/* SPDX-License-Identifier: MIT */
/* This libmcp was built without questions to clients: a call has none, and the
 * functions that would ask one fail. */
#include "server/ask.h"

#include <mcp/error.h>

/* --- functions of handlers ---------------------------------------------- */

static int fail_left_out(mcp_call *call) {
  if (call == NULL) {
    return MCP_ERR_INVALID;
  }
  return mcpi_call_fail(call, MCP_ERR_PLATFORM, MCP_RPC_INTERNAL_ERROR,
                        "this libmcp was built without questions to clients "
                        "(MCP_QUESTIONS)");
}

int mcp_call_ask_elicit(mcp_call *call, const char *key,
                        const mcp_elicitation *question,
                        const mcp_json **answer) {
  (void)key;
  (void)question;
  (void)answer;
  return fail_left_out(call);
}

int mcp_call_ask_url(mcp_call *call, const char *key, const char *message,
                     const char *url, const char *elicitation_id,
                     const mcp_json **answer) {
  (void)key;
  (void)message;
  (void)url;
  (void)elicitation_id;
  (void)answer;
  return fail_left_out(call);
}

int mcp_call_ask_roots(mcp_call *call, const char *key,
                       const mcp_json **answer) {
  (void)key;
  (void)answer;
  return fail_left_out(call);
}

int mcp_call_ask_sample(mcp_call *call, const char *key,
                        const mcp_sampling *question, const mcp_json **answer) {
  (void)key;
  (void)question;
  (void)answer;
  return fail_left_out(call);
}

int mcp_call_set_state(mcp_call *call, const char *json) {
  (void)json;
  return fail_left_out(call);
}

const mcp_json *mcp_call_state(const mcp_call *call) {
  (void)call;
  return NULL;
}

/* --- the place of questions in a call ------------------------------------ */

/* A client that answers what was not asked is not heard. */
int mcpi_ask_load(mcp_call *call) {
  (void)call;
  return 0;
}

void mcpi_ask_send(mcp_call *call) {
  (void)call;
}

void mcpi_ask_cancel(mcp_call *call) {
  (void)call;
}

void mcpi_ask_free(mcp_call *call) {
  (void)call;
}

/* --- what ext/tasks calls for a call with questions ----------------------- */

int mcpi_ask_request(mcpi_question *question, mcpi_str params) {
  (void)question;
  (void)params;
  return MCP_ERR_PLATFORM;
}

int mcpi_ask_add(mcp_call *call, mcpi_str key, mcpi_str method,
                 mcpi_str params) {
  (void)call;
  (void)key;
  (void)method;
  (void)params;
  return MCP_ERR_INVALID;
}

int mcpi_ask_send_added(mcp_call *call,
                        void (*on_round)(mcp_call *call, int status)) {
  (void)call;
  (void)on_round;
  return MCP_ERR_PLATFORM;
}

int mcpi_ask_restore(mcp_call *call, mcpi_message *kept) {
  (void)call;
  (void)kept;
  return MCP_ERR_PLATFORM;
}

void mcpi_ask_put_state(const mcpi_ask *ask, int64_t expiry_ms, mcpi_buf *out) {
  (void)ask;
  (void)expiry_ms;
  (void)out;
}

void mcpi_ask_put_requests(const mcpi_ask *ask, mcpi_buf *out) {
  (void)ask;
  (void)out;
}

void mcpi_ask_forget_run(mcpi_ask *ask) {
  (void)ask;
}
