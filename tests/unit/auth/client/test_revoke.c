/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/flow_case.h"

#define FORM "Content-Type: application/x-www-form-urlencoded\n"
#define REVOCABLE                                                              \
  RIG_METADATA_WITH(",\"revocation_endpoint\":\"https://as.test/revoke\"")

static mcpi_token token = {.access = (char *)"old-access",
                           .issuer = (char *)RIG_ISSUER,
                           .resource = (char *)RIG_SERVER,
                           .client_id = (char *)"me"};

static void revoke(const char *refresh) {
  token.refresh = (char *)(uintptr_t)refresh;
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_revoke(rig.flow, &token);
}

FLOW_TEST(the_refresh_token_is_revoked) {
  rig.options.client_id = "me";
  revoke("old-refresh");
  answer(200, REVOCABLE);
  answer(200, "");
  expect("GET https://as.test/.well-known/oauth-authorization-server\n"
         "POST https://as.test/revoke\n" FORM
         "token=old-refresh&token_type_hint=refresh_token&client_id=me\n"
         "done\n");
  assert_null(rig.token);
  assert_int_equal(rig.why.code, 0);
}

FLOW_TEST(without_it_the_access_token_is_revoked) {
  rig.options.client_id = "me";
  rig.options.client_secret = "the secret";
  revoke(NULL);
  answer(200, REVOCABLE);
  answer(200, "<html>");
  expect("GET https://as.test/.well-known/oauth-authorization-server\n"
         "POST https://as.test/revoke\n" FORM
         "Authorization: Basic bWU6dGhlK3NlY3JldA==\n"
         "token=old-access&token_type_hint=access_token\n"
         "done\n");
}

FLOW_TEST(a_server_may_not_be_able_to_revoke) {
  rig.options.client_id = "me";
  revoke(NULL);
  answer(200, RIG_METADATA);
  expect_failure(MCP_ERR_UNSUPPORTED, "https://as.test cannot revoke tokens");
}

FLOW_TEST(no_client_is_asked_for_or_registered) {
  rig.client_result = 0;
  revoke(NULL);
  answer(200, REVOCABLE);
  expect_failure(MCP_ERR_REFUSED, "belongs to the client me");
  assert_null(rig.done);
}

FLOW_TEST(a_refusal_is_shown) {
  rig.options.client_id = "me";
  revoke(NULL);
  answer(200, REVOCABLE);
  answer(400, "{\"error\":\"unsupported_token_type\",\"error_description\":"
              "\"old-access is not known\"}");
  expect_failure(MCP_ERR_REFUSED,
                 "revoking the token: https://as.test/revoke answered HTTP "
                 "400: unsupported_token_type: .... is not known");
  again();
  revoke(NULL);
  answer(200, REVOCABLE);
  answer(503, "");
  expect_failure(MCP_ERR_IO, "HTTP 503");
}
