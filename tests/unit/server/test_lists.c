/* SPDX-License-Identifier: MIT */
/* The four list methods. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_pair.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODERN(id, members)                                                    \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{" members                    \
  ",\"resultType\":\"complete\",\"ttlMs\":0,"                                  \
  "\"cacheScope\":\"private\"," PAIR_INFO "}}"
#define LEGACY(id, members)                                                    \
  "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{" members "}}"

static int on_call(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply(call);
}

static int add_prompt(server_pair *pair, const char *name) {
  const mcp_prompt prompt = {
      .size = MCP_PROMPT_INIT, .name = name, .handler = on_call};
  return mcp_server_add_prompt(pair->server, &prompt);
}

static int add_one_of_each(server_pair *pair) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = "t", .handler = on_call};
  const mcp_resource resource = {
      .size = MCP_RESOURCE_INIT, .uri = "y:1", .name = "y", .text = ""};
  const mcp_resource_template tpl = {.size = MCP_RESOURCE_TEMPLATE_INIT,
                                     .uri_template = "x:{v}",
                                     .name = "x",
                                     .handler = on_call};
  int rc = mcp_server_add_tool(pair->server, &tool);
  if (rc == 0) {
    rc = add_prompt(pair, "p");
  }
  if (rc == 0) {
    rc = mcp_server_add_resource(pair->server, &resource);
  }
  if (rc == 0) {
    rc = mcp_server_add_resource_template(pair->server, &tpl);
  }
  return rc;
}

#define TOOLS                                                                  \
  "\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\","           \
  "\"additionalProperties\":false}}]"
#define PROMPTS "\"prompts\":[{\"name\":\"p\"}]"
#define RESOURCES "\"resources\":[{\"uri\":\"y:1\",\"name\":\"y\"}]"
#define TEMPLATES                                                              \
  "\"resourceTemplates\":[{\"uriTemplate\":\"x:{v}\",\"name\":\"x\"}]"

static void each_kind_is_listed(void **state) {
  (void)state;
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_one_of_each(&pair), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  assert_string_equal(server_pair_ask(&pair, "tools/list", ""),
                      MODERN("1", TOOLS));
  assert_string_equal(server_pair_ask(&pair, "prompts/list", ""),
                      MODERN("2", PROMPTS));
  assert_string_equal(server_pair_ask(&pair, "resources/list", ""),
                      MODERN("3", RESOURCES));
  assert_string_equal(server_pair_ask(&pair, "resources/templates/list", ""),
                      MODERN("4", TEMPLATES));
  server_pair_deinit(&pair);
}

static void each_revision_has_its_own_bytes(void **state) {
  (void)state;
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_one_of_each(&pair), 0);
  assert_int_equal(server_pair_connect(&pair, "2024-11-05"), 0);
  assert_string_equal(server_pair_ask(&pair, "tools/list", ""),
                      LEGACY("1", TOOLS));
  assert_string_equal(
      server_pair_send(&pair,
                       "{\"jsonrpc\":\"2.0\",\"id\":2,"
                       "\"method\":\"tools/list\",\"params\":{" PAIR_META "}}"),
      MODERN("2", TOOLS));
  assert_string_equal(
      server_pair_send(
          &pair, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\"}"),
      LEGACY("3", TOOLS));
  server_pair_deinit(&pair);
}

static void a_list_may_become_empty(void **state) {
  (void)state;
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_one_of_each(&pair), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  server_pair_ask(&pair, "prompts/list", "");
  assert_int_equal(mcp_server_remove_prompt(pair.server, "p"), 0);
  assert_string_equal(server_pair_ask(&pair, "prompts/list", ""),
                      MODERN("2", "\"prompts\":[]"));
  server_pair_deinit(&pair);
}

static void legacy_clients_are_told_of_changes(void **state) {
  (void)state;
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(add_one_of_each(&pair), 0);
  assert_int_equal(server_pair_connect(&pair, "2025-06-18"), 0);
  server_pair_ask(&pair, "ping", "");
  assert_int_equal(add_prompt(&pair, "q"), 0);
  assert_int_equal(add_prompt(&pair, "r"), 0);
  assert_string_equal(
      server_pair_turn(&pair),
      LEGACY("1", "") "\n{\"jsonrpc\":\"2.0\","
                      "\"method\":\"notifications/prompts/list_changed\"}");
  server_pair_deinit(&pair);
}

/* --- pages -------------------------------------------------------------- */

