/* SPDX-License-Identifier: MIT */
/* Whole logins: their requests as text, and how they end early. */
#include "auth/client/flow.h"

#include "support/failing_alloc.h"
#include "support/flow_case.h"

#define FORM "Content-Type: application/x-www-form-urlencoded\n"
#define RESOURCE "&resource=https%3A%2F%2Fmcp.test%2Fv1%2Fmcp"
#define DISCOVERY                                                              \
  "GET https://mcp.test/.well-known/oauth-protected-resource/v1/mcp\n"         \
  "GET https://as.test/.well-known/oauth-authorization-server\n"
#define BASIC                                                                  \
  ",\"token_endpoint_auth_methods_supported\":"                                \
  "[\"client_secret_basic\"]"

/* --- each grant ----------------------------------------------------------- */

FLOW_TEST(a_code_brings_a_token) {
  begin();
  answer(200, RIG_RESOURCE);
  answer(200, RIG_METADATA);
  expect(DISCOVERY "client https://as.test []\n"
                   "redirect_uri -\n"
                   "POST https://as.test/register\n"
                   "Content-Type: application/json\n"
                   "{\"client_name\":\"Test\",\"redirect_uris\":"
                   "[\"http://127.0.0.1:1234/callback\"],\"grant_types\":"
                   "[\"authorization_code\",\"refresh_token\"],"
                   "\"response_types\":[\"code\"],"
                   "\"token_endpoint_auth_method\":\"none\","
                   "\"application_type\":\"native\"}\n");
  answer(201, "{\"client_id\":\"id 1\"}");
  expect("browse https://as.test/authorize?response_type=code&client_id=id+1"
         "&redirect_uri=http%3A%2F%2F127.0.0.1%3A1234%2Fcallback"
         "&state=" RIG_STATE
         "&code_challenge=SUNFaUl5UWxKaWNvS1NvckxDMHVMekF4TWpNME5UWTM"
         "&code_challenge_method=S256" RESOURCE "\n");
  return_with("code=the-code&state=" RIG_STATE);
  expect("POST https://as.test/token\n" FORM
         "grant_type=authorization_code&code=the-code"
         "&redirect_uri=http%3A%2F%2F127.0.0.1%3A1234%2Fcallback"
         "&code_verifier=" RIG_VERIFIER RESOURCE "&client_id=id+1\n");
  answer(200, RIG_TOKEN);
  expect("token the-access\n");
  assert_int_equal(rig.ends, 1);
  assert_string_equal(rig.token->issuer, "https://as.test");
  assert_string_equal(rig.token->resource, RIG_SERVER);
  assert_string_equal(rig.token->client_id, "id 1");
  assert_null(rig.token->refresh);
  assert_null(rig.token->scopes);
  assert_null(rig.token->key);
  assert_true(rig.token->expires_ms == 1700000000000 + 3600000);
  assert_string_equal(rig.registered.issuer, "https://as.test");
  assert_string_equal(rig.registered.client_id, "id 1");
  assert_string_equal(rig.registered.redirect_uri, RIG_REDIRECT);
  assert_false(rig.drops_registration);
}

FLOW_TEST(credentials_with_a_secret_bring_a_token) {
  rig.options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
  rig.options.client_id = "me";
  rig.options.client_secret = "the secret";
  rig.options.scopes = "a b";
  begin();
  answer(200, RIG_RESOURCE);
  answer(200, RIG_METADATA_WITH(BASIC));
  expect(DISCOVERY "POST https://as.test/token\n" FORM
                   "Authorization: Basic bWU6dGhlK3NlY3JldA==\n"
                   "grant_type=client_credentials&scope=a+b" RESOURCE "\n");
  answer(200, RIG_TOKEN);
  expect("token the-access\n");
  assert_string_equal(rig.token->scopes, "a b");
  assert_null(rig.registered.client_id);
}

FLOW_TEST(credentials_with_a_key_bring_a_token) {
  rig.options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
  rig.options.client_id = "me";
  rig.options.private_key = "key 2";
  begin();
  answer(200, RIG_RESOURCE);
  answer(200, RIG_METADATA);
  expect(DISCOVERY
         "POST https://as.test/token\n" FORM
         "grant_type=client_credentials" RESOURCE "&client_assertion_type="
         "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
         "&client_assertion=eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9."
         "eyJpc3MiOiJtZSIsInN1YiI6Im1lIiwiYXVkIjoiaHR0cHM6Ly9hcy50ZXN0IiwianRp"
         "IjoiQUFFQ0F3UUZCZ2NJQ1FvTERBME9EdyIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjox"
         "NzAwMDAwMTgwfQ."
         "U1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NT"
         "U1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTUw\n");
  answer(200, RIG_TOKEN);
  expect("token the-access\n");
}

