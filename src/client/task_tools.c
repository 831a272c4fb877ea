/* SPDX-License-Identifier: MIT */
#include "client/task_tools.h"

#include "json/json.h"
#include <mcp/server.h>

void mcpi_task_tools_init(mcpi_task_tools *tools,
                          const mcp_allocator *allocator,
                          const uint64_t seed[2]) {
  mcpi_key_set_init(&tools->optional, allocator, seed);
  mcpi_key_set_init(&tools->required, allocator, seed);
  tools->is_current = 0;
}

void mcpi_task_tools_forget(mcpi_task_tools *tools) {
  mcpi_key_set_deinit(&tools->optional);
  mcpi_key_set_deinit(&tools->required);
  tools->is_current = 0;
}

/* Tools that cannot be tasks are in no set. */
static int learn_tool(mcpi_task_tools *tools, const mcp_json *tool) {
  mcpi_str name = mcpi_json_member_str(tool, "name");
  mcpi_str support =
      mcpi_json_member_str(mcp_json_get(tool, "execution"), "taskSupport");
  mcpi_key_set *set = NULL;
  if (mcpi_str_eq(support, MCPI_STR("required"))) {
    set = &tools->required;
  } else if (mcpi_str_eq(support, MCPI_STR("optional"))) {
    set = &tools->optional;
  }
  if (set == NULL || name.ptr == NULL) {
    return 0;
  }
  int rc = mcpi_key_set_add(set, name);
  return rc != MCP_ERR_EXISTS ? rc : 0;
}

void mcpi_task_tools_learn(mcpi_task_tools *tools, const mcp_result *list,
                           int is_current) {
  int rc = 0;
  mcpi_task_tools_forget(tools);
  for (size_t i = 0; rc == 0 && i < mcp_result_count(list); i++) {
    rc = learn_tool(tools, mcp_result_item(list, i));
  }
  if (rc != 0) {
    mcpi_task_tools_forget(tools);
  } else {
    tools->is_current = is_current;
  }
}

int mcpi_task_tools_find(const mcpi_task_tools *tools, mcpi_str name) {
  if (mcpi_key_set_has(&tools->required, name)) {
    return MCP_TASK_REQUIRED;
  }
  if (mcpi_key_set_has(&tools->optional, name)) {
    return MCP_TASK_OPTIONAL;
  }
  return tools->is_current ? MCP_TASK_FORBIDDEN : MCPI_TASK_SUPPORT_UNKNOWN;
}
