/* SPDX-License-Identifier: MIT */
/* Questions for the client's roots (MCP, Roots). */
#include "server/ask.h"

#include "json/value.h"

static int check_roots(mcp_call *call, const char *key,
                       const mcp_json *answer) {
  const mcp_json *roots = mcp_json_get(answer, "roots");
  mcp_json_iter iter;
  const mcp_json *root;
  if (mcp_json_type(roots) != MCP_JSON_ARRAY) {
    return mcpi_ask_malformed(call, key, "its roots must be an array");
  }
  mcp_json_iter_init(&iter, roots);
  while ((root = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_string(mcp_json_get(root, "uri")) == NULL) {
      return mcpi_ask_malformed(call, key,
                                "each root must have a uri without NUL");
    }
  }
  return mcpi_ask_accept(call, key, answer);
}

static int ask_roots(mcp_call *call, const char *key, const mcp_json *found) {
  const mcpi_buf none = {0};
  int rc = mcpi_ask_claim(call, key, MCPI_M_ROOTS_LIST, &none);
  if (rc == 0 && found != NULL) {
    return check_roots(call, key, found);
  }
  if (rc == 0) {
    rc = mcpi_call_require(call, "roots");
  }
  return rc != 0 ? rc : mcpi_ask_note(call, key, MCPI_M_ROOTS_LIST, &none);
}

int mcp_call_ask_roots(mcp_call *call, const char *key,
                       const mcp_json **answer) {
  const mcp_json *found;
  if (call == NULL || answer == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = mcpi_ask_look(call, key, &found);
  if (rc == 0) {
    rc = ask_roots(call, key, found);
  }
  if (rc == 0) {
    *answer = found;
  }
  return rc;
}
