/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/flow_case.h"

#define WHERE "getting a client id: "

/* Brings a login to where the program registers, at a server that supports
 * these methods (JSON). Returns what has happened. */
static const char *pass_to_register(const char *methods) {
  char metadata[600];
  snprintf(metadata, sizeof(metadata),
           RIG_METADATA_WITH(
               ",\"registration_endpoint\":\"https://as.test/register\","
               "\"token_endpoint_auth_methods_supported\":%s"),
           methods);
  pass_metadata(metadata);
  return flow_rig_take_log(&rig);
}

static void forget(void) {
  again();
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
}

/* Checks what is asked for. */
static void expect_asked(const char *methods, const char *text) {
  const char *log = pass_to_register(methods);
  if (strstr(log, text) == NULL) {
    fail_msg("%s is not in %s", text, log);
  }
  forget();
}

FLOW_TEST(a_method_without_a_secret_is_asked_for_where_it_is_supported) {
  expect_asked("[\"client_secret_post\",\"none\"]",
               "\"token_endpoint_auth_method\":\"none\"");
  expect_asked("[\"client_secret_basic\",\"client_secret_post\"]",
               "\"token_endpoint_auth_method\":\"client_secret_post\"");
  expect_asked("[\"client_secret_post\"]",
               "\"token_endpoint_auth_method\":\"client_secret_post\"");
  expect_asked("null",
               "\"token_endpoint_auth_method\":\"client_secret_basic\"");
  expect_asked("[\"tls_client_auth\"]",
               "\"token_endpoint_auth_method\":\"none\"");
}

FLOW_TEST(the_kind_of_program_follows_from_its_url) {
  static const struct {
    const char *url;
    const char *type;
  } cases[] = {{"http://127.0.0.1:1/", "native"},
               {"http://localhost/cb", "native"},
               {"https://[::1]/cb", "native"},
               {"https://app.test/cb", "web"}};
  char text[60];
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    rig.redirect_uri = cases[i].url;
    snprintf(text, sizeof(text), "\"application_type\":\"%s\"", cases[i].type);
    expect_asked("[\"none\"]", text);
  }
}

FLOW_TEST(the_program_says_more_of_itself) {
  rig.options.client_name = "A \"name\"";
  rig.options.client_uri = "https://program.test";
  expect_asked("[\"none\"]",
               "{\"client_name\":\"A \\\"name\\\"\",\"client_uri\":"
               "\"https://program.test\",\"redirect_uris\":");
  rig.start.wants_dpop = 1;
  expect_asked("[\"none\"]", "\"dpop_bound_access_tokens\":true}");
}

FLOW_TEST(a_registration_is_taken) {
  pass_to_register("[\"client_secret_post\"]");
  answer(201, "{\"client_id\":\"me\",\"client_secret\":\"the-secret\","
              "\"client_secret_expires_at\":1700003600}");
  assert_int_equal(rig.flow->state, MCPI_FLOW_BROWSING);
  return_with("code=the-code&state=" RIG_STATE);
  assert_non_null(strstr(flow_rig_take_log(&rig),
                         "&client_id=me&client_secret=the-secret\n"));
  answer(200, RIG_TOKEN);
  assert_string_equal(rig.registered.client_secret, "the-secret");
  assert_int_equal(rig.registered.method, MCPI_CLIENT_POST);
  assert_true(rig.registered.is_registered);
  assert_true(rig.registered.expires_ms == 1700003600000);
}

FLOW_TEST(the_server_may_register_another_method) {
  pass_to_register("[\"none\"]");
  answer(200, "{\"client_id\":\"me\",\"client_secret\":\"the-secret\","
              "\"token_endpoint_auth_method\":\"client_secret_basic\"}");
  return_with("code=the-code&state=" RIG_STATE);
  assert_non_null(strstr(flow_rig_take_log(&rig), "Authorization: Basic "));
}

FLOW_TEST(a_secret_that_the_method_does_not_need_is_not_sent) {
  pass_to_register("[\"none\"]");
  answer(201, "{\"client_id\":\"me\",\"client_secret\":\"the-secret\"}");
  return_with("code=the-code&state=" RIG_STATE);
  assert_null(strstr(flow_rig_take_log(&rig), "secret"));
}

FLOW_TEST(a_secret_may_never_expire) {
  static const char *const times[] = {
      "0", "-1", "null", "\"x\"", "9223372036854775807", "1e300"};
  char body[200];
  for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
    pass_to_register("[\"none\"]");
    snprintf(body, sizeof(body),
             "{\"client_id\":\"me\",\"client_secret_expires_at\":%s}",
             times[i]);
    answer(201, body);
    assert_true(rig.flow->client.expires_ms == INT64_MAX);
    forget();
  }
}

FLOW_TEST(answers_that_are_not_registrations_end_the_login) {
  static const struct {
    const char *body;
    const char *words;
  } cases[] = {{"", "has no client_id"},
               {"<html>", "has no client_id"},
               {"[]", "has no client_id"},
               {"{}", "has no client_id"},
               {"{\"client_id\":\"\"}", "has no client_id"},
               {"{\"client_id\":1}", "has no client_id"},
               {"{\"client_id\":\"a\\u0000b\"}", "has no client_id"},
               {"{\"client_id\":\"me\",\"token_endpoint_auth_method\":\"x\"}",
                "that the program does not have"},
               {"{\"client_id\":\"me\",\"token_endpoint_auth_method\":1}",
                "that the program does not have"},
               {"{\"client_id\":\"me\",\"token_endpoint_auth_method\":"
                "\"private_key_jwt\"}",
                "that the program does not have"},
               {"{\"client_id\":\"me\",\"token_endpoint_auth_method\":"
                "\"client_secret_basic\"}",
                "has no client_secret"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    pass_to_register("[\"none\"]");
    answer(201, cases[i].body);
    expect_failure(MCP_ERR_PROTOCOL, cases[i].words);
    assert_null(rig.registered.client_id);
    forget();
  }
}

FLOW_TEST(a_refusal_is_shown) {
  pass_to_register("[\"none\"]");
  answer(400, "{\"error\":\"invalid_redirect_uri\",\"error_description\":"
              "\"no loopback here\"}");
  expect("failed MCP_ERR_REFUSED 400: " WHERE "https://as.test/register "
         "answered HTTP 400: invalid_redirect_uri: no loopback here\n");
  forget();
  pass_to_register("[\"none\"]");
  flow_rig_fail(&rig, MCP_ERR_IO, "the connection was refused");
  expect_failure(MCP_ERR_IO, "the connection was refused");
}

FLOW_TEST(the_browser_needs_a_url_first) {
  rig.redirect_uri = NULL;
  pass_metadata(RIG_METADATA);
  expect_failure(MCP_ERR_IO, "no port is free");
}
