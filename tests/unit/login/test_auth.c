/* SPDX-License-Identifier: MIT */
/* mcp_auth_new, with the loop and the platform that programs have. The options
 * one by one: unit.client.options. */
#include "support/cm.h"

#include <mcp/mcp.h>
#include <string.h>

static mcp_loop *loop;
static mcp_error why;

static int set_up(void **state) {
  loop = mcp_loop_new(NULL, NULL);
  return loop == NULL;
}

static int tear_down(void **state) {
  mcp_loop_free(loop);
  return 0;
}

#define AUTH_TEST(name) TEST_WITH(name, set_up, tear_down)

/* Returns 0, or the code with which the options are refused. */
static int check(const mcp_auth_options *options) {
  why = (mcp_error){.code = 0};
  mcp_auth *auth = mcp_auth_new(loop, options, &why);
  mcp_auth_free(auth);
  return auth != NULL ? 0 : why.code;
}

AUTH_TEST(the_browser_returns_by_https_or_to_this_machine) {
  static const char *const good[] = {
      "https://app.example/callback", "http://localhost:3000/callback",
      "http://127.0.0.1:3000/callback", "http://[::1]:3000/callback"};
  static const char *const bad[] = {
      "http://app.example/callback", "http://10.0.0.1/callback",
      "myapp://callback", "com.example.app:/callback", "callback"};
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    options.redirect_uri = good[i];
    assert_int_equal(check(&options), 0);
  }
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    options.redirect_uri = bad[i];
    assert_int_equal(check(&options), MCP_ERR_INVALID);
    assert_non_null(strstr(why.message, "redirect_uri"));
    assert_non_null(strstr(why.message, bad[i]));
  }
}

static int get_assertion(mcp_auth *auth, const mcp_auth_prompt *prompt,
                         void *userdata) {
  return mcp_auth_assert(auth, prompt->login, "the-id-token", NULL);
}

/* Otherwise the login would fail after the user has logged in. */
AUTH_TEST(an_enterprise_grant_needs_a_client_at_the_authorization_server) {
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  options.grant = MCP_AUTH_ENTERPRISE;
  options.get_assertion = get_assertion;
  options.idp_token_endpoint = "https://idp.example/token";
  options.idp_client_id = "at-idp";
  assert_int_equal(check(&options), MCP_ERR_INVALID);
  assert_string_equal(why.message,
                      "client_id is NULL; MCP_AUTH_ENTERPRISE needs it");
  options.client_id = "me";
  assert_int_equal(check(&options), 0);
}
