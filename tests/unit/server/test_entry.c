/* SPDX-License-Identifier: MIT */
/* Entries: what registering checks, copies and says; and describe.c, how a list
 * shows them in each revision. */
#include "server/registry.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/plain_regex.h"
#include <stdio.h>
#include <stdlib.h>

static int on_call(mcp_call *call, void *userdata) {
  return 0;
}

/* --- what is refused ---------------------------------------------------- */

static mcp_tool a_tool(void) {
  return (mcp_tool){
      .size = sizeof(mcp_tool), .name = "add", .handler = on_call};
}

static mcp_prompt a_prompt(void) {
  return (mcp_prompt){
      .size = sizeof(mcp_prompt), .name = "p", .handler = on_call};
}

static mcp_resource a_resource(void) {
  return (mcp_resource){.size = sizeof(mcp_resource),
                        .uri = "file:///a",
                        .name = "a",
                        .text = "hello"};
}

static mcp_resource_template a_template(void) {
  return (mcp_resource_template){.size = sizeof(mcp_resource_template),
                                 .uri_template = "file:///{name}",
                                 .name = "t",
                                 .handler = on_call};
}

static void assert_tool_refused(const mcp_tool *tool, int code,
                                const char *message) {
  mcpi_entry *entry = NULL;
  mcp_error err = {0};
  assert_int_equal(
      mcpi_entry_from_tool(&entry, tool, mcp_allocator_default(), &err), code);
  assert_int_equal(err.code, code);
  assert_string_equal(err.message, message);
  assert_null(entry);
  assert_int_equal(
      mcpi_entry_from_tool(&entry, tool, mcp_allocator_default(), NULL), code);
}

static void assert_resource_refused(const mcp_resource *resource,
                                    const char *message) {
  mcpi_entry *entry = NULL;
  mcp_error err = {0};
  assert_int_equal(
      mcpi_entry_from_resource(&entry, resource, mcp_allocator_default(), &err),
      MCP_ERR_INVALID);
  assert_string_equal(err.message, message);
}

static void assert_prompt_refused(const mcp_prompt *prompt,
                                  const char *message) {
  mcpi_entry *entry = NULL;
  mcp_error err = {0};
  assert_int_equal(
      mcpi_entry_from_prompt(&entry, prompt, mcp_allocator_default(), &err),
      MCP_ERR_INVALID);
  assert_string_equal(err.message, message);
}

TEST(meta_of_contents_is_an_object) {
  mcp_resource resource = a_resource();
  mcpi_entry *entry;
  resource.content_meta = "[]";
  assert_resource_refused(
      &resource, "resource \"file:///a\": content_meta is not an object: []");
  resource.content_meta = " {\n\"a\":1} ";
  assert_int_equal(mcpi_entry_from_resource(&entry, &resource,
                                            mcp_allocator_default(), NULL),
                   0);
  assert_string_equal(entry->content_meta, "{\"a\":1}");
  assert_null(entry->meta);
  mcpi_entry_unref(entry);
}

TEST(names_of_tools_are_checked) {
  char name[130];
  mcp_tool tool = a_tool();
  const char *rule = "name must be 1 to 128 characters of A-Z a-z 0-9 _ . -";
  char message[300];
  tool.name = "a b";
  snprintf(message, sizeof(message), "tool \"a b\": %s", rule);
  assert_tool_refused(&tool, MCP_ERR_INVALID, message);
  tool.name = NULL;
  snprintf(message, sizeof(message), "tool \"\": %s", rule);
  assert_tool_refused(&tool, MCP_ERR_INVALID, message);
  memset(name, 'x', 129);
  name[129] = '\0';
  tool.name = name;
  snprintf(message, sizeof(message), "tool \"%s\": %s", name, rule);
  message[239] = '\0';
  assert_tool_refused(&tool, MCP_ERR_INVALID, message);
}

TEST(the_longest_name_is_taken) {
  char name[129];
  mcp_tool tool = a_tool();
  mcpi_entry *entry;
  memset(name, 'x', 128);
  name[128] = '\0';
  tool.name = name;
  assert_int_equal(
      mcpi_entry_from_tool(&entry, &tool, mcp_allocator_default(), NULL), 0);
  assert_int_equal(entry->key.len, 128);
  mcpi_entry_unref(entry);
}

