/* SPDX-License-Identifier: MIT */
#include "common/envelope.h"
#include "common/json.h"

#include <string.h>

int ctl_envelope_kind(const mcp_json *message) {
  int has_id = mcp_json_get(message, "id") != NULL;
  if (ctl_json_member(message, "method") != NULL) {
    return has_id ? CTL_MESSAGE_REQUEST : CTL_MESSAGE_NOTIFICATION;
  }
  int is_answer = mcp_json_get(message, "result") != NULL ||
                  mcp_json_get(message, "error") != NULL;
  return has_id && is_answer ? CTL_MESSAGE_ANSWER : CTL_MESSAGE_OTHER;
}

const char *ctl_envelope_method(const mcp_json *message) {
  return ctl_json_member(message, "method");
}

int ctl_envelope_is_method(const mcp_json *message, const char *method) {
  const char *found = ctl_envelope_method(message);
  return found != NULL && strcmp(found, method) == 0;
}

/* Adds an object's members. Recursive as deep as the path. */
static void put_object(mcp_builder *out, const mcp_json *object,
                       const char *const *path, const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *member = NULL;
  mcp_builder_object(out, NULL);
  mcp_json_iter_init(&iter, object);
  while ((member = mcp_json_iter_next(&iter, &name)) != NULL) {
    size_t len = 0;
    const char *text = mcp_json_string_n(name, &len);
    int is_on_path =
        *path != NULL && strlen(*path) == len && memcmp(text, *path, len) == 0;
    mcp_builder_name_n(out, text, len);
    if (is_on_path && path[1] != NULL &&
        mcp_json_type(member) == MCP_JSON_OBJECT) {
      put_object(out, member, path + 1, value);
    } else {
      int is_end = is_on_path && path[1] == NULL;
      mcp_builder_value(out, NULL, is_end ? value : member);
    }
  }
  mcp_builder_end(out);
}

void ctl_envelope_put(mcp_builder *out, const mcp_json *message,
                      const char *const *path, const mcp_json *value) {
  put_object(out, message, path, value);
}

void ctl_envelope_put_error(mcp_builder *out, const mcp_json *id, int code,
                            const char *text) {
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "jsonrpc", "2.0");
  mcp_builder_value(out, "id", id);
  mcp_builder_object(out, "error");
  mcp_builder_int(out, "code", code);
  mcp_builder_string(out, "message", text);
  mcp_builder_end(out);
  mcp_builder_end(out);
}
