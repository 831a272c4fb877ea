/* SPDX-License-Identifier: MIT */
/* Limits of checking the results of tools, and what a program does inside a
 * report. tests/wire/client/outputs.txt has the others. */
#include "unit/client/kit.h"

#include "client/client.h"

#define SUM                                                                    \
  "{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":\"number\"}},"       \
  "\"required\":[\"sum\"]}"
#define TOOL(name, schema) "{\"name\":\"" name "\",\"outputSchema\":" schema "}"
#define STRUCTURED(json) "{\"content\":[],\"structuredContent\":" json "}"

/* The server answers the client's last request. */
static void answer(kit *k, const char *result) {
  char text[8192];
  turn(k);
  snprintf(text, sizeof(text), RESULT("%llu", "%s"),
           (unsigned long long)k->client->peer.pending.next_id - 1, result);
  k->got[0] = '\0';
  say(k, text);
}

static void list(kit *k, const char *tools) {
  char text[4096];
  k->ending_count = 0;
  ending *e = new_ending(k);
  assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, e, NULL), 0);
  snprintf(text, sizeof(text), "{\"tools\":[%s]}", tools);
  answer(k, text);
  assert_int_equal(e->status, 0);
}

static int is_checked; /* the last result */

static void note_outcome(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  on_done(client, outcome, userdata);
  is_checked = mcp_result_is_checked(outcome->result);
}

static const ending *call(kit *k, const char *name, const char *result) {
  k->ending_count = 0;
  ending *e = new_ending(k);
  assert_int_equal(
      mcp_client_call_tool(k->client, name, NULL, NULL, note_outcome, e, NULL),
      0);
  answer(k, result);
  return e;
}

static void assert_checked(kit *k, const char *name, int wanted) {
  assert_int_equal(call(k, name, STRUCTURED("{\"sum\":1}"))->status, 0);
  assert_int_equal(is_checked, wanted);
}

/* --- limits --------------------------------------------------------------- */

KIT_TEST(schemas_have_a_limit_of_memory) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  char expected[300];
  connect_modern_as(k, &options, "{}");
  list(k, TOOL("a", SUM) "," TOOL("b", SUM));
  assert_checked(k, "a", 1);
  assert_checked(k, "b", 1);
  const size_t bytes = k->client->outputs.bytes / 2; /* of each */
  options.max_output_schemas = 2 * bytes - 1;
  kit_deinit(k);
  assert_int_equal(kit_init(k, NULL), 0);
  connect_modern_as(k, &options, "{}");
  list(k, TOOL("a", SUM) "," TOOL("b", SUM));
  assert_checked(k, "a", 1);
  assert_checked(k, "b", 0);
  snprintf(expected, sizeof(expected),
           "error results of the tool \"b\" are not checked: its outputSchema: "
           "the compiled schema needs %zu bytes, and %zu of %zu are left: "
           "raise max_output_schemas of mcp_client_options\n",
           bytes, bytes - 1, options.max_output_schemas);
  expect_log(k, expected);
  list(k, TOOL("b", SUM)); /* which has room when `a` is gone */
  assert_checked(k, "b", 1);
}

/* Eight levels of ten references each are more than ten million steps. */
KIT_TEST(a_check_that_costs_too_much_is_an_error) {
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
  connect_modern(k);
  list(k, tool);
  expect_log(k, "");
  const ending *e = call(k, "add", STRUCTURED("{}"));
  assert_int_equal(e->status, MCP_ERR_LIMIT);
  assert_string_equal(e->message,
                      "tool \"add\": structured result: the value is too "
                      "large or too deep to be checked");
  assert_non_null(strstr(e->data, "\"keyword\":\"cost\""));
}

/* --- callbacks ------------------------------------------------------------ */

static void free_client(mcp_client *client, const mcp_error *err,
                        void *userdata) {
  kit *k = userdata;
  note(k, "freed", "");
  k->client = NULL;
  mcp_client_free(client);
}

KIT_TEST(a_report_may_free_the_client) {
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
  note(userdata, "closing", "");
  mcp_client_close(client);
}

KIT_TEST(a_report_may_close_the_connection) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.on_error = close_client;
  connect_modern_as(k, &options, "{}");
  list(k, TOOL("a", "7") "," TOOL("b", SUM));
  turn(k);
  assert_int_equal(k->client->outputs.bytes, 0);
}

/* --- memory --------------------------------------------------------------- */

KIT_COUNTED_TEST(checked_calls_ask_for_no_memory) {
  kit *k = *state;
  size_t before = 0;
  connect_modern(k);
  list(k, TOOL("add", SUM));
  for (int i = 0; i < 20; i++) {
    before = i == 10 ? kit_alloc.calls : before;
    assert_checked(k, "add", 1);
  }
  assert_int_equal(kit_alloc.calls, before);
}
