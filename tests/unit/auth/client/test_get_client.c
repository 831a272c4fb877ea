/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/flow_case.h"

#define CIMD ",\"client_id_metadata_document_supported\":true"
#define METADATA_URL "https://program.test/client.json"

static mcpi_registration known(void) {
  return (mcpi_registration){.issuer = (char *)RIG_ISSUER,
                             .client_id = (char *)"known",
                             .redirect_uri = (char *)RIG_REDIRECT,
                             .method = MCPI_CLIENT_NONE,
                             .is_registered = 1,
                             .expires_ms = INT64_MAX};
}

static void forget(void) {
  again();
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
}

static void expect_page(const char *id) {
  char text[200];
  snprintf(text, sizeof(text), "response_type=code&client_id=%s&", id);
  const char *log = flow_rig_take_log(&rig);
  if (strstr(log, text) == NULL) {
    fail_msg("%s is not in %s", text, log);
  }
}

/* --- the order ------------------------------------------------------------ */

FLOW_TEST(a_given_client_id_comes_first) {
  mcpi_registration kept = known();
  rig.options.client_id = "given";
  rig.options.client_metadata_url = METADATA_URL;
  rig.start.known_client = &kept;
  rig.client_result = 0;
  pass_metadata(RIG_METADATA_WITH(RIG_PUBLIC CIMD));
  expect_page("given");
}

FLOW_TEST(then_the_program_is_asked) {
  mcpi_registration kept = known();
  rig.options.client_metadata_url = METADATA_URL;
  rig.start.known_client = &kept;
  rig.client_result = 0;
  rig.start.demanded_scopes = "a";
  pass_metadata(RIG_METADATA_WITH(RIG_PUBLIC CIMD));
  assert_non_null(
      strstr(flow_rig_take_log(&rig), "client https://as.test [a]\n"));
  assert_int_equal(mcpi_flow_give_client(rig.flow, "asked", "the-secret"), 0);
  expect_page("asked");
  return_with("code=the-code&state=" RIG_STATE);
  assert_non_null(strstr(flow_rig_take_log(&rig), "Authorization: Basic "));
}

FLOW_TEST(a_program_that_fails_to_give_its_client_ends_the_login) {
  static const int codes[] = {MCP_ERR_NOT_FOUND, MCP_ERR_IO};
  mcpi_registration kept = known();
  rig.options.client_metadata_url = METADATA_URL;
  rig.start.known_client = &kept;
  for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
    rig.client_result = codes[i];
    pass_metadata(RIG_METADATA_WITH(RIG_PUBLIC CIMD));
    expect_failure(codes[i], mcp_error_text(codes[i]));
    again();
    mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
  }
}

FLOW_TEST(then_the_metadata_document_of_the_program) {
  mcpi_registration kept = known();
  rig.options.client_metadata_url = METADATA_URL;
  rig.start.known_client = &kept;
  pass_metadata(RIG_METADATA_WITH(RIG_PUBLIC CIMD));
  expect_page("https%3A%2F%2Fprogram.test%2Fclient.json");
  return_with("code=the-code&state=" RIG_STATE);
  answer(200, RIG_TOKEN);
  assert_string_equal(rig.token->client_id, METADATA_URL);
  assert_null(rig.registered.client_id);
}

FLOW_TEST(then_the_registration_that_is_kept) {
  mcpi_registration kept = known();
  rig.options.client_metadata_url = METADATA_URL; /* not supported here */
  rig.start.known_client = &kept;
  pass_metadata(RIG_METADATA);
  const char *log = flow_rig_take_log(&rig);
  assert_non_null(strstr(log, "redirect_uri " RIG_REDIRECT "\n"));
  assert_non_null(strstr(log, "client_id=known&"));
  return_with("code=the-code&state=" RIG_STATE);
  answer(200, RIG_TOKEN);
  assert_null(rig.registered.client_id);
  assert_false(rig.drops_registration);
}