TEST(members_of_tools_are_checked) {
  mcp_tool tool = a_tool();
  assert_tool_refused(NULL, MCP_ERR_INVALID, "mcp_tool is NULL");
  tool.handler = NULL;
  assert_tool_refused(&tool, MCP_ERR_INVALID,
                      "tool \"add\": handler is required");
  tool = a_tool();
  tool.description = "a\xFF";
  assert_tool_refused(&tool, MCP_ERR_INVALID,
                      "tool \"add\": description is not UTF-8 at byte 1");
  tool = a_tool();
  tool.meta = "3";
  assert_tool_refused(&tool, MCP_ERR_INVALID,
                      "tool \"add\": meta is not an object: 3");
  tool = a_tool();
  tool.hints = MCP_TOOL_READ_ONLY | MCP_TOOL_NOT_READ_ONLY;
  assert_tool_refused(
      &tool, MCP_ERR_INVALID,
      "tool \"add\": hints 0x3 are unknown or contradict each other");
  tool.hints = MCP_TOOL_NOT_OPEN_WORLD << 1;
  assert_tool_refused(
      &tool, MCP_ERR_INVALID,
      "tool \"add\": hints 0x100 are unknown or contradict each other");
  tool.hints = MCP_TOOL_NOT_READ_ONLY | MCP_TOOL_DESTRUCTIVE;
  tool.size = 1;
  assert_tool_refused(
      &tool, MCP_ERR_INVALID,
      "mcp_tool has no size: set its member size to sizeof(mcp_tool)");
}

static void assert_input_refused(const char *schema, int code,
                                 const char *message) {
  const mcp_schema input = {.size = sizeof(mcp_schema), .text = schema};
  char whole[MCP_ERROR_TEXT_SIZE];
  mcp_tool tool = a_tool();
  tool.input = &input;
  snprintf(whole, sizeof(whole), "tool \"add\": input: %s", message);
  assert_tool_refused(&tool, code, whole);
}

