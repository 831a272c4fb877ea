/* SPDX-License-Identifier: MIT */
#include "client/task_view.h"

#include "client/result.h"
#include <mcp/tasks.h>

enum { MIN_POLL_MS = 50 };

/* In 2025-11-25, a call's answer has its task one level down. */
static const mcp_json *task_of(const mcp_json *result) {
  const mcp_json *nested = mcp_json_get(result, "task");
  return mcp_json_get(result, "taskId") == NULL &&
                 mcp_json_type(nested) == MCP_JSON_OBJECT
             ? nested
             : result;
}

int mcpi_task_is_made(const mcp_client *client, const mcp_json *result) {
  if (mcpi_client_is_modern(client)) {
    return mcpi_str_eq(mcpi_json_member_str(result, "resultType"),
                       MCPI_STR("task"));
  }
  return mcp_json_type(mcp_json_get(result, "task")) == MCP_JSON_OBJECT &&
         mcp_json_get(result, "content") == NULL;
}

int mcpi_task_view_read(mcpi_task_view *view, const mcp_json *result,
                        mcp_error *err) {
  const mcp_json *task = task_of(result);
  const char *id = mcp_json_string(mcp_json_get(task, "taskId"));
  mcpi_str status = mcpi_json_member_str(task, "status");
  *view = (mcpi_task_view){
      .id = mcpi_str_z(id),
      .status = mcpi_task_status_find(status),
      .message = mcp_json_string(mcp_json_get(task, "statusMessage")),
      .poll_ms = mcpi_task_poll_ms(task, MIN_POLL_MS)};
  if (id == NULL || id[0] == '\0' || status.ptr == NULL) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL,
                         "the server sent a task without %s",
                         status.ptr == NULL ? "status" : "taskId");
  }
  return 0;
}

/* --- for the program ------------------------------------------------------ */

static const char *result_member(const mcp_result *result, const char *name) {
  const mcp_json *task = task_of(mcp_result_json(result));
  return mcpi_result_is_task(result) ? mcp_json_string(mcp_json_get(task, name))
                                     : NULL;
}

const char *mcp_result_task_id(const mcp_result *result) {
  return result_member(result, "taskId");
}

const char *mcp_result_task_status(const mcp_result *result) {
  return result_member(result, "status");
}
