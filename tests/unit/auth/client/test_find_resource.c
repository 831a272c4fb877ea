/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/flow_case.h"

#define PATH_FORM "https://mcp.test/.well-known/oauth-protected-resource/v1/mcp"
#define ROOT_FORM "https://mcp.test/.well-known/oauth-protected-resource"
#define ISSUER_FORM "https://as.test/.well-known/oauth-authorization-server"
#define WHERE "finding the authorization server: "

FLOW_TEST(the_url_of_the_challenge_comes_first) {
  rig.start.metadata_url = "https://mcp.test/custom/location.json";
  begin();
  answer(404, "");
  answer(404, "");
  answer(404, "");
  expect("GET https://mcp.test/custom/location.json\n"
         "GET " PATH_FORM "\n"
         "GET " ROOT_FORM "\n"
         "failed MCP_ERR_REFUSED 0: " WHERE "there are no metadata at "
         "https://mcp.test/custom/location.json, which the server's challenge "
         "names\n");
}

FLOW_TEST(a_place_is_asked_once) {
  rig.start.metadata_url = PATH_FORM;
  begin();
  answer(404, "");
  expect("GET " PATH_FORM "\nGET " ROOT_FORM "\n");
  answer(404, "");
  expect_failure(MCP_ERR_REFUSED, "no metadata");
  again();
  rig.start.metadata_url = ROOT_FORM;
  begin();
  answer(404, "");
  answer(404, "");
  expect_failure(MCP_ERR_REFUSED, "no metadata");
}

FLOW_TEST(a_server_without_a_path_has_one_place) {
  rig.start.server_url = "https://mcp.test";
  begin();
  answer(404, "");
  expect("GET " ROOT_FORM "\n"
         "GET https://mcp.test/.well-known/oauth-authorization-server\n");
}

FLOW_TEST(answers_that_are_not_documents_lead_to_the_next_place) {
  static const char *const bodies[] = {"",      "<html>", "[]",        "null",
                                       "\"a\"", "{",      "{\"a\":1,}"};
  for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
    begin();
    answer(200, bodies[i]);
    expect("GET " PATH_FORM "\nGET " ROOT_FORM "\n");
    again();
  }
  static const int statuses[] = {301, 302, 400, 401, 403, 404, 405, 410, 499};
  for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
    begin();
    answer(statuses[i], RIG_RESOURCE);
    expect("GET " PATH_FORM "\nGET " ROOT_FORM "\n");
    again();
  }
}

FLOW_TEST(trouble_does_not_lead_to_the_next_place) {
  static const int statuses[] = {408, 429, 500, 503};
  for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
    begin();
    answer(statuses[i], "");
    expect_failure(MCP_ERR_IO, WHERE PATH_FORM " answered HTTP ");
    assert_int_equal(rig.why.status, statuses[i]);
    again();
  }
  begin();
  flow_rig_fail(&rig, MCP_ERR_TIMEOUT, "there was no answer");
  expect_failure(MCP_ERR_TIMEOUT, WHERE PATH_FORM ": there was no answer");
  again();
  begin();
  flow_rig_fail(&rig, MCP_ERR_LIMIT, "the answer is too long");
  expect_failure(MCP_ERR_LIMIT, "the answer is too long");
}

FLOW_TEST(metadata_of_another_resource_are_refused) {
  static const char *const resources[] = {"\"https://evil.example.com/mcp\"",
                                          "\"https://mcp.test/v2\"",
                                          "\"http://mcp.test/v1/mcp\"",
                                          "\"https://mcp.test:444/v1/mcp\"",
                                          "1",
                                          "null"};
  char body[200];
  for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++) {
    begin();
    snprintf(body, sizeof(body),
             "{\"resource\":%s,\"authorization_servers\":[\"" RIG_ISSUER "\"]}",
             resources[i]);
    answer(200, body);
    expect_failure(MCP_ERR_REFUSED, "the metadata at " PATH_FORM ": ");
    again();
  }
}

FLOW_TEST(metadata_without_an_authorization_server_are_refused) {
  static const char *const servers[] = {"", ",\"authorization_servers\":[]",
                                        ",\"authorization_servers\":\"x\"",
                                        ",\"authorization_servers\":[1,{}]"};
  char body[200];
  for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++) {
    begin();
    snprintf(body, sizeof(body), "{\"resource\":\"" RIG_SERVER "\"%s}",
             servers[i]);
    answer(200, body);
    expect_failure(MCP_ERR_REFUSED, "authorization_servers");
    again();
  }
}

FLOW_TEST(the_resource_is_sent_as_it_is_written) {
  rig.options.client_id = "me";
  begin();
  answer(404, "");
  answer(200, "{\"resource\":\"https://mcp.test\",\"authorization_servers\":"
              "[\"" RIG_ISSUER "\"]}");
  answer(200, RIG_METADATA);
  assert_non_null(
      strstr(flow_rig_take_log(&rig), "&resource=https%3A%2F%2Fmcp.test\n"));
  return_with("code=the-code&state=" RIG_STATE);
  assert_non_null(
      strstr(flow_rig_take_log(&rig), "&resource=https%3A%2F%2Fmcp.test&"));
}

FLOW_TEST(a_challenge_may_name_only_the_servers_origin) {
  static const char *const urls[] = {
      "https://evil.test/.well-known/oauth-protected-resource",
      "https://mcp.test:8443/metadata", "http://localhost/metadata"};
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    rig.start.metadata_url = urls[i];
    begin();
    expect_failure(MCP_ERR_REFUSED, "names metadata at another origin");
    assert_null(strstr(flow_rig_take_log(&rig), "GET"));
    again();
  }
}