TEST(an_input_is_an_object) {
  static const char *const cases[][2] = {
      {"{\"type\":\"array\"}",
       "/type: expected \"object\", got the string \"array\""},
      {"{\"type\":[\"object\"]}",
       "/type: expected \"object\", got an array of 1 item"},
      {"{}", "expected an object with \"type\":\"object\", got an object "
             "with 0 members"},
      {"true", "expected an object with \"type\":\"object\", got true"},
      {"null", "expected an object with \"type\":\"object\", got null"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_input_refused(cases[i][0], MCP_ERR_SCHEMA, cases[i][1]);
  }
}

TEST(a_fault_of_a_field_names_the_tool_the_field_and_the_value) {
  mcp_tool tool = a_tool();
  tool.input =
      MCP_OBJECT(MCP_INTEGER("limit", NULL, .minimum = "10", .maximum = "5"));
  assert_tool_refused(&tool, MCP_ERR_INVALID,
                      "tool \"add\": input: field \"limit\": minimum 10 is "
                      "above maximum 5");
  tool.input = MCP_OBJECT(MCP_INTEGER(
      "limit", NULL, .optional = 1, .maximum = "100", .default_value = "200"));
  assert_tool_refused(&tool, MCP_ERR_INVALID,
                      "tool \"add\": input: field \"limit\": default_value 200 "
                      "does not satisfy the field: 200 is more than the "
                      "maximum 100");
}

#define IN_A(schema) "{\"type\":\"object\",\"properties\":{\"a\":" schema "}}"

/* Registering says at once where the fault is, and what stands there. */
TEST(each_fault_of_a_schema_has_its_place) {
  static const char *const cases[][2] = {
      {IN_A("{\"type\":\"strnig\"}"),
       "/properties/a/type: expected the name of a JSON type, got the string "
       "\"strnig\""},
      {IN_A("{\"type\":7}"), "/properties/a/type: expected the name of a JSON "
                             "type, got the number 7"},
      {IN_A("7"), "/properties/a: expected a schema (an object or a boolean), "
                  "got the number 7"},
      {IN_A("{\"pattern\":\"(\"}"),
       "/properties/a/pattern: \"(\" is not a regular "
       "expression (ECMA-262): error at byte 0"},
      {IN_A("{\"pattern\":3}"), "/properties/a/pattern: expected a regular "
                                "expression, got the number 3"},
      {IN_A("{\"$ref\":\"#/$defs/no\"}"),
       "/properties/a/$ref: the reference \"#/$defs/no\" leads nowhere"},
      {IN_A("{\"$ref\":\"https://example.com/a.json\"}"),
       "/properties/a/$ref: the reference \"https://example.com/a.json\" leads "
       "to a document that was not given; nothing is fetched"},
      {IN_A("{\"$dynamicRef\":\"#no\"}"),
       "/properties/a/$dynamicRef: the reference \"#no\" leads nowhere"},
      {IN_A("{\"minLength\":-1}"), "/properties/a/minLength: expected a whole "
                                   "number, not negative, got the number -1"},
      {IN_A("{\"items\":{\"anyOf\":[{},{\"maximum\":\"9\"}]}}"),
       "/properties/a/items/anyOf/1/maximum: expected a number, got the string "
       "\"9\""},
      {"{\"type\":\"object\",\"properties\":{\"a/b~c\":null}}",
       "/properties/a~1b~0c: expected a schema (an object or a boolean), got "
       "null"},
      {"{\"type\":\"object\",\"$ref\":\"#\"}",
       "/$ref: expected a reference that does not lead back here for the same "
       "value, got the string \"#\""},
      {"{\"type\":\"object\",\"$schema\":"
       "\"http://json-schema.org/draft-04/schema#\"}",
       "/$schema: the draft \"http://json-schema.org/draft-04/schema#\" is "
       "not known; its meta-schema can be given as a document"},
      {"{\"type\":\"object\",\"$schema\":3}",
       "/$schema: expected the URI of a draft, got the number 3"},
      {"{\"type\":\"object\",\"required\":\"a\"}",
       "/required: expected an array of names, got the string \"a\""},
      {"{\"type\":\"object\",\"required\":[\"a\",1]}",
       "/required/1: expected a name, got the number 1"}};
  plain_regex_provide();
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_input_refused(cases[i][0], MCP_ERR_SCHEMA, cases[i][1]);
  }
}

static size_t repeat(char *out, const char *text, int count) {
  size_t len = 0;
  for (int i = 0; i < count; i++) {
    len += (size_t)sprintf(out + len, "%s", text);
  }
  return len;
}

TEST(a_schema_has_limits) {
  const size_t max_bytes = 16 * 1024 * 1024; /* mcp_validator_options */
  char *text = malloc(max_bytes + 100);
  size_t len = (size_t)sprintf(text, "{\"type\":\"object\",\"not\":");
  len += repeat(text + len, "{\"not\":", 127);
  len += repeat(text + len, "{}", 1);
  repeat(text + len, "}", 128);
  assert_input_refused(text, MCP_ERR_LIMIT, "JSON of depth 129, limit 128");
  len = (size_t)sprintf(text, "{\"type\":\"object\",\"allOf\":[{}");
  len += repeat(text + len, ",{}", 99999);
  sprintf(text + len, "]}");
  assert_input_refused(text, MCP_ERR_LIMIT,
                       "/allOf/99999: a schema of more than 100000 subschemas");
  len = (size_t)sprintf(text, "{\"type\":\"object\",\"title\":\"");
  memset(text + len, 'x', max_bytes);
  strcpy(text + len + max_bytes, "\"}");
  char message[100];
  snprintf(message, sizeof(message), "JSON of %zu bytes, limit 16777216",
           strlen(text));
  assert_input_refused(text, MCP_ERR_LIMIT, message);
  free(text);
}

