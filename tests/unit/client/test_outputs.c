/* SPDX-License-Identifier: MIT */
/* Results of tools, checked with the output schemas that were listed. */
#include "unit/client/kit.h"

#include "client/client.h"
#include "support/revisions.h"

#define SUM                                                                    \
  "{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":\"number\"}},"       \
  "\"required\":[\"sum\"]}"
#define TOOL(name, schema)                                                     \
  "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"},"              \
  "\"outputSchema\":" schema "}"
#define PLAIN(name)                                                            \
  "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"
#define CHANGED NOTE("notifications/tools/list_changed", "{}")
#define STRUCTURED(json) "{\"content\":[],\"structuredContent\":" json "}"

static const char *const checking[] = {"2025-06-18", "2025-11-25",
                                       NEWEST_REVISION};

/* --- a connection and its requests ---------------------------------------- */

static void connect_to(kit *k, const char *revision,
                       mcp_client_options *options) {
  if (strcmp(revision, NEWEST_REVISION) == 0) {
    connect_modern_as(k, options, "{}");
    return;
  }
  options->revision = revision;
  connect_with(k, options);
  k->got[0] = '\0';
  char hello[1024];
  snprintf(hello, sizeof(hello), HELLO_LEGACY("1", "%s"), revision);
  say(k, hello);
  k->got[0] = '\0';
  assert_int_equal(k->connected.status, 0);
}

static void connect_plainly(kit *k, const char *revision) {
  mcp_client_options options = options_of(k);
  connect_to(k, revision, &options);
}

/* The id of the client's last request. */
static uint64_t last_id(const kit *k) {
  return k->client->peer.pending.next_id - 1;
}

static void answer_to(kit *k, uint64_t id, const char *result) {
  static char text[300000];
  turn(k);
  snprintf(text, sizeof(text), RESULT("%llu", "%s"), (unsigned long long)id,
           result);
  k->got[0] = '\0';
  say(k, text);
}

static void answer(kit *k, const char *result) {
  answer_to(k, last_id(k), result);
}

static void list(kit *k, const char *tools) {
  static char text[300000];
  ending e = {0};
  assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, &e, NULL),
                   0);
  snprintf(text, sizeof(text), "{\"tools\":[%s]}", tools);
  answer(k, text);
  assert_int_equal(e.count, 1);
  assert_int_equal(e.status, 0);
}

typedef struct outcome {
  ending ending;
  int is_checked;
} outcome;

static void note_outcome(mcp_client *client, const mcp_outcome *noted,
                         void *userdata) {
  outcome *o = userdata;
  on_done(client, noted, &o->ending);
  o->is_checked = mcp_result_is_checked(noted->result);
}

static outcome call(kit *k, const char *name, const char *result) {
  outcome o = {0};
  assert_int_equal(
      mcp_client_call_tool(k->client, name, NULL, NULL, note_outcome, &o, NULL),
      0);
  answer(k, result);
  assert_int_equal(o.ending.count, 1);
  return o;
}

static void assert_checked(kit *k, const char *name, const char *result,
                           int is_checked) {
  outcome o = call(k, name, result);
  assert_int_equal(o.ending.status, 0);
  assert_string_equal(o.ending.result, result);
  assert_int_equal(o.is_checked, is_checked);
}

static void assert_refused(kit *k, const char *name, const char *result,
                           int code, const char *message, const char *data) {
  outcome o = call(k, name, result);
  assert_int_equal(o.ending.status, code);
  assert_string_equal(o.ending.message, message);
  assert_string_equal(o.ending.data, data);
  assert_int_equal(o.ending.remote_code, 0);
}

/* --- what is checked ------------------------------------------------------ */

static void a_result_keeps_to_its_schema(void **state) {
  kit *k = *state;
  connect_plainly(k, "2025-11-25");
  list(k, TOOL("add", SUM) "," PLAIN("free"));
  assert_checked(k, "add", STRUCTURED("{\"sum\":3}"), 1);
  assert_refused(k, "add", STRUCTURED("{\"sum\":\"x\"}"), MCP_ERR_SCHEMA,
                 "tool \"add\": structured result: /sum: expected a number, "
                 "got the string \"x\"",
                 "[{\"instance\":\"/sum\",\"schema\":\"/properties/sum/type\","
                 "\"keyword\":\"type\",\"message\":\"/sum: expected a number, "
                 "got the string \\\"x\\\"\"}]");
  assert_checked(k, "free", STRUCTURED("{\"sum\":\"x\"}"), 0);
  assert_checked(k, "other", STRUCTURED("7"), 0);
  expect_log(k, "");
}