FLOW_TEST(then_a_registration) {
  rig.client_result = 0;
  pass_metadata(RIG_METADATA);
  flow_rig_take_log(&rig);
  mcpi_flow_give_client(rig.flow, NULL, NULL);
  assert_non_null(
      strstr(flow_rig_take_log(&rig), "POST https://as.test/register\n"));
}

FLOW_TEST(else_the_login_fails) {
  pass_metadata(RIG_METADATA_WITH(""));
  expect_failure(MCP_ERR_REFUSED,
                 "getting a client id: https://as.test does not register "
                 "programs, and the program has no client_id for it");
}

/* --- a registration that is kept ------------------------------------------ */

static void expect_registering(mcpi_registration *kept) {
  rig.start.known_client = kept;
  pass_metadata(RIG_METADATA);
  const char *log = flow_rig_take_log(&rig);
  assert_non_null(strstr(log, "/register\n"));
  assert_null(strstr(log, "=known"));
  forget();
}

FLOW_TEST(a_registration_that_is_not_good_is_not_used) {
  mcpi_registration kept = known();
  kept.issuer = (char *)"https://as.test/"; /* another server's */
  expect_registering(&kept);
  kept = known();
  kept.expires_ms = 1700000000000;
  expect_registering(&kept);
  kept = known();
  kept.redirect_uri = (char *)"http://127.0.0.1:9/callback";
  expect_registering(&kept);
  kept = known();
  kept.redirect_uri = NULL;
  expect_registering(&kept);
  static const int methods[] = {MCPI_CLIENT_BASIC, MCPI_CLIENT_POST,
                                MCPI_CLIENT_JWT};
  for (size_t i = 0; i < 3; i++) { /* without a secret, and without a key */
    kept = known();
    kept.method = methods[i];
    expect_registering(&kept);
  }
}

FLOW_TEST(the_secret_of_a_registration_expires) {
  mcpi_registration kept = known();
  kept.client_secret = (char *)"the-secret";
  kept.method = MCPI_CLIENT_POST;
  kept.expires_ms = 1700000000001;
  rig.start.known_client = &kept;
  pass_metadata(RIG_METADATA);
  return_with("code=the-code&state=" RIG_STATE);
  assert_non_null(strstr(flow_rig_take_log(&rig),
                         "&client_id=known&client_secret=the-secret\n"));
}

FLOW_TEST(a_registration_that_the_token_endpoint_refuses_is_replaced_once) {
  static const char *const errors[] = {"invalid_client", "unauthorized_client"};
  char body[100];
  mcpi_registration kept = known();
  rig.start.known_client = &kept;
  rig.client_result = MCPI_FLOW_NOT_ASKED;
  for (size_t i = 0; i < 2; i++) {
    pass_metadata(RIG_METADATA);
    return_with("code=old-code&state=" RIG_STATE);
    flow_rig_take_log(&rig);
    snprintf(body, sizeof(body), "{\"error\":\"%s\"}", errors[i]);
    answer(401, body);
    assert_non_null(strstr(flow_rig_take_log(&rig), "/register\n"));
    answer(201, "{\"client_id\":\"new\"}");
    expect_page("new");
    char query[200];
    snprintf(query, sizeof(query), "code=the-code&state=%s",
             rig.flow->state_text);
    assert_string_not_equal(rig.flow->state_text, RIG_STATE);
    return_with(query);
    assert_non_null(strstr(flow_rig_take_log(&rig), "&code=the-code&"));
    answer(401, body); /* the new one, too */
    expect_failure(MCP_ERR_REFUSED, errors[i]);
    assert_true(rig.drops_registration);
    assert_string_equal(rig.registered.client_id, "new");
    forget();
  }
}

