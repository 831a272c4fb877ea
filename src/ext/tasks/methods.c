/* SPDX-License-Identifier: MIT */
/* The methods of the extension io.modelcontextprotocol/tasks (MCP 2026-07-28):
 * tasks/get, tasks/update, tasks/cancel. */
#include "ext/tasks/methods.h"

#include "ext/tasks/answers.h"
#include "ext/tasks/changes.h"
#include "ext/tasks/running.h"
#include "ext/tasks/task_request.h"
#include "server/members.h"
#include "json/inline.h"

/* --- tasks/get ------------------------------------------------------- */

void mcpi_task_put_current(const mcpi_task_work *work,
                           const mcpi_task_data *data,
                           void (*put)(mcpi_buf *out, const char *id,
                                       const mcpi_task_data *data),
                           mcpi_buf *out) {
  mcpi_task_data shown = *data;
  mcpi_buf message;
  mcpi_buf_init(&message, out->allocator, SIZE_MAX);
  int64_t told_ms =
      mcpi_task_has_ended(data)
          ? 0
          : mcpi_running_task_message(work->tasks, work->id, &message);
  if (told_ms != 0) {
    shown.message = mcpi_buf_str(&message);
    shown.updated_ms = told_ms;
  }
  put(out, work->id, &shown);
  mcpi_buf_deinit(&message);
}

static void put_detailed(mcpi_task_request *request, const mcpi_task_data *data,
                         mcpi_buf *out) {
  mcpi_task_put_current(&request->work, data, mcpi_task_put_details, out);
}

static int on_get(mcp_call *call, void *userdata) {
  return mcpi_task_request_start(userdata, call, NULL, put_detailed, NULL);
}

/* --- tasks/cancel ---------------------------------------------------- */

/* A task that has ended stays as it is, and the client need not know. */
static int change_to_cancelled(mcpi_task_work *work, mcpi_task_data *data) {
  if (mcpi_task_has_ended(data)) {
    return 0;
  }
  mcpi_task_data_end(data, MCPI_TASK_CANCELLED,
                     mcpi_loop_wall(work->shard->loop));
  return 1;
}

static void after_cancel(mcpi_task_request *request,
                         const mcpi_task_data *data) {
  const mcpi_task_work *work = &request->work;
  if (data->status == MCPI_TASK_CANCELLED) {
    mcpi_running_task_cancel(work->tasks, work->id);
    mcpi_task_changed(work->tasks, work->shard, NULL, work->id, work->owner,
                      data);
  }
}

static int on_cancel(mcp_call *call, void *userdata) {
  return mcpi_task_request_start(userdata, call, change_to_cancelled, NULL,
                                 after_cancel);
}

/* --- tasks/update ---------------------------------------------------- */

static int change_by_answers(mcpi_task_work *work, mcpi_task_data *data) {
  mcpi_task_request *request = mcpi_task_request_of(work);
  const mcp_json *given =
      mcpi_json_get(request->call->params, "inputResponses");
  return mcpi_task_take_answers(work, data, given, NULL, &request->given);
}

/* Only the request whose change was stored has `given`, so the handler runs
 * once. */
static void after_update(mcpi_task_request *request,
                         const mcpi_task_data *data) {
  if (request->given != NULL) {
    mcpi_task_after_answers(&request->work, data, request->call->identity);
  }
}

static int on_update(mcp_call *call, void *userdata) {
  return mcpi_task_request_start(userdata, call, change_by_answers, NULL,
                                 after_update);
}

/* --- adding ---------------------------------------------------------- */

/* A record's id has at most 64 characters; a longer one is unknown. */
const mcp_schema mcpi_task_by_id = {
    .size = sizeof(mcp_schema),
    .text = "{\"type\":\"object\",\"properties\":{\"taskId\":{\"type\":"
            "\"string\"}},\"required\":[\"taskId\"]}"};

static const mcp_schema by_answers = {
    .size = sizeof(mcp_schema),
    .text = "{\"type\":\"object\",\"properties\":{\"taskId\":{\"type\":"
            "\"string\"},\"inputResponses\":{\"type\":\"object\","
            "\"additionalProperties\":{\"type\":\"object\"}}},\"required\":["
            "\"taskId\",\"inputResponses\"]}"};

int mcpi_tasks_add_methods(mcpi_tasks *tasks, mcp_error *err) {
  static const struct {
    const char *name;
    const mcp_schema *params;
    mcp_call_cb handler;
  } methods[] = {{"tasks/get", &mcpi_task_by_id, on_get},
                 {"tasks/update", &by_answers, on_update},
                 {"tasks/cancel", &mcpi_task_by_id, on_cancel}};
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof(methods) / sizeof(methods[0]); i++) {
    const mcp_method method = {.size = sizeof(method),
                               .name = methods[i].name,
                               .first_revision = MCP_REVISION_2026_07_28,
                               .extension = MCP_TASKS_EXTENSION,
                               .params = methods[i].params,
                               .handler = methods[i].handler,
                               .userdata = tasks,
                               .name_member = "taskId"};
    rc = mcp_server_add_method(tasks->server, &method, err);
  }
  return rc == 0
             ? mcp_server_add_listen_values(tasks->server, MCPI_TASK_IDS_FILTER,
                                            MCP_TASKS_EXTENSION, err)
             : rc;
}
