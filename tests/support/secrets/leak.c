/* SPDX-License-Identifier: MIT */
/* Writes an error with a secret. CTest expects to find the secret: a check that
 * cannot fail is worth nothing. */
#include <mcp/error.h>

int main(void) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_REFUSED, "the server refused %s", "the-access");
  return 0;
}
