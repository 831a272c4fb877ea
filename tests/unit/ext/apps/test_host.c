/* SPDX-License-Identifier: MIT */
/* What a host reads of tools and pages, and what it makes of rubbish. */
#include "support/cm.h"
#include <mcp/apps.h>
#include <string.h>

static mcp_doc *doc_of(const char *text) {
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  assert_non_null(doc);
  return doc;
}

static void assert_uri(const char *tool, const char *expected) {
  mcp_doc *doc = doc_of(tool);
  const char *uri = mcp_app_tool_uri(mcp_doc_root(doc));
  if (expected == NULL) {
    assert_null(uri);
  } else {
    assert_string_equal(uri, expected);
  }
  mcp_doc_free(doc);
}

TEST(the_app_of_a_tool_is_named_in_two_ways) {
  assert_uri("{\"_meta\":{\"ui\":{\"resourceUri\":\"ui://a/b\"}}}", "ui://a/b");
  assert_uri("{\"_meta\":{\"ui/resourceUri\":\"ui://a/b\"}}", "ui://a/b");
  assert_uri("{\"_meta\":{\"ui/resourceUri\":\"ui://old\","
             "\"ui\":{\"resourceUri\":\"ui://new\"}}}",
             "ui://new");
  assert_uri("{\"_meta\":{\"ui/resourceUri\":\"ui://old\","
             "\"ui\":{\"visibility\":[\"app\"]}}}",
             "ui://old");
}

TEST(a_tool_may_have_no_app) {
  static const char *const cases[] = {
      "{}",
      "{\"_meta\":{}}",
      "{\"_meta\":{\"ui\":{}}}",
      "{\"_meta\":{\"ui\":{\"resourceUri\":\"https://a.example\"}}}",
      "{\"_meta\":{\"ui\":{\"resourceUri\":\"ui://\"}}}",
      "{\"_meta\":{\"ui\":{\"resourceUri\":\"UI://a\"}}}",
      "{\"_meta\":{\"ui\":{\"resourceUri\":\"ui://a\\u0000b\"}}}",
      "{\"_meta\":{\"ui\":{\"resourceUri\":7},\"ui/resourceUri\":\"ui://a\"}}",
      "{\"_meta\":{\"ui\":\"ui://a\"}}",
      "{\"_meta\":\"ui://a\"}",
      "[]"};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_uri(cases[i], NULL);
  }
  assert_null(mcp_app_tool_uri(NULL));
}

static void assert_visible(const char *tool, int to_model, int to_app) {
  mcp_doc *doc = doc_of(tool);
  assert_int_equal(mcp_app_tool_is_for_model(mcp_doc_root(doc)), to_model);
  assert_int_equal(mcp_app_tool_is_for_app(mcp_doc_root(doc)), to_app);
  mcp_doc_free(doc);
}

#define VISIBLE_TO(value) "{\"_meta\":{\"ui\":{\"visibility\":" value "}}}"

TEST(a_tool_is_visible_to_all_unless_it_says_otherwise) {
  assert_visible("{}", 1, 1);
  assert_visible("{\"_meta\":{\"ui\":{\"resourceUri\":\"ui://a\"}}}", 1, 1);
  assert_visible(VISIBLE_TO("[\"model\",\"app\"]"), 1, 1);
  assert_visible(VISIBLE_TO("[\"app\",\"model\",\"other\"]"), 1, 1);
  assert_visible(VISIBLE_TO("[\"model\"]"), 1, 0);
  assert_visible(VISIBLE_TO("[\"app\"]"), 0, 1);
  assert_visible(VISIBLE_TO("[]"), 0, 0);
}

TEST(a_malformed_visibility_hides_a_tool) {
  assert_visible(VISIBLE_TO("null"), 0, 0);
  assert_visible(VISIBLE_TO("\"model\""), 0, 0);
  assert_visible(VISIBLE_TO("{\"model\":\"app\"}"), 0, 0);
  assert_visible(VISIBLE_TO("[[\"model\"],7,\"App\",\"model\\u0000\"]"), 0, 0);
  assert_int_equal(mcp_app_tool_is_for_model(NULL), 0);
  assert_int_equal(mcp_app_tool_is_for_app(NULL), 0);
}

TEST(needs_stand_in_the_content_or_in_the_list) {
  mcp_doc *content = doc_of("{\"_meta\":{\"ui\":{\"domain\":\"content\"}}}");
  mcp_doc *listed = doc_of("{\"_meta\":{\"ui\":{\"domain\":\"list\"}}}");
  mcp_doc *nothing = doc_of("{\"_meta\":{\"ui\":7}}");
  const mcp_json *needs =
      mcp_app_needs(mcp_doc_root(content), mcp_doc_root(listed));
  assert_string_equal(mcp_json_string(mcp_json_get(needs, "domain")),
                      "content");
  needs = mcp_app_needs(mcp_doc_root(nothing), mcp_doc_root(listed));
  assert_string_equal(mcp_json_string(mcp_json_get(needs, "domain")), "list");
  needs = mcp_app_needs(NULL, mcp_doc_root(listed));
  assert_string_equal(mcp_json_string(mcp_json_get(needs, "domain")), "list");
  assert_null(mcp_app_needs(mcp_doc_root(nothing), NULL));
  assert_null(mcp_app_needs(NULL, NULL));
  mcp_doc_free(content);
  mcp_doc_free(listed);
  mcp_doc_free(nothing);
}
