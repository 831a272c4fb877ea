/* SPDX-License-Identifier: MIT */
/* What the library needs to report errors beyond <mcp/error.h>. */
#ifndef MCPI_BASE_ERROR_H
#define MCPI_BASE_ERROR_H

#include <mcp/error.h>
#include <stdarg.h>

/* Sets err to "out of memory", if it is not NULL. Returns MCP_ERR_NOMEM. */
MCP_API int mcpi_no_memory(mcp_error *err);

/* Does what mcp_error_set does. err is not NULL, and no argument points into
 * it. */
MCP_PRINTF(3, 0)
int mcpi_error_set_v(mcp_error *err, int code, const char *format,
                     va_list args);

#endif
