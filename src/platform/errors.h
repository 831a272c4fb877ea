/* SPDX-License-Identifier: MIT */
/* libuv's numbers of errors and those of errno. On POSIX the one is the other's
 * negative; on Windows they have nothing in common. */
#ifndef MCPI_PLATFORM_ERRORS_H
#define MCPI_PLATFORM_ERRORS_H

#include <mcp/export.h>

/* Returns the errno value of UV_*, which is negative. */
int mcpi_error_from_uv(int rc);
/* Returns UV_* for an errno value. */
int mcpi_error_to_uv(int error);
/* Returns the text of an errno value. */
MCP_API const char *mcpi_error_name(int error);

#endif
