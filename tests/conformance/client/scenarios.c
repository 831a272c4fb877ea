/* SPDX-License-Identifier: MIT */
/* What the client does in each scenario, once it is connected. The suite looks
 * at what reaches its servers, so hardly any result matters here. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>

/* --- steps --------------------------------------------------------------- */

static int list_tools(run *self) {
  return mcp_sync_list_tools(self->client, NULL, NULL, &self->err);
}

/* What a server answers that offers nothing. */
static int ping(run *self) {
  return mcp_sync_ping(self->client, NULL, &self->err);
}

static int call(run *self, const char *tool, const char *arguments) {
  mcp_result *result = NULL;
  int rc = mcp_sync_call_tool(self->client, tool, arguments, NULL, &result,
                              &self->err);
  if (rc == 0) {
    const char *text = mcp_result_text(result);
    printf("%s: %s\n", tool, text != NULL ? text : "no text");
  }
  mcp_result_unref(result);
  return rc;
}

/* The same with an argument that is a value. */
static int call_with(run *self, const char *tool, const mcp_json *arguments) {
  char *text = mcp_json_to_text(arguments, NULL);
  int rc = text != NULL ? call(self, tool, text) : MCP_ERR_NOMEM;
  mcp_text_free(text);
  return rc;
}

static int list_and_call(run *self, const char *tool, const char *arguments) {
  int rc = list_tools(self);
  return rc != 0 ? rc : call(self, tool, arguments);
}

/* An entry of a list's, by name; NULL: it is not there. */
static const mcp_json *find_item(const mcp_result *list, const char *name) {
  for (size_t i = 0; i < mcp_result_count(list); i++) {
    const mcp_json *item = mcp_result_item(list, i);
    const char *other = mcp_json_string(mcp_json_get(item, "name"));
    if (other != NULL && strcmp(other, name) == 0) {
      return item;
    }
  }
  return NULL;
}

/* --- scenarios ----------------------------------------------------------- */

static int add_numbers(run *self) {
  return list_and_call(self, "add_numbers", MCP_JSON({"a": 5, "b": 3}));
}

static int ask_defaults(run *self) {
  return list_and_call(self, "test_client_elicitation_defaults", "{}");
}

static int reconnect(run *self) {
  return list_and_call(self, "test_reconnection", "{}");
}

static int call_test_tool(run *self) {
  return list_and_call(self, "test-tool", "{}");
}

/* A result without resultType may be taken as complete, or refused. */
static int keep_state(run *self) {
  static const char *const tools[] = {
      "test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated"};
  int rc = list_tools(self);
  for (size_t i = 0; rc == 0 && i < sizeof tools / sizeof tools[0]; i++) {
    rc = call(self, tools[i], "{}");
  }
  if (rc == 0) {
    mcp_error ignored;
    mcp_sync_call_tool(self->client, "test_mrtr_no_result_type", "{}", NULL,
                       NULL, &ignored);
  }
  return rc;
}

/* Lists one kind of thing, and does something with the first. */
static int
with_first(run *self,
           int (*list)(mcp_client *client, const mcp_request_options *options,
                       mcp_result **out, mcp_error *err),
           const char *member, int (*use)(run *self, const char *value)) {
  mcp_result *found = NULL;
  int rc = list(self->client, NULL, &found, &self->err);
  if (rc == 0) {
    const char *value =
        mcp_json_string(mcp_json_get(mcp_result_item(found, 0), member));
    rc = value != NULL ? use(self, value) : MCP_ERR_NOT_FOUND;
  }
  mcp_result_unref(found);
  return rc;
}

static int use_tool(run *self, const char *name) {
  return call(self, name, "{}");
}

static int use_resource(run *self, const char *uri) {
  return mcp_sync_read_resource(self->client, uri, NULL, NULL, &self->err);
}

static int use_prompt(run *self, const char *name) {
  return mcp_sync_get_prompt(self->client, name, NULL, NULL, NULL, &self->err);
}

static int send_headers(run *self) {
  int rc = with_first(self, mcp_sync_list_tools, "name", use_tool);
  if (rc == 0) {
    rc = with_first(self, mcp_sync_list_resources, "uri", use_resource);
  }
  if (rc == 0) {
    rc = with_first(self, mcp_sync_list_prompts, "name", use_prompt);
  }
  return rc;
}

