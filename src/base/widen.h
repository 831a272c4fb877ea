/* SPDX-License-Identifier: MIT */
/* Structures of the program's, which may be of an older and so shorter layout:
 * they begin with their size, and grow at the end. */
#ifndef MCPI_BASE_WIDEN_H
#define MCPI_BASE_WIDEN_H

#include <mcp/error.h>

/* Copies the structure at `from` into one of to_size bytes; members that it
 * does not have are zero, those that we do not know are left out. `name` is
 * the type's, for the error. 0, or MCP_ERR_INVALID when there is none, or its
 * size was not set. */
MCP_API int mcpi_widen(void *to, size_t to_size, const void *from,
                       const char *name, mcp_error *err);

#endif
