/* SPDX-License-Identifier: MIT */
#include "auth/client/registration.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

#define COMPLETE                                                               \
  "{\"issuer\":\"i\",\"client_id\":\"c\",\"client_secret\":\"s\","             \
  "\"redirect_uri\":\"r\","                                                    \
  "\"token_endpoint_auth_method\":\"client_secret_post\",\"expires_at_ms\":9}"

SCRATCH_TEST(a_registration_comes_back_as_it_was_written) {
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_registration found;
  assert_int_equal(
      mcpi_registration_read(&found, scratch_plain_json(COMPLETE), allocator),
      0);
  assert_string_equal(found.issuer, "i");
  assert_string_equal(found.client_id, "c");
  assert_int_equal(found.method, MCPI_CLIENT_POST);
  assert_int_equal(found.expires_ms, 9);
  mcp_builder *builder = scratch_builder();
  mcpi_registration_write(&found, builder);
  assert_string_equal(mcp_builder_text(builder, NULL), COMPLETE);
  mcpi_registration_deinit(&found, allocator);
  assert_null(found.client_id);
}

SCRATCH_TEST(absent_members_stay_absent) {
  static const char text[] = "{\"issuer\":\"i\",\"client_id\":\"c\","
                             "\"token_endpoint_auth_method\":\"none\"}";
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_registration found;
  assert_int_equal(
      mcpi_registration_read(&found, scratch_plain_json(text), allocator), 0);
  assert_null(found.client_secret);
  assert_null(found.redirect_uri);
  assert_true(found.is_registered);
  assert_true(found.expires_ms == INT64_MAX);
  mcp_builder *builder = scratch_builder();
  mcpi_registration_write(&found, builder);
  assert_string_equal(mcp_builder_text(builder, NULL), text);
  mcpi_registration_deinit(&found, allocator);
}

SCRATCH_TEST(what_is_no_registration_is_not_read) {
  static const char *const texts[] = {
      "{}",
      "[]",
      "{'client_id': 'c', 'token_endpoint_auth_method': 'none'}",
      "{'issuer': 'i', 'token_endpoint_auth_method': 'none'}",
      "{'issuer': 'i', 'client_id': 'c'}",
      "{'issuer': 'i', 'client_id': 'c', 'token_endpoint_auth_method': 'x'}"};
  mcpi_registration found = {.method = 77};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_int_equal(mcpi_registration_read(&found, scratch_json(texts[i]),
                                            mcp_allocator_default()),
                     MCP_ERR_INVALID);
    assert_int_equal(found.method, 77);
  }
}

static int read_one(const mcp_allocator *allocator, void *userdata) {
  mcpi_registration found;
  int rc = mcpi_registration_read(&found, userdata, allocator);
  if (rc == 0) {
    mcpi_registration_deinit(&found, allocator);
  }
  return rc;
}

SCRATCH_TEST(failures_are_survived) {
  failing_alloc_rerun_least(4, read_one,
                            (void *)(uintptr_t)scratch_plain_json(COMPLETE));
}