TEST(faults_in_schemas_are_located) {
  mcp_tool tool = a_tool();
  mcp_error err;
  mcpi_entry *entry;
  tool.output = MCP_SCHEMA_TEXT("{\"minimum\":\"x\"}");
  assert_int_equal(
      mcpi_entry_from_tool(&entry, &tool, mcp_allocator_default(), &err),
      MCP_ERR_SCHEMA);
  assert_non_null(strstr(err.message, "tool \"add\": output: /minimum: "));
  tool.output = MCP_SCHEMA_TEXT("{\"minimum\":}");
  assert_int_equal(
      mcpi_entry_from_tool(&entry, &tool, mcp_allocator_default(), &err),
      MCP_ERR_PARSE);
  assert_non_null(strstr(err.message, "tool \"add\": output: "));
  assert_int_equal(err.offset, 11);
}

TEST(members_of_resources_are_checked) {
  mcp_resource resource = a_resource();
  resource.uri = NULL;
  assert_resource_refused(&resource, "resource \"\": uri is required");
  resource.uri = "no uri";
  assert_resource_refused(&resource,
                          "resource \"no uri\": uri \"no uri\" is not a URI: "
                          "it must begin with a scheme, such as file://");
  resource = a_resource();
  resource.name = NULL;
  assert_resource_refused(&resource,
                          "resource \"file:///a\": name is required");
  resource = a_resource();
  resource.data = "x";
  assert_resource_refused(
      &resource, "resource \"file:///a\": needs exactly one of text, data and "
                 "handler, has 2");
  resource.text = NULL;
  resource.data = NULL;
  assert_resource_refused(
      &resource, "resource \"file:///a\": needs exactly one of text, data and "
                 "handler, has 0");
  resource.data_len = 5;
  assert_resource_refused(&resource,
                          "resource \"file:///a\": data is NULL, and "
                          "data_len is 5");
  resource.data_len = 0;
  resource.text = "\xFF";
  assert_resource_refused(
      &resource, "resource \"file:///a\": text is not UTF-8 at byte 0");
  resource = a_resource();
  resource.mime_type = "\xFF";
  assert_resource_refused(
      &resource, "resource \"file:///a\": mime_type is not UTF-8 at byte 0");
}

TEST(members_of_templates_are_checked) {
  mcp_resource_template tpl = a_template();
  mcpi_entry *entry;
  mcp_error err;
  tpl.uri_template = "";
  assert_int_equal(
      mcpi_entry_from_template(&entry, &tpl, mcp_allocator_default(), &err),
      MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "resource template \"\": uri_template is required");
  tpl.uri_template = "file:///{";
  assert_int_equal(
      mcpi_entry_from_template(&entry, &tpl, mcp_allocator_default(), &err),
      MCP_ERR_PARSE);
  assert_non_null(
      strstr(err.message, "resource template \"file:///{\": uri_template: "));
  tpl = a_template();
  tpl.handler = NULL;
  assert_int_equal(
      mcpi_entry_from_template(&entry, &tpl, mcp_allocator_default(), &err),
      MCP_ERR_INVALID);
}

TEST(members_of_prompts_are_checked) {
  mcp_prompt_argument arguments[] = {{.name = "a"}, {.name = "a"}};
  mcp_prompt prompt = a_prompt();
  prompt.arguments = arguments;
  prompt.argument_count = 2;
  assert_prompt_refused(&prompt,
                        "prompt \"p\": arguments[1]: name \"a\" occurs twice");
  arguments[1].name = "";
  assert_prompt_refused(&prompt,
                        "prompt \"p\": arguments[1]: name is required");
  arguments[1] = (mcp_prompt_argument){.name = "b", .title = "\xFF"};
  assert_prompt_refused(
      &prompt, "prompt \"p\": arguments[1]: title is not UTF-8 at byte 0");
  arguments[1] = (mcp_prompt_argument){.name = "b", .reserved = {NULL, "x"}};
  assert_prompt_refused(&prompt,
                        "prompt \"p\": arguments[1]: reserved is not NULL");
  prompt.arguments = NULL;
  assert_prompt_refused(&prompt,
                        "prompt \"p\": arguments is NULL, argument_count 2");
  prompt = a_prompt();
  prompt.name = NULL;
  assert_prompt_refused(&prompt, "prompt \"\": name is required");
  prompt = a_prompt();
  prompt.handler = NULL;
  assert_prompt_refused(&prompt, "prompt \"p\": handler is required");
}

