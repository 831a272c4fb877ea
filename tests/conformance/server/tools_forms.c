/* SPDX-License-Identifier: MIT */
/* Tools that show the user a form: defaults, and every kind of choice. */
#include "conformance.h"

static int on_defaults(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_elicit(
      call, "profile",
      &(mcp_elicitation){
          .size = sizeof(mcp_elicitation),
          .message = "Please check your profile",
          .form = MCP_OBJECT(
              MCP_STRING("name", "Your name", .optional = 1,
                         .default_value = "\"John Doe\""),
              MCP_INTEGER("age", "Your age", .optional = 1,
                          .default_value = "30"),
              MCP_NUMBER("score", "Your score", .optional = 1,
                         .default_value = "95.5"),
              MCP_STRING("status", "Your status", .optional = 1,
                         .values = MCP_VALUES("active", "inactive", "pending"),
                         .default_value = "\"active\""),
              MCP_BOOLEAN("verified", "Whether you are verified", .optional = 1,
                          .default_value = "true"))},
      &answer);
  return rc != 0 ? rc : reply_elicited(call, "Elicitation completed", answer);
}

/* One of several and several of several, with and without titles, and the way
 * that 2025-06-18 had titles. */
static const char choices[] = MCP_JSON({
  "type": "object",
  "properties": {
    "untitledSingle": {
      "type": "string",
      "enum": ["option1", "option2", "option3"]
    },
    "titledSingle": {
      "type": "string",
      "oneOf": [
        {"const": "value1", "title": "First"},
        {"const": "value2", "title": "Second"},
        {"const": "value3", "title": "Third"}
      ]
    },
    "legacyEnum": {
      "type": "string",
      "enum": ["opt1", "opt2", "opt3"],
      "enumNames": ["One", "Two", "Three"]
    },
    "untitledMulti": {
      "type": "array",
      "items": {"type": "string", "enum": ["option1", "option2", "option3"]}
    },
    "titledMulti": {
      "type": "array",
      "items": {
        "anyOf": [
          {"const": "value1", "title": "First"},
          {"const": "value2", "title": "Second"},
          {"const": "value3", "title": "Third"}
        ]
      }
    }
  }
});

static int on_choices(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc =
      mcp_call_ask_elicit(call, "choices",
                          &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                                             .message = "Please choose",
                                             .form = MCP_SCHEMA_TEXT(choices)},
                          &answer);
  return rc != 0 ? rc : reply_elicited(call, "Elicitation completed", answer);
}

void add_form_tools(mcp_server *server) {
  add_plain_tool(server, "test_elicitation_sep1034_defaults",
                 "Shows a form with defaults", on_defaults);
  add_plain_tool(server, "test_elicitation_sep1330_enums",
                 "Shows a form with choices", on_choices);
}
