/* SPDX-License-Identifier: MIT */
#include "auth/resource/metadata_out.h"

#include "support/cm.h"
#include "support/failing_alloc.h"

static int put(const mcp_allocator *allocator, void *userdata) {
  const char *const more[] = {"https://b.example", NULL};
  const mcp_protect_options options = {.size = sizeof(options),
                                       .issuer = "https://a.example",
                                       .more_issuers = more,
                                       .scopes_supported = "read write",
                                       .resource_name = "A \"B\"",
                                       .documentation_url =
                                           "https://rs.example/docs",
                                       .requires_dpop = 1};
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  int rc = mcpi_resource_metadata_put(&buf, &options,
                                      MCPI_STR("https://rs.example/mcp"));
  if (rc == 0) {
    mcpi_buf_putc(&buf, '\0');
    rc = buf.error;
  }
  if (rc == 0) {
    assert_string_equal(
        buf.data,
        "{\"resource\":\"https://rs.example/mcp\",\"authorization_servers\":"
        "[\"https://a.example\",\"https://b.example\"],\"scopes_supported\":"
        "[\"read\",\"write\"],\"bearer_methods_supported\":[\"header\"],"
        "\"resource_name\":\"A \\\"B\\\"\",\"resource_documentation\":"
        "\"https://rs.example/docs\",\"dpop_signing_alg_values_supported\":"
        "[\"ES256\",\"EdDSA\",\"PS256\",\"RS256\"],"
        "\"dpop_bound_access_tokens_required\":true}");
  }
  mcpi_buf_deinit(&buf);
  return rc;
}

TEST(metadata_have_what_the_options_say) {
  failing_alloc_rerun_least(2, put, NULL);
}

TEST(members_that_are_not_set_are_left_out) {
  const mcp_protect_options options = {.size = sizeof(options),
                                       .issuer = "https://b"};
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  assert_int_equal(
      mcpi_resource_metadata_put(&buf, &options, MCPI_STR("https://a")), 0);
  mcpi_buf_putc(&buf, '\0');
  assert_string_equal(
      buf.data,
      "{\"resource\":\"https://a\",\"authorization_servers\":[\"https://b\"],"
      "\"bearer_methods_supported\":[\"header\"],"
      "\"dpop_signing_alg_values_supported\":"
      "[\"ES256\",\"EdDSA\",\"PS256\",\"RS256\"]}");
  mcpi_buf_deinit(&buf);
}
