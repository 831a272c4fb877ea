/* SPDX-License-Identifier: MIT */
#include "core/method.h"

#include "support/cm.h"
#include <string.h>

/* The methods of the specification (MCP, Schema Reference) once more: first and
 * last revision, who may send it (c: the client to the server, s: the server to
 * the client), whether it is a request, cacheable, may ask, and the
 * capability. */
static const struct {
  mcpi_method_id id;
  const char *name;
  const char *revisions; /* the published ones */
  const char *flags;
  const char *capability;
} inventory[] = {
    {MCPI_M_INITIALIZE, "initialize", "xxxx-", "c r twice", NULL},
    {MCPI_M_INITIALIZED, "notifications/initialized", "xxxx-", "c", NULL},
    {MCPI_M_PING, "ping", "xxxx-", "cs r twice", NULL},
    {MCPI_M_DISCOVER, "server/discover", "----x", "c r cache", NULL},
    {MCPI_M_TOOLS_LIST, "tools/list", "xxxxx", "c r cache", "tools"},
    {MCPI_M_TOOLS_CALL, "tools/call", "xxxxx", "c r ask", "tools"},
    {MCPI_M_PROMPTS_LIST, "prompts/list", "xxxxx", "c r cache", "prompts"},
    {MCPI_M_PROMPTS_GET, "prompts/get", "xxxxx", "c r ask", "prompts"},
    {MCPI_M_RESOURCES_LIST, "resources/list", "xxxxx", "c r cache",
     "resources"},
    {MCPI_M_TEMPLATES_LIST, "resources/templates/list", "xxxxx", "c r cache",
     "resources"},
    {MCPI_M_RESOURCES_READ, "resources/read", "xxxxx", "c r cache ask",
     "resources"},
    {MCPI_M_RESOURCES_SUBSCRIBE, "resources/subscribe", "xxxx-", "c r twice",
     "resources.subscribe"},
    {MCPI_M_RESOURCES_UNSUBSCRIBE, "resources/unsubscribe", "xxxx-",
     "c r twice", "resources.subscribe"},
    {MCPI_M_COMPLETE, "completion/complete", "xxxxx", "c r", "completions"},
    {MCPI_M_SET_LEVEL, "logging/setLevel", "xxxx-", "c r twice", "logging"},
    {MCPI_M_LISTEN, "subscriptions/listen", "----x", "c r", NULL},
    {MCPI_M_SAMPLE, "sampling/createMessage", "xxxxx", "s r", "sampling"},
    {MCPI_M_ROOTS_LIST, "roots/list", "xxxxx", "s r", "roots"},
    {MCPI_M_ELICIT, "elicitation/create", "--xxx", "s r", "elicitation"},
    {MCPI_M_CANCELLED, "notifications/cancelled", "xxxxx", "cs", NULL},
    {MCPI_M_PROGRESS, "notifications/progress", "xxxxx", "cs", NULL},
    {MCPI_M_MESSAGE, "notifications/message", "xxxxx", "s", NULL},
    {MCPI_M_TOOLS_CHANGED, "notifications/tools/list_changed", "xxxxx", "s",
     NULL},
    {MCPI_M_PROMPTS_CHANGED, "notifications/prompts/list_changed", "xxxxx", "s",
     NULL},
    {MCPI_M_RESOURCES_CHANGED, "notifications/resources/list_changed", "xxxxx",
     "s", NULL},
    {MCPI_M_RESOURCES_UPDATED, "notifications/resources/updated", "xxxxx", "s",
     NULL},
    {MCPI_M_ACKNOWLEDGED, "notifications/subscriptions/acknowledged", "----x",
     "s", NULL},
    {MCPI_M_ROOTS_CHANGED, "notifications/roots/list_changed", "xxxx-", "c",
     NULL},
    {MCPI_M_ELICITATION_COMPLETE, "notifications/elicitation/complete", "---x-",
     "s", NULL},
};

static unsigned flags_of(const char *words) {
  unsigned flags = 0;
  flags |= strchr("c", words[0]) != NULL ? MCPI_TO_SERVER : 0;
  flags |= words[0] == 's' || words[1] == 's' ? MCPI_TO_CLIENT : 0;
  flags |= strstr(words, " r") != NULL ? MCPI_IS_REQUEST : 0;
  return flags;
}

