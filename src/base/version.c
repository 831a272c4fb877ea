/* SPDX-License-Identifier: MIT */
/* The version of the library that runs, which a program may compare with the
 * one of the headers it was compiled with. */
#include <mcp/version.h>

const char *mcp_version(void) {
  return MCP_VERSION_STRING;
}
