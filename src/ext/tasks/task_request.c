/* SPDX-License-Identifier: MIT */
#include "ext/tasks/task_request.h"

#include "json/inline.h"

static void reply_no_memory(mcp_call *call) {
  if (!mcpi_call_has_reply(call)) {
    mcp_call_reply_error(call, MCP_RPC_INTERNAL_ERROR, "out of memory", NULL);
  }
}

void mcpi_task_reply(mcp_call *call, mcpi_buf *result) {
  mcpi_buf_putc(result, '\0');
  if (result->error != 0 || mcp_call_reply_json(call, result->data) != 0) {
    reply_no_memory(call);
  }
}

void mcpi_task_reply_error(mcp_call *call, int code, const char *message,
                           mcpi_buf *data) {
  int has_data = data->len > 0;
  mcpi_buf_putc(data, '\0');
  if (data->error != 0 ||
      mcp_call_reply_error(call, code, message, has_data ? data->data : NULL) !=
          0) {
    reply_no_memory(call);
  }
}

static void request_reply(mcpi_task_request *request,
                          const mcpi_task_data *data) {
  mcpi_buf result;
  mcpi_buf_init(&result, &request->work.shard->server->allocator, SIZE_MAX);
  mcpi_buf_putc(&result, '{');
  if (request->put_result != NULL) {
    request->put_result(request, data, &result);
  }
  mcpi_buf_putc(&result, '}');
  mcpi_task_reply(request->call, &result);
  mcpi_buf_deinit(&result);
}

/* The id of another principal's task gets the same answer as an id that does
 * not exist. */
static void request_refuse(const mcpi_task_request *request, int status) {
  mcp_error why;
  int code = MCP_RPC_INTERNAL_ERROR;
  if (status == MCP_ERR_NOT_FOUND || status == MCP_ERR_INVALID) {
    code = MCP_RPC_INVALID_PARAMS;
    mcp_error_set(&why, status,
                  status == MCP_ERR_INVALID ? "the task \"%s\" has ended"
                                            : "unknown task \"%s\"",
                  request->work.id);
  } else {
    mcp_error_set(&why, status, "the task could not be read or changed: %s",
                  mcp_error_text(status));
  }
  mcp_call_reply_error(request->call, code, why.message, NULL);
}

static void request_done(mcpi_task_work *work, int status,
                         const mcpi_task_data *data) {
  mcpi_task_request *request = mcpi_task_request_of(work);
  const mcp_allocator *allocator = &work->shard->server->allocator;
  mcp_call *call = request->call;
  if (status == 0) {
    request_reply(request, data);
  } else {
    request_refuse(request, status);
  }
  if (status == 0 && request->after != NULL) {
    request->after(request, data);
  }
  mcp_doc_free(request->given);
  mcpi_free(allocator, request, sizeof(*request));
  mcpi_call_unhold(call);
}

const char *mcpi_task_request_id(const mcp_call *call) {
  const char *id = mcp_json_string(mcpi_json_get(call->params, "taskId"));
  return id != NULL && strlen(id) < MCPI_TASK_ID_SIZE ? id : "";
}

/* The call stays until the work is done, also if its client leaves: its message
 * holds the id. */
int mcpi_task_request_start(
    mcpi_tasks *tasks, mcp_call *call,
    int (*change)(mcpi_task_work *work, mcpi_task_data *data),
    void (*put_result)(mcpi_task_request *request, const mcpi_task_data *data,
                       mcpi_buf *out),
    void (*after)(mcpi_task_request *request, const mcpi_task_data *data)) {
  mcpi_shard *shard = call->shard;
  mcpi_task_request *request =
      mcpi_calloc(&shard->server->allocator, 1, sizeof(*request));
  if (request == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcp_call_defer(call);
  if (rc != 0) {
    mcpi_free(&shard->server->allocator, request, sizeof(*request));
    return rc;
  }
  mcpi_call_hold(call);
  request->call = call;
  request->put_result = put_result;
  request->after = after;
  request->work = (mcpi_task_work){.tasks = tasks,
                                   .shard = shard,
                                   .id = mcpi_task_request_id(call),
                                   .principal = call->principal,
                                   .change = change,
                                   .done = request_done};
  mcpi_task_work_start(&request->work);
  return 0;
}
