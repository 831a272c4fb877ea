/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/flow_case.h"

#define WHERE "reading the authorization server's metadata: "

/* Begins a login with an authorization server that has this issuer. */
static void begin_with_issuer(const char *issuer) {
  char body[400];
  snprintf(body, sizeof(body),
           "{\"resource\":\"" RIG_SERVER
           "\",\"authorization_servers\":[\"%s\"]}",
           issuer);
  begin();
  answer(200, body);
  flow_rig_take_log(&rig);
  mcpi_buf_clear(&rig.log);
}

FLOW_TEST(an_issuer_without_a_path_has_two_places) {
  pass_resource();
  answer(404, "");
  flow_rig_take_log(&rig);
  answer(404, "");
  expect("failed MCP_ERR_REFUSED 0: " WHERE
         "https://as.test has no metadata\n");
  again();
  pass_resource();
  answer(404, "");
  assert_non_null(strstr(flow_rig_take_log(&rig),
                         "https://as.test/.well-known/openid-configuration\n"));
}

FLOW_TEST(an_issuer_with_a_path_has_three_places_and_never_the_root) {
  begin();
  answer(200, "{\"resource\":\"" RIG_SERVER "\",\"authorization_servers\":"
              "[\"https://as.test/tenant1\"]}");
  answer(404, "");
  answer(404, "");
  answer(404, "");
  expect("GET https://mcp.test/.well-known/oauth-protected-resource/v1/mcp\n"
         "GET https://as.test/.well-known/oauth-authorization-server/tenant1\n"
         "GET https://as.test/.well-known/openid-configuration/tenant1\n"
         "GET https://as.test/tenant1/.well-known/openid-configuration\n"
         "failed MCP_ERR_REFUSED 0: " WHERE
         "https://as.test/tenant1 has no metadata\n");
}

FLOW_TEST(each_place_may_have_the_metadata) {
  rig.options.client_id = "me";
  for (int place = 0; place < 2; place++) {
    pass_resource();
    for (int i = 0; i < place; i++) {
      answer(200, "<html>");
    }
    answer(200, RIG_METADATA);
    assert_non_null(strstr(flow_rig_take_log(&rig), "browse "));
    again();
    mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
  }
}

FLOW_TEST(metadata_of_another_issuer_are_not_used) {
  static const char *const issuers[] = {"\"https://attacker.example.com\"",
                                        "\"https://as.test/\"",
                                        "\"HTTPS://as.test\"",
                                        "\"\"",
                                        "1",
                                        "null"};
  char body[400];
  for (size_t i = 0; i < sizeof(issuers) / sizeof(issuers[0]); i++) {
    pass_resource();
    snprintf(body, sizeof(body),
             "{\"issuer\":%s,\"authorization_endpoint\":"
             "\"https://as.test/authorize\",\"token_endpoint\":"
             "\"https://as.test/token\","
             "\"code_challenge_methods_supported\":[\"S256\"]}",
             issuers[i]);
    answer(200, body);
    expect_failure(MCP_ERR_REFUSED, WHERE "the issuer in them");
    again();
  }
}

FLOW_TEST(an_issuer_that_is_not_safe_is_not_asked) {
  static const char *const issuers[] = {"http://as.test", "ftp://as.test", "x",
                                        "", "https://as.test/#a"};
  for (size_t i = 0; i < sizeof(issuers) / sizeof(issuers[0]); i++) {
    begin_with_issuer(issuers[i]);
    expect_failure(MCP_ERR_REFUSED, "the issuer");
    assert_null(rig.done);
    again();
  }
}

FLOW_TEST(endpoints_that_are_not_safe_are_refused) {
  static const char *const members[] = {
      "\"authorization_endpoint\":\"http://as.test/a\","
      "\"token_endpoint\":\"https://as.test/t\"",
      "\"authorization_endpoint\":\"javascript:alert(1)\","
      "\"token_endpoint\":\"https://as.test/t\"",
      "\"authorization_endpoint\":\"https://as.test/a\","
      "\"token_endpoint\":\"http://as.test/t\"",
      "\"authorization_endpoint\":\"https://as.test/a\""};
  char body[400];
  for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
    pass_resource();
    snprintf(body, sizeof(body),
             "{\"issuer\":\"" RIG_ISSUER
             "\",\"code_challenge_methods_supported\":[\"S256\"],%s}",
             members[i]);
    answer(200, body);
    expect_failure(MCP_ERR_REFUSED, WHERE);
    again();
  }
}

