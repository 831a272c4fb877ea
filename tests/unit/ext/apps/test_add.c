/* SPDX-License-Identifier: MIT */
/* Registering apps and their tools: what is refused, and how. The bytes that
 * clients get are in tests/wire/server/apps.txt. */
#include "support/server_bench.h"
#include <mcp/apps.h>
#include <stdio.h>
#include <string.h>

#define PAGE "<!doctype html><title>Chart</title>"

static int on_any(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, "ran");
}

static mcp_app an_app(void) {
  return (mcp_app){
      .size = sizeof(mcp_app), .uri = "ui://a", .name = "A", .html = PAGE};
}

static mcp_tool a_tool(void) {
  return (mcp_tool){.size = sizeof(mcp_tool), .name = "t", .handler = on_any};
}

static void assert_app_refused(server_bench *b, const mcp_app *app, int code,
                               const char *message) {
  mcp_error err = {0};
  assert_int_equal(mcp_server_add_app(b->rig.server, app, &err), code);
  assert_int_equal(err.code, code);
  assert_string_equal(err.message, message);
  assert_int_equal(mcp_server_add_app(b->rig.server, app, NULL), code);
}

static void assert_tool_refused(server_bench *b, const mcp_tool *tool,
                                const char *uri, uint32_t visibility, int code,
                                const char *message) {
  mcp_error err = {0};
  assert_int_equal(
      mcp_server_add_app_tool(b->rig.server, tool, uri, visibility, &err),
      code);
  assert_string_equal(err.message, message);
}

static void add_app(server_bench *b, const char *uri) {
  mcp_app app = an_app();
  app.uri = uri;
  assert_int_equal(mcp_server_add_app(b->rig.server, &app, NULL), 0);
}

/* ---- apps ---------------------------------------------------------------- */

BENCH_TEST(uris_are_checked) {
  mcp_app app = an_app();
  app.uri = NULL;
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"\": uri is required");
  app.uri = "https://a.example";
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"https://a.example\": uri must begin with "
                     "\"ui://\", such as \"ui://weather/chart\"");
  app.uri = "ui://";
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://\": uri must begin with \"ui://\", such as "
                     "\"ui://weather/chart\"");
  app.uri = "ui://a b";
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "resource \"ui://a b\": uri \"ui://a b\" is not a URI");
}

BENCH_TEST(a_page_is_one_html_document) {
  mcp_app app = an_app();
  app.handler = on_any;
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://a\": needs exactly one of html, data and "
                     "handler, has 2");
  app.handler = NULL;
  app.html = NULL;
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://a\": needs exactly one of html, data and "
                     "handler, has 0");
  app.html = "chart.html";
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://a\": html must be an HTML5 document, which "
                     "begins with <!doctype html>, and begins with "
                     "\"chart.html\"");
  app.html = NULL;
  app.data = "\x7F"
             "ELF";
  app.data_len = 4;
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://a\": data must be an HTML5 document, which "
                     "begins with <!doctype html>, and begins with \"?ELF\"");
}

BENCH_TEST(comments_and_case_may_precede_the_document) {
  server_bench *b = *state;
  char page[2000];
  mcp_app app = an_app();
  app.html = "\xEF\xBB\xBF\n<!-- mine -->\n<!DOCTYPE HTML>";
  assert_int_equal(mcp_server_add_app(b->rig.server, &app, NULL), 0);
  snprintf(page, sizeof(page), "<!--%*s-->%s", 1017 - 1, "", PAGE);
  app.uri = "ui://b";
  app.html = page;
  assert_int_equal(mcp_server_add_app(b->rig.server, &app, NULL), 0);
  snprintf(page, sizeof(page), "<!--%*s-->%s", 1017, "", PAGE);
  app.uri = "ui://c";
  assert_int_equal(mcp_server_add_app(b->rig.server, &app, NULL),
                   MCP_ERR_INVALID);
}

