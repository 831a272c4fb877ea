/* SPDX-License-Identifier: MIT */
/* The names of log levels (MCP, Logging); mcp_log_level_name is the inverse. */
#ifndef MCPI_CORE_LOG_LEVEL_H
#define MCPI_CORE_LOG_LEVEL_H

#include "base/str.h"
#include <mcp/log.h>

/* Returns the MCP_LOG_* with that name, or 0. */
MCP_API int mcpi_log_level_find(mcpi_str name);

#endif
