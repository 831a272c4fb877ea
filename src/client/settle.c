/* SPDX-License-Identifier: MIT */
#include "client/settle.h"

#include "client/cached.h"
#include "client/elicit.h"
#include "client/input_requests.h"
#include "client/report.h"
#include "client/result.h"
#include "client/rounds.h"
#include "client/task_rows.h"

/* --- what every result must have ------------------------------------------ */

/* A result type of an extension that the program knows. A task that answers
 * mcp_client_request is the program's affair. */
static int is_known_type(const mcpi_request *request, mcpi_str name) {
  const mcp_client *client = request->client;
  const mcpi_buf *all = &client->result_types;
  if (client->options.use_tasks && request->is_raw &&
      mcpi_str_eq(name, MCPI_STR("task"))) {
    return 1;
  }
  for (size_t at = 0; at < all->len;) {
    mcpi_str known = mcpi_str_z(all->data + at);
    if (mcpi_str_eq(name, known)) {
      return 1;
    }
    at += known.len + 1;
  }
  return 0;
}

/* Sets is_foreign when the form of the result is an extension's. */
static int settle_check_type(const mcpi_request *request,
                             const mcp_json *result, int *asks, int *is_foreign,
                             mcp_error *err) {
  const mcp_json *type = mcp_json_get(result, "resultType");
  mcpi_str name = mcpi_json_str(type);
  *asks = 0;
  *is_foreign = 0;
  if (!mcpi_client_is_modern(request->client) || type == NULL ||
      mcpi_str_eq(name, MCPI_STR("complete"))) {
    return 0;
  }
  if (is_known_type(request, name)) {
    *is_foreign = 1;
    return 0;
  }
  if (!mcpi_str_eq(name, MCPI_STR("input_required"))) {
    return mcp_error_set(
        err, MCP_ERR_PROTOCOL, "a result of unknown resultType \"%.*s\"",
        (int)(name.len < 80 ? name.len : 80), name.ptr != NULL ? name.ptr : "");
  }
  if (request->row == NULL || !request->row->may_ask) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL,
                         "input_required in answer to %.*s",
                         (int)request->method.len, request->method.ptr);
  }
  *asks = 1;
  return 0;
}

int mcpi_request_check(const mcpi_request *request, const mcp_json *result,
                       int *asks, mcp_error *err) {
  if (mcp_json_type(result) != MCP_JSON_OBJECT) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL, "the result is not an object");
  }
  int is_foreign;
  int rc = settle_check_type(request, result, asks, &is_foreign, err);
  if (rc != 0 || *asks || is_foreign || request->row == NULL) {
    return rc;
  }
  if (mcpi_members_check(request->row->result, "result", result, err) != 0) {
    err->code = MCP_ERR_PROTOCOL;
    return MCP_ERR_PROTOCOL;
  }
  return 0;
}

/* --- a result ------------------------------------------------------------- */

/* The result of an extension has another form, and a tool that failed need not
 * keep to its schema. */
static int must_conform(const mcpi_request *request, const mcp_json *result) {
  const mcp_json *type = mcp_json_get(result, "resultType");
  const mcpi_outputs *outputs = &request->client->outputs;
  if (outputs->by_name.count == 0 || request->is_raw ||
      request->is_schemaless || request->row == NULL ||
      request->row->id != MCPI_M_TOOLS_CALL) {
    return 0;
  }
  if (mcpi_client_is_modern(request->client) && type != NULL &&
      !mcpi_str_eq(mcpi_json_str(type), MCPI_STR("complete"))) {
    return 0;
  }
  return !mcp_json_bool(mcp_json_get(result, "isError"));
}

static int is_about_task(const mcpi_method *row) {
  return mcpi_task_row_is(row, MCPI_TASK_GET) ||
         mcpi_task_row_is(row, MCPI_TASK_CANCEL);
}

/* A result that breaks its tool's schema ends like a refusal: the error's data
 * say what is wrong. */
void mcpi_request_take_result(mcpi_request *request, mcpi_message *message,
                              const mcp_json *json) {
  mcp_client *client = request->client;
  const mcpi_result_page page = {message, json};
  mcpi_message *errors = NULL;
  mcp_error err;
  int is_checked = 0;
  if (must_conform(request, json)) {
    is_checked =
        mcpi_outputs_check(&client->outputs, mcpi_request_name(request), json,
                           &client->loop->pool, &errors, &err);
  }
  if (is_checked < 0) {
    request->refusal = errors;
    request->error_data = errors != NULL ? errors->root : NULL;
    mcpi_request_fail(request, &err);
    return;
  }
  mcp_result *result =
      mcpi_result_new(&client->loop->pool, &page, 1, request->row);
  if (result != NULL) {
    mcpi_result_set_checked(result, is_checked);
  }
  if (result != NULL && is_about_task(request->row)) {
    mcpi_result_set_task(result);
  }
  if (result != NULL && request->cached.is_allowed) {
    mcpi_cached_note(request, json);
    mcpi_cached_keep(request, result);
  }
  mcpi_request_succeed(request, result);
}

static void accept_result(mcpi_request *request, mcpi_message *message,
                          const mcp_json *json) {
  mcp_error err;
  int asks = 0;
  if (mcpi_request_check(request, json, &asks, &err) != 0) {
    mcpi_request_fail(request, &err);
  } else if (asks) {
    mcpi_rounds_ask(request, message, json);
  } else {
    mcpi_request_take_result(request, message, json);
  }
}

/* --- a failure ------------------------------------------------------------ */

void mcpi_request_fail_remote(mcpi_request *request, mcpi_message *message,
                              const mcpi_envelope *reply) {
  const mcp_json *data = mcp_json_get(reply->error, "data");
  mcp_client *client = request->client;
  mcp_error err;
  mcpi_read_remote_error(reply->error, &err);
  int asks_to_visit = err.status == MCP_RPC_URL_ELICITATION_REQUIRED;
  if (asks_to_visit && !mcpi_elicit_may_show_all(client, data)) {
    mcpi_request_fail(request, &err);
    mcp_error_set(&err, MCP_ERR_PROTOCOL,
                  "the server asks the user to visit what is not an http:// or "
                  "https:// URL: the error's data are withheld");
    mcpi_client_report(client, &err);
    return;
  }
  if (asks_to_visit) {
    mcpi_elicit_remember_all(client, data);
  }
  mcpi_message_ref(message);
  request->refusal = message;
  request->error_data = data;
  mcpi_request_fail(request, &err);
}

void mcpi_request_settle(mcpi_request *request, int status,
                         mcpi_message *message, const mcpi_envelope *reply,
                         const mcp_error *err) {
  if (status == 0) {
    accept_result(request, message, reply->result);
  } else if (status == MCP_ERR_REMOTE) {
    mcpi_request_fail_remote(request, message, reply);
  } else {
    mcpi_request_fail(request, err);
  }
}

const mcpi_request_kind mcpi_request_plain = {.on_reply = mcpi_request_settle,
                                              .on_end = mcpi_inputs_end};