FLOW_TEST(an_id_token_of_the_company_brings_a_token) {
  rig.options.grant = MCP_AUTH_ENTERPRISE;
  rig.options.client_id = "me";
  rig.options.client_secret = "the-secret";
  rig.options.idp_token_endpoint = "https://idp.corp/token";
  rig.options.idp_client_id = "at-idp";
  rig.options.idp_client_secret = "the-idp-key";
  rig.start.demanded_scopes = "a";
  begin();
  answer(200, RIG_RESOURCE);
  answer(200, RIG_METADATA_WITH(BASIC RIG_TAKES_ASSERTIONS));
  expect(DISCOVERY "assertion https://as.test [a]\n");
  assert_int_equal(mcpi_flow_assert(rig.flow, "the-id-token"), 0);
  expect("POST https://idp.corp/token\n" FORM
         "Authorization: Basic YXQtaWRwOnRoZS1pZHAta2V5\n"
         "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
         "&requested_token_type="
         "urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid-jag"
         "&audience=https%3A%2F%2Fas.test" RESOURCE
         "&scope=a&subject_token=the-id-token&subject_token_type="
         "urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid_token\n");
  answer(200,
         "{\"access_token\":\"the-id-jag\",\"token_type\":\"N_A\","
         "\"issued_token_type\":\"urn:ietf:params:oauth:token-type:id-jag\"}");
  expect("POST https://as.test/token\n" FORM
         "Authorization: Basic bWU6dGhlLXNlY3JldA==\n"
         "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
         "&assertion=the-id-jag&scope=a" RESOURCE "\n");
  answer(200, RIG_TOKEN);
  expect("token the-access\n");
}

FLOW_TEST(a_workload_brings_a_token) {
  rig.options.grant = MCP_AUTH_WORKLOAD;
  rig.options.client_id = "not sent";
  begin();
  answer(200, RIG_RESOURCE);
  answer(200, RIG_METADATA);
  assert_int_equal(mcpi_flow_assert(rig.flow, "the-id-token"), 0);
  expect(DISCOVERY
         "assertion https://as.test []\n"
         "POST https://as.test/token\n" FORM
         "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
         "&assertion=the-id-token" RESOURCE "\n");
  answer(200, RIG_TOKEN);
  expect("token the-access\n");
  assert_null(rig.token->client_id);
}

FLOW_TEST(a_workload_tries_once) {
  static const char *const errors[] = {"invalid_grant", "invalid_scope",
                                       "unauthorized_client"};
  char body[100];
  for (size_t i = 0; i < 3; i++) {
    rig.options.grant = MCP_AUTH_WORKLOAD;
    pass_metadata(RIG_METADATA);
    mcpi_flow_assert(rig.flow, "the-id-token");
    snprintf(body, sizeof(body), "{\"error\":\"%s\"}", errors[i]);
    answer(400, body);
    expect_failure(MCP_ERR_REFUSED, errors[i]);
    assert_int_equal(rig.why.status, 400);
    again();
    mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
  }
}

