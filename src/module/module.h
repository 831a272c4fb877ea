/* SPDX-License-Identifier: MIT */
/* Private libraries that libmcp opens when it first needs them, and keeps open.
 * Each connects libmcp to a large library that few programs use. Each is
 * installed beside libmcp. Each exports one function, which returns a table. */
#ifndef MCPI_MODULE_MODULE_H
#define MCPI_MODULE_MODULE_H

#include <mcp/error.h>
#include <mcp/version.h>

/* The file of a module. CMake gives it this name too. Two versions can be
 * installed side by side, and a running process finds its own. */
#define MCPI_MODULE_FILE(name) "libmcp-" name "-" MCP_VERSION_STRING ".so"

/* Every table begins with this. The module must have the version of the library
 * that opens it: a process may still run while both are replaced. */
typedef struct mcpi_module_head {
  size_t size; /* of the whole table */
  const char *version;
} mcpi_module_head;

/* Returns the table that `function` of the library `file` returns, or NULL with
 * err: MCP_ERR_PLATFORM. On any thread. */
MCP_API const mcpi_module_head *mcpi_module_open(const char *file,
                                                 const char *function,
                                                 size_t size, mcp_error *err);

#endif