TEST(every_row_is_as_published) {
  assert_int_equal(sizeof(inventory) / sizeof(inventory[0]), MCPI_M_COUNT);
  for (size_t i = 0; i < MCPI_M_COUNT; i++) {
    const mcpi_method *row = &mcpi_methods[i];
    assert_int_equal(row->id, i);
    assert_int_equal(inventory[i].id, i);
    assert_string_equal(row->name, inventory[i].name);
    assert_int_equal(row->flags, flags_of(inventory[i].flags));
    assert_int_equal(row->is_cacheable,
                     strstr(inventory[i].flags, "cache") != NULL);
    assert_int_equal(row->is_idempotent,
                     strstr(inventory[i].flags, "twice") != NULL);
    assert_int_equal(row->may_ask, strstr(inventory[i].flags, "ask") != NULL);
    for (size_t r = 0; inventory[i].revisions[r] != '\0'; r++) {
      assert_int_equal(mcpi_method_in(row, &mcpi_revisions[r]),
                       inventory[i].revisions[r] == 'x');
    }
    if (inventory[i].capability == NULL) {
      assert_null(row->capability);
    } else {
      assert_string_equal(row->capability, inventory[i].capability);
    }
  }
}

TEST(every_list_names_its_items) {
  for (size_t i = 0; i < MCPI_M_COUNT; i++) {
    const mcpi_method *row = &mcpi_methods[i];
    int listed = 0;
    for (const mcpi_member *m = row->result; m != NULL && m->name.ptr; m++) {
      listed |= row->items != NULL && strcmp(m->name.ptr, row->items) == 0 &&
                m->type == MCP_JSON_ARRAY && m->required;
    }
    assert_int_equal(listed, row->items != NULL);
  }
}

/* --- look-up ------------------------------------------------------------ */

TEST(every_name_is_found) {
  for (size_t i = 0; i < MCPI_M_COUNT; i++) {
    mcpi_str name = mcpi_str_z(mcpi_methods[i].name);
    assert_ptr_equal(mcpi_method_find(name), &mcpi_methods[i]);
  }
}

/* (MCP 2026-07-28, Streamable HTTP: Request Metadata) */
TEST(some_methods_have_a_mirrored_name) {
  static const char *const members[][2] = {
      {"tools/call", "name"},     {"prompts/get", "name"},
      {"resources/read", "uri"},  {"tasks/get", "taskId"},
      {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"}};
  size_t count = 0;
  for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
    assert_string_equal(mcpi_method_mirrored(mcpi_str_z(members[i][0])),
                        members[i][1]);
  }
  for (size_t i = 0; i < MCPI_M_COUNT; i++) {
    count += mcpi_methods[i].mirrored != NULL;
  }
  assert_int_equal(count, 3);
  assert_null(mcpi_method_mirrored(MCPI_STR("tasks/list")));
  assert_null(mcpi_method_mirrored(MCPI_STR("ping")));
}

TEST(no_other_name_is) {
  char name[64];
  for (size_t i = 0; i < MCPI_M_COUNT; i++) {
    size_t len = strlen(mcpi_methods[i].name);
    memcpy(name, mcpi_methods[i].name, len);
    assert_null(mcpi_method_find(mcpi_str_n(name, len - 1)));
    name[len] = 's';
    assert_null(mcpi_method_find(mcpi_str_n(name, len + 1)));
    name[len] = '\0';
    assert_null(mcpi_method_find(mcpi_str_n(name, len + 1)));
    for (size_t at = 0; at < len; at++) {
      name[at] ^= 0x20;
      assert_null(mcpi_method_find(mcpi_str_n(name, len)));
      name[at] ^= 0x20;
    }
  }
  assert_null(mcpi_method_find(MCPI_STR("")));
  assert_null(mcpi_method_find(mcpi_str_n(NULL, 0)));
  assert_null(mcpi_method_find(MCPI_STR("tasks/get")));
}

/* --- members ------------------------------------------------------------ */

static int check(const mcpi_member *members, const char *of, const char *json,
                 mcp_error *err) {
  memset(err, 0, sizeof(*err));
  mcp_doc *doc = mcp_doc_parse(json, strlen(json), NULL, NULL, NULL);
  assert_non_null(doc);
  int rc = mcpi_members_check(members, of, mcp_doc_root(doc), err);
  mcp_doc_free(doc);
  return rc;
}

static void fails(const mcpi_member *members, const char *of, const char *json,
                  const char *message) {
  mcp_error err;
  assert_int_equal(check(members, of, json, &err), MCP_ERR_INVALID);
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, message);
}

static void passes(const mcpi_member *members, const char *of,
                   const char *json) {
  mcp_error err;
  assert_int_equal(check(members, of, json, &err), 0);
}

static void params_of(mcpi_method_id id, const char *json,
                      const char *message) {
  if (message == NULL) {
    passes(mcpi_methods[id].params, "params", json);
  } else {
    fails(mcpi_methods[id].params, "params", json, message);
  }
}

