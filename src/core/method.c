/* SPDX-License-Identifier: MIT */
/* The method table (PROTOCOL 1.7). */
#include "core/method.h"

#include "json/json.h"

/* --- members ------------------------------------------------------------ */

/* Only what this library relies on: other members are the peer's affair. */
#define MUST(name, type) name, MCP_JSON_##type, 1, PLACE
#define MAY(name, type) name, MCP_JSON_##type, 0, PLACE
#define ANY(name) name, MCP_JSON_NONE, 1, PLACE
#define MUST_C(name) name, MCPI_C_STRING, 1, PLACE
#define MAY_C(name) name, MCPI_C_STRING, 0, PLACE
#define END NULL, MCP_JSON_NONE, 0, NULL

#define PLACE "params"

static const mcpi_member initialize_params[] = {
    {MUST("protocolVersion", STRING)},
    {MUST("capabilities", OBJECT)},
    {MUST("clientInfo", OBJECT)},
    {END},
};

static const mcpi_member list_params[] = {
    {MAY("cursor", STRING)},
    {END},
};

/* tools/call and prompts/get; the last two are of 2026-07-28. */
static const mcpi_member named_params[] = {
    {MUST_C("name")},
    {MAY("arguments", OBJECT)},
    {MAY("inputResponses", OBJECT)},
    {MAY("requestState", STRING)},
    {END},
};

static const mcpi_member read_params[] = {
    {MUST_C("uri")},
    {MAY("inputResponses", OBJECT)},
    {MAY("requestState", STRING)},
    {END},
};

static const mcpi_member uri_params[] = {
    {MUST_C("uri")},
    {END},
};

static const mcpi_member complete_params[] = {
    {MUST("ref", OBJECT)},
    {MUST("argument", OBJECT)},
    {MAY("context", OBJECT)},
    {END},
};

static const mcpi_member level_params[] = {
    {MUST_C("level")},
    {END},
};

static const mcpi_member filter_params[] = {
    {MUST("notifications", OBJECT)},
    {END},
};

static const mcpi_member sample_params[] = {
    {MUST("messages", ARRAY)},
    {MUST("maxTokens", NUMBER)},
    {MAY("systemPrompt", STRING)},
    {MAY("modelPreferences", OBJECT)},
    {MAY("includeContext", STRING)},
    {MAY("temperature", NUMBER)},
    {MAY("stopSequences", ARRAY)},
    {MAY("metadata", OBJECT)},
    {MAY("tools", ARRAY)},
    {MAY("toolChoice", OBJECT)},
    {END},
};

static const mcpi_member elicit_params[] = {
    {MUST("message", STRING)},
    {MAY("mode", STRING)},
    /* Which of these it takes is for whoever knows the mode. */
    {MAY("requestedSchema", OBJECT)},
    {MAY_C("url")},
    {MAY_C("elicitationId")},
    {END},
};

/* requestId is a string or a number, and may be absent in 2025-11-25. */
static const mcpi_member cancelled_params[] = {
    {MAY("reason", STRING)},
    {END},
};

static const mcpi_member progress_params[] = {
    {ANY("progressToken")},
    {MUST("progress", NUMBER)},
    {MAY("total", NUMBER)},
    {MAY("message", STRING)},
    {END},
};

static const mcpi_member message_params[] = {
    {MUST_C("level")},
    {MAY("logger", STRING)},
    {ANY("data")},
    {END},
};

static const mcpi_member elicitation_complete_params[] = {
    {MUST_C("elicitationId")},
    {END},
};

#undef PLACE
#define PLACE "result"

static const mcpi_member initialize_result[] = {
    {MUST("protocolVersion", STRING)},
    {MUST("capabilities", OBJECT)},
    {MUST("serverInfo", OBJECT)},
    {MAY("instructions", STRING)},
    {END},
};

static const mcpi_member discover_result[] = {
    {MUST("supportedVersions", ARRAY)},
    {MUST("capabilities", OBJECT)},
    {MAY("instructions", STRING)},
    {END},
};

static const mcpi_member tools_list_result[] = {
    {MUST("tools", ARRAY)},
    {MAY("nextCursor", STRING)},
    {END},
};

/* Old servers leave content out when there is none. */
static const mcpi_member tools_call_result[] = {
    {MAY("content", ARRAY)},
    {MAY("isError", BOOL)},
    {END},
};