FLOW_TEST(trouble_ends_the_login) {
  static const int statuses[] = {408, 429, 500, 503};
  for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
    pass_resource();
    answer(statuses[i], "");
    expect_failure(MCP_ERR_IO, WHERE "https://as.test/.well-known/oauth-"
                                     "authorization-server answered HTTP ");
    assert_int_equal(rig.why.status, statuses[i]);
    again();
  }
  pass_resource();
  flow_rig_fail(&rig, MCP_ERR_REFUSED, "10.0.0.1 is a private address");
  expect_failure(MCP_ERR_REFUSED, "10.0.0.1 is a private address");
}

/* --- what a login needs --------------------------------------------------- */

#define BARE                                                                   \
  "{\"issuer\":\"" RIG_ISSUER "\",\"token_endpoint\":"                         \
  "\"https://as.test/token\""

FLOW_TEST(pkce_with_s256_is_needed) {
  static const char *const methods[] = {
      "", ",\"code_challenge_methods_supported\":[]",
      ",\"code_challenge_methods_supported\":[\"plain\"]",
      ",\"code_challenge_methods_supported\":\"S256\""};
  char body[400];
  for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
    pass_resource();
    snprintf(body, sizeof(body),
             BARE ",\"authorization_endpoint\":\"https://as.test/a\"%s}",
             methods[i]);
    answer(200, body);
    expect_failure(MCP_ERR_REFUSED, "PKCE with S256");
    again();
    mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
  }
}

FLOW_TEST(a_page_is_needed_only_for_users) {
  pass_resource();
  answer(200, BARE "}");
  expect_failure(MCP_ERR_REFUSED, "has no authorization_endpoint");
  again();
  rig.options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
  rig.options.client_id = "me";
  rig.options.client_secret = "the-secret";
  begin();
  answer(200, RIG_RESOURCE);
  assert_non_null(rig.done);
}

FLOW_TEST(a_public_server_may_not_send_the_user_to_a_private_page) {
  rig.start.server_is_public = 1;
  rig.options.client_id = "me";
  pass_metadata(BARE ",\"code_challenge_methods_supported\":[\"S256\"],"
                     "\"authorization_endpoint\":\"https://10.1.2.3/a?b\"}");
  expect_failure(MCP_ERR_REFUSED,
                 "the authorization_endpoint https://10.1.2.3/a has a private "
                 "address");
  again();
  rig.options.allows_private_addresses = 1;
  begin();
  answer(200, RIG_RESOURCE);
  assert_non_null(strstr(flow_rig_take_log(&rig),
                         "browse https://10.1.2.3/a?b&response_type=code"));
}

#define JWT_BEARER "\"urn:ietf:params:oauth:grant-type:jwt-bearer\""
#define ID_JAG "\"urn:ietf:params:oauth:grant-profile:id-jag\""
#define GRANTS(list) ",\"grant_types_supported\":" list
#define PROFILES(list) ",\"authorization_grant_profiles_supported\":" list

/* Begins a login with a server whose metadata have these members, too. Returns
 * whether the program is asked for its assertion; else the error names the
 * list. */
static int takes_assertion(uint32_t grant, const char *members,
                           const char *list) {
  char body[600];
  rig.options.grant = grant;
  rig.options.client_id = grant == MCP_AUTH_ENTERPRISE ? "me" : NULL;
  snprintf(body, sizeof(body),
           "{\"issuer\":\"" RIG_ISSUER
           "\",\"token_endpoint\":\"https://as.test/token\"%s}",
           members);
  pass_metadata(body);
  int is_asked = rig.flow->state == MCPI_FLOW_ASKING_ASSERTION;
  if (!is_asked) {
    assert_non_null(list);
    expect_failure(MCP_ERR_REFUSED, list);
  }
  again();
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
  return is_asked;
}

FLOW_TEST(an_assertion_goes_only_to_a_server_that_says_that_it_takes_it) {
  static const struct {
    const char *members;
    int is_taken;
  } cases[] = {{"", 0},
               {GRANTS("null"), 0},
               {GRANTS("[]"), 0},
               {GRANTS(JWT_BEARER), 0},
               {GRANTS("[\"authorization_code\"]"), 0},
               {PROFILES("[" ID_JAG "]"), 0},
               {GRANTS("[\"authorization_code\"," JWT_BEARER "]"), 1}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(takes_assertion(MCP_AUTH_WORKLOAD, cases[i].members,
                                     "does not list urn:ietf:params:oauth:"
                                     "grant-type:jwt-bearer in "
                                     "grant_types_supported"),
                     cases[i].is_taken);
  }
}