/* The calls are the context's. */
static int send_custom_headers(run *self) {
  mcp_json_iter iter;
  const mcp_json *wanted;
  int rc = list_tools(self);
  mcp_json_iter_init(&iter, mcp_json_get(self->context, "toolCalls"));
  while (rc == 0 && (wanted = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = call_with(self, mcp_json_string(mcp_json_get(wanted, "name")),
                   mcp_json_get(wanted, "arguments"));
  }
  return rc;
}

/* Calls every tool that the library has left: those with faulty annotations are
 * not among them. */
static int call_valid_tools(run *self) {
  mcp_result *tools = NULL;
  int rc = mcp_sync_list_tools(self->client, NULL, &tools, &self->err);
  for (size_t i = 0; rc == 0 && i < mcp_result_count(tools); i++) {
    const mcp_json *tool = mcp_result_item(tools, i);
    rc = call(self, mcp_json_string(mcp_json_get(tool, "name")),
              MCP_JSON({"region": "test"}));
  }
  mcp_result_unref(tools);
  return rc;
}

/* Hands a tool's schema back as it came. */
static int echo_schema(run *self) {
  mcp_result *tools = NULL;
  int rc = mcp_sync_list_tools(self->client, NULL, &tools, &self->err);
  if (rc == 0) {
    const mcp_json *tool = find_item(tools, "json_schema_2020_12_tool");
    mcp_builder *arguments = mcp_builder_new(NULL, NULL);
    mcp_builder_object(arguments, NULL);
    mcp_builder_value(arguments, "schema", mcp_json_get(tool, "inputSchema"));
    rc = mcp_builder_end(arguments);
    if (rc == 0) {
      rc = call(self, "json_schema_echo", mcp_builder_text(arguments, NULL));
    }
    mcp_builder_free(arguments);
  }
  mcp_result_unref(tools);
  return rc;
}

/* --- skills --------------------------------------------------------------- */

/* No file of a skill is read before a model needs it. */
static int list_skills(run *self) {
  mcp_result *skills = NULL;
  int rc = mcp_sync_list_skills(self->client, NULL, &skills, &self->err);
  for (size_t i = 0; rc == 0 && i < mcp_result_count(skills); i++) {
    mcp_skill *skill =
        mcp_skill_new(mcp_result_item(skills, i), NULL, &self->err);
    rc = skill != NULL ? 0 : self->err.code;
    mcp_skill_free(skill);
  }
  mcp_result_unref(skills);
  return rc;
}

/* Reads SKILL.md, and then each other file. */
static int read_files(run *self, const mcp_skill *skill) {
  const mcp_skill_file *main_file = mcp_skill_find(skill, NULL);
  int rc =
      mcp_sync_read_skill(self->client, skill, NULL, NULL, NULL, &self->err);
  for (size_t i = 0; rc == 0 && i < mcp_skill_file_count(skill); i++) {
    const mcp_skill_file *file = mcp_skill_file_at(skill, i);
    if (file != main_file) {
      rc = mcp_sync_read_skill(self->client, skill, file->path, NULL, NULL,
                               &self->err);
    }
  }
  return rc;
}

static int read_skill(run *self) {
  mcp_result *skills = NULL;
  int rc = mcp_sync_list_skills(self->client, NULL, &skills, &self->err);
  if (rc == 0) {
    mcp_skill *skill =
        mcp_skill_new(mcp_result_item(skills, 0), NULL, &self->err);
    rc = skill != NULL ? read_files(self, skill) : self->err.code;
    mcp_skill_free(skill);
  }
  mcp_result_unref(skills);
  return rc;
}

/* --- all of them --------------------------------------------------------- */

static const scenario scenarios[] = {
    {"initialize", list_tools, "{}"},
    {"tools_call", add_numbers, "{}"},
    {"elicitation-sep1034-client-defaults", ask_defaults, "{}"},
    {"sse-retry", reconnect, "{}"},
    {"request-metadata", ping, "{}"},
    {"sep-2322-client-request-state", keep_state, "{\"confirmed\":true}"},
    {"http-standard-headers", send_headers, "{}"},
    {"http-custom-headers", send_custom_headers, "{}"},
    {"http-invalid-tool-headers", call_valid_tools, "{}"},
    {"json-schema-ref-no-deref", list_tools, "{}"},
    {"json-schema-2020-12-preservation", echo_schema, "{}"},
    {"sep-2640-client-no-prefetch", list_skills, "{}"},
    {"sep-2640-client-verify-digest", read_skill, "{}"},
    {"sep-2640-client-verify-size", read_skill, "{}"},
    {"sep-2640-client-verify-frontmatter", read_skill, "{}"},
    {"auth/", call_test_tool, "{}"},
};

static int is_named(const scenario *each, const char *name) {
  size_t len = strlen(each->name);
  return each->name[len - 1] == '/' ? strncmp(each->name, name, len) == 0
                                    : strcmp(each->name, name) == 0;
}

const scenario *find_scenario(const char *name) {
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
    if (is_named(&scenarios[i], name)) {
      return &scenarios[i];
    }
  }
  return NULL;
}