static const mcpi_member prompts_list_result[] = {
    {MUST("prompts", ARRAY)},
    {MAY("nextCursor", STRING)},
    {END},
};

static const mcpi_member prompts_get_result[] = {
    {MUST("messages", ARRAY)},
    {MAY("description", STRING)},
    {END},
};

static const mcpi_member resources_list_result[] = {
    {MUST("resources", ARRAY)},
    {MAY("nextCursor", STRING)},
    {END},
};

static const mcpi_member templates_list_result[] = {
    {MUST("resourceTemplates", ARRAY)},
    {MAY("nextCursor", STRING)},
    {END},
};

static const mcpi_member resources_read_result[] = {
    {MUST("contents", ARRAY)},
    {END},
};

static const mcpi_member complete_result[] = {
    {MUST("completion", OBJECT)},
    {END},
};

/* content is a block, or since 2025-11-25 an array of blocks. */
static const mcpi_member sample_result[] = {
    {MUST("role", STRING)},
    {ANY("content")},
    {MUST("model", STRING)},
    {MAY("stopReason", STRING)},
    {END},
};

static const mcpi_member roots_list_result[] = {
    {MUST("roots", ARRAY)},
    {END},
};

static const mcpi_member elicit_result[] = {
    {MUST("action", STRING)},
    {MAY("content", OBJECT)},
    {END},
};

/* --- the table ---------------------------------------------------------- */

#define LEGACY                                                                 \
  { MCPI_REVISION_OLDEST, MCPI_REVISION_LEGACY_COUNT - 1 }
#define MODERN                                                                 \
  { MCPI_REVISION_LEGACY_COUNT, MCPI_REVISION_NEWEST }
#define ALL                                                                    \
  { MCPI_REVISION_OLDEST, MCPI_REVISION_NEWEST }
