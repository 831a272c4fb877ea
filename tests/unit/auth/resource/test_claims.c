/* SPDX-License-Identifier: MIT */
#include "auth/resource/claims.h"

#include "support/cm.h"
#include "json/json.h"

/* Returns what mcpi_claims_grant says, and checks the principal if it is 0. */
static int grant(const char *text, const char *principal) {
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcp_protect_options options = MCP_PROTECT_OPTIONS_INIT;
  const mcpi_claims_rules rules = {.loop = loop, .options = &options};
  mcp_doc *doc = NULL;
  mcpi_grant *out = NULL;
  assert_int_equal(
      mcpi_doc_parse(&doc, text, strlen(text), NULL, &loop->allocator, NULL),
      0);
  int rc = mcpi_claims_grant(&out, doc, &rules, NULL);
  if (rc == 0) {
    assert_string_equal(out->principal, principal);
    mcpi_grant_unref(out);
  } else {
    mcp_doc_free(doc);
  }
  mcp_loop_free(loop);
  return rc;
}

TEST(a_token_without_a_subject_is_its_clients) {
  assert_int_equal(grant("{\"sub\":\"ann\",\"azp\":\"app\"}", "ann"), 0);
  assert_int_equal(grant("{\"azp\":\"app\"}", "client:app"), 0);
  assert_int_equal(grant("{}", ""), MCP_ERR_REFUSED);
}

/* Otherwise a user with such a name would become the client itself. */
TEST(a_broken_subject_does_not_make_a_token_its_clients) {
  static const char *const subjects[] = {
      "{\"sub\":\"\",\"azp\":\"app\"}", "{\"sub\":7,\"azp\":\"app\"}",
      "{\"sub\":null,\"azp\":\"app\"}", "{\"sub\":[\"ann\"],\"azp\":\"app\"}",
      "{\"sub\":\"a\\u0000b\",\"client_id\":\"app\"}"};
  for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
    assert_int_equal(grant(subjects[i], ""), MCP_ERR_REFUSED);
  }
}
