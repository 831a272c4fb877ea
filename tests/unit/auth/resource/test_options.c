/* SPDX-License-Identifier: MIT */
#include "auth/resource/options.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/libmcp/resource_rig.h"

static const char *const blank[] = {"https://a.example", "", NULL};
static const char *const none[] = {NULL};
static const char *const two[] = {"https://a.example", "https://b.example",
                                  NULL};

/* Returns the message about these options; "": they are good. */
static const char *complaint(const mcp_protect_options *options) {
  static mcp_error err;
  mcp_protect_options copy;
  err = (mcp_error){0};
  if (mcpi_protect_copy(&copy, options, mcp_allocator_default(), &err) == 0) {
    mcpi_protect_deinit(&copy, mcp_allocator_default());
    return "";
  }
  assert_int_equal(err.code, MCP_ERR_INVALID);
  return err.message;
}

#define OPTIONS(...)                                                           \
  &(mcp_protect_options) {                                                     \
    .size = sizeof(mcp_protect_options), __VA_ARGS__                           \
  }
#define ISSUER .issuer = "https://as.example"

TEST(members_get_defaults) {
  mcp_protect_options copy;
  assert_int_equal(mcpi_protect_copy(&copy, OPTIONS(ISSUER, .scopes = "a b"),
                                     mcp_allocator_default(), NULL),
                   0);
  assert_string_equal(copy.scopes_supported, "a b");
  assert_int_equal(copy.leeway_ms, 60000);
  assert_int_equal(copy.keys_ms, 3600000);
  assert_int_equal(copy.introspection_ms, 10000);
  assert_int_equal(copy.stream_ms, 900000);
  assert_int_equal(copy.dpop_window_ms, 300000);
  assert_int_equal(copy.fetch_timeout_ms, 10000);
  assert_int_equal(copy.max_checks, 1024);
  assert_int_equal(copy.max_tokens, 4096);
  mcpi_protect_deinit(&copy, mcp_allocator_default());
}

TEST(something_must_check_tokens) {
  assert_string_equal(complaint(OPTIONS(.stream_ms = 0)),
                      "nothing says how tokens are checked; set issuer, "
                      "introspection_endpoint, tokens or check_token");
  assert_string_equal(complaint(OPTIONS(ISSUER)), "");
  assert_string_equal(complaint(OPTIONS(.tokens = "x")), "");
  assert_string_equal(
      complaint(OPTIONS(.introspection_endpoint = "https://a.example/i")), "");
}

TEST(urls_must_be_safe) {
  static const char *const members[] = {
      "resource", "documentation_url",      "issuer",
      "jwks_uri", "introspection_endpoint", "more_issuers"};
  static const char *const bad[] = {"http://as.example", NULL};
  const mcp_protect_options options[] = {
      *OPTIONS(ISSUER, .resource = bad[0]),
      *OPTIONS(ISSUER, .documentation_url = bad[0]),
      *OPTIONS(.issuer = bad[0]),
      *OPTIONS(ISSUER, .jwks_uri = bad[0]),
      *OPTIONS(.introspection_endpoint = bad[0]),
      *OPTIONS(ISSUER, .more_issuers = bad)};
  for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
    assert_non_null(strstr(complaint(&options[i]), members[i]));
  }
}

TEST(scopes_have_one_space_between_them) {
  static const char *const bad[] = {"",     " ",    "a  b", " a",      "a ",
                                    "a\"b", "a\\b", "a\tb", "\xC3\xA9"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_memory_equal(complaint(OPTIONS(ISSUER, .scopes = bad[i])),
                        "scopes:", 7);
    assert_memory_equal(complaint(OPTIONS(ISSUER, .scopes_supported = bad[i])),
                        "scopes_supported:", 17);
  }
}

TEST(members_that_exclude_each_other_are_refused) {
  assert_memory_equal(complaint(OPTIONS(.jwks = "{}")), "issuer is NULL", 14);
  assert_memory_equal(complaint(OPTIONS(.more_issuers = two)), "issuer is NULL",
                      14);
  assert_memory_equal(
      complaint(OPTIONS(ISSUER, .jwks = "{}", .more_issuers = two)),
      "more_issuers:", 13);
  assert_string_equal(
      complaint(OPTIONS(ISSUER, .jwks = "{}", .more_issuers = none)), "");
  assert_memory_equal(complaint(OPTIONS(ISSUER, .jwks = "{}",
                                        .jwks_uri = "https://a.example/k")),
                      "jwks and jwks_uri", 17);
  assert_memory_equal(
      complaint(OPTIONS(ISSUER, .introspection_client_id = "a")),
      "introspection_client_id", 23);
  assert_memory_equal(
      complaint(OPTIONS(.introspection_endpoint = "https://a.example",
                        .introspection_client_secret = "s")),
      "introspection_client_secret", 27);
  assert_memory_equal(complaint(OPTIONS(.tokens = "x", .requires_dpop = 1)),
                      "tokens: fixed tokens", 20);
  assert_memory_equal(complaint(OPTIONS(ISSUER, .audiences = none)),
                      "audiences: the list is empty", 28);
  assert_string_equal(complaint(OPTIONS(ISSUER, .audiences = blank)),
                      "audiences: one of them is empty");
  assert_memory_equal(complaint(OPTIONS(ISSUER, .token_file = "/t")),
                      "token_file:", 11);
}

TEST(a_size_must_be_set) {
  mcp_protect_options copy;
  assert_int_equal(
      mcpi_protect_copy(&copy, NULL, mcp_allocator_default(), NULL),
      MCP_ERR_INVALID);
  assert_memory_equal(complaint(&(mcp_protect_options){.size = 0}),
                      "mcp_protect_options", 19);
}

TEST(the_platform_must_have_what_is_needed) {
  mcp_platform platform = {.size = sizeof(platform)};
  mcp_error err;
  const mcp_crypto crypto = {.size = sizeof(crypto)};
  assert_int_equal(
      mcpi_protect_check_platform(OPTIONS(.tokens = "x"), &platform, &err),
      MCP_ERR_PLATFORM);
  platform.crypto = &crypto;
  assert_int_equal(
      mcpi_protect_check_platform(OPTIONS(.tokens = "x"), &platform, &err), 0);
  assert_int_equal(mcpi_protect_check_platform(OPTIONS(ISSUER, .jwks = "{}"),
                                               &platform, &err),
                   0);
  assert_int_equal(
      mcpi_protect_check_platform(OPTIONS(ISSUER), &platform, &err),
      MCP_ERR_PLATFORM);
  assert_non_null(strstr(err.message, "mcp_platform.fetch"));
}

static int copy_all(const mcp_allocator *allocator, void *userdata) {
  mcp_protect_options copy;
  int rc = mcpi_protect_copy(
      &copy,
      OPTIONS(ISSUER, .resource = RIG_RESOURCE, .audiences = two,
              .more_issuers = two, .scopes = "a", .resource_name = "n",
              .introspection_endpoint = "https://as.example/i",
              .introspection_client_id = "id",
              .introspection_client_secret = "s", .proxy = "", .ca_file = "c"),
      allocator, NULL);
  if (rc == 0) {
    assert_string_equal(copy.audiences[1], two[1]);
    assert_null(copy.more_issuers[2]);
    mcpi_protect_deinit(&copy, allocator);
  }
  return rc;
}

TEST(a_lack_of_memory_is_reported) {
  failing_alloc_rerun_least(15, copy_all, NULL);
}
