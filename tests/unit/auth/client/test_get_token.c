/* SPDX-License-Identifier: MIT */
/* The other grants: test_flow.c. */
#include "auth/client/step.h"

#include "support/flow_case.h"

FLOW_TEST(a_key_that_cannot_be_read_ends_the_login) {
  rig.options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
  rig.options.client_id = "me";
  rig.options.private_key = "the-secret";
  pass_metadata(RIG_METADATA);
  expect_failure(MCP_ERR_INVALID,
                 "getting a token: private_key is not a key in PEM");
}

FLOW_TEST(a_key_of_a_token_that_cannot_be_read_ends_the_login) {
  const mcpi_token token = {.access = (char *)"old-access",
                            .refresh = (char *)"old-refresh",
                            .issuer = (char *)RIG_ISSUER,
                            .resource = (char *)RIG_SERVER,
                            .client_id = (char *)"me",
                            .key = (char *)"the-secret"};
  rig.options.client_id = "me";
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, &token);
  answer(200, RIG_METADATA);
  expect_failure(MCP_ERR_INVALID, "renewing the token: making a proof (DPoP)");
}

FLOW_TEST(scopes_are_part_of_the_page_and_not_of_the_exchange_of_a_code) {
  rig.start.demanded_scopes = "a b";
  pass_code();
  const char *log = flow_rig_take_log(&rig);
  const char *post = strstr(log, "POST ");
  assert_non_null(strstr(log, "&scope=a+b&"));
  assert_null(strstr(post, "scope="));
  answer(200, RIG_TOKEN);
  assert_string_equal(rig.token->scopes, "a b");
}
