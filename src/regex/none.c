/* SPDX-License-Identifier: MIT */
/* This libmcp was built without regular expressions (MCP_REGEX). */
#include <mcp/schema.h>

const mcp_regex_engine *mcp_regex_pcre2(void) {
  return NULL;
}
