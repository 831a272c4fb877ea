/* SPDX-License-Identifier: MIT */
/* Logins at Keycloak, with documents in its shape (support/keycloak.h). */
#include "auth/client/flow.h"

#include "support/flow_case.h"
#include "support/keycloak.h"

#define RESOURCE                                                               \
  "{\"resource\":\"" RIG_SERVER "\",\"authorization_servers\":[\"" KEYCLOAK    \
  "\"],\"scopes_supported\":[\"mcp:tools\"]}"
#define RETURN                                                                 \
  "state=" RIG_STATE "&session_state=2a88c258-f73a-4103-b862-e1fbd8f4e04e"     \
  "&iss=https%3A%2F%2Fsso.test%2Frealms%2Fdemo&code=the-code.2a88c258.f3b4"

static void expect_part(const char *log, const char *part) {
  if (strstr(log, part) == NULL) {
    fail_msg("\"%s\" is not in:\n%s", part, log);
  }
}

/* Brings a login to the registration. Older versions have no metadata where
 * RFC 8414 puts them. */
static void pass_documents(void) {
  begin();
  answer(200, RESOURCE);
  flow_rig_take_log(&rig);
  answer(404, "{\"error\":\"HTTP 404 Not Found\"}");
  answer(404, "{\"error\":\"Unable to find matching target resource method\"}");
  answer(200, KEYCLOAK_METADATA);
}

FLOW_TEST(metadata_are_found_under_the_realm) {
  pass_documents();
  const char *log = flow_rig_take_log(&rig);
  expect_part(log,
              "https://sso.test/.well-known/openid-configuration/realms/demo\n"
              "GET " KEYCLOAK "/.well-known/openid-configuration\n");
  expect_part(log, "POST " KEYCLOAK "/clients-registrations/openid-connect\n");
}

FLOW_TEST(newer_versions_have_metadata_where_rfc_8414_puts_them) {
  begin();
  answer(200, RESOURCE);
  expect_part(
      flow_rig_take_log(&rig),
      "https://sso.test/.well-known/oauth-authorization-server/realms/demo\n");
  answer(200, KEYCLOAK_METADATA);
  expect_part(flow_rig_take_log(&rig), "POST " KEYCLOAK "/clients-reg");
}

/* Some versions choose this method, whatever the client wants (issue 44403 of
 * Keycloak). */
FLOW_TEST(a_secret_that_was_not_asked_for_is_used) {
  pass_documents();
  answer(201, KEYCLOAK_CLIENT("client_secret_basic",
                              "\"client_secret\":\"the-secret\","
                              "\"client_secret_expires_at\":0,"));
  expect_part(flow_rig_take_log(&rig), "&scope=mcp%3Atools+offline_access"
                                       "&resource=https%3A%2F%2Fmcp.test");
  return_with(RETURN);
  const char *log = flow_rig_take_log(&rig);
  expect_part(log, "POST " KEYCLOAK_OPENID "/token\n");
  expect_part(log, "Authorization: Basic ");
  answer(200, KEYCLOAK_TOKEN);
  expect("token the-access\n");
  assert_string_equal(rig.token->refresh, "the-refresh");
  assert_string_equal(rig.token->issuer, KEYCLOAK);
  assert_string_equal(rig.token->scopes, "mcp:tools profile email");
  assert_true(rig.token->expires_ms == 1700000000000 + 300000);
  assert_string_equal(rig.registered.client_id, KEYCLOAK_CLIENT_ID);
}

FLOW_TEST(a_public_client_sends_its_id) {
  pass_documents();
  answer(201, KEYCLOAK_CLIENT("none", ""));
  flow_rig_take_log(&rig);
  return_with(RETURN);
  const char *log = flow_rig_take_log(&rig);
  expect_part(log, "&client_id=" KEYCLOAK_CLIENT_ID "\n");
  assert_null(strstr(log, "Authorization"));
  answer(200, KEYCLOAK_TOKEN);
  expect("token the-access\n");
}

/* The policy Trusted Hosts of anonymous registrations. */
FLOW_TEST(a_policy_that_refuses_the_registration_is_quoted) {
  pass_documents();
  answer(403, "{\"error\":\"insufficient_scope\",\"error_description\":"
              "\"Policy 'Trusted Hosts' rejected request to client-registration"
              " service. Details: Host not trusted.\"}");
  expect_failure(MCP_ERR_REFUSED, "Policy 'Trusted Hosts' rejected request");
}

/* With the feature resource-indicators, and a resource that it does not
 * know. */
FLOW_TEST(a_resource_that_is_not_known_is_reported) {
  pass_documents();
  answer(201, KEYCLOAK_CLIENT("none", ""));
  return_with(RETURN);
  answer(400, "{\"error\":\"invalid_target\",\"error_description\":"
              "\"Invalid resource\"}");
  expect_failure(MCP_ERR_REFUSED, "invalid_target");
}

FLOW_TEST(another_realm_may_not_answer) {
  pass_documents();
  answer(201, KEYCLOAK_CLIENT("none", ""));
  mcp_error err = {.code = 0};
  int rc = mcpi_flow_redirected(rig.flow,
                                "code=c&state=" RIG_STATE
                                "&iss=https%3A%2F%2Fsso.test%2Frealms%2Fother",
                                &err);
  assert_true(rc != 0 || rig.ends == 1);
  assert_null(rig.token);
}