/* A login of 2025-03-26. */
FLOW_TEST(a_server_without_metadata_has_default_endpoints) {
  rig.start.revision = "2025-03-26";
  begin();
  answer(404, "");
  answer(401, "<html>");
  answer(200, "<html>");
  answer(404, "");
  answer(201, "{\"client_id\":\"me\"}");
  return_with("code=the-code&state=" RIG_STATE);
  answer(200, RIG_TOKEN);
  expect("GET https://mcp.test/.well-known/oauth-protected-resource/v1/mcp\n"
         "MCP-Protocol-Version: 2025-03-26\n"
         "GET https://mcp.test/.well-known/oauth-protected-resource\n"
         "MCP-Protocol-Version: 2025-03-26\n"
         "GET https://mcp.test/.well-known/oauth-authorization-server\n"
         "MCP-Protocol-Version: 2025-03-26\n"
         "GET https://mcp.test/.well-known/openid-configuration\n"
         "MCP-Protocol-Version: 2025-03-26\n"
         "client https://mcp.test []\n"
         "redirect_uri -\n"
         "POST https://mcp.test/register\n"
         "Content-Type: application/json\n"
         "{\"client_name\":\"Test\",\"redirect_uris\":"
         "[\"http://127.0.0.1:1234/callback\"],\"grant_types\":"
         "[\"authorization_code\",\"refresh_token\"],"
         "\"response_types\":[\"code\"],"
         "\"token_endpoint_auth_method\":\"none\","
         "\"application_type\":\"native\"}\n"
         "browse https://mcp.test/authorize?response_type=code&client_id=me"
         "&redirect_uri=http%3A%2F%2F127.0.0.1%3A1234%2Fcallback"
         "&state=" RIG_STATE
         "&code_challenge=SUNFaUl5UWxKaWNvS1NvckxDMHVMekF4TWpNME5UWTM"
         "&code_challenge_method=S256\n"
         "POST https://mcp.test/token\n" FORM
         "grant_type=authorization_code&code=the-code"
         "&redirect_uri=http%3A%2F%2F127.0.0.1%3A1234%2Fcallback"
         "&code_verifier=" RIG_VERIFIER "&client_id=me\n"
         "token the-access\n");
  assert_null(rig.token->resource);
  assert_string_equal(rig.token->issuer, "https://mcp.test");
}

/* --- renewing and revoking ------------------------------------------------ */

static const mcpi_token old = {.access = (char *)"old-access",
                               .refresh = (char *)"old-refresh",
                               .issuer = (char *)RIG_ISSUER,
                               .resource = (char *)RIG_SERVER,
                               .client_id = (char *)"me",
                               .scopes = (char *)"a b"};

FLOW_TEST(a_refresh_token_brings_a_token) {
  rig.options.client_id = "me";
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, &old);
  answer(200, RIG_METADATA);
  answer(200, RIG_TOKEN);
  expect("GET https://as.test/.well-known/oauth-authorization-server\n"
         "POST https://as.test/token\n" FORM
         "grant_type=refresh_token&refresh_token=old-refresh" RESOURCE
         "&client_id=me\n"
         "token the-access\n");
  assert_string_equal(rig.token->refresh, "old-refresh");
  assert_string_equal(rig.token->scopes, "a b");
  assert_string_equal(rig.token->resource, RIG_SERVER);
  assert_string_equal(rig.token->client_id, "me");
}

FLOW_TEST(metadata_that_are_kept_are_not_fetched_again) {
  rig.options.client_id = "me";
  for (int i = 0; i < 2; i++) {
    assert_int_equal(flow_rig_new(&rig), 0);
    mcpi_flow_refresh(rig.flow, &old);
    if (i == 0) {
      answer(200, RIG_METADATA);
    }
    answer(200, RIG_TOKEN);
    assert_non_null(rig.token);
    again();
  }
}

FLOW_TEST(a_token_of_2025_03_26_is_renewed_at_the_servers_origin) {
  mcpi_token token = old;
  rig.options.client_id = "me";
  token.resource = NULL;
  token.issuer = (char *)"https://mcp.test";
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, &token);
  answer(404, "");
  answer(404, "");
  answer(200, RIG_TOKEN);
  expect("GET https://mcp.test/.well-known/oauth-authorization-server\n"
         "GET https://mcp.test/.well-known/openid-configuration\n"
         "POST https://mcp.test/token\n" FORM
         "grant_type=refresh_token&refresh_token=old-refresh&client_id=me\n"
         "token the-access\n");
}

static void begin_refresh(void) {
  rig.options.client_id = "me";
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, &old);
}

static void expect_no_renewal(int code, int is_refresh_refused) {
  expect_failure(code, "");
  assert_int_equal(rig.is_refresh_refused, is_refresh_refused);
  again();
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
}

