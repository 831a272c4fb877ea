/* SPDX-License-Identifier: MIT */
/* resources/read, subscribe and unsubscribe. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_pair.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ","
#define CACHE(ttl, scope) "\"ttlMs\":" ttl ",\"cacheScope\":\"" scope "\","
#define MODERN(contents, cache)                                                \
  HEAD("1")                                                                    \
  "\"result\":{\"contents\":[" contents                                        \
  "],\"resultType\":\"complete\"," cache PAIR_INFO "}}"
#define LEGACY(contents) HEAD("1") "\"result\":{\"contents\":[" contents "]}}"

static void open_pair(server_pair *pair) {
  assert_int_equal(server_pair_init(pair, NULL, NULL), 0);
}

static void add_resource(server_pair *pair, const mcp_resource *resource) {
  assert_int_equal(mcp_server_add_resource(pair->server, resource), 0);
}

static void assert_read(server_pair *pair, const char *revision,
                        const char *uri, const char *expected) {
  char params[100];
  snprintf(params, sizeof(params), "\"uri\":\"%s\"", uri);
  assert_int_equal(server_pair_connect(pair, revision), 0);
  assert_string_equal(server_pair_ask(pair, "resources/read", params),
                      expected);
  server_pair_deinit(pair);
}

/* --- fixed content ------------------------------------------------------ */

static const mcp_resource fixed_text = {.size = MCP_RESOURCE_INIT,
                                        .uri = "file:///a",
                                        .name = "a",
                                        .mime_type = "text/plain",
                                        .text = "hel\"lo"};

static void a_fixed_text_is_served(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair);
  add_resource(&pair, &fixed_text);
  assert_read(&pair, NULL, "file:///a",
              MODERN("{\"uri\":\"file:///a\",\"mimeType\":\"text/plain\","
                     "\"text\":\"hel\\\"lo\"}",
                     CACHE("0", "private")));
  open_pair(&pair);
  add_resource(&pair, &fixed_text);
  assert_read(&pair, "2024-11-05", "file:///a",
              LEGACY("{\"uri\":\"file:///a\",\"mimeType\":\"text/plain\","
                     "\"text\":\"hel\\\"lo\"}"));
}

static void fixed_bytes_are_served(void **state) {
  (void)state;
  server_pair pair;
  const mcp_resource resource = {.size = MCP_RESOURCE_INIT,
                                 .uri = "file:///b",
                                 .name = "b",
                                 .cache_ttl_ms = 5000,
                                 .data = "\0\1\2",
                                 .data_len = 3};
  open_pair(&pair);
  add_resource(&pair, &resource);
  assert_read(&pair, NULL, "file:///b",
              MODERN("{\"uri\":\"file:///b\",\"blob\":\"AAEC\"}",
                     CACHE("5000", "private")));
}

static void the_servers_cache_hints_are_the_default(void **state) {
  (void)state;
  server_pair pair;
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .cache_ttl_ms = 70,
                                      .cache_is_public = 1};
  assert_int_equal(server_pair_init(&pair, &options, NULL), 0);
  add_resource(&pair, &fixed_text);
  assert_read(&pair, NULL, "file:///a",
              MODERN("{\"uri\":\"file:///a\",\"mimeType\":\"text/plain\","
                     "\"text\":\"hel\\\"lo\"}",
                     CACHE("70", "public")));
}

/* --- handlers ----------------------------------------------------------- */

static int read_several(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_string_equal(mcp_call_uri(call), "dir:/d");
  assert_null(mcp_call_name(call));
  mcp_call_add_resource_text(call, "dir:/d/1", "text/x", "one");
  mcp_call_add_resource_data(call, "dir:/d/2", NULL, "", 0);
  mcp_call_add_text(call, "three");
  assert_int_equal(mcp_call_add_resource_text(call, "no uri", NULL, "x"),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_resource_data(call, NULL, NULL, NULL, 1),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_image(call, "x", 1, "image/png"),
                   MCP_ERR_INVALID);
  mcp_call_set_cache(call, 9, 1);
  return mcp_call_reply(call);
}