/* --- how they are shown ------------------------------------------------- */

static void assert_shown(const mcpi_entry *entry, int revision,
                         const char *expected) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_entry_describe(entry, &mcpi_revisions[revision], &buf);
  mcpi_buf_putc(&buf, '\0');
  assert_int_equal(buf.error, 0);
  assert_string_equal(buf.data, expected);
  mcpi_buf_deinit(&buf);
}

static const mcp_icon icon = {.src = "data:,"};

static int make_tool(mcpi_entry **out, const mcp_allocator *allocator) {
  mcp_tool tool = a_tool();
  tool.title = "Add";
  tool.description = "Adds";
  tool.icons = &icon;
  tool.icon_count = 1;
  tool.input = MCP_OBJECT(MCP_NUMBER("a", "first"));
  tool.output = MCP_SCHEMA_TEXT("{\"type\":\"object\"}");
  tool.hints = MCP_TOOL_READ_ONLY | MCP_TOOL_NOT_OPEN_WORLD;
  tool.meta = "{\"x/y\":1}";
  return mcpi_entry_from_tool(out, &tool, allocator, NULL);
}

#define INPUT                                                                  \
  "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{"               \
  "\"type\":\"number\",\"description\":\"first\"}},\"required\":[\"a\"],"      \
  "\"additionalProperties\":false}"

TEST(tools_are_shown_by_revision) {
  mcpi_entry *entry;
  assert_int_equal(make_tool(&entry, mcp_allocator_default()), 0);
  assert_shown(entry, MCPI_REVISION_2024_11_05,
               "{\"name\":\"add\",\"description\":\"Adds\"," INPUT "}");
  assert_shown(entry, MCPI_REVISION_2025_03_26,
               "{\"name\":\"add\",\"description\":\"Adds\"," INPUT
               ",\"annotations\":{\"title\":\"Add\",\"readOnlyHint\":true,"
               "\"openWorldHint\":false}}");
  assert_shown(
      entry, MCPI_REVISION_2025_06_18,
      "{\"name\":\"add\",\"title\":\"Add\",\"description\":\"Adds\"," INPUT
      ",\"outputSchema\":{\"type\":\"object\"},"
      "\"annotations\":{\"readOnlyHint\":true,"
      "\"openWorldHint\":false},\"_meta\":{\"x/y\":1}}");
  assert_shown(entry, MCPI_REVISION_2026_07_28,
               "{\"name\":\"add\",\"title\":\"Add\",\"description\":\"Adds\","
               "\"icons\":[{\"src\":\"data:,\"}]," INPUT
               ",\"outputSchema\":{\"type\":\"object\"},"
               "\"annotations\":{\"readOnlyHint\":true,"
               "\"openWorldHint\":false},\"_meta\":{\"x/y\":1}}");
  mcpi_entry_unref(entry);
}

#undef INPUT

/* The official schemas up to 2025-11-25 want objects among the properties. */
TEST(boolean_properties_are_objects_in_older_revisions) {
  static const char booleans[] =
      "{\"type\":\"object\",\"properties\":{\"any\":true,\"never\":false,"
      "\"true\":{\"items\":{\"properties\":{\"x\":false}},\"default\":"
      "{\"properties\":{\"x\":true}}}},\"$defs\":{\"d\":{\"anyOf\":"
      "[{\"properties\":{\"y\":true}},true]}},\"additionalProperties\":false}";
  static const char objects[] =
      "{\"type\":\"object\",\"properties\":{\"any\":{},\"never\":"
      "{\"not\":{}},"
      "\"true\":{\"items\":{\"properties\":{\"x\":{\"not\":{}}}},\"default\":"
      "{\"properties\":{\"x\":true}}}},\"$defs\":{\"d\":{\"anyOf\":"
      "[{\"properties\":{\"y\":{}}},true]}},\"additionalProperties\":false}";
  mcp_tool tool = a_tool();
  mcpi_entry *entry;
  char text[2048];
  tool.input = MCP_SCHEMA_TEXT(booleans);
  tool.output = MCP_SCHEMA_TEXT(booleans);
  assert_int_equal(
      mcpi_entry_from_tool(&entry, &tool, mcp_allocator_default(), NULL), 0);
  for (int revision = MCPI_REVISION_2024_11_05;
       revision <= MCPI_REVISION_NEWEST; revision++) {
    const char *schema =
        revision < MCPI_REVISION_2026_07_28 ? objects : booleans;
    snprintf(text, sizeof(text), "{\"name\":\"add\",\"inputSchema\":%s%s%s}",
             schema,
             revision >= MCPI_REVISION_2025_06_18 ? ",\"outputSchema\":" : "",
             revision >= MCPI_REVISION_2025_06_18 ? schema : "");
    assert_shown(entry, revision, text);
  }
  mcpi_entry_unref(entry);
}

