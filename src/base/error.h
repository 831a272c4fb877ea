/* SPDX-License-Identifier: MIT */
/* Errors from a format that a function of ours was given. */
#ifndef MCPI_BASE_ERROR_H
#define MCPI_BASE_ERROR_H

#include <mcp/error.h>
#include <stdarg.h>

/* mcp_error_set; err is not NULL, and nothing in `args` may lie in it. */
MCP_PRINTF(3, 0)
int mcpi_error_set_v(mcp_error *err, int code, const char *format,
                     va_list args);

#endif