static void a_result_must_be_there(void **state) {
  kit *k = *state;
  connect_plainly(k, "2025-06-18");
  list(k, TOOL("add", SUM));
  assert_refused(k, "add", "{\"content\":[]}", MCP_ERR_SCHEMA,
                 "tool \"add\": structured result: there is none", "");
}

static void a_failure_need_not(void **state) {
  kit *k = *state;
  connect_plainly(k, NEWEST_REVISION);
  list(k, TOOL("add", SUM));
  assert_checked(k, "add", "{\"content\":[],\"isError\":true}", 0);
  assert_checked(
      k, "add",
      "{\"content\":[],\"structuredContent\":{\"sum\":0},\"isError\":true}", 0);
  assert_checked(
      k, "add",
      "{\"content\":[],\"structuredContent\":{\"sum\":0},\"isError\":false}",
      1);
}

/* Falsy values are values; only what is absent is not there. */
static void the_newest_revision_has_any_value(void **state) {
  kit *k = *state;
  connect_plainly(k, NEWEST_REVISION);
  list(k, TOOL("n", "{\"type\":\"null\"}") "," TOOL(
              "a", "{\"type\":\"array\"}") "," TOOL("no",
                                                    "false") "," TOOL("any",
                                                                      "true"));
  assert_checked(k, "n", STRUCTURED("null"), 1);
  assert_checked(k, "a", STRUCTURED("[]"), 1);
  assert_checked(k, "any", STRUCTURED("false"), 1);
  assert_refused(k, "n", STRUCTURED("0"), MCP_ERR_SCHEMA,
                 "tool \"n\": structured result: /: expected null, got the "
                 "number 0",
                 "[{\"instance\":\"\",\"schema\":\"/type\",\"keyword\":"
                 "\"type\",\"message\":\"/: expected null, got the number "
                 "0\"}]");
  assert_int_equal(call(k, "no", STRUCTURED("1")).ending.status,
                   MCP_ERR_SCHEMA);
  assert_int_equal(call(k, "any", "{\"content\":[]}").ending.status,
                   MCP_ERR_SCHEMA);
}

static void older_revisions_have_no_schemas(void **state) {
  kit *k = *state;
  connect_plainly(k, "2025-03-26");
  list(k, TOOL("add", SUM));
  assert_checked(k, "add", "{\"content\":[]}", 0);
}

static void each_revision_that_has_them_checks(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(checking) / sizeof(checking[0]); i++) {
    kit k;
    assert_int_equal(kit_init(&k, NULL), 0);
    connect_plainly(&k, checking[i]);
    list(&k, TOOL("add", SUM));
    assert_checked(&k, "add", STRUCTURED("{\"sum\":1.5}"), 1);
    assert_int_equal(call(&k, "add", STRUCTURED("{}")).ending.status,
                     MCP_ERR_SCHEMA);
    kit_deinit(&k);
  }
}

static void an_extensions_result_is_its_own(void **state) {
  kit *k = *state;
  const char *const types[] = {"task", NULL};
  mcp_client_options options = options_of(k);
  options.result_types = types;
  connect_modern_as(k, &options, "{}");
  list(k, TOOL("add", SUM));
  assert_checked(k, "add", "{\"resultType\":\"task\",\"taskId\":\"1\"}", 0);
  assert_checked(k, "add",
                 "{\"resultType\":\"complete\",\"content\":[],"
                 "\"structuredContent\":{\"sum\":1}}",
                 1);
}

/* The answer to the last round is the result. */
static void rounds_end_in_a_check(void **state) {
  kit *k = *state;
  outcome o = {0};
  connect_plainly(k, NEWEST_REVISION);
  list(k, TOOL("add", SUM));
  assert_int_equal(mcp_client_call_tool(k->client, "add", NULL, NULL,
                                        note_outcome, &o, NULL),
                   0);
  answer(k, "{\"resultType\":\"input_required\",\"requestState\":\"s\"}");
  pass(k, 250);
  assert_int_equal(o.ending.count, 0);
  answer(k, STRUCTURED("{}"));
  assert_int_equal(o.ending.status, MCP_ERR_SCHEMA);
}

