/* SPDX-License-Identifier: MIT */
/** @file
 * Severities of log messages (MCP, Logging).
 */
#ifndef MCP_LOG_H
#define MCP_LOG_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

/** Severities, the least severe first. */
enum {
  MCP_LOG_DEBUG = 1,
  MCP_LOG_INFO,
  MCP_LOG_NOTICE,
  MCP_LOG_WARNING,
  MCP_LOG_ERROR,
  MCP_LOG_CRITICAL,
  MCP_LOG_ALERT,
  MCP_LOG_EMERGENCY
};

/**
 * Returns the protocol's name of a severity.
 * @param level MCP_LOG_*
 * @return static, such as "warning"; NULL: `level` is not one of MCP_LOG_*
 */
MCP_API const char *mcp_log_level_name(int level);

MCP_END_DECLS

#endif
