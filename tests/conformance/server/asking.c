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
  char *filled = mcp_json_to_text(mcp_json_get(answer, "content"), NULL);
  int rc = mcp_call_reply_textf(call, "%s: action=%s, content=%s", prefix,
                                mcp_json_string(mcp_json_get(answer, "action")),
                                filled != NULL ? filled : "{}");
  mcp_text_free(filled);
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