BENCH_TEST(origins_are_checked) {
  static const char *const bad[] = {"https://a.example",
                                    "https://b.example; script-src *", NULL};
  const char *many[66] = {0};
  mcp_app app = an_app();
  app.connect_domains = bad;
  assert_app_refused(
      *state, &app, MCP_ERR_INVALID,
      "app \"ui://a\": connect_domains[1] \"https://b.example; script-src *\" "
      "is not an origin, such as \"https://api.example.com\": a scheme (http, "
      "https, ws or wss), a host name, and no path");
  app.connect_domains = NULL;
  app.resource_domains = bad + 1;
  assert_app_refused(
      *state, &app, MCP_ERR_INVALID,
      "app \"ui://a\": resource_domains[0] \"https://b.example; script-src *\" "
      "is not an origin, such as \"https://api.example.com\": a scheme (http, "
      "https, ws or wss), a host name, and no path");
  for (size_t i = 0; i < 65; i++) {
    many[i] = "https://a.example";
  }
  app.resource_domains = NULL;
  app.frame_domains = many;
  assert_app_refused(*state, &app, MCP_ERR_LIMIT,
                     "app \"ui://a\": frame_domains has more than 64 origins: "
                     "name a domain for several hosts, such as "
                     "\"https://*.example.com\"");
  many[64] = NULL;
  app.base_uri_domains = bad;
  mcp_error err;
  server_bench *b = *state;
  assert_int_equal(mcp_server_add_app(b->rig.server, &app, &err),
                   MCP_ERR_INVALID);
  assert_non_null(strstr(err.message, "base_uri_domains[1]"));
  app.base_uri_domains = many;
  assert_int_equal(mcp_server_add_app(b->rig.server, &app, NULL), 0);
}

BENCH_TEST(other_members_are_checked) {
  mcp_app app = an_app();
  assert_app_refused(*state, NULL, MCP_ERR_INVALID, "mcp_app is NULL");
  app.name = NULL;
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "resource \"ui://a\": name is required");
  app = an_app();
  app.domain = "";
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://a\": domain is empty: use NULL for no domain");
  app.domain = "a\xFF";
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://a\": domain is not UTF-8 at byte 1");
  app = an_app();
  app.permissions = 1 << 4;
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://a\": permissions 0x10 has unknown bits");
  app = an_app();
  app.border = 3;
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://a\": border 3 is not MCP_APP_BORDER, "
                     "MCP_APP_NO_BORDER or 0");
  app = an_app();
  app.reserved = 1;
  assert_app_refused(
      *state, &app, MCP_ERR_INVALID,
      "app \"ui://a\": mcp_app.reserved is 1, but a reserved member must be 0");
}

BENCH_TEST(meta_of_the_program_must_leave_room) {
  mcp_app app = an_app();
  app.meta = "{\"ui\":{}}";
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://a\": meta has the member \"ui\", which the "
                     "library writes");
  app.meta = "[]";
  assert_app_refused(*state, &app, MCP_ERR_INVALID,
                     "app \"ui://a\": meta is not an object: []");
  app.meta = "{";
  server_bench *b = *state;
  assert_int_equal(mcp_server_add_app(b->rig.server, &app, NULL),
                   MCP_ERR_PARSE);
}

BENCH_TEST(a_uri_is_taken_once) {
  mcp_app app = an_app();
  add_app(*state, "ui://a");
  assert_app_refused(*state, &app, MCP_ERR_EXISTS,
                     "resource \"ui://a\": already exists");
}

/* mcp_main refuses to start after a failure. */
BENCH_TEST(the_server_remembers_failures) {
  server_bench *b = *state;
  mcp_app app = an_app();
  mcp_tool tool = a_tool();
  assert_null(mcp_server_error(b->rig.server));
  app.uri = "x:a";
  mcp_server_add_app(b->rig.server, &app, NULL);
  assert_int_equal(mcp_server_error(b->rig.server)->code, MCP_ERR_INVALID);
  server_bench_restart(b, NULL);
  mcp_server_add_app_tool(b->rig.server, &tool, "ui://a", 0, NULL);
  assert_int_equal(mcp_server_error(b->rig.server)->code, MCP_ERR_NOT_FOUND);
}

/* Apps share the declaration, also with a program that made it itself. */
BENCH_TEST(the_extension_is_declared_once) {
  server_bench *b = *state;
  assert_int_equal(
      mcp_server_add_extension(b->rig.server, MCP_APP_EXTENSION, NULL, NULL),
      0);
  add_app(b, "ui://a");
  add_app(b, "ui://b");
  assert_null(mcp_server_error(b->rig.server));
}

static int release_count;

static void on_release(void *userdata) {
  release_count++;
}

BENCH_TEST(a_handler_is_released_once) {
  server_bench *b = *state;
  mcp_app app = an_app();
  app.html = NULL;
  app.handler = on_any;
  app.release = on_release;
  release_count = 0;
  app.uri = "x:a";
  mcp_server_add_app(b->rig.server, &app, NULL);
  app.uri = "ui://a";
  assert_int_equal(mcp_server_add_app(b->rig.server, &app, NULL), 0);
  assert_int_equal(release_count, 0);
  assert_int_equal(mcp_server_remove_resource(b->rig.server, "ui://a"), 0);
  rig_turn(&b->rig);
  assert_int_equal(release_count, 1);
}