#define SINCE(id)                                                              \
  { MCPI_REVISION_##id, MCPI_REVISION_NEWEST }
#define ONLY(id)                                                               \
  { MCPI_REVISION_##id, MCPI_REVISION_##id }

enum {
  ASK_SERVER = MCPI_TO_SERVER | MCPI_IS_REQUEST,
  ASK_CLIENT = MCPI_TO_CLIENT | MCPI_IS_REQUEST,
  LIST = ASK_SERVER | MCPI_IS_CACHEABLE
};

const mcpi_method mcpi_methods[MCPI_M_COUNT] = {
    {"initialize", MCPI_M_INITIALIZE, LEGACY, ASK_SERVER, NULL,
     initialize_params, initialize_result, NULL},
    {"notifications/initialized", MCPI_M_INITIALIZED, LEGACY, MCPI_TO_SERVER,
     NULL, NULL, NULL, NULL},
    {"ping", MCPI_M_PING, LEGACY, ASK_SERVER | ASK_CLIENT, NULL, NULL, NULL,
     NULL},
    {"server/discover", MCPI_M_DISCOVER, MODERN, ASK_SERVER | MCPI_IS_CACHEABLE,
     NULL, NULL, discover_result, NULL},
    {"tools/list", MCPI_M_TOOLS_LIST, ALL, LIST, "tools", list_params,
     tools_list_result, "tools"},
    {"tools/call", MCPI_M_TOOLS_CALL, ALL, ASK_SERVER | MCPI_MAY_ASK, "tools",
     named_params, tools_call_result, NULL},
    {"prompts/list", MCPI_M_PROMPTS_LIST, ALL, LIST, "prompts", list_params,
     prompts_list_result, "prompts"},
    {"prompts/get", MCPI_M_PROMPTS_GET, ALL, ASK_SERVER | MCPI_MAY_ASK,
     "prompts", named_params, prompts_get_result, NULL},
    {"resources/list", MCPI_M_RESOURCES_LIST, ALL, LIST, "resources",
     list_params, resources_list_result, "resources"},
    {"resources/templates/list", MCPI_M_TEMPLATES_LIST, ALL, LIST, "resources",
     list_params, templates_list_result, "resourceTemplates"},
    {"resources/read", MCPI_M_RESOURCES_READ, ALL,
     ASK_SERVER | MCPI_IS_CACHEABLE | MCPI_MAY_ASK, "resources", read_params,
     resources_read_result, NULL},
    {"resources/subscribe", MCPI_M_RESOURCES_SUBSCRIBE, LEGACY, ASK_SERVER,
     "resources.subscribe", uri_params, NULL, NULL},
    {"resources/unsubscribe", MCPI_M_RESOURCES_UNSUBSCRIBE, LEGACY, ASK_SERVER,
     "resources.subscribe", uri_params, NULL, NULL},
    {"completion/complete", MCPI_M_COMPLETE, ALL, ASK_SERVER, "completions",
     complete_params, complete_result, NULL},
    {"logging/setLevel", MCPI_M_SET_LEVEL, LEGACY, ASK_SERVER, "logging",
     level_params, NULL, NULL},
    {"subscriptions/listen", MCPI_M_LISTEN, MODERN, ASK_SERVER, NULL,
     filter_params, NULL, NULL},
    {"sampling/createMessage", MCPI_M_SAMPLE, ALL, ASK_CLIENT, "sampling",
     sample_params, sample_result, NULL},
    {"roots/list", MCPI_M_ROOTS_LIST, ALL, ASK_CLIENT, "roots", NULL,
     roots_list_result, "roots"},
    {"elicitation/create", MCPI_M_ELICIT, SINCE(2025_06_18), ASK_CLIENT,
     "elicitation", elicit_params, elicit_result, NULL},
    {"notifications/cancelled", MCPI_M_CANCELLED, ALL,
     MCPI_TO_SERVER | MCPI_TO_CLIENT, NULL, cancelled_params, NULL, NULL},
    {"notifications/progress", MCPI_M_PROGRESS, ALL,
     MCPI_TO_SERVER | MCPI_TO_CLIENT, NULL, progress_params, NULL, NULL},
    {"notifications/message", MCPI_M_MESSAGE, ALL, MCPI_TO_CLIENT, NULL,
     message_params, NULL, NULL},
    {"notifications/tools/list_changed", MCPI_M_TOOLS_CHANGED, ALL,
     MCPI_TO_CLIENT, NULL, NULL, NULL, NULL},
    {"notifications/prompts/list_changed", MCPI_M_PROMPTS_CHANGED, ALL,
     MCPI_TO_CLIENT, NULL, NULL, NULL, NULL},
    {"notifications/resources/list_changed", MCPI_M_RESOURCES_CHANGED, ALL,
     MCPI_TO_CLIENT, NULL, NULL, NULL, NULL},
    {"notifications/resources/updated", MCPI_M_RESOURCES_UPDATED, ALL,
     MCPI_TO_CLIENT, NULL, uri_params, NULL, NULL},
    {"notifications/subscriptions/acknowledged", MCPI_M_ACKNOWLEDGED, MODERN,
     MCPI_TO_CLIENT, NULL, filter_params, NULL, NULL},
    {"notifications/roots/list_changed", MCPI_M_ROOTS_CHANGED, LEGACY,
     MCPI_TO_SERVER, NULL, NULL, NULL, NULL},
    {"notifications/elicitation/complete", MCPI_M_ELICITATION_COMPLETE,
     ONLY(2025_11_25), MCPI_TO_CLIENT, NULL, elicitation_complete_params, NULL,
     NULL},
};

/* --- look-up ------------------------------------------------------------ */

enum { SLOT_COUNT = 64, LONGEST_NAME = 40 };

/* A row's number and one, at the slot that hash() gives for its name.
 * Multiplier and shift were found by trying until no two names met; after a
 * change of the names try again, and let the unit test print the new slots. */
static const uint8_t slots[SLOT_COUNT] = {
    [0] = MCPI_M_RESOURCES_CHANGED + 1,
    [2] = MCPI_M_RESOURCES_READ + 1,
    [5] = MCPI_M_TOOLS_CHANGED + 1,
    [7] = MCPI_M_INITIALIZE + 1,
    [10] = MCPI_M_INITIALIZED + 1,
    [11] = MCPI_M_RESOURCES_UPDATED + 1,
    [13] = MCPI_M_SAMPLE + 1,
    [15] = MCPI_M_ACKNOWLEDGED + 1,
    [17] = MCPI_M_CANCELLED + 1,
    [21] = MCPI_M_MESSAGE + 1,
    [24] = MCPI_M_ELICIT + 1,
    [26] = MCPI_M_ROOTS_CHANGED + 1,
    [30] = MCPI_M_TOOLS_CALL + 1,
    [31] = MCPI_M_RESOURCES_LIST + 1,
    [34] = MCPI_M_TOOLS_LIST + 1,
    [36] = MCPI_M_PROMPTS_CHANGED + 1,
    [39] = MCPI_M_RESOURCES_SUBSCRIBE + 1,
    [43] = MCPI_M_ELICITATION_COMPLETE + 1,
    [44] = MCPI_M_RESOURCES_UNSUBSCRIBE + 1,
    [45] = MCPI_M_PING + 1,
    [47] = MCPI_M_ROOTS_LIST + 1,
    [49] = MCPI_M_TEMPLATES_LIST + 1,
    [50] = MCPI_M_LISTEN + 1,
    [51] = MCPI_M_PROMPTS_GET + 1,
    [52] = MCPI_M_COMPLETE + 1,
    [53] = MCPI_M_SET_LEVEL + 1,
    [57] = MCPI_M_PROGRESS + 1,
    [59] = MCPI_M_DISCOVER + 1,
    [62] = MCPI_M_PROMPTS_LIST + 1,
};

static size_t hash(mcpi_str name) {
  uint32_t sum = 0;
  for (size_t i = 0; i < name.len; i++) {
    sum = sum * 561 + (unsigned char)name.ptr[i];
  }
  return (sum >> 5) % SLOT_COUNT;
}

const mcpi_method *mcpi_method_find(mcpi_str name) {
  if (name.len > LONGEST_NAME) {
    return NULL;
  }
  size_t slot = slots[hash(name)];
  if (slot == 0 ||
      !mcpi_str_eq(name, mcpi_str_z(mcpi_methods[slot - 1].name))) {
    return NULL;
  }
  return &mcpi_methods[slot - 1];
}

const char *mcpi_method_mirrored(mcpi_str name) {
  static const char *const members[][2] = {
      {"tools/call", "name"},     {"prompts/get", "name"},
      {"resources/read", "uri"},  {"tasks/get", "taskId"},
      {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"},
  };
  for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
    if (mcpi_str_eq(name, mcpi_str_z(members[i][0]))) {
      return members[i][1];
    }
  }
  return NULL;
}

/* --- checks ------------------------------------------------------------- */

/* "an object", "null": as it stands in a sentence. */
static const char *a_type(int type) {
  static const char *const words[] = {
      NULL,       "null",     "a boolean", "a number",
      "a string", "an array", "an object", "a string",
  };
  return words[type];
}

static int fail_missing(const mcpi_member *member, mcp_error *err) {
  if (member->type == MCP_JSON_NONE) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s.%s is missing", member->of,
                         member->name);
  }
  return mcp_error_set(err, MCP_ERR_INVALID, "%s.%s is missing: it must be %s",
                       member->of, member->name, a_type(member->type));
}