/* The caller drops the refresh token only if is_refresh_refused is set. */
FLOW_TEST(a_refresh_token_that_is_gone_is_told_from_trouble) {
  static const struct {
    int status;
    const char *body;
    int code;
    int is_refused;
  } cases[] = {{400, "{\"error\":\"invalid_grant\"}", MCP_ERR_REFUSED, 1},
               {401, "{\"error\":\"invalid_grant\"}", MCP_ERR_REFUSED, 1},
               {401, "{\"error\":\"invalid_client\"}", MCP_ERR_REFUSED, 0},
               {400, "{\"error\":\"invalid_request\"}", MCP_ERR_REFUSED, 0},
               {400, "{\"error\":\"invalid_grants\"}", MCP_ERR_REFUSED, 0},
               {400, "invalid_grant", MCP_ERR_REFUSED, 0},
               {403, "<html>", MCP_ERR_REFUSED, 0},
               {404, "<html>", MCP_ERR_REFUSED, 0},
               {301, "<html>", MCP_ERR_REFUSED, 0},
               {400, "{\"error\":\"temporarily_unavailable\"}", MCP_ERR_IO, 0},
               {400, "{\"error\":\"server_error\"}", MCP_ERR_IO, 0},
               {429, "", MCP_ERR_IO, 0},
               {408, "", MCP_ERR_IO, 0},
               {500, "", MCP_ERR_IO, 0},
               {503, "{\"error\":\"invalid_grant\"}", MCP_ERR_IO, 0},
               {200, "<html>", MCP_ERR_PROTOCOL, 0}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    begin_refresh();
    answer(200, RIG_METADATA_WITH(""));
    answer(cases[i].status, cases[i].body);
    expect_no_renewal(cases[i].code, cases[i].is_refused);
  }
}

FLOW_TEST(metadata_that_are_missing_say_nothing_about_a_refresh_token) {
  static const int statuses[] = {301, 403, 404};
  for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
    begin_refresh();
    answer(statuses[i], "{\"error\":\"invalid_grant\"}");
    answer(statuses[i], "{\"error\":\"invalid_grant\"}");
    expect_no_renewal(MCP_ERR_REFUSED, 0);
  }
}

FLOW_TEST(the_token_of_another_client_is_not_renewed_and_not_lost) {
  rig.options.client_id = "another";
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, &old);
  answer(200, RIG_METADATA);
  expect_no_renewal(MCP_ERR_REFUSED, 0);
}

FLOW_TEST(an_invalid_grant_of_a_login_is_not_about_a_refresh_token) {
  pass_code();
  answer(400, "{\"error\":\"invalid_grant\"}");
  expect_no_renewal(MCP_ERR_REFUSED, 0);
}

FLOW_TEST(a_token_without_a_refresh_token_cannot_be_renewed) {
  mcpi_token token = old;
  token.refresh = NULL;
  rig.options.client_id = "me";
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, &token);
  answer(200, RIG_METADATA);
  expect_failure(MCP_ERR_INVALID, "there is no refresh token");
}

/* --- the end -------------------------------------------------------------- */

/* Brings a login to its stop with this number; 0: there is no such stop. */
static int go_to(int stop) {
  begin();
  if (stop > 0) {
    answer(200, RIG_RESOURCE);
  }
  if (stop > 1) {
    answer(200, RIG_METADATA);
  }
  if (stop > 2) {
    mcpi_flow_give_client(rig.flow, NULL, NULL);
  }
  if (stop > 3) {
    answer(201, "{\"client_id\":\"me\"}");
  }
  if (stop > 4) {
    return_with("code=the-code&state=" RIG_STATE);
  }
  return stop <= 5;
}

FLOW_TEST(a_login_can_be_abandoned_at_each_stop) {
  rig.client_result = 0;
  for (int stop = 0; go_to(stop); stop++) {
    mcpi_flow_abandon(rig.flow, MCP_ERR_TIMEOUT, "the time is over");
    assert_int_equal(rig.ends, 1);
    assert_int_equal(rig.why.code, MCP_ERR_TIMEOUT);
    assert_string_equal(rig.why.message, "the time is over");
    mcpi_flow_abandon(rig.flow, MCP_ERR_TIMEOUT, "again");
    assert_int_equal(rig.ends, 1);
    assert_int_equal(mcpi_flow_redirected(rig.flow, "state=" RIG_STATE, NULL),
                     MCP_ERR_INVALID);
    assert_int_equal(mcpi_flow_give_client(rig.flow, "x", NULL),
                     MCP_ERR_INVALID);
    again();
    mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
  }
  flow_rig_free(&rig);
}

FLOW_TEST(a_login_can_be_freed_at_each_stop) {
  rig.client_result = 0;
  for (int stop = 0; go_to(stop); stop++) {
    mcpi_flow_free(rig.flow);
    rig.flow = NULL;
    assert_int_equal(rig.ends, 0);
    again();
    mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
  }
  flow_rig_free(&rig);
}