FLOW_TEST(an_id_jag_goes_only_to_a_server_that_says_that_it_takes_it) {
  static const struct {
    const char *members;
    const char *list; /* NULL: it takes it */
  } cases[] = {{"", "grant_types_supported"},
               {GRANTS("[]"), "grant_types_supported"},
               {GRANTS("[\"authorization_code\"]"), "grant_types_supported"},
               {PROFILES("null"), "authorization_grant_profiles_supported"},
               {PROFILES("[\"x\"]"), "authorization_grant_profiles_supported"},
               {PROFILES("[]") GRANTS("[" JWT_BEARER "]"),
                "authorization_grant_profiles_supported"},
               {GRANTS("[" JWT_BEARER "]"), NULL},
               {PROFILES("[\"x\"," ID_JAG "]"), NULL}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(
        takes_assertion(MCP_AUTH_ENTERPRISE, cases[i].members, cases[i].list),
        cases[i].list == NULL);
  }
}

FLOW_TEST(a_server_without_metadata_gets_no_assertion) {
  rig.options.grant = MCP_AUTH_WORKLOAD;
  begin(); /* a server of 2025-03-26 says nothing at all */
  answer(404, "");
  answer(404, "");
  answer(404, "");
  answer(404, "");
  expect_failure(MCP_ERR_REFUSED, "does not list");
}

/* --- a server that is its own authorization server ------------------------ */

static void pass_no_resource(void) {
  begin();
  answer(404, "");
  answer(404, "");
  flow_rig_take_log(&rig);
}

#define OWN(issuer)                                                            \
  "{\"issuer\":\"" issuer "\",\"authorization_endpoint\":"                     \
  "\"https://mcp.test/oauth/authorize\",\"token_endpoint\":"                   \
  "\"https://mcp.test/oauth/token\",\"code_challenge_methods_supported\":"     \
  "[\"S256\"]}"

FLOW_TEST(metadata_at_the_servers_origin_are_used) {
  static const char *const documents[] = {OWN("https://mcp.test"),
                                          OWN("https://mcp.test/")};
  rig.options.client_id = "me";
  for (size_t i = 0; i < 2; i++) {
    pass_no_resource();
    answer(200, documents[i]);
    const char *log = flow_rig_take_log(&rig);
    assert_non_null(strstr(log, "browse https://mcp.test/oauth/authorize?"));
    assert_null(strstr(log, "resource="));
    return_with("code=the-code&state=" RIG_STATE);
    assert_null(strstr(flow_rig_take_log(&rig), "resource="));
    answer(200, RIG_TOKEN);
    assert_string_equal(rig.token->issuer, "https://mcp.test");
    again();
    mcpi_issuers_drop(&rig.issuers, MCPI_STR("https://mcp.test"));
  }
}

FLOW_TEST(metadata_of_another_issuer_at_the_origin_are_refused) {
  pass_no_resource();
  answer(200, OWN("https://evil.test"));
  expect_failure(MCP_ERR_REFUSED, "\"https://evil.test\"");
}

FLOW_TEST(such_a_server_needs_s256_too) {
  pass_no_resource();
  answer(200, "{\"issuer\":\"https://mcp.test\",\"authorization_endpoint\":"
              "\"https://mcp.test/a\",\"token_endpoint\":"
              "\"https://mcp.test/t\"}");
  expect_failure(MCP_ERR_REFUSED, "PKCE with S256");
}

/* --- keeping -------------------------------------------------------------- */

static int is_kept_at(int64_t now_ms) {
  return mcpi_issuers_find(&rig.issuers, MCPI_STR(RIG_ISSUER), now_ms).ptr !=
         NULL;
}

FLOW_TEST(metadata_are_kept_for_as_long_as_the_server_allows) {
  static const struct {
    const char *header;
    int64_t ms;
  } cases[] = {{NULL, MCPI_ISSUERS_KEEP_MS},
               {"Cache-Control: max-age=60", 60000},
               {"cache-control: public, Max-Age=60", 60000},
               {"Cache-Control: max-age=0", 0},
               {"Cache-Control: no-store", 0},
               {"Cache-Control: max-age=60, No-Cache", 0},
               {"Cache-Control: max-age=", MCPI_ISSUERS_KEEP_MS},
               {"Cache-Control: max-age=x", 0},
               {"Cache-Control: private", MCPI_ISSUERS_KEEP_MS},
               {"Cache-Control: max-age=99999999999999999999", 86400000}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    pass_resource();
    flow_rig_answer(&rig, 200, cases[i].header, RIG_METADATA);
    assert_int_equal(is_kept_at(5000 + cases[i].ms - 1), cases[i].ms > 0);
    assert_false(is_kept_at(5000 + cases[i].ms));
    again();
    mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
  }
}

FLOW_TEST(metadata_that_are_refused_are_not_kept) {
  pass_resource();
  answer(200, "{\"issuer\":\"https://attacker.test\"}");
  assert_false(is_kept_at(0));
}

FLOW_TEST(metadata_are_dropped_when_an_endpoint_fails) {
  pass_code();
  assert_true(is_kept_at(5000));
  answer(404, "");
  expect_failure(MCP_ERR_REFUSED, "HTTP 404");
  assert_false(is_kept_at(5000));
}
