/* SPDX-License-Identifier: MIT */
/* Arguments and results of tools as structures (mcp/fields.h). */
#include <mcp/fields.h>

int mcp_client_call_struct(mcp_client *client, const char *name,
                           const mcp_struct_type *type, const void *arguments,
                           const mcp_request_options *options,
                           mcp_done_cb on_done, void *userdata,
                           mcp_error *err) {
  mcp_error why;
  char *text = NULL;
  if (arguments != NULL) {
    text = mcp_struct_to_text(type, arguments, &why);
    if (text == NULL) {
      return mcp_error_set(err, why.code, "arguments: %s", why.message);
    }
  }
  int rc =
      mcp_client_call_tool(client, name, text, options, on_done, userdata, err);
  mcp_text_free(text);
  return rc;
}

/* Errors are one line. */
static void to_line(char line[MCP_ERROR_TEXT_SIZE], const char *text) {
  size_t len = 0;
  for (; text[len] != '\0' && len + 1 < MCP_ERROR_TEXT_SIZE; len++) {
    line[len] = text[len] == '\n' || text[len] == '\t' ? ' ' : text[len];
  }
  line[len] = '\0';
}

int mcp_result_check(const mcp_result *result, mcp_error *err) {
  if (result == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the result is NULL");
  }
  if (!mcp_result_is_failure(result)) {
    return 0;
  }
  char line[MCP_ERROR_TEXT_SIZE];
  const char *text = mcp_result_text(result);
  to_line(line, text != NULL ? text : "the tool reported an error");
  return mcp_error_set(err, MCP_ERR_REMOTE, "%s", line);
}

int mcp_result_get_struct(const mcp_result *result, const mcp_struct_type *type,
                          void **out, mcp_error *err) {
  mcp_error why;
  const mcp_json *value = mcp_result_structured(result);
  int rc = mcp_result_check(result, err);
  if (rc != 0) {
    return rc;
  }
  if (out == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "out is NULL");
  }
  if (value == NULL) {
    return mcp_error_set(err, MCP_ERR_NOT_FOUND,
                         "the result has no structured content");
  }
  void *made = mcp_struct_from_json(type, value, NULL, &why);
  if (made == NULL) {
    return mcp_error_set(err, why.code, "structured result: %s", why.message);
  }
  *out = made;
  return 0;
}
