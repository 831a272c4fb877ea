/* SPDX-License-Identifier: MIT */
#include "auth/client/record_key.h"

#include "base/alloc.h"
#include "support/cm.h"
#include "support/failing_alloc.h"

#define URL "https://example.com/mcp"

static const char *const keys[MCPI_GRANTS] = {
    URL, URL "#client_credentials", URL "#enterprise", URL "#workload"};

TEST(each_grant_has_a_key) {
  const mcp_allocator *allocator = mcp_allocator_default();
  for (uint32_t grant = 0; grant < MCPI_GRANTS; grant++) {
    char *key = mcpi_record_key(URL, grant, allocator);
    assert_string_equal(key, keys[grant]);
    mcpi_strfree(allocator, key);
  }
}

TEST(a_key_says_what_it_is_for) {
  for (uint32_t grant = 0; grant < MCPI_GRANTS; grant++) {
    mcpi_str url = mcpi_record_key_url(keys[grant]);
    assert_true(mcpi_str_eq(url, MCPI_STR(URL)));
    assert_int_equal(mcpi_record_key_grant(keys[grant]), grant);
  }
  assert_int_equal(mcpi_record_key_grant(URL "#later"), MCP_AUTH_CODE);
  assert_int_equal(mcpi_record_key_grant(""), MCP_AUTH_CODE);
}

static int make_key(const mcp_allocator *allocator, void *userdata) {
  char *key = mcpi_record_key(URL, MCP_AUTH_WORKLOAD, allocator);
  int rc = key != NULL ? 0 : MCP_ERR_NOMEM;
  mcpi_strfree(allocator, key);
  return rc;
}

TEST(running_out_of_memory_is_an_error) {
  failing_alloc_rerun_least(1, make_key, NULL);
}