FLOW_TEST(a_login_that_has_not_begun_can_be_freed_or_abandoned) {
  assert_int_equal(flow_rig_new(&rig), 0);
  again();
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_abandon(rig.flow, MCP_ERR_REFUSED, "no");
  assert_int_equal(rig.ends, 1);
  mcpi_flow_free(NULL);
}

FLOW_TEST(an_abandoned_login_brings_its_registration) {
  assert_true(go_to(1));
  answer(200, RIG_METADATA);
  answer(201, "{\"client_id\":\"me\"}");
  mcpi_flow_abandon(rig.flow, MCP_ERR_REFUSED, "the user does not want it");
  assert_string_equal(rig.registered.client_id, "me");
}

/* --- inside the host ------------------------------------------------------ */

static const char *free_in;

static void free_on_host(flow_rig *r, const char *what) {
  if (strcmp(what, free_in) == 0) {
    mcpi_flow_free(r->flow);
    mcpi_flow_free(r->flow); /* it is still there, and does nothing */
    r->flow = NULL;
  }
}

static void abandon_on_host(flow_rig *r, const char *what) {
  if (strcmp(what, free_in) == 0) {
    mcpi_flow_abandon(r->flow, MCP_ERR_REFUSED, "no");
  }
}

/* Goes on until the flow ends inside the function of the host. */
static void run_into(const char *function) {
  free_in = function;
  pass_metadata(RIG_METADATA);
  if (rig.done != NULL) {
    answer(201, "{\"client_id\":\"me\"}");
  }
  if (rig.flow != NULL && rig.ends == 0 &&
      rig.flow->state == MCPI_FLOW_BROWSING) {
    return_with("code=the-code&state=" RIG_STATE);
    answer(200, RIG_TOKEN);
  }
}

FLOW_TEST(the_host_may_free_the_login_in_each_function) {
  static const char *const functions[] = {"redirect_uri", "browse",
                                          "get_client", "on_done"};
  for (int rc = 0; rc >= MCP_ERR_IO; rc += MCP_ERR_IO) {
    rig.browse_result = rc;
    for (size_t i = 0; i < 4; i++) {
      rig.on_host = free_on_host;
      run_into(functions[i]);
      assert_null(rig.flow);
      assert_null(rig.done);
      again();
      mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
    }
  }
}

FLOW_TEST(the_host_may_abandon_the_login_in_each_function) {
  static const char *const functions[] = {"redirect_uri", "browse",
                                          "get_client"};
  for (size_t i = 0; i < 3; i++) {
    rig.on_host = abandon_on_host;
    run_into(functions[i]);
    assert_int_equal(rig.ends, 1);
    assert_string_equal(rig.why.message, "no");
    assert_null(rig.done);
    again();
    mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
  }
}

FLOW_TEST(the_host_may_free_the_login_while_it_asks_for_an_assertion) {
  rig.options.grant = MCP_AUTH_WORKLOAD;
  rig.on_host = free_on_host;
  free_in = "get_assertion";
  pass_metadata(RIG_METADATA);
  assert_null(rig.flow);
  assert_int_equal(rig.ends, 0);
}

FLOW_TEST(the_host_may_fail) {
  rig.redirect_uri = NULL;
  pass_metadata(RIG_METADATA);
  expect_failure(MCP_ERR_IO, "no port is free");
  again();
  rig.redirect_uri = RIG_REDIRECT;
  rig.options.client_id = "me";
  rig.browse_result = MCP_ERR_UNSUPPORTED;
  begin();
  answer(200, RIG_RESOURCE);
  expect_failure(MCP_ERR_UNSUPPORTED, "there is no browser");
  again();
  rig.options.grant = MCP_AUTH_WORKLOAD;
  rig.assertion_result = MCP_ERR_NOT_FOUND;
  begin();
  answer(200, RIG_RESOURCE);
  expect_failure(MCP_ERR_NOT_FOUND, "not found");
  again();
  rig.options.grant = MCP_AUTH_CODE;
  rig.options.client_id = NULL;
  rig.client_result = MCP_ERR_CLOSED;
  begin();
  answer(200, RIG_RESOURCE);
  expect_failure(MCP_ERR_CLOSED, "closed");
}

