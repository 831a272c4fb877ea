/* SPDX-License-Identifier: MIT */
#include "auth/client/options.h"

#include "support/auth_doubles.h"
#include "support/auth_rig.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <string.h>

static auth_rig rig;
static mcp_auth_options copy;
static mcp_auth_store store_copy;
static mcp_error why;

static int set_up(void **state) {
  return auth_rig_init(&rig, NULL);
}

static int tear_down(void **state) {
  auth_rig_deinit(&rig);
  return 0;
}

#define OPTIONS_TEST(name) TEST_WITH(name, set_up, tear_down)

static int check(const mcp_auth_options *options) {
  int rc = mcpi_auth_options_init(&copy, &store_copy, rig.loop, options, &why);
  mcpi_auth_options_deinit(&copy, rig.loop);
  return rc;
}

/* The options are refused, and the message names the member. */
static void assert_refused(const mcp_auth_options *options,
                           const char *member) {
  assert_int_equal(check(options), MCP_ERR_INVALID);
  if (strstr(why.message, member) == NULL) {
    fail_msg("\"%s\" does not name %s", why.message, member);
  }
}

static int do_get(mcp_auth *auth, const mcp_auth_prompt *prompt,
                  void *userdata) {
  return 0;
}

OPTIONS_TEST(there_are_defaults) {
  assert_int_equal(
      mcpi_auth_options_init(&copy, &store_copy, rig.loop, NULL, &why), 0);
  assert_string_equal(copy.client_name, "libmcp");
  assert_int_equal(copy.max_step_ups, 2);
  assert_int_equal(copy.fetch_timeout_ms, 30000);
  assert_int_equal(copy.login_timeout_ms, 300000);
  assert_null(store_copy.take);
  mcpi_auth_options_deinit(&copy, rig.loop);
  assert_null(copy.client_name);
}

OPTIONS_TEST(strings_are_copied) {
  char scopes[] = "a b";
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  options.scopes = scopes;
  options.proxy = "http://proxy";
  options.store = &rig.memory;
  assert_int_equal(
      mcpi_auth_options_init(&copy, &store_copy, rig.loop, &options, &why), 0);
  scopes[0] = 'x';
  assert_string_equal(copy.scopes, "a b");
  assert_string_equal(copy.proxy, "http://proxy");
  assert_null(copy.store);
  assert_ptr_equal(store_copy.userdata, rig.memory.userdata);
  mcpi_auth_options_deinit(&copy, rig.loop);
}

OPTIONS_TEST(each_grant_needs_its_members) {
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
  assert_refused(&options, "client_id");
  options.client_id = "c";
  assert_refused(&options, "client_secret or private_key");
  options.client_secret = "s";
  assert_int_equal(check(&options), 0);
  options.grant = MCP_AUTH_ENTERPRISE;
  assert_refused(&options, "idp_token_endpoint");
  options.idp_token_endpoint = "https://idp.example/token";
  assert_refused(&options, "idp_client_id");
  options.idp_client_id = "i";
  assert_refused(&options, "get_assertion");
  options.get_assertion = do_get;
  assert_int_equal(check(&options), 0);
  options.client_id = NULL;
  options.client_secret = NULL;
  assert_refused(&options, "client_id is NULL; MCP_AUTH_ENTERPRISE needs it");
  options.client_metadata_url = "https://app.example/client.json";
  assert_int_equal(check(&options), 0);
  options.client_metadata_url = NULL;
  options.get_client = do_get;
  assert_int_equal(check(&options), 0);
  options = (mcp_auth_options)MCP_AUTH_OPTIONS_INIT;
  options.grant = MCP_AUTH_WORKLOAD;
  assert_refused(&options, "get_assertion");
  options.get_assertion = do_get;
  assert_int_equal(check(&options), 0);
  options.grant = 4;
  assert_refused(&options, "grant: 4");
}

OPTIONS_TEST(secrets_need_a_client) {
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  options.client_secret = "hush";
  assert_refused(&options, "client_id");
  assert_null(strstr(why.message, "hush"));
  options.client_secret = NULL;
  options.private_key = "PEM";
  assert_refused(&options, "client_id");
  options.client_metadata_url = "https://app.example/client.json";
  assert_int_equal(check(&options), 0);
}

OPTIONS_TEST(keys_are_checked) {
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  options.client_id = "c";
  options.private_key = "hush";
  assert_refused(&options, "private_key");
  assert_null(strstr(why.message, "hush"));
  options.private_key = "PEM";
  options.key_algorithm = "none";
  assert_refused(&options, "key_algorithm: \"none\"");
  options.key_algorithm = "HS256";
  assert_refused(&options, "key_algorithm");
  options.key_algorithm = "ES256";
  assert_int_equal(check(&options), 0);
  assert_int_equal(rig.keys_alive, 0);
}

OPTIONS_TEST(urls_are_checked) {
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  options.client_metadata_url = "http://app.example/client.json";
  assert_refused(&options, "client_metadata_url");
  options.client_metadata_url = "https://app.example/";
  assert_refused(&options, "client_metadata_url");
  options.client_metadata_url = NULL;
  options.redirect_uri = "javascript:alert(1)";
  assert_refused(&options, "redirect_uri");
  options.redirect_uri = "http://localhost:3000/callback";
  assert_int_equal(check(&options), 0);
  options.idp_token_endpoint = "http://idp.example/";
  assert_refused(&options, "idp_token_endpoint");
}

OPTIONS_TEST(a_store_has_all_functions) {
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  mcp_auth_store store = rig.memory;
  options.store = &store;
  store.give = NULL;
  assert_refused(&options, "store");
  store = rig.memory;
  store.list = NULL;
  store.release = NULL;
  assert_int_equal(check(&options), 0);
  store.size = 0;
  assert_int_equal(check(&options), MCP_ERR_INVALID);
}

OPTIONS_TEST(the_size_must_be_set) {
  mcp_auth_options options = {.grant = 0};
  assert_int_equal(check(&options), MCP_ERR_INVALID);
}

OPTIONS_TEST(a_platform_without_crypto_is_enough_for_tokens_of_the_program) {
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  rig.loop->platform.crypto = NULL;
  assert_int_equal(check(&options), MCP_ERR_PLATFORM);
  assert_non_null(strstr(why.message, "mcp_platform.crypto"));
  options.get_token = do_get;
  assert_int_equal(check(&options), 0);
  options.get_token = NULL;
  rig.loop->platform.fetch = NULL;
  assert_int_equal(check(&options), MCP_ERR_PLATFORM);
  assert_non_null(strstr(why.message, "mcp_platform.fetch"));
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  mcp_loop *loop = mcp_loop_new_manual(&rig.loop->platform, allocator, NULL);
  int rc = MCP_ERR_NOMEM;
  if (loop != NULL) {
    options.client_id = "c";
    options.client_secret = "s";
    rc = mcpi_auth_options_init(&copy, &store_copy, loop, &options, &why);
    mcpi_auth_options_deinit(&copy, loop);
  }
  mcp_loop_free(loop);
  return rc;
}

OPTIONS_TEST(running_out_of_memory_is_an_error) {
  failing_alloc_rerun_least(4, scenario, NULL);
}
