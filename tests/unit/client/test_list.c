/* SPDX-License-Identifier: MIT */
/* Lists over several pages. */
#include "unit/client/kit.h"

static void expect_page(kit *k, const char *id, const char *params) {
  char text[1024];
  snprintf(text, sizeof(text), REQUEST("%s", "tools/list", "{%s}"), id, params);
  expect(k, text);
}

static void keep(mcp_client *client, const mcp_outcome *outcome,
                 void *userdata) {
  (void)client;
  assert_int_equal(outcome->status, 0);
  *(mcp_result **)userdata = mcp_result_ref(outcome->result);
}

static const char *name_at(const mcp_result *result, size_t index) {
  return mcp_json_string(mcp_json_get(mcp_result_item(result, index), "name"));
}

static void pages_become_one_result(void **state) {
  kit *k = *state;
  mcp_result *r = NULL;
  connect_modern(k);
  assert_int_equal(mcp_client_list_tools(k->client, NULL, keep, &r, NULL), 0);
  expect_page(k, "2", "\"_meta\":{" META "}");
  say(k, RESULT("2", "{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}],"
                     "\"nextCursor\":\"one\"}"));
  expect_page(k, "3", "\"cursor\":\"one\",\"_meta\":{" META "}");
  say(k, RESULT("3", "{\"tools\":[],\"nextCursor\":\"\"}"));
  expect_page(k, "4", "\"cursor\":\"\",\"_meta\":{" META "}");
  assert_null(r);
  say(k, RESULT("4", "{\"tools\":[{\"name\":\"c\"}],\"nextCursor\":null,"
                     "\"x\":9}"));
  expect_nothing(k);
  assert_non_null(r);
  assert_int_equal(mcp_result_count(r), 3);
  assert_string_equal(name_at(r, 0), "a");
  assert_string_equal(name_at(r, 1), "b");
  assert_string_equal(name_at(r, 2), "c");
  assert_null(name_at(r, 3));
  assert_int_equal(mcp_json_int(mcp_json_get(mcp_result_json(r), "x")), 9);
  mcp_result_unref(r);
}

static void each_list_lists_its_own(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_legacy(k, "2024-11-05");
  mcp_client_list_resources(k->client, NULL, on_done, e, NULL);
  expect(k, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/list\"}");
  say(k, RESULT("2", "{\"resources\":[{},{}],\"tools\":[{}]}"));
  assert_int_equal(e->item_count, 2);
  mcp_client_list_resource_templates(k->client, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("3", "{\"resourceTemplates\":[{}]}"));
  assert_int_equal(e->item_count, 1);
  mcp_client_list_prompts(k->client, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("4", "{\"prompts\":[{},{},{}]}"));
  assert_int_equal(e->item_count, 3);
}

static void a_repeated_cursor_is_the_end(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_legacy(k, "2025-11-25");
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("2", "{\"tools\":[{}],\"nextCursor\":\"a\"}"));
  say(k, RESULT("3", "{\"tools\":[{}],\"nextCursor\":\"b\"}"));
  assert_int_equal(e->count, 0);
  say(k, RESULT("4", "{\"tools\":[{}],\"nextCursor\":\"a\"}"));
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, 0);
  assert_int_equal(e->item_count, 3);
  expect_log(k, "error tools/list: the server repeats a cursor: taken for the "
                "end\n");
}

static void pages_have_a_limit(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_client_options options = options_of(k);
  options.max_pages = 2;
  connect_modern_as(k, &options, "{}");
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("2", "{\"tools\":[],\"nextCursor\":\"a\"}"));
  say(k, RESULT("3", "{\"tools\":[]}"));
  assert_int_equal(e->status, 0);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("4", "{\"tools\":[],\"nextCursor\":\"a\"}"));
  say(k, RESULT("5", "{\"tools\":[],\"nextCursor\":\"b\"}"));
  assert_int_equal(e->count, 2);
  assert_int_equal(e->status, MCP_ERR_LIMIT);
  assert_string_equal(e->message, "tools/list: more than 2 pages: the limit is "
                                  "max_pages of mcp_client_options");
}