static void a_handler_may_add_several(void **state) {
  (void)state;
  server_pair pair;
  const mcp_resource resource = {.size = MCP_RESOURCE_INIT,
                                 .uri = "dir:/d",
                                 .name = "d",
                                 .mime_type = "inode/directory",
                                 .handler = read_several};
  open_pair(&pair);
  add_resource(&pair, &resource);
  assert_read(&pair, NULL, "dir:/d",
              MODERN("{\"uri\":\"dir:/d/1\",\"mimeType\":\"text/x\","
                     "\"text\":\"one\"},{\"uri\":\"dir:/d/2\","
                     "\"mimeType\":\"inode/directory\",\"blob\":\"\"},"
                     "{\"uri\":\"dir:/d\",\"mimeType\":\"inode/directory\","
                     "\"text\":\"three\"}",
                     CACHE("9", "public")));
}

static int read_not(mcp_call *call, void *userdata) {
  (void)userdata;
  return strcmp(mcp_call_uri(call), "x:gone") == 0
             ? MCP_ERR_NOT_FOUND
             : mcp_call_reply_failure(call, "disk full");
}

#define NOT_FOUND(code)                                                        \
  HEAD("1")                                                                    \
  "\"error\":{\"code\":" code ",\"message\":\"there is no resource "           \
  "\\\"x:gone\\\"\",\"data\":{\"uri\":\"x:gone\"}}}"

static const mcp_resource_template any_x = {.size = MCP_RESOURCE_TEMPLATE_INIT,
                                            .uri_template = "x:{path}",
                                            .name = "x",
                                            .handler = read_not};

static void what_is_not_there_has_each_revisions_code(void **state) {
  (void)state;
  static const char *const legacy[] = {"2024-11-05", "2025-03-26", "2025-06-18",
                                       "2025-11-25"};
  server_pair pair;
  for (int i = 0; i < 4; i++) {
    open_pair(&pair);
    add_resource(&pair, &fixed_text);
    assert_read(&pair, legacy[i], "x:gone", NOT_FOUND("-32002"));
  }
  open_pair(&pair);
  add_resource(&pair, &fixed_text);
  assert_read(&pair, NULL, "x:gone", NOT_FOUND("-32602"));
}

static void a_handler_may_say_so_too(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair);
  assert_int_equal(mcp_server_add_resource_template(pair.server, &any_x), 0);
  assert_read(&pair, "2025-11-25", "x:gone", NOT_FOUND("-32002"));
  open_pair(&pair);
  assert_int_equal(mcp_server_add_resource_template(pair.server, &any_x), 0);
  assert_read(&pair, NULL, "x:gone", NOT_FOUND("-32602"));
}

static void a_failure_is_an_error(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair);
  assert_int_equal(mcp_server_add_resource_template(pair.server, &any_x), 0);
  assert_read(&pair, NULL, "x:there",
              HEAD("1") "\"error\":{\"code\":-32603,"
                        "\"message\":\"disk full\"}}");
}

/* --- templates ---------------------------------------------------------- */

static int read_variables(mcp_call *call, void *userdata) {
  const char *b = mcp_call_string(call, "b");
  return mcp_call_reply_textf(
      call, "%s: %s, %s", userdata != NULL ? (const char *)userdata : "-",
      mcp_call_string(call, "a"), b != NULL ? b : "none");
}

static void add_template(server_pair *pair, const char *text,
                         const char *userdata) {
  const mcp_resource_template tpl = {.size = MCP_RESOURCE_TEMPLATE_INIT,
                                     .uri_template = text,
                                     .name = "t",
                                     .handler = read_variables,
                                     .userdata = (void *)(uintptr_t)userdata};
  assert_int_equal(mcp_server_add_resource_template(pair->server, &tpl), 0);
}