FLOW_TEST(nothing_is_taken_that_was_not_asked_for) {
  mcp_error err;
  begin();
  assert_int_equal(
      mcpi_flow_redirected(rig.flow, "code=the-code&state=" RIG_STATE, &err),
      MCP_ERR_INVALID);
  assert_string_equal(err.message, "the login does not wait for a browser");
  assert_int_equal(mcpi_flow_assert(rig.flow, "a"), MCP_ERR_INVALID);
  assert_int_equal(mcpi_flow_give_client(rig.flow, "a", "b"), MCP_ERR_INVALID);
  assert_int_equal(rig.ends, 0);
}

/* --- the platform --------------------------------------------------------- */

FLOW_TEST(a_platform_without_a_function_is_reported) {
  const mcp_platform whole = rig.platform;
  static const struct {
    size_t offset;
    const char *name;
  } members[] = {{offsetof(mcp_platform, crypto), "crypto"},
                 {offsetof(mcp_platform, random), "random"},
                 {offsetof(mcp_platform, fetch), "fetch,"},
                 {offsetof(mcp_platform, fetch_cancel), "fetch_cancel"}};
  for (size_t i = 0; i < 4; i++) {
    rig.loop->platform = whole;
    memset((char *)&rig.loop->platform + members[i].offset, 0, sizeof(void *));
    assert_int_equal(flow_rig_new(&rig), MCP_ERR_PLATFORM);
    assert_non_null(strstr(rig.why.message, members[i].name));
  }
  rig.loop->platform = whole;
}

FLOW_TEST(a_request_that_cannot_begin_ends_the_login) {
  rig.fetch_result = MCP_ERR_PLATFORM;
  rig.start.metadata_url = "https://mcp.test/metadata?secret=1";
  begin();
  expect_failure(MCP_ERR_PLATFORM,
                 "finding the authorization server: cannot request "
                 "https://mcp.test/metadata: ");
}

FLOW_TEST(a_platform_without_random_bytes_ends_the_login) {
  rig.options.client_id = "me";
  pass_resource();
  rig.random_result = MCP_ERR_IO;
  answer(200, RIG_METADATA);
  expect_failure(MCP_ERR_IO, "making a challenge");
  again();
  rig.random_result = 0;
  rig.crypto_result = MCP_ERR_PLATFORM;
  begin();
  answer(200, RIG_RESOURCE);
  expect_failure(MCP_ERR_PLATFORM, "making a challenge");
}

FLOW_TEST(only_public_addresses_are_asked_for_a_public_server) {
  rig.start.server_is_public = 1;
  rig.options.grant = MCP_AUTH_ENTERPRISE;
  rig.options.client_id = "me";
  rig.options.idp_token_endpoint = "https://idp.corp/token";
  rig.options.idp_client_id = "at-idp";
  pass_metadata(RIG_METADATA);
  mcpi_flow_assert(rig.flow, "the-id-token");
  const char *log = flow_rig_take_log(&rig);
  assert_non_null(strstr(log, "oauth-authorization-server (public)\n"));
  assert_non_null(strstr(log, "https://idp.corp/token\n")); /* by the program */
  again();
  rig.options.allows_private_addresses = 1;
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
  pass_resource();
  assert_non_null(rig.done);
  assert_null(strstr(flow_rig_take_log(&rig), "(public)"));
}

/* Its name may have a private address, as in an intranet. */
FLOW_TEST(a_server_is_asked_whatever_address_its_name_has) {
  rig.start.server_is_public = 1;
  rig.options.client_id = "me";
  rig.start.metadata_url = "https://MCP.test:443/metadata";
  begin();
  answer(404, "");
  answer(404, "");
  answer(200, "{\"resource\":\"" RIG_SERVER "\",\"authorization_servers\":"
              "[\"https://mcp.test\"]}");
  answer(200, "{\"issuer\":\"https://mcp.test\",\"authorization_endpoint\":"
              "\"https://mcp.test/a\",\"token_endpoint\":"
              "\"https://mcp.test:8443/t\","
              "\"code_challenge_methods_supported\":[\"S256\"]}");
  assert_null(strstr(flow_rig_take_log(&rig), "(public)"));
  return_with("code=the-code&state=" RIG_STATE);
  assert_non_null(strstr(flow_rig_take_log(&rig),
                         "POST https://mcp.test:8443/t (public)\n"));
  flow_rig_fail(&rig, MCP_ERR_REFUSED, "its address is not public");
  expect_failure(MCP_ERR_REFUSED, "https://mcp.test:8443/t: its address is not "
                                  "public (allows_private_addresses is 0)");
}