TEST(params_are_checked) {
  params_of(MCPI_M_TOOLS_CALL, "{\"name\":\"x\"}", NULL);
  params_of(MCPI_M_TOOLS_CALL, "{\"name\":\"x\",\"arguments\":{},\"more\":1}",
            NULL);
  params_of(MCPI_M_TOOLS_CALL, "{}",
            "params.name is missing: it must be a string");
  params_of(MCPI_M_TOOLS_CALL, "{\"name\":7}",
            "params.name must be a string, not a number");
  params_of(MCPI_M_TOOLS_CALL, "{\"name\":null}",
            "params.name must be a string, not null");
  params_of(MCPI_M_TOOLS_CALL, "{\"name\":\"x\",\"arguments\":[]}",
            "params.arguments must be an object, not an array");
  params_of(MCPI_M_TOOLS_CALL, "{\"name\":\"x\",\"requestState\":true}",
            "params.requestState must be a string, not a boolean");
  params_of(MCPI_M_PROMPTS_GET, "{\"name\":\"x\",\"arguments\":\"y\"}",
            "params.arguments must be an object, not a string");
  params_of(MCPI_M_RESOURCES_READ, "{\"uri\":{}}",
            "params.uri must be a string, not an object");
  params_of(MCPI_M_INITIALIZE,
            "{\"protocolVersion\":\"1\",\"capabilities\":{}}",
            "params.clientInfo is missing: it must be an object");
  params_of(MCPI_M_LISTEN, "{}",
            "params.notifications is missing: it must be an object");
  params_of(MCPI_M_COMPLETE, "{\"ref\":{},\"argument\":{},\"context\":4}",
            "params.context must be an object, not a number");
  params_of(MCPI_M_SET_LEVEL, "{\"level\":3}",
            "params.level must be a string, not a number");
  params_of(MCPI_M_SAMPLE, "{\"messages\":[],\"maxTokens\":\"9\"}",
            "params.maxTokens must be a number, not a string");
  params_of(MCPI_M_PROGRESS, "{\"progress\":1}",
            "params.progressToken is missing");
  params_of(MCPI_M_PROGRESS, "{\"progress\":1,\"progressToken\":\"t\"}", NULL);
  params_of(MCPI_M_PING, "{\"name\":7}", NULL);
}

/* Several clients write null for what they leave out. */
TEST(an_optional_member_may_be_null) {
  params_of(MCPI_M_TOOLS_LIST, "{\"cursor\":null}", NULL);
  params_of(MCPI_M_TOOLS_LIST, "{\"cursor\":12}",
            "params.cursor must be a string, not a number");
  params_of(MCPI_M_TOOLS_CALL, "{\"name\":\"x\",\"arguments\":null}", NULL);
}

TEST(results_are_checked) {
  passes(mcpi_methods[MCPI_M_TOOLS_CALL].result, "result",
         "{}"); /* old servers */
  fails(mcpi_methods[MCPI_M_TOOLS_CALL].result, "result",
        "{\"content\":\"text\"}",
        "result.content must be an array, not a string");
  fails(mcpi_methods[MCPI_M_TOOLS_CALL].result, "result", "{\"isError\":1}",
        "result.isError must be a boolean, not a number");
  fails(mcpi_methods[MCPI_M_TOOLS_LIST].result, "result", "{}",
        "result.tools is missing: it must be an array");
  fails(mcpi_methods[MCPI_M_TEMPLATES_LIST].result, "result",
        "{\"resources\":[]}",
        "result.resourceTemplates is missing: it must be an array");
  fails(mcpi_methods[MCPI_M_SAMPLE].result, "result",
        "{\"role\":\"assistant\",\"model\":\"m\"}",
        "result.content is missing");
  passes(mcpi_methods[MCPI_M_SAMPLE].result, "result",
         "{\"role\":\"assistant\",\"model\":\"m\",\"content\":[]}");
}

TEST(nothing_stands_for_an_empty_object) {
  static const mcpi_member own[] = {{{"size", 4}, MCP_JSON_NUMBER, 1},
                                    {{NULL, 0}, MCP_JSON_NONE, 0}};
  mcp_error err;
  assert_int_equal(mcpi_members_check(NULL, "params", NULL, &err), 0);
  assert_int_equal(mcpi_members_check(mcpi_methods[MCPI_M_TOOLS_LIST].params,
                                      "params", NULL, &err),
                   0);
  assert_int_equal(mcpi_members_check(own, "params", NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcpi_members_check(own, "params", NULL, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "params.size is missing: it must be a number");
}