FLOW_TEST(urls_that_are_not_safe_are_not_asked) {
  static const char *const urls[] = {"http://mcp.test/metadata",
                                     "file:///etc/passwd",
                                     "https://user:pass@mcp.test/metadata",
                                     "https://mcp.test/metadata#x",
                                     "",
                                     "x"};
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    rig.start.metadata_url = urls[i];
    begin();
    expect_failure(MCP_ERR_REFUSED, "resource_metadata");
    assert_null(rig.done);
    again();
  }
  rig.start.metadata_url = NULL;
  rig.start.server_url = "http://mcp.test/v1/mcp";
  begin();
  expect_failure(MCP_ERR_REFUSED, "the server's URL");
}

FLOW_TEST(a_loopback_server_may_be_http) {
  rig.start.server_url = "http://localhost:4711/mcp";
  begin();
  expect("GET http://localhost:4711/.well-known/oauth-protected-resource/mcp"
         "\n");
}

/* --- which authorization server ------------------------------------------- */

#define TWO_SERVERS                                                            \
  "{\"resource\":\"" RIG_SERVER "\",\"authorization_servers\":"                \
  "[7,\"https://other.test\",\"" RIG_ISSUER "\"]}"

FLOW_TEST(the_first_authorization_server_is_chosen) {
  begin();
  answer(200, TWO_SERVERS);
  expect("GET " PATH_FORM
         "\nGET https://other.test/.well-known/oauth-authorization-server\n");
}

FLOW_TEST(the_server_of_client_id_is_chosen) {
  rig.options.client_id = "me";
  rig.options.client_issuer = RIG_ISSUER;
  begin();
  answer(200, TWO_SERVERS);
  expect("GET " PATH_FORM "\nGET " ISSUER_FORM "\n");
  again();
  rig.options.client_issuer = NULL;
  rig.start.bound_issuer = RIG_ISSUER;
  begin();
  answer(200, TWO_SERVERS);
  expect("GET " PATH_FORM "\nGET " ISSUER_FORM "\n");
}

FLOW_TEST(client_id_is_not_sent_to_another_server) {
  rig.options.client_id = "me";
  rig.options.client_issuer = "https://mine.test";
  begin();
  answer(200, TWO_SERVERS);
  expect("GET " PATH_FORM "\n"
         "failed MCP_ERR_REFUSED 0: " WHERE "the authorization server is "
         "https://other.test, but client_id belongs to https://mine.test\n");
  again();
  rig.options.client_issuer = NULL;
  rig.start.bound_issuer = "https://mine.test";
  begin();
  answer(200, TWO_SERVERS);
  expect_failure(MCP_ERR_REFUSED, "belongs to https://mine.test");
}

/* A program that gives an assertion has no client_id. */
FLOW_TEST(a_login_of_any_kind_goes_only_to_the_issuer_of_the_program) {
  static const uint32_t grants[] = {MCP_AUTH_CODE, MCP_AUTH_CLIENT_CREDENTIALS,
                                    MCP_AUTH_ENTERPRISE, MCP_AUTH_WORKLOAD};
  for (size_t i = 0; i < sizeof(grants) / sizeof(grants[0]); i++) {
    rig.options.grant = grants[i];
    rig.options.client_issuer = RIG_ISSUER;
    begin();
    answer(200, TWO_SERVERS);
    expect("GET " PATH_FORM "\nGET " ISSUER_FORM "\n");
    again();
    rig.options.client_issuer = "https://mine.test";
    begin();
    answer(200, TWO_SERVERS);
    expect("GET " PATH_FORM "\n"
           "failed MCP_ERR_REFUSED 0: " WHERE "the authorization server is "
           "https://other.test, but client_issuer is https://mine.test\n");
    again();
  }
}

FLOW_TEST(a_server_without_metadata_may_not_be_the_issuer_of_the_program) {
  rig.options.client_issuer = "https://mine.test";
  begin();
  answer(404, "");
  answer(404, "");
  expect_failure(MCP_ERR_REFUSED, "the authorization server is "
                                  "https://mcp.test, but client_issuer is "
                                  "https://mine.test");
  again();
  rig.options.client_issuer = "https://mcp.test";
  begin();
  answer(404, "");
  answer(404, "");
  assert_non_null(
      strstr(flow_rig_take_log(&rig),
             "GET https://mcp.test/.well-known/oauth-authorization-server\n"));
}

/* The server names a scope, and then `count` others of `step` different
 * ones. */
static void answer_scopes(int count, int step) {
  static char body[20000];
  size_t len = (size_t)snprintf(body, sizeof(body),
                                "{\"resource\":\"" RIG_SERVER
                                "\",\"authorization_servers\":[\"" RIG_ISSUER
                                "\"],\"scopes_supported\":[\"s\"");
  for (int i = 0; i < count; i++) {
    len += (size_t)snprintf(body + len, sizeof(body) - len, ",\"s%04d\"",
                            i % step);
  }
  snprintf(body + len, sizeof(body) - len, "]}");
  begin();
  answer(200, body);
}

FLOW_TEST(a_server_that_names_too_many_scopes_is_refused) {
  answer_scopes(1000, 1000);
  expect_failure(MCP_ERR_LIMIT, "scopes_supported");
}

FLOW_TEST(a_server_that_repeats_scopes_too_often_is_refused) {
  answer_scopes(2048, 1);
  expect_failure(MCP_ERR_LIMIT, "scopes_supported");
}

FLOW_TEST(a_server_may_repeat_a_scope) {
  answer_scopes(2047, 1);
  expect("GET " PATH_FORM "\nGET " ISSUER_FORM "\n");
}