static void open_five(server_pair *pair, const mcp_server_options *options) {
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  assert_int_equal(server_pair_init(pair, options, NULL), 0);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(add_prompt(pair, names[i]), 0);
  }
  assert_int_equal(server_pair_connect(pair, "2025-11-25"), 0);
}

/* The params that ask for what comes behind the page. */
static const char *next_page(const char *page) {
  static char params[64];
  const char *cursor = strstr(page, "\"nextCursor\":\"");
  if (cursor == NULL) {
    return NULL;
  }
  cursor += strlen("\"nextCursor\":");
  snprintf(params, sizeof(params), "\"cursor\":%.*s",
           (int)strcspn(cursor + 1, "\"") + 2, cursor);
  return params;
}

static void pages_are_bounded_by_count(void **state) {
  (void)state;
  server_pair pair;
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .page_count = 2};
  open_five(&pair, &options);
  const char *page = server_pair_ask(&pair, "prompts/list", "");
  assert_string_equal(
      page, LEGACY("1", "\"prompts\":[{\"name\":\"a\"},{\"name\":\"b\"}],"
                        "\"nextCursor\":\"AQAAAAAAAAAD\""));
  page = server_pair_ask(&pair, "prompts/list", next_page(page));
  assert_string_equal(
      page, LEGACY("2", "\"prompts\":[{\"name\":\"c\"},{\"name\":\"d\"}],"
                        "\"nextCursor\":\"AQAAAAAAAAAF\""));
  page = server_pair_ask(&pair, "prompts/list", next_page(page));
  assert_string_equal(page, LEGACY("3", "\"prompts\":[{\"name\":\"e\"}]"));
  server_pair_deinit(&pair);
}

static void pages_are_bounded_by_bytes(void **state) {
  (void)state;
  server_pair pair;
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .page_bytes = 25};
  open_five(&pair, &options);
  const char *page = server_pair_ask(&pair, "prompts/list", "");
  assert_string_equal(
      page, LEGACY("1", "\"prompts\":[{\"name\":\"a\"},{\"name\":\"b\"}],"
                        "\"nextCursor\":\"AQAAAAAAAAAD\""));
  server_pair_deinit(&pair);
}

static void entries_may_change_between_pages(void **state) {
  (void)state;
  server_pair pair;
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .page_count = 2};
  open_five(&pair, &options);
  const char *page = server_pair_ask(&pair, "prompts/list", "");
  assert_int_equal(mcp_server_remove_prompt(pair.server, "a"), 0);
  assert_int_equal(mcp_server_remove_prompt(pair.server, "c"), 0);
  assert_int_equal(add_prompt(&pair, "a"), 0);
  page = server_pair_ask(&pair, "prompts/list", next_page(page));
  assert_non_null(strstr(page, "[{\"name\":\"d\"},{\"name\":\"e\"}],"));
  page = server_pair_ask(&pair, "prompts/list", next_page(page));
  assert_non_null(strstr(page, "\"prompts\":[{\"name\":\"a\"}]}"));
  server_pair_deinit(&pair);
}

