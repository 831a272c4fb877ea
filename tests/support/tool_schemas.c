/* SPDX-License-Identifier: MIT */
#include "support/tool_schemas.h"

#include "support/cm.h"
#include <mcp/mcp.h>
#include <string.h>

#define ENVELOPE                                                               \
  "\"jsonrpc\":{\"type\":\"string\",\"const\":\"2.0\"},"                       \
  "\"id\":{\"anyOf\":[{\"type\":\"string\",\"minLength\":1},"                  \
  "{\"type\":\"integer\"}]}"
#define OBJECT(required, properties)                                           \
  "{\"type\":\"object\",\"required\":[" required                               \
  "],\"additionalProperties\":false,\"properties\":{" properties "}}"

static const char *const texts[] = {
    [TOOL_REQUEST] = OBJECT(
        "\"jsonrpc\",\"id\",\"method\",\"params\"",
        ENVELOPE ",\"method\":{\"const\":\"tools/call\"},\"params\":" //
        OBJECT("\"name\"", "\"name\":{\"type\":\"string\",\"minLength\":1},"
                           "\"arguments\":{\"type\":\"object\"}")),
    [TOOL_RESPONSE] = OBJECT(
        "\"jsonrpc\",\"id\",\"result\"",
        ENVELOPE ",\"result\":" //
        OBJECT("\"content\"",
               "\"content\":{\"type\":\"array\",\"minItems\":1,\"items\":{"
               "\"type\":\"object\",\"required\":[\"type\"],\"properties\":{"
               "\"type\":{\"type\":\"string\",\"minLength\":1},"
               "\"text\":{\"type\":\"string\"}}}},"
               "\"isError\":{\"type\":\"boolean\"},"
               "\"structuredContent\":{\"type\":\"object\"},"
               "\"_meta\":{\"type\":\"object\"}")),
    [TOOL_ERROR] =
        OBJECT("\"jsonrpc\",\"id\",\"error\"", ENVELOPE
               ",\"error\":{\"type\":\"object\",\"required\":[\"code\","
               "\"message\"],\"properties\":{\"code\":{\"type\":\"integer\"},"
               "\"message\":{\"type\":\"string\",\"minLength\":1},\"data\":{"
               "\"type\":[\"null\",\"boolean\",\"number\",\"string\","
               "\"array\",\"object\"]}}}"),
};

int tool_schema_accepts(int schema, const char *text, size_t len) {
  const char *json = texts[schema];
  mcp_doc *rules = mcp_doc_parse(json, strlen(json), NULL, NULL, NULL);
  assert_non_null(rules);
  mcp_validator *validator = mcp_validator_new(mcp_doc_root(rules), NULL, NULL);
  assert_non_null(validator);
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  int yes = mcp_validator_accepts(validator, mcp_doc_root(doc));
  mcp_doc_free(doc);
  mcp_doc_free(rules);
  mcp_validator_unref(validator);
  return yes;
}