static void several_errors_are_told(void **state) {
  kit *k = *state;
  connect_plainly(k, "2025-11-25");
  list(k, TOOL("add", "{\"items\":{\"type\":\"null\"}}"));
  outcome o = call(k, "add", STRUCTURED("[1,2]"));
  assert_int_equal(o.ending.status, MCP_ERR_SCHEMA);
  assert_non_null(strstr(o.ending.data, "\"instance\":\"/0\""));
  assert_non_null(strstr(o.ending.data, "\"instance\":\"/1\""));
}

/* --- what is not ---------------------------------------------------------- */

static void it_can_be_turned_off(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.no_output_check = 1;
  connect_modern_as(k, &options, "{}");
  list(k, TOOL("add", SUM) "," TOOL("bad", "{\"type\":7}"));
  assert_checked(k, "add", "{\"content\":[]}", 0);
  expect_log(k, "");
}

static void what_the_program_writes_itself_is_not_checked(void **state) {
  kit *k = *state;
  outcome o = {0};
  connect_plainly(k, NEWEST_REVISION);
  list(k, TOOL("add", SUM));
  assert_int_equal(mcp_client_request(k->client, "tools/call",
                                      "{\"name\":\"add\"}", NULL, note_outcome,
                                      &o, NULL),
                   0);
  answer(k, "{\"content\":[]}");
  assert_int_equal(o.ending.status, 0);
  assert_int_equal(o.is_checked, 0);
}

static void a_schema_that_does_not_compile_is_told(void **state) {
  kit *k = *state;
  connect_plainly(k, "2025-11-25");
  list(
      k,
      TOOL("a", "{\"minimum\":\"x\"}") "," TOOL("b", SUM) "," TOOL(
          "c",
          "{\"$ref\":\"http://elsewhere/x\"}") "," TOOL("d",
                                                        "7") "," TOOL("e",
                                                                      "{\"$"
                                                                      "schema\""
                                                                      ":\"http:"
                                                                      "//x/"
                                                                      "y\"}"));
  expect_log(
      k, "error results of the tool \"a\" are not checked: its outputSchema: "
         "/minimum: expected a number, got the string \"x\"\n"
         "error results of the tool \"c\" are not checked: its outputSchema: "
         "/$ref: the reference \"http://elsewhere/x\" leads to a document that "
         "was not given; nothing is fetched\n"
         "error results of the tool \"d\" are not checked: its outputSchema: "
         "/: expected a schema (an object or a boolean), got the number 7\n"
         "error results of the tool \"e\" are not checked: its outputSchema: "
         "/$schema: the draft \"http://x/y\" is not known; its meta-schema "
         "can be given "
         "as a document\n");
  assert_checked(k, "a", STRUCTURED("{}"), 0);
  assert_checked(k, "b", STRUCTURED("{\"sum\":1}"), 1);
}

/* --- how long ------------------------------------------------------------- */

static void a_change_makes_all_unknown(void **state) {
  kit *k = *state;
  connect_plainly(k, "2025-11-25");
  list(k, TOOL("add", SUM));
  say(k, CHANGED);
  expect_log(k, "changed tools\n");
  assert_checked(k, "add", "{\"content\":[]}", 0);
  list(k, TOOL("add", SUM));
  assert_int_equal(call(k, "add", "{\"content\":[]}").ending.status,
                   MCP_ERR_SCHEMA);
}

static void a_list_from_before_a_change_teaches_nothing(void **state) {
  kit *k = *state;
  ending e = {0};
  connect_plainly(k, "2025-11-25");
  assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, &e, NULL),
                   0);
  turn(k);
  say(k, CHANGED);
  answer(k, "{\"tools\":[" TOOL("add", SUM) "]}");
  assert_int_equal(e.status, 0);
  assert_checked(k, "add", "{\"content\":[]}", 0);
}