TEST(a_tool_without_input_takes_nothing) {
  mcp_tool tool = a_tool();
  mcpi_entry *entry;
  assert_int_equal(
      mcpi_entry_from_tool(&entry, &tool, mcp_allocator_default(), NULL), 0);
  assert_shown(entry, MCPI_REVISION_2025_11_25,
               "{\"name\":\"add\",\"inputSchema\":{\"type\":\"object\","
               "\"additionalProperties\":false}}");
  mcpi_entry_unref(entry);
}

/* Only the newest revision has results that are not objects. */
TEST(other_output_schemas_wait_for_the_newest_revision) {
  mcp_tool tool = a_tool();
  mcpi_entry *entry;
  tool.input = MCP_SCHEMA_TEXT("{\"type\":\"object\"}");
  tool.output = MCP_SCHEMA_TYPE("number");
  assert_int_equal(
      mcpi_entry_from_tool(&entry, &tool, mcp_allocator_default(), NULL), 0);
  assert_shown(entry, MCPI_REVISION_2025_11_25,
               "{\"name\":\"add\",\"inputSchema\":{\"type\":\"object\"}}");
  assert_shown(entry, MCPI_REVISION_2026_07_28,
               "{\"name\":\"add\",\"inputSchema\":{\"type\":\"object\"},"
               "\"outputSchema\":{\"type\":\"number\"}}");
  mcpi_entry_unref(entry);
}

static int make_prompt(mcpi_entry **out, const mcp_allocator *allocator) {
  const mcp_prompt_argument arguments[] = {
      {.name = "path", .title = "Path", .description = "Where", .required = 1},
      {.name = "mode"}};
  mcp_prompt prompt = a_prompt();
  prompt.title = "P";
  prompt.description = "Does";
  prompt.icons = &icon;
  prompt.icon_count = 1;
  prompt.arguments = arguments;
  prompt.argument_count = 2;
  prompt.meta = "{}";
  return mcpi_entry_from_prompt(out, &prompt, allocator, NULL);
}

TEST(prompts_are_shown_by_revision) {
  mcpi_entry *entry;
  assert_int_equal(make_prompt(&entry, mcp_allocator_default()), 0);
  assert_shown(entry, MCPI_REVISION_2024_11_05,
               "{\"name\":\"p\",\"description\":\"Does\",\"arguments\":["
               "{\"name\":\"path\",\"description\":\"Where\","
               "\"required\":true},{\"name\":\"mode\"}]}");
  assert_shown(entry, MCPI_REVISION_2025_11_25,
               "{\"name\":\"p\",\"title\":\"P\",\"description\":\"Does\","
               "\"icons\":[{\"src\":\"data:,\"}],\"arguments\":["
               "{\"name\":\"path\",\"title\":\"Path\","
               "\"description\":\"Where\",\"required\":true},"
               "{\"name\":\"mode\"}],\"_meta\":{}}");
  mcpi_entry_unref(entry);
}

static int make_resource(mcpi_entry **out, const mcp_allocator *allocator) {
  const mcp_annotations annotations = {.size = sizeof(mcp_annotations),
                                       .audience = MCP_ROLE_USER,
                                       .last_modified = "2026-01-01"};
  mcp_resource resource = a_resource();
  resource.title = "A";
  resource.description = "The a";
  resource.mime_type = "text/plain";
  resource.icons = &icon;
  resource.icon_count = 1;
  resource.resource_size = 5;
  resource.annotations = &annotations;
  resource.meta = "{\"k\":[]}";
  return mcpi_entry_from_resource(out, &resource, allocator, NULL);
}