FLOW_TEST(a_public_server_does_not_lead_requests_to_private_addresses) {
  rig.start.server_is_public = 1;
  pass_metadata(RIG_METADATA);
  assert_non_null(strstr(flow_rig_take_log(&rig),
                         "POST https://as.test/register (public)\n"));
  answer(201, "{\"client_id\":\"me\"}");
  return_with("code=the-code&state=" RIG_STATE);
  assert_non_null(
      strstr(flow_rig_take_log(&rig), "POST https://as.test/token (public)\n"));
  answer(200, RIG_TOKEN);
  expect("token the-access\n");
}

/* Where the metadata of a public server point. */
static void lead_to(const char *url) {
  char body[400];
  snprintf(body, sizeof(body),
           "{\"resource\":\"" RIG_SERVER
           "\",\"authorization_servers\":[\"%s\"]}",
           url);
  begin();
  answer(200, body);
}

FLOW_TEST(nothing_is_sent_to_an_address_that_is_known_to_be_private) {
  static const char *const issuers[] = {
      "http://localhost:8080", "https://a.localhost.", "http://127.0.0.1",
      "http://[::1]:80",       "https://10.1.2.3",     "https://192.168.0.1"};
  rig.start.server_is_public = 1;
  for (size_t i = 0; i < sizeof(issuers) / sizeof(issuers[0]); i++) {
    lead_to(issuers[i]);
    assert_null(rig.done);
    expect_failure(MCP_ERR_REFUSED, ": its address is not public "
                                    "(allows_private_addresses is 0)");
    again();
  }
  rig.options.allows_private_addresses = 1;
  lead_to(issuers[0]);
  assert_non_null(rig.done);
  again();
  rig.options.allows_private_addresses = 0;
  rig.start.server_is_public = 0;
  lead_to(issuers[0]);
  assert_non_null(rig.done);
}

FLOW_TEST(no_endpoint_leads_to_an_address_that_is_known_to_be_private) {
  rig.start.server_is_public = 1;
  pass_metadata("{\"issuer\":\"" RIG_ISSUER "\",\"authorization_endpoint\":"
                "\"https://as.test/authorize\",\"token_endpoint\":"
                "\"https://as.test/token\",\"registration_endpoint\":"
                "\"http://localhost/register\","
                "\"code_challenge_methods_supported\":[\"S256\"]}");
  assert_null(rig.done);
  expect_failure(MCP_ERR_REFUSED, "http://localhost/register: its address is "
                                  "not public");
}

/* --- memory --------------------------------------------------------------- */

typedef struct kind {
  uint32_t grant;
  int is_refresh;
  int has_known_client;
  int is_of_2025; /* 2025-03-26 */
  int is_revoked;
} kind;

/* The issuer has a slash that the server's origin has not. */
#define OWN_METADATA                                                           \
  "{\"issuer\":\"https://mcp.test/\",\"authorization_endpoint\":"              \
  "\"https://mcp.test/a\",\"token_endpoint\":\"https://mcp.test/t\","          \
  "\"registration_endpoint\":\"https://mcp.test/register\","                   \
  "\"code_challenge_methods_supported\":[\"S256\"]}"

