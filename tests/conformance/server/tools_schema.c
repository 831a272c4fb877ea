/* SPDX-License-Identifier: MIT */
/* Tools whose schemas matter: one full of keywords, and one whose argument
 * travels in an HTTP header too. */
#include "conformance.h"

#include <stddef.h>

/* It must reach the client word for word. */
static const char full_schema[] = MCP_JSON({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": {
        "street": {"type": "string"},
        "city": {"type": "string"}
      }
    }
  },
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {
    "properties": {"contactMethod": {"const": "phone"}},
    "required": ["contactMethod"]
  },
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
});

/* Says what it was given. */
static int on_contact(mcp_call *call, void *userdata) {
  (void)userdata;
  char *text = mcp_json_to_text(mcp_call_arguments(call), NULL);
  int rc = MCP_ERR_NOMEM;
  if (text != NULL) {
    rc = mcp_call_reply_textf(call, "Arguments: %s", text);
  }
  mcp_text_free(text);
  return rc;
}

static int on_region(mcp_call *call, void *userdata) {
  const char *region = mcp_call_string(call, "region");
  (void)userdata;
  if (region == NULL && mcp_call_argument(call, "region") != NULL) {
    return MCP_ERR_INVALID; /* it contains NUL */
  }
  return mcp_call_reply_textf(call, "Region: %s",
                              region != NULL ? region : "none");
}

void add_schema_tools(mcp_server *server) {
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "json_schema_2020_12_tool",
                  .description = "Has a schema of many keywords",
                  .input = MCP_SCHEMA_TEXT(full_schema),
                  .handler = on_contact},
      NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){
          .size = sizeof(mcp_tool),
          .name = "test_x_mcp_header",
          .description = "Takes an argument that a header repeats",
          .input = MCP_OBJECT(MCP_STRING(
              "region", "Where", .more = "\"x-mcp-header\":\"Region\"")),
          .handler = on_region},
      NULL);
}
