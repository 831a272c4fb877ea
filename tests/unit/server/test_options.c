/* SPDX-License-Identifier: MIT */
/* Options, registrations and connections that are not valid. Methods and
 * capabilities of the program's own are in tests/wire/server/methods.txt. */
#include "support/server_bench.h"
#include <string.h>

static void an_extension_has_a_prefix_and_a_name(void **state) {
  static const char *const bad[] = {
      "reports",         "/reports",       "com.example/",   "com..example/a",
      ".example/a",      "com.example./a", "1com.example/a", "-com.example/a",
      "com-.example/a",  "com.ex_ample/a", "com.example/-a", "com.example/a.",
      "com.example/a/b", "com.example/a b"};
  static const char *const good[] = {"a/b", "com.example/reports",
                                     "io.modelcontextprotocol/ui",
                                     "x-1.y2/A_b-c.1"};
  server_bench *b = *state;
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_int_equal(mcp_server_add_extension(b->rig.server, good[i], NULL), 0);
  }
  assert_null(mcp_server_error(b->rig.server));
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(mcp_server_add_extension(b->rig.server, bad[i], NULL),
                     MCP_ERR_INVALID);
  }
  assert_string_equal(mcp_server_error(b->rig.server)->message,
                      "14 failures, the first: extension \"reports\": the id "
                      "must have a prefix and a name, such as "
                      "\"com.example/reports\"");
}

static void a_server_is_configured_before_all_else(void **state) {
  const mcp_server_options good = {.size = sizeof(mcp_server_options)};
  mcp_error err;
  (void)state;
  mcp_server *server = mcp_server_new("n", "v");
  assert_non_null(server);
  assert_int_equal(mcp_server_configure(server, &good, &err), 0);
  assert_int_equal(mcp_server_configure(server, &good, &err), 0);
  mcp_server_add_extension(server, "com.example/x", NULL);
  assert_int_equal(mcp_server_configure(server, &good, &err), MCP_ERR_BUSY);
  assert_string_equal(err.message, "configure before anything is registered");
  mcp_server_free(server);
  mcp_server_free(NULL);
}

static void options_that_are_not_valid_are_refused(void **state) {
  const mcp_icon icon = {.src = "http://example.com/"};
  const mcp_server_options bad[] = {
      {.size = 0},
      {.size = sizeof(mcp_server_options), .eras = 4},
      {.size = sizeof(mcp_server_options), .title = "\xff"},
      {.size = sizeof(mcp_server_options), .description = "\xff"},
      {.size = sizeof(mcp_server_options), .website_url = "\xff"},
      {.size = sizeof(mcp_server_options), .instructions = "\xff"},
      {.size = sizeof(mcp_server_options), .state_key_count = 1},
      {.size = sizeof(mcp_server_options), .max_depth = 129},
      {.size = sizeof(mcp_server_options), .max_kept_bytes = 8191},
      {.size = sizeof(mcp_server_options), .icons = &icon, .icon_count = 1}};
  mcp_error err;
  (void)state;
  mcp_server *server = mcp_server_new("n", "v");
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(mcp_server_configure(server, &bad[i], &err),
                     MCP_ERR_INVALID);
  }
  assert_int_equal(mcp_server_configure(server, NULL, &err), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_configure(NULL, &bad[0], &err), MCP_ERR_INVALID);
  assert_string_equal(strchr(mcp_server_error(server)->message, ' '),
                      " failures, the first: mcp_server_options has no size: "
                      "set its member size to sizeof(mcp_server_options)");
  assert_null(mcp_server_new(NULL, "1"));
  assert_null(mcp_server_userdata(server));
  mcp_server_free(server);
  server = mcp_server_new("\xff", "v");
  assert_int_equal(mcp_server_error(server)->code, MCP_ERR_INVALID);
  mcp_server_free(server);
}

static void a_connection_needs_all_its_parts(void **state) {
  const mcp_connection_options no_size = {.principal = "x"};
  mcp_transport broken = {.size = sizeof(mcp_transport)};
  mcp_transport *a;
  mcp_transport *z;
  server_rig rig;
  mcp_error err;
  (void)state;
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(
      mcp_server_connect(rig.server, rig.loop, NULL, NULL, NULL, &err),
      MCP_ERR_INVALID);
  assert_int_equal(
      mcp_server_connect(rig.server, rig.loop, &broken, NULL, NULL, &err),
      MCP_ERR_INVALID);
  assert_int_equal(mcp_memory_pair(rig.loop, &a, &z), 0);
  assert_int_equal(
      mcp_server_connect(rig.server, rig.loop, a, &no_size, NULL, &err),
      MCP_ERR_INVALID);
  mcp_transport_free(z);
  assert_int_equal(mcp_server_connection_count(rig.server), 0);
  assert_int_equal(mcp_server_connection_count(NULL), 0);
  rig_deinit(&rig);
}

static int on_nothing(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply(call);
}

static void a_registration_needs_all_its_parts(void **state) {
  const server_bench *b = *state;
  mcp_server *server = b->rig.server;
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = "t", .handler = on_nothing};
  const mcp_method no_size = {.name = "y", .handler = on_nothing};
  const mcp_method bad_name = {
      .size = sizeof(mcp_method), .name = "\xff", .handler = on_nothing};
  const mcp_method bad_extension = {.size = sizeof(mcp_method),
                                    .name = "m",
                                    .extension = "\xff",
                                    .handler = on_nothing};
  assert_int_equal(mcp_server_add_tool(NULL, &tool), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_remove_tool(server, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_method(NULL, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_method(server, &no_size), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_method(server, &bad_name), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_method(server, &bad_extension),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_extension(server, "\xff", NULL),
                   MCP_ERR_INVALID);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(an_extension_has_a_prefix_and_a_name),
      BENCH_TEST(a_server_is_configured_before_all_else),
      BENCH_TEST(options_that_are_not_valid_are_refused),
      BENCH_TEST(a_connection_needs_all_its_parts),
      BENCH_TEST(a_registration_needs_all_its_parts),
  };
  return cmocka_run_group_tests_name("server_options", tests, NULL, NULL);
}
