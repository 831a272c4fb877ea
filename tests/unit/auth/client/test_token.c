/* SPDX-License-Identifier: MIT */
#include "auth/client/token.h"

#include "base/alloc.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

#define COMPLETE                                                               \
  "{\"access_token\":\"a\",\"refresh_token\":\"r\",\"issuer\":\"i\","          \
  "\"resource\":\"s\",\"client_id\":\"c\",\"scope\":\"x y\",\"key\":\"k\","    \
  "\"expires_at_ms\":12}"

TEST(a_header_carries_visible_characters) {
  static const char *const bad[] = {"",       " ",    "a b",      "a\tb",
                                    "a\r\nb", "\x1f", "\x7f",     "\x80",
                                    "\xff",   "a ",   "\xc3\xa4", " a"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_false(mcpi_token_can_be_sent(bad[i]));
  }
  assert_true(mcpi_token_can_be_sent("!"));
  assert_true(mcpi_token_can_be_sent("~"));
  assert_true(mcpi_token_can_be_sent("aZ09-._~+/=\""));
}

SCRATCH_TEST(a_token_comes_back_as_it_was_written) {
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_token *token = mcpi_token_read(scratch_plain_json(COMPLETE), allocator);
  assert_non_null(token);
  assert_string_equal(token->access, "a");
  assert_string_equal(token->scopes, "x y");
  assert_int_equal(token->expires_ms, 12);
  assert_null(token->asked);
  token->asked = mcpi_strdup(allocator, "x y z"); /* it is not written */
  mcpi_token *copy = mcpi_token_copy(token, allocator);
  mcpi_token_free(token, allocator);
  assert_string_equal(copy->asked, "x y z");
  mcp_builder *builder = scratch_builder();
  mcpi_token_write(copy, builder);
  assert_string_equal(mcp_builder_text(builder, NULL), COMPLETE);
  mcpi_token_free(copy, allocator);
}

SCRATCH_TEST(absent_members_stay_absent) {
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_token *token = mcpi_token_read(
      scratch_json("{'access_token': 'a', 'issuer': 'i'}"), allocator);
  assert_non_null(token);
  assert_null(token->refresh);
  assert_null(token->key);
  assert_true(token->expires_ms == INT64_MAX);
  mcp_builder *builder = scratch_builder();
  mcpi_token_write(token, builder);
  assert_string_equal(mcp_builder_text(builder, NULL),
                      "{\"access_token\":\"a\",\"issuer\":\"i\"}");
  mcpi_token_free(token, allocator);
}

SCRATCH_TEST(what_is_no_token_is_not_read) {
  static const char *const texts[] = {"{}",
                                      "[]",
                                      "'a'",
                                      "{'access_token': 'a'}",
                                      "{'issuer': 'i'}",
                                      "{'access_token': 1, 'issuer': 'i'}"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_null(
        mcpi_token_read(scratch_json(texts[i]), mcp_allocator_default()));
  }
  assert_null(mcpi_token_read(NULL, mcp_allocator_default()));
}

static int read_and_copy(const mcp_allocator *allocator, void *userdata) {
  mcpi_token *token = mcpi_token_read(userdata, allocator);
  mcpi_token *copy = token != NULL ? mcpi_token_copy(token, allocator) : NULL;
  int rc = copy != NULL ? 0 : MCP_ERR_NOMEM;
  mcpi_token_free(token, allocator);
  mcpi_token_free(copy, allocator);
  return rc;
}

SCRATCH_TEST(failures_are_survived) {
  failing_alloc_rerun_least(16, read_and_copy,
                            (void *)(uintptr_t)scratch_plain_json(COMPLETE));
}
