/* SPDX-License-Identifier: MIT */
#include "ext/apps/meta.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <string.h>

typedef int put_cb(mcpi_buf *text, const mcp_app *app, mcp_error *err);

static void assert_text(put_cb *put, const mcp_app *app, const char *expected) {
  mcpi_buf text;
  mcp_error err = {0};
  mcpi_buf_init(&text, mcp_allocator_default(), SIZE_MAX);
  assert_int_equal(put(&text, app, &err), 0);
  if (expected == NULL) {
    assert_int_equal(text.len, 0);
  } else {
    assert_string_equal(text.data, expected);
    assert_int_equal(text.len, strlen(expected) + 1);
  }
  mcpi_buf_deinit(&text);
}

TEST(an_app_without_needs_has_no_meta) {
  const mcp_app app = {.size = sizeof(app)};
  assert_text(mcpi_app_put_needs, &app, NULL);
  assert_text(mcpi_app_put_meta, &app, NULL);
}

TEST(meta_of_the_program_is_for_the_list) {
  mcp_app app = {.size = sizeof(app), .meta = " {\"a\" : [1]} "};
  assert_text(mcpi_app_put_needs, &app, NULL);
  assert_text(mcpi_app_put_meta, &app, "{\"a\":[1]}");
  app.border = MCP_APP_NO_BORDER;
  assert_text(mcpi_app_put_needs, &app, "{\"ui\":{\"prefersBorder\":false}}");
  assert_text(mcpi_app_put_meta, &app,
              "{\"ui\":{\"prefersBorder\":false},\"a\":[1]}");
  app.meta = "{}";
  assert_text(mcpi_app_put_meta, &app, "{\"ui\":{\"prefersBorder\":false}}");
}

TEST(each_need_has_its_member) {
  static const char *const none[] = {NULL};
  static const char *const two[] = {"https://a.example", "https://b.example",
                                    NULL};
  const mcp_app app = {.size = sizeof(app),
                       .connect_domains = none,
                       .resource_domains = two,
                       .permissions = MCP_APP_CAMERA,
                       .domain = "a \"b\"",
                       .border = MCP_APP_BORDER};
  assert_text(mcpi_app_put_needs, &app,
              "{\"ui\":{\"csp\":{\"connectDomains\":[],\"resourceDomains\":["
              "\"https://a.example\",\"https://b.example\"]},\"permissions\":{"
              "\"camera\":{}},\"domain\":\"a \\\"b\\\"\","
              "\"prefersBorder\":true}}");
}

static void assert_tool_text(const char *meta, const char *uri,
                             uint32_t visibility, const char *expected) {
  const mcp_tool tool = {.size = sizeof(tool), .meta = meta};
  mcpi_buf text;
  mcp_error err = {0};
  mcpi_buf_init(&text, mcp_allocator_default(), SIZE_MAX);
  assert_int_equal(mcpi_app_put_tool_meta(&text, &tool, uri, visibility, &err),
                   0);
  assert_string_equal(text.data, expected);
  mcpi_buf_deinit(&text);
}

TEST(a_tool_has_its_app_and_its_visibility) {
  assert_tool_text(NULL, "ui://a", 0,
                   "{\"ui\":{\"resourceUri\":\"ui://a\"},"
                   "\"ui/resourceUri\":\"ui://a\"}");
  assert_tool_text("{\"a\":1}", "ui://a", MCP_VISIBLE_TO_MODEL,
                   "{\"ui\":{\"resourceUri\":\"ui://a\",\"visibility\":["
                   "\"model\"]},\"ui/resourceUri\":\"ui://a\",\"a\":1}");
  assert_tool_text(NULL, NULL, MCP_VISIBLE_TO_APP,
                   "{\"ui\":{\"visibility\":[\"app\"]}}");
  assert_tool_text(NULL, NULL, MCP_VISIBLE_TO_MODEL | MCP_VISIBLE_TO_APP,
                   "{\"ui\":{\"visibility\":[\"model\",\"app\"]}}");
}

static int make_meta(const mcp_allocator *allocator, void *userdata) {
  const mcp_app app = {
      .size = sizeof(app), .meta = "{\"a\":1}", .border = MCP_APP_BORDER};
  mcp_error err;
  mcpi_buf text;
  mcpi_buf_init(&text, allocator, SIZE_MAX);
  int rc = mcpi_app_put_meta(&text, &app, &err);
  mcpi_buf_deinit(&text);
  return rc;
}

TEST(a_lack_of_memory_is_noticed) {
  failing_alloc_rerun_least(3, make_meta, NULL);
}