/* Answers as a good server does. Returns 0 when there is no request. */
static int serve(flow_rig *r) {
  char log[4096];
  int is_refused = r->start.known_client != NULL && r->options.grant == 0;
  if (r->done == NULL) {
    return 0;
  }
  snprintf(log, sizeof(log), "%s", flow_rig_take_log(r));
  if (r->start.revision != NULL && strstr(log, "protected-res") != NULL) {
    flow_rig_answer(r, 404, NULL, "");
  } else if (r->start.revision != NULL && strstr(log, "GET") != NULL) {
    flow_rig_answer(r, 200, NULL, OWN_METADATA);
  } else if (strstr(log, "protected-resource") != NULL) {
    flow_rig_answer(r, 200, NULL,
                    RIG_RESOURCE_WITH(",\"scopes_supported\":[\"a\"]"));
  } else if (strstr(log, "authorization-server") != NULL) {
    flow_rig_answer(
        r, 200, NULL,
        RIG_METADATA_WITH(RIG_PUBLIC RIG_TAKES_ASSERTIONS
                          ",\"scopes_supported\":[\"offline_access\"],"
                          "\"revocation_endpoint\":"
                          "\"https://as.test/revoke\""));
  } else if (strstr(log, "/register") != NULL) {
    flow_rig_answer(r, 201, NULL,
                    "{\"client_id\":\"new\",\"client_secret\":\"the-secret\"}");
  } else if (strstr(log, "/revoke") != NULL) {
    flow_rig_answer(r, 200, NULL, "");
  } else if (strstr(log, "idp") != NULL) {
    flow_rig_answer(r, 200, NULL,
                    "{\"access_token\":\"the-id-jag\",\"issued_token_type\":"
                    "\"urn:ietf:params:oauth:token-type:id-jag\"}");
  } else if (is_refused && strstr(log, "client_id=known") != NULL) {
    flow_rig_answer(r, 401, NULL, "{\"error\":\"invalid_client\"}");
  } else if (r->flow->nonce == NULL) {
    flow_rig_answer(r, 400, "DPoP-Nonce: n", "{\"error\":\"use_dpop_nonce\"}");
  } else {
    flow_rig_answer(r, 200, NULL,
                    "{\"access_token\":\"the-access\",\"token_type\":\"DPoP\","
                    "\"refresh_token\":\"the-refresh\",\"expires_in\":1}");
  }
  return 1;
}

/* The browser returns, or the program answers. */
static int act(flow_rig *r) {
  char query[200];
  switch (r->flow->state) {
  case MCPI_FLOW_BROWSING:
    snprintf(query, sizeof(query), "code=the-code&state=%s",
             r->flow->state_text);
    if (mcpi_flow_redirected(r->flow, query, NULL) == MCP_ERR_NOMEM) {
      mcpi_flow_abandon(r->flow, MCP_ERR_NOMEM, "the browser has returned");
    }
    return 1;
  case MCPI_FLOW_ASKING_ASSERTION:
    mcpi_flow_assert(r->flow, "the-id-token");
    return 1;
  default:
    return 0;
  }
}

static int run_login(const mcp_allocator *allocator, void *userdata) {
  const kind *k = userdata;
  static const mcpi_registration known = {.issuer = (char *)RIG_ISSUER,
                                          .client_id = (char *)"known",
                                          .redirect_uri = (char *)RIG_REDIRECT,
                                          .method = MCPI_CLIENT_NONE,
                                          .is_registered = 1,
                                          .expires_ms = INT64_MAX};
  mcpi_token token = old;
  flow_rig r;
  int rc = flow_rig_init(&r, allocator);
  if (rc == 0) {
    token.key = (char *)"key 2";
    r.options.grant = k->grant;
    if (k->grant != 0 || k->is_refresh || k->is_revoked) {
      r.options.client_id = "me";
    }
    r.start.revision = k->is_of_2025 ? "2025-03-26" : NULL;
    r.options.private_key = k->grant != 0 ? "key 2" : NULL;
    r.options.idp_token_endpoint = "https://idp.test/token";
    r.options.idp_client_id = "at-idp";
    r.options.idp_client_secret = "the-idp-key";
    r.start.wants_dpop = 1;
    r.start.known_client = k->has_known_client ? &known : NULL;
    rc = flow_rig_new(&r);
  }
  if (rc == 0) {
    if (k->is_refresh) {
      mcpi_flow_refresh(r.flow, &token);
    } else if (k->is_revoked) {
      mcpi_flow_revoke(r.flow, &token);
    } else {
      mcpi_flow_log_in(r.flow);
    }
    while (r.ends == 0 && (serve(&r) || act(&r))) {
    }
    rc = r.why.code;
    assert_int_equal(r.ends, 1);
  }
  flow_rig_deinit(&r);
  return rc;
}

TEST(each_login_survives_a_lack_of_memory) {
  kind kinds[] = {
      {.grant = MCP_AUTH_CODE},
      {.grant = MCP_AUTH_CODE, .has_known_client = 1},
      {.grant = MCP_AUTH_CODE, .is_refresh = 1},
      {.grant = MCP_AUTH_CODE, .is_of_2025 = 1},
      {.grant = MCP_AUTH_CODE, .is_revoked = 1},
      {.grant = MCP_AUTH_CLIENT_CREDENTIALS},
      {.grant = MCP_AUTH_ENTERPRISE},
      {.grant = MCP_AUTH_WORKLOAD},
  };
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    failing_alloc_rerun_least(15, run_login, &kinds[i]);
  }
}