static void variables_are_arguments(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair);
  add_template(&pair, "y:/{a}", "first");
  add_template(&pair, "x:/{a}{?b}", "second");
  add_template(&pair, "x:/{a}", "third");
  assert_read(&pair, "2025-11-25", "x:/a%20b?b=%22",
              LEGACY("{\"uri\":\"x:/a%20b?b=%22\","
                     "\"text\":\"second: a b, \\\"\"}"));
  open_pair(&pair);
  add_template(&pair, "x:/{a}{?b}", "only");
  assert_read(&pair, "2025-11-25", "x:/q",
              LEGACY("{\"uri\":\"x:/q\",\"text\":\"only: q, none\"}"));
}

static void resources_come_before_templates(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair);
  add_template(&pair, "file:///{a}", "template");
  add_resource(&pair, &fixed_text);
  assert_read(&pair, "2025-11-25", "file:///a",
              LEGACY("{\"uri\":\"file:///a\",\"mimeType\":\"text/plain\","
                     "\"text\":\"hel\\\"lo\"}"));
}

static void they_are_removed_by_name(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair);
  add_template(&pair, "x:{a}", "gone");
  add_resource(&pair, &fixed_text);
  assert_int_equal(mcp_server_remove_resource(pair.server, "x:{a}"),
                   MCP_ERR_NOT_FOUND);
  assert_int_equal(mcp_server_remove_resource_template(pair.server, "x:{a}"),
                   0);
  assert_int_equal(mcp_server_remove_resource(pair.server, "file:///a"), 0);
  assert_read(&pair, "2025-11-25", "x:gone", NOT_FOUND("-32002"));
}

/* --- subscriptions ------------------------------------------------------ */

static void subscribers_are_told(void **state) {
  (void)state;
  server_pair pair;
  open_pair(&pair);
  add_resource(&pair, &fixed_text);
  assert_int_equal(server_pair_connect(&pair, "2025-11-25"), 0);
  for (int i = 0; i < 2; i++) {
    server_pair_ask(&pair, "resources/subscribe", "\"uri\":\"file:///a\"");
  }
  assert_string_equal(pair.text, HEAD("2") "\"result\":{}}");
  server_pair_ask(&pair, "ping", "");
  assert_int_equal(mcp_server_resource_updated(pair.server, "file:///a"), 0);
  assert_int_equal(mcp_server_resource_updated(pair.server, "file:///b"), 0);
  assert_string_equal(
      server_pair_turn(&pair),
      HEAD("3") "\"result\":{}}\n"
                "{\"jsonrpc\":\"2.0\","
                "\"method\":\"notifications/resources/updated\","
                "\"params\":{\"uri\":\"file:///a\"}}");
  for (int i = 0; i < 2; i++) {
    server_pair_ask(&pair, "resources/unsubscribe", "\"uri\":\"file:///a\"");
  }
  assert_int_equal(mcp_server_resource_updated(pair.server, "file:///a"), 0);
  assert_string_equal(server_pair_turn(&pair), HEAD("5") "\"result\":{}}");
  server_pair_deinit(&pair);
}

static void uris_of_subscriptions_are_checked(void **state) {
  (void)state;
  server_pair pair;
  char *params = malloc(9000);
  open_pair(&pair);
  add_resource(&pair, &fixed_text);
  assert_int_equal(server_pair_connect(&pair, "2025-11-25"), 0);
  assert_string_equal(
      server_pair_ask(&pair, "resources/subscribe", "\"uri\":\"\""),
      HEAD("1") "\"error\":{\"code\":-32602,\"message\":\"uri \\\"\\\" must "
                "have 1 to 8192 bytes without NUL\"}}");
  assert_non_null(strstr(
      server_pair_ask(&pair, "resources/subscribe", "\"uri\":\"a\\u0000b\""),
      "-32602"));
  strcpy(params, "\"uri\":\"");
  memset(params + 7, 'x', 8193);
  strcpy(params + 7 + 8192, "\"");
  assert_non_null(strstr(server_pair_ask(&pair, "resources/subscribe", params),
                         "\"result\":{}"));
  strcpy(params + 7 + 8192, "x\"");
  assert_non_null(
      strstr(server_pair_ask(&pair, "resources/subscribe", params), "-32602"));
  server_pair_deinit(&pair);
  free(params);
}

