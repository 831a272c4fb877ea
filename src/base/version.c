/* SPDX-License-Identifier: MIT */
/* The version of the library at run time. A program may compare it with the
 * version of the headers that it was compiled with. */
#include <mcp/version.h>

const char *mcp_version(void) {
  return MCP_VERSION_STRING;
}

uint32_t mcp_version_number(void) {
  return MCP_VERSION;
}