TEST(null_is_accepted) {
  mcp_app app = an_app();
  mcp_tool tool = a_tool();
  mcp_error err;
  assert_int_equal(mcp_server_add_app(NULL, &app, &err), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_app_tool(NULL, &tool, NULL, 1, &err),
                   MCP_ERR_INVALID);
}

/* ---- tools --------------------------------------------------------------- */

BENCH_TEST(tools_name_an_app_that_exists) {
  mcp_tool tool = a_tool();
  const mcp_resource other = {.size = sizeof(mcp_resource),
                              .uri = "ui://other",
                              .name = "o",
                              .mime_type = "text/html",
                              .text = PAGE};
  server_bench *b = *state;
  assert_int_equal(mcp_server_add_resource(b->rig.server, &other, NULL), 0);
  assert_tool_refused(*state, &tool, "ui://a", 0, MCP_ERR_NOT_FOUND,
                      "tool \"t\": there is no app \"ui://a\": add it first, "
                      "by mcp_server_add_app");
  assert_tool_refused(*state, &tool, "ui://other", 0, MCP_ERR_NOT_FOUND,
                      "tool \"t\": there is no app \"ui://other\": add it "
                      "first, by mcp_server_add_app");
  add_app(b, "ui://a");
  assert_int_equal(
      mcp_server_add_app_tool(b->rig.server, &tool, "ui://a", 0, NULL), 0);
}

BENCH_TEST(tools_are_checked) {
  mcp_tool tool = a_tool();
  add_app(*state, "ui://a");
  assert_tool_refused(*state, NULL, "ui://a", 0, MCP_ERR_INVALID,
                      "mcp_tool is NULL");
  assert_tool_refused(*state, &tool, NULL, 0, MCP_ERR_INVALID,
                      "tool \"t\": has neither an app nor a visibility: use "
                      "mcp_server_add_tool");
  assert_tool_refused(*state, &tool, "ui://a", 4, MCP_ERR_INVALID,
                      "tool \"t\": visibility 0x4 has unknown bits");
  tool.meta = "{\"ui\":1}";
  assert_tool_refused(*state, &tool, "ui://a", 0, MCP_ERR_INVALID,
                      "tool \"t\": meta has the member \"ui\", which the "
                      "library writes");
  tool.meta = "{\"ui/resourceUri\":\"ui://a\"}";
  assert_tool_refused(*state, &tool, "ui://a", 0, MCP_ERR_INVALID,
                      "tool \"t\": meta has the member \"ui/resourceUri\", "
                      "which the library writes");
  tool = a_tool();
  tool.handler = NULL;
  assert_tool_refused(*state, &tool, "ui://a", 0, MCP_ERR_INVALID,
                      "tool \"t\": handler is required");
  tool.name = NULL;
  assert_tool_refused(*state, &tool, "ui://b", 0, MCP_ERR_NOT_FOUND,
                      "tool \"\": there is no app \"ui://b\": add it first, by "
                      "mcp_server_add_app");
}

/* ---- memory -------------------------------------------------------------- */

static int add_all(const mcp_allocator *allocator, void *userdata) {
  static const char *const origins[] = {"https://a.example", NULL};
  const mcp_server_options options = {.size = sizeof(options),
                                      .allocator = allocator};
  mcp_app app = an_app();
  mcp_tool tool = a_tool();
  mcp_error err = {0};
  app.connect_domains = origins;
  app.permissions = MCP_APP_CAMERA;
  app.meta = "{\"a\":1}";
  tool.meta = "{\"a\":1}";
  mcp_server *server = mcp_server_new("s", "1", &options, &err);
  if (server == NULL) {
    return err.code;
  }
  int rc = mcp_server_add_app(server, &app, &err);
  if (rc == 0) {
    rc = mcp_server_add_app_tool(server, &tool, "ui://a", MCP_VISIBLE_TO_APP,
                                 &err);
  }
  assert_int_equal(err.code, rc);
  assert_true(rc == 0 || strlen(err.message) > 0);
  mcp_server_free(server);
  return rc;
}

TEST(a_lack_of_memory_is_reported) {
  failing_alloc_rerun_least(20, add_all, NULL);
}