static void subscriptions_are_bounded(void **state) {
  (void)state;
  server_pair pair;
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_subscriptions = 2};
  assert_int_equal(server_pair_init(&pair, &options, NULL), 0);
  add_resource(&pair, &fixed_text);
  assert_int_equal(server_pair_connect(&pair, "2025-11-25"), 0);
  server_pair_ask(&pair, "resources/subscribe", "\"uri\":\"a:1\"");
  server_pair_ask(&pair, "resources/subscribe", "\"uri\":\"a:2\"");
  assert_string_equal(
      server_pair_ask(&pair, "resources/subscribe", "\"uri\":\"a:3\""),
      HEAD("3") "\"error\":{\"code\":-32603,"
                "\"message\":\"more than 2 subscriptions on this "
                "connection\"}}");
  assert_string_equal(
      server_pair_ask(&pair, "resources/subscribe", "\"uri\":\"a:2\""),
      HEAD("4") "\"result\":{}}");
  server_pair_ask(&pair, "resources/unsubscribe", "\"uri\":\"a:1\"");
  assert_string_equal(
      server_pair_ask(&pair, "resources/subscribe", "\"uri\":\"a:3\""),
      HEAD("6") "\"result\":{}}");
  server_pair_deinit(&pair);
}

/* --- memory ------------------------------------------------------------- */

static int read_and_subscribe(const mcp_allocator *allocator, void *userdata) {
  server_pair pair;
  (void)userdata;
  int rc = server_pair_init(&pair, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  const mcp_resource_template tpl = {.size = MCP_RESOURCE_TEMPLATE_INIT,
                                     .uri_template = "x:{a}",
                                     .name = "t",
                                     .handler = read_variables,
                                     .userdata = NULL};
  rc = mcp_server_add_resource(pair.server, &fixed_text);
  if (rc == 0) {
    rc = mcp_server_add_resource_template(pair.server, &tpl);
  }
  if (rc == 0) {
    rc = server_pair_connect(&pair, "2025-11-25");
  }
  static const char *const methods[] = {"resources/read", "resources/read",
                                        "resources/subscribe"};
  static const char *const params[] = {"\"uri\":\"file:///a\"",
                                       "\"uri\":\"x:1\"", "\"uri\":\"x:1\""};
  for (int i = 0; i < 3 && rc == 0; i++) {
    if (strstr(server_pair_ask(&pair, methods[i], params[i]), "\"result\"") ==
        NULL) {
      rc = MCP_ERR_NOMEM;
    }
  }
  server_pair_deinit(&pair);
  return rc;
}

static void failing_memory_is_survived(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(read_and_subscribe, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fixed_text_is_served),
      cmocka_unit_test(fixed_bytes_are_served),
      cmocka_unit_test(the_servers_cache_hints_are_the_default),
      cmocka_unit_test(a_handler_may_add_several),
      cmocka_unit_test(what_is_not_there_has_each_revisions_code),
      cmocka_unit_test(a_handler_may_say_so_too),
      cmocka_unit_test(a_failure_is_an_error),
      cmocka_unit_test(variables_are_arguments),
      cmocka_unit_test(resources_come_before_templates),
      cmocka_unit_test(they_are_removed_by_name),
      cmocka_unit_test(subscribers_are_told),
      cmocka_unit_test(uris_of_subscriptions_are_checked),
      cmocka_unit_test(subscriptions_are_bounded),
      cmocka_unit_test(failing_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
