/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/flow_case.h"

static int is_fine(int error, int status) {
  const mcp_fetch_answer answer = {.error = error, .status = status};
  return mcpi_step_is_fine(&answer);
}

TEST(statuses_from_200_to_299_are_fine) {
  assert_false(is_fine(0, 199));
  assert_true(is_fine(0, 200));
  assert_true(is_fine(0, 299));
  assert_false(is_fine(0, 300));
  assert_false(is_fine(MCP_ERR_IO, 0));
}

TEST(headers_are_found_in_any_case) {
  static const mcp_http_header headers[] = {{"a", "1"}, {"DPOP-nonce", "2"}};
  const mcp_fetch_answer answer = {.headers = headers, .header_count = 2};
  const mcp_fetch_answer empty = {.headers = NULL};
  assert_string_equal(mcpi_step_header(&answer, "DPoP-Nonce"), "2");
  assert_null(mcpi_step_header(&answer, "b"));
  assert_null(mcpi_step_header(&empty, "a"));
}

static int parse(const char *body) {
  const mcp_fetch_answer answer = {.body = body, .body_len = strlen(body)};
  int rc = 1;
  mcp_doc *doc = mcpi_step_parse(rig.flow, &answer, &rc);
  assert_int_equal(doc != NULL, rc == 0);
  mcp_doc_free(doc);
  return rc;
}

FLOW_TEST(only_objects_are_read) {
  assert_int_equal(flow_rig_new(&rig), 0);
  assert_int_equal(parse("{}"), 0);
  assert_int_equal(parse(""), MCP_ERR_PARSE);
  assert_int_equal(parse("[]"), MCP_ERR_PARSE);
  assert_int_equal(parse("null"), MCP_ERR_PARSE);
  assert_int_equal(parse("{} x"), MCP_ERR_PARSE);
}

FLOW_TEST(copies_replace_what_was_there) {
  char *text = NULL;
  assert_int_equal(flow_rig_new(&rig), 0);
  assert_int_equal(mcpi_step_copy(rig.flow, &text, "a"), 0);
  assert_int_equal(mcpi_step_copy(rig.flow, &text, "b"), 0);
  assert_string_equal(text, "b");
  assert_int_equal(mcpi_step_copy(rig.flow, &text, NULL), 0);
  assert_null(text);
}

TEST(a_url_is_shown_without_its_query_and_up_to_100_bytes) {
  char url[200];
  assert_int_equal(mcpi_step_shown_len("https://a/b?c"), 11);
  assert_int_equal(mcpi_step_shown_len(""), 0);
  memset(url, 'u', sizeof(url) - 1);
  url[199] = '\0';
  assert_int_equal(mcpi_step_shown_len(url), 100);
}
