/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/flow_case.h"
#include "support/scratch.h"

#define DPOP_TOKEN "{\"access_token\":\"the-access\",\"token_type\":\"DPoP\"}"
#define ES256 ",\"dpop_signing_alg_values_supported\":[\"ES256\"]"

static void forget(void) {
  again();
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
}

/* Returns a claim of the proof in a log; NULL: there is no proof. */
static const char *claim(const char *log, const char *name) {
  static char value[200];
  const char *proof = strstr(log, "\nDPoP: ");
  mcpi_jwt jwt;
  mcp_error err;
  if (proof == NULL) {
    return NULL;
  }
  proof += 7;
  assert_int_equal(mcpi_jwt_read(&jwt, mcpi_str_n(proof, strcspn(proof, "\n")),
                                 mcp_allocator_default(), &err),
                   0);
  assert_string_equal(jwt.type, "dpop+jwt");
  const char *text =
      mcp_json_string(mcp_json_get(mcp_doc_root(jwt.claims), name));
  snprintf(value, sizeof(value), "%s", text != NULL ? text : "-");
  mcpi_jwt_deinit(&jwt);
  return value;
}

FLOW_TEST(a_proof_is_made_for_the_token_endpoint) {
  rig.start.wants_dpop = 1;
  pass_code();
  const char *log = flow_rig_take_log(&rig);
  assert_string_equal(claim(log, "htm"), "POST");
  assert_string_equal(claim(log, "htu"), "https://as.test/token");
  assert_string_equal(claim(log, "nonce"), "-");
  assert_string_equal(claim(log, "ath"), "-");
  answer(200, DPOP_TOKEN);
  assert_string_equal(rig.token->key, "key 2");
}

FLOW_TEST(a_bound_token_is_asked_for_when_a_side_wants_it) {
  pass_code();
  assert_null(claim(flow_rig_take_log(&rig), "htm"));
  forget();
  rig.options.prefers_dpop = 1; /* but the server does not support it */
  pass_code();
  assert_null(claim(flow_rig_take_log(&rig), "htm"));
  forget();
  pass_metadata(RIG_METADATA_WITH(ES256));
  return_with("code=the-code&state=" RIG_STATE);
  assert_non_null(claim(flow_rig_take_log(&rig), "htm"));
  forget();
  rig.options.prefers_dpop = 0;
  begin(); /* the server's metadata demand it */
  answer(200, RIG_RESOURCE_WITH(",\"dpop_bound_access_tokens_required\":true"));
  answer(200, RIG_METADATA);
  return_with("code=the-code&state=" RIG_STATE);
  assert_non_null(claim(flow_rig_take_log(&rig), "htm"));
}

FLOW_TEST(a_nonce_is_sent_once) {
  rig.start.wants_dpop = 1;
  for (int last = 0; last < 2; last++) {
    pass_code();
    char jti[100];
    snprintf(jti, sizeof(jti), "%s", claim(flow_rig_take_log(&rig), "jti"));
    flow_rig_answer(&rig, 400, "dpop-nonce: nonce 1",
                    "{\"error\":\"use_dpop_nonce\"}");
    const char *log = flow_rig_take_log(&rig);
    assert_non_null(strstr(log, "POST https://as.test/token\n"));
    assert_string_equal(claim(log, "nonce"), "nonce 1");
    assert_string_not_equal(claim(log, "jti"), jti);
    if (last) {
      flow_rig_answer(&rig, 400, "DPoP-Nonce: nonce 2",
                      "{\"error\":\"use_dpop_nonce\"}");
      expect_failure(MCP_ERR_REFUSED, "use_dpop_nonce");
    } else {
      answer(200, DPOP_TOKEN);
      assert_non_null(rig.token);
    }
    forget();
  }
}

FLOW_TEST(a_nonce_is_needed_and_only_for_proofs) {
  rig.start.wants_dpop = 1;
  pass_code();
  answer(400, "{\"error\":\"use_dpop_nonce\"}"); /* but no nonce */
  expect_failure(MCP_ERR_REFUSED, "use_dpop_nonce");
  forget();
  rig.start.wants_dpop = 0;
  pass_code();
  flow_rig_answer(&rig, 400, "DPoP-Nonce: n", "{\"error\":\"use_dpop_nonce\"}");
  expect_failure(MCP_ERR_REFUSED, "use_dpop_nonce");
}

FLOW_TEST(a_token_that_is_renewed_stays_bound_to_its_key) {
  const mcpi_token token = {.access = (char *)"old-access",
                            .refresh = (char *)"old-refresh",
                            .issuer = (char *)RIG_ISSUER,
                            .resource = (char *)RIG_SERVER,
                            .client_id = (char *)"me",
                            .key = (char *)"key 3"};
  rig.options.client_id = "me";
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, &token);
  answer(200, RIG_METADATA);
  assert_string_equal(claim(flow_rig_take_log(&rig), "htm"), "POST");
  answer(200, DPOP_TOKEN);
  assert_string_equal(rig.token->key, "key 3");
}

FLOW_TEST(a_token_that_is_renewed_stays_free) {
  const mcpi_token token = {.access = (char *)"old-access",
                            .refresh = (char *)"old-refresh",
                            .issuer = (char *)RIG_ISSUER,
                            .resource = (char *)RIG_SERVER,
                            .client_id = (char *)"me"};
  rig.options.client_id = "me";
  rig.start.wants_dpop = 1;
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, &token);
  answer(200, RIG_METADATA);
  assert_null(claim(flow_rig_take_log(&rig), "htm"));
}