TEST(resources_are_shown_by_revision) {
  mcpi_entry *entry;
  assert_int_equal(make_resource(&entry, mcp_allocator_default()), 0);
  assert_shown(entry, MCPI_REVISION_2024_11_05,
               "{\"uri\":\"file:///a\",\"name\":\"a\","
               "\"description\":\"The a\",\"mimeType\":\"text/plain\","
               "\"annotations\":{\"audience\":[\"user\"]},\"size\":5}");
  assert_shown(entry, MCPI_REVISION_2025_11_25,
               "{\"uri\":\"file:///a\",\"name\":\"a\",\"title\":\"A\","
               "\"description\":\"The a\",\"icons\":[{\"src\":\"data:,\"}],"
               "\"mimeType\":\"text/plain\",\"annotations\":{"
               "\"audience\":[\"user\"],\"lastModified\":\"2026-01-01\"},"
               "\"size\":5,\"_meta\":{\"k\":[]}}");
  mcpi_entry_unref(entry);
}

static int make_template(mcpi_entry **out, const mcp_allocator *allocator) {
  mcp_resource_template tpl = a_template();
  tpl.title = "T";
  tpl.mime_type = "text/plain";
  return mcpi_entry_from_template(out, &tpl, allocator, NULL);
}

TEST(templates_are_shown_by_revision) {
  mcpi_entry *entry;
  assert_int_equal(make_template(&entry, mcp_allocator_default()), 0);
  assert_shown(entry, MCPI_REVISION_2024_11_05,
               "{\"uriTemplate\":\"file:///{name}\",\"name\":\"t\","
               "\"mimeType\":\"text/plain\"}");
  assert_shown(entry, MCPI_REVISION_2025_06_18,
               "{\"uriTemplate\":\"file:///{name}\",\"name\":\"t\","
               "\"title\":\"T\",\"mimeType\":\"text/plain\"}");
  mcpi_entry_unref(entry);
}

/* --- copies and memory -------------------------------------------------- */

TEST(everything_is_copied) {
  char uri[] = "file:///a";
  char name[] = "a";
  char data[] = {1, 0, 2};
  mcp_resource resource = a_resource();
  mcpi_entry *entry;
  resource.uri = uri;
  resource.name = name;
  resource.text = NULL;
  resource.data = data;
  resource.data_len = sizeof(data);
  assert_int_equal(mcpi_entry_from_resource(&entry, &resource,
                                            mcp_allocator_default(), NULL),
                   0);
  memset(uri, 'x', sizeof(uri));
  memset(name, 'x', sizeof(name));
  memset(data, 'x', sizeof(data));
  assert_string_equal(entry->key.ptr, "file:///a");
  assert_string_equal(entry->name, "a");
  assert_memory_equal(entry->data, "\1\0\2", 3);
  assert_int_equal(entry->data_len, 3);
  mcpi_entry_unref(entry);
}

/* The structure of a program that was compiled before `userdata` came. */
TEST(an_older_layout_is_taken) {
  mcp_tool tool = a_tool();
  mcpi_entry *entry;
  tool.size = offsetof(mcp_tool, userdata);
  tool.userdata = &tool;
  assert_int_equal(
      mcpi_entry_from_tool(&entry, &tool, mcp_allocator_default(), NULL), 0);
  assert_null(entry->userdata);
  mcpi_entry_unref(entry);
  mcpi_entry_unref(NULL);
}

typedef int make_fn(mcpi_entry **out, const mcp_allocator *allocator);

static int make_and_free(const mcp_allocator *allocator, void *userdata) {
  make_fn *const *make = userdata;
  mcpi_entry *entry = NULL;
  int rc = (*make)(&entry, allocator);
  mcpi_entry_unref(entry);
  return rc;
}

TEST(failing_memory_leaks_nothing) {
  make_fn *makers[] = {make_tool, make_prompt, make_resource, make_template};
  for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
    assert_true(failing_alloc_rerun(make_and_free, &makers[i]) >= 2);
  }
}
