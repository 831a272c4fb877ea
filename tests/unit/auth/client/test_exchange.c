/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/flow_case.h"

#define ID_JAG "\"urn:ietf:params:oauth:token-type:id-jag\""

static void pass_to_exchange(void) {
  rig.options.grant = MCP_AUTH_ENTERPRISE;
  rig.options.client_id = "me";
  rig.options.idp_token_endpoint = "https://idp.corp/token?tenant=1";
  rig.options.idp_client_id = "at-idp";
  pass_metadata(RIG_METADATA);
  mcpi_flow_assert(rig.flow, "the-id-token");
}

static void forget(void) {
  again();
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
}

FLOW_TEST(a_program_without_a_secret_sends_its_id) {
  pass_to_exchange();
  const char *log = flow_rig_take_log(&rig);
  assert_non_null(strstr(log, "id_token&client_id=at-idp\n"));
  assert_null(strstr(log, "Authorization"));
}

FLOW_TEST(an_assertion_must_not_be_empty) {
  static const char *const assertions[] = {NULL, ""};
  for (size_t i = 0; i < 2; i++) {
    rig.options.grant = MCP_AUTH_WORKLOAD;
    pass_metadata(RIG_METADATA);
    assert_int_equal(mcpi_flow_assert(rig.flow, assertions[i]), 0);
    expect_failure(MCP_ERR_INVALID, "the program has given no assertion");
    forget();
  }
}

FLOW_TEST(answers_without_an_id_jag_end_the_login) {
  static const char *const bodies[] = {
      "",
      "<html>",
      "[]",
      "{}",
      "{\"access_token\":\"the-id-jag\"}",
      "{\"access_token\":\"the-id-jag\",\"issued_token_type\":\"x\"}",
      "{\"access_token\":\"the-id-jag\",\"issued_token_type\":1}",
      "{\"access_token\":\"\",\"issued_token_type\":" ID_JAG "}",
      "{\"access_token\":1,\"issued_token_type\":" ID_JAG "}"};
  for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
    pass_to_exchange();
    answer(200, bodies[i]);
    expect_failure(MCP_ERR_PROTOCOL, "exchanging the ID token: the answer of "
                                     "https://idp.corp/token has no ID-JAG");
    forget();
  }
}

FLOW_TEST(a_refusal_of_the_identity_provider_is_shown) {
  pass_to_exchange();
  flow_rig_take_log(&rig);
  answer(400, "{\"error\":\"invalid_grant\",\"error_description\":"
              "\"the-id-token is not good\"}");
  expect("failed MCP_ERR_REFUSED 400: exchanging the ID token: "
         "https://idp.corp/token answered HTTP 400: invalid_grant: .... is "
         "not good\n");
  forget();
  pass_to_exchange();
  flow_rig_fail(&rig, MCP_ERR_TIMEOUT, "no answer");
  expect_failure(MCP_ERR_TIMEOUT, "no answer");
}

FLOW_TEST(an_id_jag_has_a_limit) {
  static char body[MCPI_FLOW_MAX_TOKEN + 200];
  for (int more = 0; more < 2; more++) {
    pass_to_exchange();
    int len = snprintf(body, sizeof(body),
                       "{\"issued_token_type\":" ID_JAG ",\"access_token\":\"");
    memset(body + len, 'a', (size_t)(MCPI_FLOW_MAX_TOKEN + more));
    snprintf(body + len + MCPI_FLOW_MAX_TOKEN + more, 10, "\"}");
    answer(200, body);
    if (more == 0) {
      assert_int_equal(rig.flow->step, MCPI_FLOW_GET_TOKEN);
    } else {
      expect_failure(MCP_ERR_LIMIT, "of more than 16 KB");
    }
    forget();
  }
}