static int fail_type(const mcpi_member *member, int type, mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_INVALID, "%s.%s must be %s, not %s",
                       member->of, member->name, a_type(member->type),
                       a_type(type));
}

static int check_c_string(const mcpi_member *member, const mcp_json *value,
                          mcp_error *err) {
  if (!mcpi_str_has_nul(mcpi_json_str(value))) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "%s.%s must not contain NUL (\\u0000)", member->of,
                       member->name);
}

static int check_member(const mcpi_member *member, const mcp_json *object,
                        mcp_error *err) {
  const mcp_json *value = mcp_json_get(object, member->name);
  int type = mcp_json_type(value);
  if (type == MCP_JSON_NONE) {
    return member->required ? fail_missing(member, err) : 0;
  }
  if (member->type == MCP_JSON_NONE || type == member->type ||
      (type == MCP_JSON_NULL && !member->required)) {
    return 0;
  }
  if (member->type == MCPI_C_STRING && type == MCP_JSON_STRING) {
    return check_c_string(member, value, err);
  }
  return fail_type(member, type, err);
}

int mcpi_members_check(const mcpi_member *members, const mcp_json *object,
                       mcp_error *err) {
  if (members == NULL) {
    return 0;
  }
  for (; members->name != NULL; members++) {
    int rc = check_member(members, object, err);
    if (rc != 0) {
      return rc;
    }
  }
  return 0;
}
