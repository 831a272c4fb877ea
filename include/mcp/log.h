/* SPDX-License-Identifier: MIT */
/** @file
 * Severities of log messages (specification: utilities, logging).
 */
#ifndef MCP_LOG_H
#define MCP_LOG_H

/** Severities, from the least. */
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

#endif