static void a_list_takes_the_place_of_the_last(void **state) {
  kit *k = *state;
  connect_plainly(k, "2025-11-25");
  list(k, TOOL("a", SUM) "," TOOL("b", SUM) "," TOOL("c", SUM));
  list(k, TOOL("a", "{\"type\":\"object\"}") "," PLAIN("b"));
  assert_checked(k, "a", STRUCTURED("{}"), 1);
  assert_checked(k, "b", STRUCTURED("{}"), 0);
  assert_checked(k, "c", STRUCTURED("{}"), 0);
}

static void a_list_is_learned_when_it_is_whole(void **state) {
  kit *k = *state;
  ending e = {0};
  connect_plainly(k, "2025-11-25");
  list(k, TOOL("old", SUM));
  assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, &e, NULL),
                   0);
  answer(k, "{\"tools\":[" TOOL("a", SUM) "],\"nextCursor\":\"n\"}");
  uint64_t page = last_id(k);
  assert_int_equal(call(k, "old", STRUCTURED("{}")).ending.status,
                   MCP_ERR_SCHEMA);
  assert_checked(k, "a", STRUCTURED("{}"), 0);
  answer_to(k, page, "{\"tools\":[" TOOL("b", SUM) "]}");
  assert_int_equal(e.item_count, 2);
  assert_checked(k, "old", STRUCTURED("{}"), 0);
  assert_int_equal(call(k, "a", STRUCTURED("{}")).ending.status,
                   MCP_ERR_SCHEMA);
  assert_int_equal(call(k, "b", STRUCTURED("{}")).ending.status,
                   MCP_ERR_SCHEMA);
}

static void the_next_connection_knows_nothing(void **state) {
  kit *k = *state;
  connect_plainly(k, "2025-11-25");
  list(k, TOOL("add", SUM));
  mcp_client_close(k->client);
  turn(k);
  mcp_transport_free(k->far);
  k->got[0] = '\0';
  assert_int_equal(connect_pair(k), 0);
  say(k, HELLO_LEGACY("1", "2025-11-25"));
  assert_checked(k, "add", "{\"content\":[]}", 0);
}

/* A list that is kept is not asked for again, and its schemas hold on. */
static void a_kept_list_keeps_its_schemas(void **state) {
  kit *k = *state;
  ending e = {0};
  connect_plainly(k, NEWEST_REVISION);
  assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, &e, NULL),
                   0);
  answer(k, "{\"tools\":[" TOOL("add", SUM) "],\"ttlMs\":1000}");
  assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, &e, NULL),
                   0);
  expect_nothing(k);
  assert_int_equal(e.count, 2);
  assert_int_equal(call(k, "add", STRUCTURED("{}")).ending.status,
                   MCP_ERR_SCHEMA);
}

/* --- limits --------------------------------------------------------------- */

static void schemas_have_a_limit_of_memory(void **state) {
  (void)state;
  size_t room = 0;
  for (int i = 0; i < 2; i++) {
    kit k;
    assert_int_equal(kit_init(&k, NULL), 0);
    mcp_client_options options = options_of(&k);
    options.max_output_schemas = i == 0 ? 0 : room - 1;
    connect_to(&k, "2025-11-25", &options);
    list(&k, TOOL("a", SUM) "," TOOL("b", SUM));
    assert_checked(&k, "a", STRUCTURED("{\"sum\":1}"), 1);
    assert_checked(&k, "b", STRUCTURED("{\"sum\":1}"), i == 0);
    room = k.client->outputs.bytes;
    char expected[300] = "";
    if (i == 1) {
      snprintf(expected, sizeof(expected),
               "error results of the tool \"b\" are not checked: its "
               "outputSchema: more than %zu bytes for all of them: the limit "
               "is max_output_schemas of mcp_client_options\n",
               options.max_output_schemas);
    }
    expect_log(&k, expected);
    list(&k, TOOL("b", SUM)); /* which has room when `a` is gone */
    assert_checked(&k, "b", STRUCTURED("{\"sum\":1}"), 1);
    kit_deinit(&k);
  }
}

