/* The tools of the server calculator, version 1.0.0.
 *
 * mcpctl generate c has written this file: do not edit it. It is C11 and
 * C++17, and needs libmcp. Each tool has a function that calls it and waits
 * (mcp/sync.h), and one with _start that calls on_done (mcp/client.h). These
 * headers say what the functions return. The functions borrow their
 * arguments until they return. */
/* clang-format off */
#ifndef CALCULATOR_TOOLS_H
#define CALCULATOR_TOOLS_H

#include <mcp/fields.h>
#include <mcp/sync.h>

struct calculator_add_args {
  /* first. */
  double a;
  /* second. */
  double b;
};
#define MCP_LIST_(MCP_EACH_) \
  MCP_EACH_(NUMBER, a, "first") \
  MCP_EACH_(NUMBER, b, "second")
MCP_DESCRIBE_STRUCT(calculator_add_args, MCP_LIST_);
#undef MCP_LIST_

/* Calls the tool add. Adds two numbers.
 *
 * result: owned, drop it with mcp_result_unref; may be NULL.
 * Returns 0 or an MCP_ERR_*; MCP_ERR_REMOTE if the tool fails. */
MCP_UNUSED_ static inline int calculator_add(
    mcp_client *client,
    const struct calculator_add_args *args,
    mcp_result **result, mcp_error *err) {
  mcp_result *answer = NULL;
  int rc = mcp_sync_call_struct(
      client, "add",
      calculator_add_args_type(), args, NULL, &answer, err);
  if (rc == 0 && result != NULL) {
    *result = answer;
    return 0;
  }
  mcp_result_unref(answer);
  return rc;
}

/* Starts the call, and calls on_done when it has ended. */
MCP_UNUSED_ static inline int calculator_add_start(
    mcp_client *client,
    const struct calculator_add_args *args,
    const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err) {
  return mcp_client_call_struct(
      client, "add",
      calculator_add_args_type(), args, options, on_done,
      userdata, err);
}

#endif
