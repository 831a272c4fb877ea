/* SPDX-License-Identifier: MIT */
/* What the tools that ask have in common: making something of the answers. */
#include "conformance.h"

#include <stddef.h>

int together(int first, int second) {
  if (first < 0 || (first != 0 && second >= 0)) {
    return first;
  }
  return second;
}

int reply_elicited(mcp_call *call, const char *prefix, const mcp_json *answer) {
  mcp_builder *content = mcp_builder_new(NULL);
  const mcp_json *filled = mcp_json_get(answer, "content");
  int rc;
  if (filled != NULL) {
    rc = mcp_builder_value(content, NULL, filled);
  } else {
    rc = mcp_builder_json(content, NULL, "{}");
  }
  if (rc == 0) {
    rc = mcp_call_reply_textf(call, "%s: action=%s, content=%s", prefix,
                              mcp_json_string(mcp_json_get(answer, "action")),
                              mcp_builder_text(content, NULL));
  }
  mcp_builder_free(content);
  return rc;
}

/* A model answers in one piece of content, or in several. */
const char *text_of_model(const mcp_json *answer) {
  const mcp_json *content = mcp_json_get(answer, "content");
  if (mcp_json_type(content) == MCP_JSON_ARRAY) {
    content = mcp_json_at(content, 0);
  }
  const char *text = mcp_json_string(mcp_json_get(content, "text"));
  return text != NULL ? text : "no text";
}

int reply_sampled(mcp_call *call, const mcp_json *answer) {
  return mcp_call_reply_textf(call, "LLM response: %s", text_of_model(answer));
}
