/* SPDX-License-Identifier: MIT */
#include "core/log_level.h"

static const char *const level_names[] = {
    [MCP_LOG_DEBUG] = "debug",   [MCP_LOG_INFO] = "info",
    [MCP_LOG_NOTICE] = "notice", [MCP_LOG_WARNING] = "warning",
    [MCP_LOG_ERROR] = "error",   [MCP_LOG_CRITICAL] = "critical",
    [MCP_LOG_ALERT] = "alert",   [MCP_LOG_EMERGENCY] = "emergency",
};

int mcpi_log_level_find(mcpi_str name) {
  for (int level = MCP_LOG_DEBUG; level <= MCP_LOG_EMERGENCY; level++) {
    if (mcpi_str_eq(name, mcpi_str_z(level_names[level]))) {
      return level;
    }
  }
  return 0;
}

const char *mcp_log_level_name(int level) {
  if (level < MCP_LOG_DEBUG || level > MCP_LOG_EMERGENCY) {
    return NULL;
  }
  return level_names[level];
}
