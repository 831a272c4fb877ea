/* SPDX-License-Identifier: MIT */
/* What the library needs to report errors beyond <mcp/error.h>. */
#ifndef MCPI_BASE_ERROR_H
#define MCPI_BASE_ERROR_H

#include <mcp/error.h>
#include <stdarg.h>

/* Sets err to "out of memory", if it is not NULL. Returns MCP_ERR_NOMEM. */
MCP_API int mcpi_no_memory(mcp_error *err);

/* Says that the program passed NULL for a server, a client or a loop, as it
 * does after mcp_OBJECT_new failed. Returns MCP_ERR_INVALID. */
MCP_API int mcpi_error_null(mcp_error *err, const char *object);

/* Whether a code is 0, MCP_PENDING or an MCP_ERR_*. */
int mcpi_error_is_known(int code);

/* Says that nothing is wrong yet. err may be NULL. */
void mcpi_error_clear(mcp_error *err);
/* Fills err, which may be NULL, with the general text of rc, unless it has rc's
 * text already. Returns rc. */
int mcpi_error_complete(mcp_error *err, int rc);

/* Does what mcp_error_set does. err is not NULL, and no argument points into
 * it. */
MCP_PRINTF(3, 0)
int mcpi_error_set_v(mcp_error *err, int code, const char *format,
                     va_list args);

#endif
