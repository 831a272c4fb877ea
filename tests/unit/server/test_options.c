/* SPDX-License-Identifier: MIT */
/* Options, registrations and connections that are not valid. Methods and
 * capabilities of the program's own are in tests/wire/server/methods.txt. */
#include "support/server_bench.h"
#include <string.h>

BENCH_TEST(an_extension_has_a_prefix_and_a_name) {
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
    assert_int_equal(
        mcp_server_add_extension(b->rig.server, good[i], NULL, NULL), 0);
  }
  assert_null(mcp_server_error(b->rig.server));
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(
        mcp_server_add_extension(b->rig.server, bad[i], NULL, NULL),
        MCP_ERR_INVALID);
  }
  assert_string_equal(mcp_server_error(b->rig.server)->message,
                      "14 failures, the first: extension \"reports\": the id "
                      "must have a prefix and a name, such as "
                      "\"com.example/reports\"");
}

TEST(options_that_are_not_valid_are_refused) {
  const mcp_icon icon = {.src = "http://example.com/"};
  const mcp_limits deep = {.size = sizeof(mcp_limits), .max_depth = 129};
  const mcp_limits small = {.size = sizeof(mcp_limits), .max_kept_bytes = 8191};
  const mcp_limits no_size = {.max_depth = 1};
#define OPTIONS .size = sizeof(mcp_server_options)
  const struct {
    mcp_server_options options;
    const char *message;
  } cases[] = {
      {{.size = 0},
       "mcp_server_options has no size: set its member size to "
       "sizeof(mcp_server_options)"},
      {{OPTIONS, .eras = 4}, "eras is 0x4, not MCP_ERA_*"},
      {{OPTIONS, .title = "\xff"}, "title is not UTF-8 at byte 0"},
      {{OPTIONS, .description = "\xff"}, "description is not UTF-8 at byte 0"},
      {{OPTIONS, .website_url = "\xff"}, "website_url is not UTF-8 at byte 0"},
      {{OPTIONS, .instructions = "\xff"},
       "instructions is not UTF-8 at byte 0"},
      {{OPTIONS, .state_key_count = 1}, "state_keys is NULL"},
      {{OPTIONS, .limits = &deep}, "max_depth 129 is above 128"},
      {{OPTIONS, .limits = &small},
       "max_kept_bytes 8191 is below 8192, which a short request needs"},
      {{OPTIONS, .limits = &no_size},
       "mcp_limits has no size: set its member size to sizeof(mcp_limits)"},
      {{OPTIONS, .icons = &icon, .icon_count = 1},
       "icons.src \"http://example.com/\" is not an https: or data: URI"},
  };
#undef OPTIONS
  mcp_error err;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_null(mcp_server_new("n", "v", &cases[i].options, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
    assert_string_equal(err.message, cases[i].message);
  }
}

TEST(a_server_has_a_name_and_a_version) {
  mcp_error err;
  assert_null(mcp_server_new(NULL, "1", NULL, &err));
  assert_string_equal(err.message, "name is NULL");
  assert_null(mcp_server_new("n", NULL, NULL, &err));
  assert_string_equal(err.message, "version is NULL");
  assert_null(mcp_server_new("\xff", "v", NULL, &err));
  assert_string_equal(err.message, "name is not UTF-8 at byte 0");
}

BENCH_TEST(a_connection_needs_all_its_parts) {
  const mcp_connection_options no_size = {.principal = "x"};
  mcp_transport broken = {.size = sizeof(mcp_transport)};
  mcp_transport *a;
  mcp_transport *z;
  server_rig rig;
  mcp_error err;
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(
      mcp_server_connect(rig.server, rig.loop, NULL, NULL, NULL, &err),
      MCP_ERR_INVALID);
  assert_int_equal(
      mcp_server_connect(rig.server, rig.loop, &broken, NULL, NULL, &err),
      MCP_ERR_INVALID);
  assert_int_equal(mcp_memory_pair(rig.loop, &a, &z, NULL), 0);
  assert_int_equal(
      mcp_server_connect(rig.server, rig.loop, a, &no_size, NULL, &err),
      MCP_ERR_INVALID);
  mcp_transport_free(z);
  assert_int_equal(mcp_server_connection_count(rig.server), 0);
  assert_int_equal(mcp_server_connection_count(NULL), 0);
  rig_deinit(&rig);
}

static int on_nothing(mcp_call *call, void *userdata) {
  return mcp_call_reply(call);
}

BENCH_TEST(a_registration_needs_all_its_parts) {
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
  assert_int_equal(mcp_server_add_tool(NULL, &tool, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_remove_tool(server, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_method(NULL, NULL, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_method(server, &no_size, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_method(server, &bad_name, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_method(server, &bad_extension, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_extension(server, "\xff", NULL, NULL),
                   MCP_ERR_INVALID);
}

BENCH_TEST(a_registration_that_fails_says_why) {
  const server_bench *b = *state;
  mcp_server *server = b->rig.server;
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = "t", .handler = on_nothing};
  const mcp_tool no_handler = {.size = sizeof(mcp_tool), .name = "u"};
  mcp_error err;
  assert_int_equal(mcp_server_add_tool(NULL, &tool, &err), MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "the server is NULL: mcp_server_new failed; give it "
                      "an mcp_error to see why");
  assert_int_equal(mcp_server_add_tool(server, &tool, &err), 0);
  assert_null(mcp_server_error(server));
  assert_int_equal(mcp_server_add_tool(server, &tool, &err), MCP_ERR_EXISTS);
  assert_int_equal(err.code, MCP_ERR_EXISTS);
  assert_string_equal(err.message, "tool \"t\": already exists");
  assert_string_equal(mcp_server_error(server)->message, err.message);
  assert_int_equal(mcp_server_add_tool(server, &no_handler, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "tool \"u\": handler is required");
  assert_int_equal(mcp_server_add_extension(server, "x", NULL, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_listen_filter(server, "", &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "listen filter: no name");
}