FLOW_TEST(a_registration_that_the_page_refuses_is_replaced) {
  mcpi_registration kept = known();
  rig.start.known_client = &kept;
  pass_metadata(RIG_METADATA);
  return_with("error=unauthorized_client&state=" RIG_STATE);
  answer(201, "{\"client_id\":\"new\"}");
  assert_int_equal(rig.flow->state, MCPI_FLOW_BROWSING);
  mcpi_flow_abandon(rig.flow, MCP_ERR_REFUSED, "no");
  assert_true(rig.drops_registration);
  assert_string_equal(rig.registered.client_id, "new");
}

FLOW_TEST(a_given_client_that_is_refused_is_not_replaced) {
  pass_code();
  answer(401, "{\"error\":\"invalid_client\"}");
  expect_failure(MCP_ERR_REFUSED, "invalid_client");
  assert_false(rig.drops_registration);
}

/* --- whose client it is --------------------------------------------------- */

FLOW_TEST(a_given_client_goes_only_to_its_server) {
  rig.options.client_id = "me";
  rig.options.client_issuer = "https://mine.test";
  begin();
  answer(404, "");
  answer(404, "");
  expect_failure(MCP_ERR_REFUSED, "the authorization server is "
                                  "https://mcp.test, but client_id belongs to "
                                  "https://mine.test");
  again();
  rig.options.client_issuer = NULL;
  rig.start.bound_issuer = "https://mine.test";
  begin();
  answer(404, "");
  answer(404, "");
  expect_failure(MCP_ERR_REFUSED, "belongs to https://mine.test");
}

FLOW_TEST(machines_do_not_register) {
  mcpi_registration kept = known();
  rig.options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
  rig.start.known_client = &kept;
  pass_metadata(RIG_METADATA);
  expect_failure(MCP_ERR_REFUSED,
                 "the program has no client_id for https://as.test");
}

/* --- the client of a token ------------------------------------------------ */

static const mcpi_token old = {.access = (char *)"old-access",
                               .refresh = (char *)"old-refresh",
                               .issuer = (char *)RIG_ISSUER,
                               .resource = (char *)RIG_SERVER,
                               .client_id = (char *)"known"};

static void refresh(const mcpi_token *token) {
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, token);
  answer(200, RIG_METADATA_WITH(CIMD));
}

FLOW_TEST(a_token_is_renewed_by_the_registration_that_got_it) {
  mcpi_registration kept = known();
  kept.client_secret = (char *)"the-secret";
  kept.method = MCPI_CLIENT_POST;
  kept.redirect_uri = NULL;
  rig.start.known_client = &kept;
  refresh(&old);
  assert_non_null(strstr(flow_rig_take_log(&rig),
                         "&client_id=known&client_secret=the-secret\n"));
  answer(401, "{\"error\":\"invalid_client\"}");
  expect_failure(MCP_ERR_REFUSED, "invalid_client");
  assert_true(rig.drops_registration);
}

FLOW_TEST(a_token_is_renewed_by_the_metadata_document_that_got_it) {
  mcpi_token token = old;
  token.client_id = (char *)METADATA_URL;
  rig.options.client_metadata_url = METADATA_URL;
  refresh(&token);
  assert_non_null(
      strstr(flow_rig_take_log(&rig),
             "&client_id=https%3A%2F%2Fprogram.test%2Fclient.json\n"));
}

FLOW_TEST(a_token_without_a_client_is_renewed_without_one) {
  mcpi_token token = old;
  token.client_id = NULL;
  rig.options.client_id = "me";
  refresh(&token);
  assert_null(strstr(flow_rig_take_log(&rig), "client_id"));
}

FLOW_TEST(the_program_is_asked_for_the_client_of_a_token) {
  rig.client_result = 0;
  refresh(&old);
  mcpi_flow_give_client(rig.flow, "known", "the-secret");
  assert_non_null(strstr(flow_rig_take_log(&rig), "Authorization: Basic "));
  forget();
  refresh(&old);
  mcpi_flow_give_client(rig.flow, "other", NULL);
  expect_failure(MCP_ERR_REFUSED, "the token belongs to the client known");
}