static void a_null_cursor_is_an_absent_one(void **state) {
  (void)state;
  server_pair pair;
  open_five(&pair, NULL);
  char *absent = strdup(server_pair_ask(&pair, "prompts/list", "") +
                        strlen("{\"jsonrpc\":\"2.0\",\"id\":1"));
  assert_non_null(strstr(absent, "\"prompts\":["));
  assert_string_equal(
      server_pair_ask(&pair, "prompts/list", "\"cursor\":null") +
          strlen("{\"jsonrpc\":\"2.0\",\"id\":2"),
      absent);
  free(absent);
  server_pair_deinit(&pair);
}

static void bad_cursors_are_refused(void **state) {
  (void)state;
  server_pair pair;
  open_five(&pair, NULL);
  assert_string_equal(
      server_pair_ask(&pair, "prompts/list", "\"cursor\":\"what\""),
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
      "\"message\":\"unknown cursor \\\"what\\\"\"}}");
  /* empty; a kind that is not this one; a seq that was never given */
  static const char *const bad[] = {
      "\"cursor\":\"\"", "\"cursor\":\"AgAAAAAAAAAD\"",
      "\"cursor\":\"AQAAAAAAAAAG\"", "\"cursor\":3"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_non_null(strstr(server_pair_ask(&pair, "prompts/list", bad[i]),
                           "\"code\":-32602"));
  }
  server_pair_deinit(&pair);
}

/* --- ten thousand ------------------------------------------------------- */

static size_t count_names(const char *page) {
  size_t count = 0;
  while ((page = strstr(page, "{\"name\":")) != NULL) {
    page++;
    count++;
  }
  return count;
}

static void ten_thousand_tools_are_listed(void **state) {
  (void)state;
  server_pair pair;
  char name[32];
  size_t total = 0;
  int pages = 0;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  for (int i = 0; i < 10000; i++) {
    const mcp_tool tool = {
        .size = MCP_TOOL_INIT, .name = name, .handler = on_call};
    snprintf(name, sizeof(name), "tool-%d", i);
    assert_int_equal(mcp_server_add_tool(pair.server, &tool), 0);
  }
  const char *params = "";
  while (params != NULL) {
    const char *page = server_pair_ask(&pair, "tools/list", params);
    /* 512 KB, and what is around the entries */
    assert_true(strlen(page) <= 512 * 1024 + 400);
    total += count_names(page) - 1; /* serverInfo has a name too */
    pages++;
    params = next_page(page);
  }
  assert_int_equal(total, 10000);
  assert_int_equal(pages, 2);
  assert_non_null(
      strstr(server_pair_ask(&pair, "tools/call", "\"name\":\"tool-9999\""),
             "\"content\":[]"));
  server_pair_deinit(&pair);
}

/* --- memory ------------------------------------------------------------- */

static int list_all(const mcp_allocator *allocator, void *userdata) {
  static const char *const methods[] = {"tools/list", "prompts/list",
                                        "resources/list",
                                        "resources/templates/list"};
  server_pair pair;
  (void)userdata;
  int rc = server_pair_init(&pair, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = add_one_of_each(&pair);
  if (rc == 0) {
    rc = server_pair_connect(&pair, NULL);
  }
  for (int i = 0; i < 4 && rc == 0; i++) {
    if (strstr(server_pair_ask(&pair, methods[i], ""), "\"result\"") == NULL) {
      rc = MCP_ERR_NOMEM;
    }
  }
  server_pair_deinit(&pair);
  return rc;
}

static void failing_memory_is_survived(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(list_all, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_is_listed),
      cmocka_unit_test(each_revision_has_its_own_bytes),
      cmocka_unit_test(a_list_may_become_empty),
      cmocka_unit_test(legacy_clients_are_told_of_changes),
      cmocka_unit_test(pages_are_bounded_by_count),
      cmocka_unit_test(pages_are_bounded_by_bytes),
      cmocka_unit_test(entries_may_change_between_pages),
      cmocka_unit_test(a_null_cursor_is_an_absent_one),
      cmocka_unit_test(bad_cursors_are_refused),
      cmocka_unit_test(ten_thousand_tools_are_listed),
      cmocka_unit_test(failing_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