/* A short page takes the smallest block there is. */
static void pages_have_a_limit_of_memory(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_client_options options = options_of(k);
  options.max_list = 2048;
  connect_modern_as(k, &options, "{}");
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("2", "{\"tools\":[{}],\"nextCursor\":\"a\"}"));
  say(k, RESULT("3", "{\"tools\":[{}]}"));
  assert_int_equal(e->status, 0);
  assert_int_equal(e->item_count, 2);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("4", "{\"tools\":[{}],\"nextCursor\":\"a\"}"));
  say(k, RESULT("5", "{\"tools\":[{}],\"nextCursor\":\"b\"}"));
  assert_int_equal(e->count, 1);
  say(k, RESULT("6", "{\"tools\":[{}]}"));
  assert_int_equal(e->count, 2);
  assert_int_equal(e->status, MCP_ERR_LIMIT);
  assert_string_equal(e->message,
                      "tools/list: more than 2048 bytes of memory: the limit "
                      "is max_list of mcp_client_options");
}

static void a_broken_page_ends_the_list(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_modern(k);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("2", "{\"tools\":[],\"nextCursor\":\"a\"}"));
  say(k, RESULT("3", "{}"));
  assert_int_equal(e->status, MCP_ERR_PROTOCOL);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("4", "{\"tools\":[],\"nextCursor\":7}"));
  assert_int_equal(e->status, MCP_ERR_PROTOCOL);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("5", "{\"tools\":[],\"nextCursor\":\"a\"}"));
  say(k, ERROR("6", "-32602", ""));
  assert_int_equal(e->status, MCP_ERR_REMOTE);
  assert_int_equal(e->count, 3);
}

static void each_page_has_its_own_time(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_modern(k);
  mcp_client_list_tools(k->client, NULL, on_done, e, NULL);
  pass(k, 59999);
  say(k, RESULT("2", "{\"tools\":[],\"nextCursor\":\"a\"}"));
  pass(k, 59999);
  assert_int_equal(e->count, 0);
  k->got[0] = '\0';
  pass(k, 1);
  assert_int_equal(e->status, MCP_ERR_TIMEOUT);
  expect(k, NOTE("notifications/cancelled",
                 "{\"requestId\":3,\"reason\":\"timed out\"}"));
}

static void a_list_is_cancelled_by_its_first_number(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  uint64_t number;
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .request = &number};
  connect_modern(k);
  mcp_client_list_tools(k->client, &options, on_done, e, NULL);
  turn(k);
  say(k, RESULT("2", "{\"tools\":[],\"nextCursor\":\"a\"}"));
  k->got[0] = '\0';
  assert_int_equal(number, 2);
  assert_int_equal(mcp_client_cancel(k->client, 3, NULL), MCP_ERR_NOT_FOUND);
  assert_int_equal(mcp_client_cancel(k->client, number, NULL), 0);
  expect(k, NOTE("notifications/cancelled", "{\"requestId\":3}"));
  assert_int_equal(e->status, MCP_ERR_CANCELLED);
}

static void a_raw_list_is_one_page(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_modern(k);
  mcp_client_request(k->client, "tools/list", "{\"cursor\":\"x\"}", NULL,
                     on_done, e, NULL);
  expect_page(k, "2", "\"cursor\":\"x\",\"_meta\":{" META "}");
  say(k, RESULT("2", "{\"tools\":[{}],\"nextCursor\":\"a\"}"));
  expect_nothing(k);
  assert_int_equal(e->item_count, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      kit_test(pages_become_one_result),
      kit_test(each_list_lists_its_own),
      kit_test(a_repeated_cursor_is_the_end),
      kit_test(pages_have_a_limit),
      kit_test(pages_have_a_limit_of_memory),
      kit_test(a_broken_page_ends_the_list),
      kit_test(each_page_has_its_own_time),
      kit_test(a_list_is_cancelled_by_its_first_number),
      kit_test(a_raw_list_is_one_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