FLOW_TEST(another_client_does_not_renew_a_token) {
  mcpi_registration kept = known();
  kept.issuer = (char *)"https://other.test";
  rig.start.known_client = &kept;
  rig.options.client_id = "me";
  refresh(&old);
  expect_failure(MCP_ERR_REFUSED, "the token belongs to the client known");
  forget();
  rig.options.client_id = "known";
  rig.options.client_issuer = "https://other.test";
  refresh(&old);
  expect_failure(MCP_ERR_REFUSED, "client_id belongs to https://other.test");
}

/* --- how it proves who it is ---------------------------------------------- */

static void expect_method(const char *methods, const char *secret,
                          const char *key, int method) {
  char metadata[500];
  rig.options.client_id = "me";
  rig.options.client_secret = secret;
  rig.options.private_key = key;
  snprintf(metadata, sizeof(metadata),
           RIG_METADATA_WITH(",\"token_endpoint_auth_methods_supported\":%s"),
           methods);
  pass_metadata(metadata);
  assert_int_equal(rig.flow->client.method, method);
  forget();
}

FLOW_TEST(the_server_and_the_program_agree_on_a_method) {
  expect_method("null", NULL, NULL, MCPI_CLIENT_NONE);
  expect_method("null", "the-secret", NULL, MCPI_CLIENT_BASIC);
  expect_method("[\"client_secret_post\"]", "the-secret", NULL,
                MCPI_CLIENT_POST);
  expect_method("[\"client_secret_post\",\"client_secret_basic\"]",
                "the-secret", NULL, MCPI_CLIENT_BASIC);
  expect_method("[\"tls_client_auth\"]", "the-secret", NULL, MCPI_CLIENT_BASIC);
  expect_method("[\"none\"]", "the-secret", NULL, MCPI_CLIENT_BASIC);
  expect_method("[\"private_key_jwt\"]", "the-secret", "key 2",
                MCPI_CLIENT_JWT);
  expect_method("[\"client_secret_basic\"]", "the-secret", "key 2",
                MCPI_CLIENT_BASIC);
  expect_method("[\"client_secret_basic\"]", NULL, "key 2", MCPI_CLIENT_JWT);
}

FLOW_TEST(a_metadata_document_signs_only_where_the_server_lists_it) {
  rig.options.client_metadata_url = METADATA_URL;
  rig.options.private_key = "key 2";
  pass_metadata(RIG_METADATA_WITH(RIG_PUBLIC CIMD));
  assert_int_equal(rig.flow->client.method, MCPI_CLIENT_NONE);
  forget();
  pass_metadata(RIG_METADATA_WITH(CIMD
                                  ",\"token_endpoint_auth_methods_supported\":"
                                  "[\"private_key_jwt\"]"));
  assert_int_equal(rig.flow->client.method, MCPI_CLIENT_JWT);
}

FLOW_TEST(a_registration_with_a_key_is_used_while_the_program_has_the_key) {
  mcpi_registration kept = known();
  kept.method = MCPI_CLIENT_JWT;
  rig.start.known_client = &kept;
  rig.options.private_key = "key 2";
  pass_metadata(RIG_METADATA);
  return_with("code=the-code&state=" RIG_STATE);
  assert_non_null(strstr(flow_rig_take_log(&rig), "&client_assertion="));
  forget();
  rig.options.private_key = NULL;
  refresh(&old);
  expect_failure(MCP_ERR_REFUSED, "the token belongs to the client known");
}

FLOW_TEST(each_client_needs_a_url_for_the_browser) {
  mcpi_registration kept = known();
  rig.redirect_uri = NULL;
  rig.start.known_client = &kept;
  pass_metadata(RIG_METADATA);
  expect_failure(MCP_ERR_IO, "no port is free");
  forget();
  rig.options.client_id = "me";
  pass_metadata(RIG_METADATA);
  expect_failure(MCP_ERR_IO, "no port is free");
  assert_null(rig.done);
}
