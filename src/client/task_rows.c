/* SPDX-License-Identifier: MIT */
#include "client/task_rows.h"

#include "base/error.h"

#define NAME(name)                                                             \
  { name, sizeof(name) - 1 }
#define END                                                                    \
  { {NULL, 0}, MCP_JSON_NONE, 0 }

static const mcpi_member task_members[] = {{NAME("taskId"), MCPI_C_STRING, 1},
                                           {NAME("status"), MCPI_C_STRING, 1},
                                           END};
static const mcpi_member list_members[] = {
    {NAME("tasks"), MCP_JSON_ARRAY, 1},
    {NAME("nextCursor"), MCP_JSON_STRING, 0},
    END};

#define ROW(method)                                                            \
  .name = (method), .id = MCPI_M_COUNT,                                        \
  .flags = MCPI_TO_SERVER | MCPI_IS_REQUEST
#define CORE .revisions = {MCPI_REVISION_2025_11_25, MCPI_REVISION_2025_11_25}
#define EXTENSION                                                              \
  .revisions = {MCPI_REVISION_OLDEST_MODERN, MCPI_REVISION_NEWEST}

static const mcpi_method core_rows[MCPI_TASK_VERB_COUNT] = {
    [MCPI_TASK_GET] = {ROW("tasks/get"), CORE, .is_idempotent = 1,
                       .result = task_members},
    [MCPI_TASK_RESULT] = {ROW("tasks/result"), CORE, .is_idempotent = 1},
    [MCPI_TASK_CANCEL] = {ROW("tasks/cancel"), CORE,
                          .capability = "tasks.cancel", .result = task_members},
    [MCPI_TASK_LIST] = {ROW("tasks/list"), CORE, .capability = "tasks.list",
                        .items = "tasks", .result = list_members}};

static const mcpi_method extension_rows[MCPI_TASK_VERB_COUNT] = {
    [MCPI_TASK_GET] = {ROW("tasks/get"), EXTENSION, .is_idempotent = 1,
                       .result = task_members},
    [MCPI_TASK_UPDATE] = {ROW("tasks/update"), EXTENSION},
    [MCPI_TASK_CANCEL] = {ROW("tasks/cancel"), EXTENSION, .is_idempotent = 1}};

int mcpi_task_check_use(const mcp_client *client, mcp_error *err) {
  if (client == NULL) {
    return mcpi_error_null(err, "client");
  }
  if (!client->options.use_tasks) {
    return mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                         "the client does not use tasks: set use_tasks of "
                         "mcp_client_options");
  }
  return 0;
}

const mcpi_method *mcpi_task_row(const mcp_client *client,
                                 mcpi_task_verb verb) {
  const mcpi_method *core = &core_rows[verb];
  const mcpi_method *extension = &extension_rows[verb];
  if (mcpi_client_is_modern(client)) {
    return extension->name != NULL ? extension : core;
  }
  return core->name != NULL ? core : extension;
}

int mcpi_task_row_is(const mcpi_method *row, mcpi_task_verb verb) {
  return row == &core_rows[verb] || row == &extension_rows[verb];
}