/* Eight levels of ten references each are more than ten million steps. */
static void a_check_that_costs_too_much_is_an_error(void **state) {
  kit *k = *state;
  char tool[4096];
  size_t len = (size_t)sprintf(tool, "{\"name\":\"add\",\"outputSchema\":{"
                                     "\"$ref\":\"#/$defs/0\",\"$defs\":{");
  for (int level = 0; level < 8; level++) {
    len += (size_t)sprintf(tool + len, "\"%d\":{\"allOf\":[", level);
    for (int i = 0; i < 10; i++) {
      len += (size_t)sprintf(tool + len, "%s{\"$ref\":\"#/$defs/%d\"}",
                             i > 0 ? "," : "", level + 1);
    }
    len += (size_t)sprintf(tool + len, "]},");
  }
  sprintf(tool + len, "\"8\":{\"type\":\"object\"}}}}");
  connect_plainly(k, "2025-11-25");
  list(k, tool);
  expect_log(k, "");
  outcome o = call(k, "add", STRUCTURED("{}"));
  assert_int_equal(o.ending.status, MCP_ERR_LIMIT);
  assert_string_equal(o.ending.message,
                      "tool \"add\": structured result: /: the value is too "
                      "large or too deep to be checked");
  assert_non_null(strstr(o.ending.data, "\"keyword\":\"cost\""));
}

/* --- callbacks ------------------------------------------------------------ */

static void free_client(mcp_client *client, const mcp_error *err,
                        void *userdata) {
  kit *k = userdata;
  (void)err;
  note(k, "freed", "");
  k->client = NULL;
  mcp_client_free(client);
}

static void a_report_may_free_the_client(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_client_options options = options_of(k);
  options.on_error = free_client;
  connect_modern_as(k, &options, "{}");
  assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, e, NULL), 0);
  answer(k, "{\"tools\":[" TOOL("a", "7") "," TOOL("b", SUM) "," TOOL(
                "c", "7") "]}");
  expect_log(k, "freed \n");
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, 0);
}

static void close_client(mcp_client *client, const mcp_error *err,
                         void *userdata) {
  (void)err;
  note(userdata, "closing", "");
  mcp_client_close(client);
}

static void a_report_may_close_the_connection(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.on_error = close_client;
  connect_modern_as(k, &options, "{}");
  list(k, TOOL("a", "7") "," TOOL("b", SUM));
  turn(k);
  assert_int_equal(k->client->outputs.bytes, 0);
}

/* --- memory --------------------------------------------------------------- */

static void checked_calls_ask_for_no_memory(void **state) {
  failing_alloc alloc;
  kit k;
  (void)state;
  failing_alloc_init(&alloc);
  assert_int_equal(kit_init(&k, &alloc.allocator), 0);
  connect_plainly(&k, "2025-11-25");
  list(&k, TOOL("add", SUM));
  for (int i = 0; i < 10; i++) {
    assert_checked(&k, "add", STRUCTURED("{\"sum\":3}"), 1);
  }
  size_t before = alloc.calls;
  for (int i = 0; i < 10; i++) {
    assert_checked(&k, "add", STRUCTURED("{\"sum\":3}"), 1);
  }
  assert_int_equal(alloc.calls, before);
  kit_deinit(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      kit_test(a_result_keeps_to_its_schema),
      kit_test(a_result_must_be_there),
      kit_test(a_failure_need_not),
      kit_test(the_newest_revision_has_any_value),
      kit_test(older_revisions_have_no_schemas),
      kit_test(each_revision_that_has_them_checks),
      kit_test(an_extensions_result_is_its_own),
      kit_test(rounds_end_in_a_check),
      kit_test(several_errors_are_told),
      kit_test(it_can_be_turned_off),
      kit_test(what_the_program_writes_itself_is_not_checked),
      kit_test(a_schema_that_does_not_compile_is_told),
      kit_test(a_change_makes_all_unknown),
      kit_test(a_list_from_before_a_change_teaches_nothing),
      kit_test(a_list_takes_the_place_of_the_last),
      kit_test(a_list_is_learned_when_it_is_whole),
      kit_test(the_next_connection_knows_nothing),
      kit_test(a_kept_list_keeps_its_schemas),
      kit_test(schemas_have_a_limit_of_memory),
      kit_test(a_check_that_costs_too_much_is_an_error),
      kit_test(a_report_may_free_the_client),
      kit_test(a_report_may_close_the_connection),
      kit_test(checked_calls_ask_for_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
