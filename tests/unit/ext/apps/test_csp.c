/* SPDX-License-Identifier: MIT */
/* The Content-Security-Policy of a page: nothing but what was declared. */
#include "ext/apps/csp.h"

#include "base/alloc.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/apps.h>
#include <string.h>

#define STRICT                                                                 \
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' "   \
  "'unsafe-inline'; connect-src 'none'; img-src 'self' data:; font-src "       \
  "'none'; media-src 'self' data:; frame-src 'none'; object-src 'none'; "      \
  "base-uri 'self'; form-action 'none'"
/* With a `csp` that declares nothing. */
#define EMPTY                                                                  \
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' "   \
  "'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src "       \
  "'self'; media-src 'self' data:; frame-src 'none'; object-src 'none'; "      \
  "base-uri 'self'; form-action 'none'"

/* Asserts the policy of what a server states, and how much of it is left
 * out. */
static void assert_policy(const char *needs, const char *expected,
                          size_t expected_left_out) {
  size_t left_out = 99;
  mcp_doc *doc = mcp_doc_parse(needs, strlen(needs), NULL, NULL, NULL);
  assert_non_null(doc);
  char *policy = mcp_app_csp(mcp_doc_root(doc), &left_out);
  assert_string_equal(policy, expected);
  assert_int_equal(left_out, expected_left_out);
  mcp_text_free(policy);
  mcp_doc_free(doc);
}

TEST(without_csp_no_origin_is_allowed) {
  size_t left_out = 99;
  char *policy = mcp_app_csp(NULL, &left_out);
  assert_string_equal(policy, STRICT);
  assert_int_equal(left_out, 0);
  mcp_text_free(policy);
  assert_policy("{}", STRICT, 0);
  assert_policy("{\"prefersBorder\":true}", STRICT, 0);
}

TEST(csp_that_is_not_an_object_counts_as_absent) {
  static const char *const cases[] = {"{\"csp\":null}", "{\"csp\":\"*\"}",
                                      "{\"csp\":[\"https://a.example\"]}",
                                      "{\"csp\":true}"};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_policy(cases[i], STRICT, 0);
  }
  assert_policy("3", STRICT, 0);
}

TEST(csp_without_origins_allows_the_pages_own) {
  assert_policy("{\"csp\":{}}", EMPTY, 0);
  assert_policy("{\"csp\":{\"connectDomains\":[],\"frameDomains\":[]}}", EMPTY,
                0);
}

TEST(each_list_has_its_directives) {
  assert_policy(
      "{\"csp\":{\"connectDomains\":[\"https://c.example\","
      "\"wss://c.example:8443\"],\"resourceDomains\":[\"https://*.r.example\"],"
      "\"frameDomains\":[\"https://f.example\"],"
      "\"baseUriDomains\":[\"https://b.example\"]}}",
      "default-src 'none'; "
      "script-src 'self' 'unsafe-inline' https://*.r.example; "
      "style-src 'self' 'unsafe-inline' https://*.r.example; "
      "connect-src 'self' https://c.example wss://c.example:8443; "
      "img-src 'self' data: https://*.r.example; "
      "font-src 'self' https://*.r.example; "
      "media-src 'self' data: https://*.r.example; "
      "frame-src https://f.example; object-src 'none'; "
      "base-uri https://b.example; form-action 'none'",
      0);
}

TEST(what_is_not_an_origin_is_left_out) {
  assert_policy("{\"csp\":{\"connectDomains\":[\"https://a.example;\",\"*\","
                "7,null,[\"https://a.example\"],\"https://a.example\\u0000\","
                "\"https://a.example 'unsafe-eval'\"],"
                "\"frameDomains\":\"https://a.example\","
                "\"baseUriDomains\":{\"a\":\"https://a.example\"},"
                "\"scriptDomains\":[\"https://a.example\"]}}",
                EMPTY, 9);
}

TEST(the_rest_of_a_list_is_kept) {
  assert_policy("{\"csp\":{\"frameDomains\":[\"*\",\"https://a.example\"]}}",
                "default-src 'none'; script-src 'self' 'unsafe-inline'; "
                "style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src "
                "'self' data:; font-src 'self'; media-src 'self' data:; "
                "frame-src https://a.example; object-src 'none'; base-uri "
                "'self'; form-action 'none'",
                1);
}

static size_t count_of(const char *text, const char *part) {
  size_t count = 0;
  while ((text = strstr(text, part)) != NULL) {
    text += strlen(part);
    count++;
  }
  return count;
}

/* Longer lists would make headers that proxies refuse. */
TEST(a_list_has_at_most_64_origins) {
  size_t left_out;
  mcp_builder *needs = mcp_builder_new(NULL, NULL);
  mcp_builder_object(needs, NULL);
  mcp_builder_object(needs, "csp");
  mcp_builder_array(needs, "frameDomains");
  for (int i = 0; i < 100; i++) {
    mcp_builder_string(needs, NULL, "https://a.example");
  }
  mcp_builder_end(needs);
  mcp_builder_end(needs);
  mcp_builder_end(needs);
  size_t len;
  const char *text = mcp_builder_text(needs, &len);
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  char *policy = mcp_app_csp(mcp_doc_root(doc), &left_out);
  assert_int_equal(count_of(policy, "https://a.example"), 64);
  assert_int_equal(left_out, 36);
  mcp_text_free(policy);
  mcp_doc_free(doc);
  mcp_builder_free(needs);
}

TEST(the_number_left_out_may_be_ignored) {
  char *policy = mcp_app_csp(NULL, NULL);
  assert_string_equal(policy, STRICT);
  mcp_text_free(policy);
}

static int make_policy(const mcp_allocator *allocator, void *userdata) {
  size_t left_out = 99;
  char *policy = mcpi_app_csp(userdata, allocator, &left_out);
  if (policy == NULL) {
    assert_int_equal(left_out, 99);
    return MCP_ERR_NOMEM;
  }
  mcpi_strfree(allocator, policy);
  return 0;
}

TEST(a_lack_of_memory_gives_no_policy) {
  failing_alloc_rerun_least(2, make_policy, NULL);
}
