/* SPDX-License-Identifier: MIT */
/* Reads the body of a POST, which is one message or a batch, and refuses one
 * that is not valid. */
#include "endpoint/body.h"

#include "endpoint/answer.h"
#include "endpoint/endpoint.h"
#include "endpoint/trace.h"

/* --- refusing ----------------------------------------------------------- */

/* The id in a response is that of a request of ours, so it is not echoed. */
void mcpi_endpoint_body_refuse(const mcpi_endpoint_body *body, int status,
                               int rpc_code, const char *text) {
  mcpi_buf id;
  mcpi_buf_init(&id, &body->exchange->http->server->allocator, SIZE_MAX);
  if (!body->is_batch && body->envelope.kind != MCPI_RESULT &&
      body->envelope.kind != MCPI_ERROR &&
      body->envelope.id.kind != MCPI_ID_NONE) {
    mcpi_id_put(&id, body->envelope.id);
  }
  mcpi_endpoint_refuse(body->exchange, status, rpc_code,
                       mcpi_str_n(id.data, id.error == 0 ? id.len : 0), "%s",
                       text);
  mcpi_buf_deinit(&id);
}

/* --- reading ------------------------------------------------------------ */

static int body_admit_envelope(mcpi_endpoint_body *body, const mcp_json *value,
                               mcpi_envelope *out) {
  const mcp_loop *loop = body->exchange->http->shard->loop;
  if (mcpi_envelope_read(out, value, &loop->allocator, loop->hash_seed) != 0) {
    mcpi_endpoint_body_refuse(body, 500, MCP_RPC_INTERNAL_ERROR,
                              "out of memory");
    return 0;
  }
  if (out->kind == MCPI_INVALID) {
    mcpi_endpoint_body_refuse(body, 400, MCP_RPC_INVALID_REQUEST, out->reason);
    return 0;
  }
  body->request_count += out->kind == MCPI_REQUEST;
  return 1;
}

/* Refuses the whole batch if one of its elements is not a message of its
 * era. */
static int admit_batch(mcpi_endpoint_body *body) {
  mcp_json_iter iter;
  const mcp_json *value;
  mcpi_envelope element;
  size_t size = mcp_json_size(body->message->root);
  uint32_t max = body->exchange->http->server->limits.max_batch;
  body->is_batch = 1;
  if (size == 0) {
    mcpi_endpoint_body_refuse(body, 400, MCP_RPC_INVALID_REQUEST,
                              "an empty batch");
    return 0;
  }
  if (size > max) {
    mcpi_endpoint_refuse(body->exchange, 400, MCP_RPC_INVALID_REQUEST,
                         mcpi_str_z(NULL), "a batch of more than %lu messages",
                         (unsigned long)max);
    return 0;
  }
  mcp_json_iter_init(&iter, body->message->root);
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!body_admit_envelope(body, value, &element)) {
      return 0;
    }
    if (mcpi_endpoint_body_claim(&element) != NULL ||
        mcpi_str_eq(element.method, MCPI_STR("initialize"))) {
      mcpi_endpoint_body_refuse(body, 400, MCP_RPC_INVALID_REQUEST,
                                "a message that may not be in a batch");
      return 0;
    }
  }
  return 1;
}

int mcpi_endpoint_body_parse(const mcp_http_exchange *exchange,
                             const char *text, size_t len, mcpi_message **out,
                             mcp_error *err) {
  const mcp_http *http = exchange->http;
  const mcp_limits *given = &http->server->limits;
  const mcpi_message_limits limits = {given->max_message, given->max_depth,
                                      given->max_values};
  if (len == 0) {
    mcp_error_set(err, MCP_ERR_PROTOCOL, "the body is empty");
    return 400;
  }
  if (len > given->max_message) {
    mcp_error_set(err, MCP_ERR_LIMIT, "the message is longer than %zu bytes",
                  given->max_message);
    return 413;
  }
  int rc = mcpi_message_parse(out, &http->shard->loop->pool, text, len, &limits,
                              err);
  return rc == 0 ? 0 : rc == MCP_ERR_NOMEM ? 500 : 400;
}

int mcpi_endpoint_body_parse_code(int status) {
  return status == 500 ? MCP_RPC_INTERNAL_ERROR : MCP_RPC_PARSE_ERROR;
}

int mcpi_endpoint_body_admit(mcpi_endpoint_body *body, const char *text,
                             size_t len) {
  mcp_error err;
  if (!mcpi_endpoint_trace(body->exchange, 0, mcpi_str_n(text, len))) {
    return 0;
  }
  int status =
      mcpi_endpoint_body_parse(body->exchange, text, len, &body->message, &err);
  if (status != 0) {
    mcpi_endpoint_body_refuse(
        body, status, mcpi_endpoint_body_parse_code(status), err.message);
    return 0;
  }
  return mcp_json_type(body->message->root) == MCP_JSON_ARRAY
             ? admit_batch(body)
             : body_admit_envelope(body, body->message->root, &body->envelope);
}

/* --- calls -------------------------------------------------------------- */

/* Over HTTP a client may have as many connections as it likes, and abandon
 * calls that their handlers still use. If a batch is too long, the rest of its
 * elements are refused one by one. Dispatch checks the same limit for each
 * call; here it gives the status 503. */
int mcpi_endpoint_body_admit_calls(const mcpi_endpoint_body *body,
                                   const mcpi_caller *caller) {
  mcp_error err;
  int limit =
      body->request_count == 0 ? 0 : mcpi_caller_check_calls(caller, 1, &err);
  if (limit != 0) {
    mcpi_endpoint_body_refuse(body, 503, MCP_RPC_INTERNAL_ERROR, err.message);
    mcpi_shard_refused(caller->shard, limit, caller->identity->peer,
                       err.message);
  }
  return limit == 0;
}
