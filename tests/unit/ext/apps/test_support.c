/* SPDX-License-Identifier: MIT */
/* MIME types of pages, and which clients show them. */
#include "support/cm.h"
#include "support/server_bench.h"
#include <mcp/apps.h>
#include <string.h>

TEST(the_mime_type_of_pages_is_recognised) {
  static const char *const good[] = {
      MCP_APP_MIME_TYPE, "text/html; profile=mcp-app",
      "TEXT/HTML;Profile=\"mcp-app\"",
      " text/html ; charset=utf-8; profile=mcp-app"};
  static const char *const bad[] = {"",
                                    "text/html",
                                    "text/html;profile=other",
                                    "text/html;profile=MCP-APP",
                                    "text/html;profile=mcp-app-2",
                                    "text/html;profile=mcp-app;profile=other",
                                    "text/html;profile=\"mcp-app",
                                    "text/html;charset=latin1;profile=mcp-app",
                                    "text/plain;profile=mcp-app",
                                    "text/htmlx;profile=mcp-app"};
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_true(mcp_app_is_mime_type(good[i]));
  }
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_false(mcp_app_is_mime_type(bad[i]));
  }
  assert_false(mcp_app_is_mime_type(NULL));
}

static int is_supported(const char *capabilities, const char *mime_type) {
  mcp_doc *doc =
      mcp_doc_parse(capabilities, strlen(capabilities), NULL, NULL, NULL);
  assert_non_null(doc);
  int is = mcp_app_is_supported(mcp_doc_root(doc), mime_type);
  mcp_doc_free(doc);
  return is;
}

#define WITH(settings)                                                         \
  "{\"extensions\":{\"" MCP_APP_EXTENSION "\":" settings "}}"

TEST(a_client_declares_the_types_that_it_shows) {
  assert_true(is_supported(WITH(MCP_APP_CLIENT_SETTINGS), NULL));
  assert_true(is_supported(
      WITH("{\"mimeTypes\":[7,\"a/b\",\"text/html; profile=mcp-app\"]}"),
      NULL));
  assert_true(is_supported(WITH("{\"mimeTypes\":[\"A/b\"]}"), "a/B"));
  assert_false(is_supported(WITH("{\"mimeTypes\":[\"a/b\"]}"), NULL));
  assert_false(is_supported(WITH(MCP_APP_CLIENT_SETTINGS), "a/b"));
}

TEST(other_clients_show_no_apps) {
  static const char *const cases[] = {
      "{}",
      "[]",
      "{\"extensions\":{}}",
      WITH("{}"),
      WITH("true"),
      WITH("{\"mimeTypes\":\"" MCP_APP_MIME_TYPE "\"}"),
      WITH("{\"mimeTypes\":{\"a\":\"" MCP_APP_MIME_TYPE "\"}}"),
      "{\"experimental\":{\"" MCP_APP_EXTENSION "\":" MCP_APP_CLIENT_SETTINGS
      "}}"};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_false(is_supported(cases[i], NULL));
  }
  assert_false(mcp_app_is_supported(NULL, NULL));
  assert_false(mcp_call_client_shows_apps(NULL));
}

static int on_ask(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call,
                             mcp_call_client_shows_apps(call) ? "yes" : "no");
}

#define SHOWS                                                                  \
  "{'extensions':{'io.modelcontextprotocol/ui':{'mimeTypes':["                 \
  "'text/html;profile=mcp-app']}}}"
#define ASK(id, capabilities)                                                  \
  "{$J,'id':" id                                                               \
  ",'method':'tools/call','params':{'name':'ask',$M" capabilities "}}"

BENCH_TEST(a_handler_asks_whether_the_client_shows_apps) {
  server_bench *b = *state;
  server_bench_add_tool(b, "ask", on_ask);
  exchange(&b->wire, ASK("1", SHOWS), RESULT_TEXT("1", "yes"));
  exchange(&b->wire, ASK("2", "{}"), RESULT_TEXT("2", "no"));
}

BENCH_TEST(a_session_of_2025_06_18_has_apps) {
  server_bench *b = *state;
  server_bench_add_tool(b, "ask", on_ask);
  wire_initialize(&b->wire, "2025-06-18", SHOWS);
  exchange(&b->wire, LEGACY_CALL("1", "ask"), LEGACY_TEXT("1", "yes"));
}

/* Its tools have no _meta, and so no app. */
BENCH_TEST(a_session_of_2025_03_26_has_no_apps) {
  server_bench *b = *state;
  server_bench_add_tool(b, "ask", on_ask);
  wire_initialize(&b->wire, "2025-03-26", SHOWS);
  exchange(&b->wire, LEGACY_CALL("1", "ask"), LEGACY_TEXT("1", "no"));
}
