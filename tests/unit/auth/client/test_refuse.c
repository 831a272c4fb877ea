/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/failing_alloc.h"
#include "support/flow_case.h"

static void forget(void) {
  again();
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
}

static void refuse(const char *body) {
  pass_code();
  flow_rig_take_log(&rig);
  answer(400, body);
}

#define START                                                                  \
  "failed MCP_ERR_REFUSED 400: getting a token: https://as.test/token "        \
  "answered HTTP 400"

FLOW_TEST(the_error_of_the_answer_is_shown) {
  static const struct {
    const char *body;
    const char *log;
  } cases[] = {
      {"", START "\n"},
      {"<html>the-code</html>", START "\n"},
      {"no json", START "\n"},
      {"[]", START "\n"},
      {"{}", START "\n"},
      {"{\"error\":7}", START "\n"},
      {"{\"error\":{\"message\":\"x\"}}", START "\n"},
      {"{\"error_description\":\"words\"}", START "\n"},
      {"{\"error\":\"invalid_grant\"}", START ": invalid_grant\n"},
      {"{\"error\":\"e\",\"error_description\":\"some words\"}",
       START ": e: some words\n"},
      {"{\"error\":\"e\",\"error_description\":7}", START ": e\n"},
      {"{\"error\":\"a\\nb\\u001bc\",\"error_description\":\"\\u00e4\"}",
       START ": a?b?c: ??\n"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    refuse(cases[i].body);
    expect(cases[i].log);
    forget();
  }
}

FLOW_TEST(secrets_that_a_server_repeats_are_hidden) {
  rig.options.client_secret = "the secret";
  refuse("{\"error\":\"the-code\",\"error_description\":\"code=the-code "
         "verifier=" RIG_VERIFIER " state=" RIG_STATE
         " secret='the secret' the+secret bWU6dGhlK3NlY3JldA==\"}");
  expect(START ": ....: code=.... verifier=.... state=.... secret='....' .... "
               "....\n");
}

FLOW_TEST(a_secret_that_would_be_cut_is_hidden) {
  char body[400];
  for (int len = 100; len < 140; len++) {
    snprintf(body, sizeof(body),
             "{\"error\":\"e\",\"error_description\":\"%0*d%s\"}", len, 0,
             RIG_VERIFIER);
    refuse(body);
    assert_null(strstr(rig.why.message, "ICEi"));
    forget();
  }
}

FLOW_TEST(an_assertion_that_a_server_repeats_is_hidden) {
  rig.options.private_key = "key 2";
  pass_code();
  char body[4000];
  const char *log = flow_rig_take_log(&rig);
  const char *jwt = strstr(log, "&client_assertion=") + 18;
  snprintf(body, sizeof(body),
           "{\"error\":\"e\",\"error_description\":\"no: %.*s\"}",
           (int)strcspn(jwt, "\n"), jwt);
  answer(400, body);
  expect(START ": e: no: ....\n");
}

FLOW_TEST(a_proof_that_a_server_repeats_is_hidden) {
  rig.start.wants_dpop = 1;
  pass_code();
  char body[4000];
  const char *proof = strstr(flow_rig_take_log(&rig), "\nDPoP: ") + 7;
  snprintf(body, sizeof(body),
           "{\"error\":\"e\",\"error_description\":\"no: %.*s\"}",
           (int)strcspn(proof, "\n"), proof);
  answer(400, body);
  expect(START ": e: no: ....\n");
}

FLOW_TEST(tokens_that_a_server_repeats_are_hidden) {
  const mcpi_token token = {.access = (char *)"old-access",
                            .refresh = (char *)"old-refresh",
                            .issuer = (char *)RIG_ISSUER,
                            .resource = (char *)RIG_SERVER,
                            .client_id = (char *)"me"};
  rig.options.client_id = "me";
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, &token);
  answer(200, RIG_METADATA);
  answer(400, "{\"error\":\"invalid_grant\",\"error_description\":"
              "\"old-refresh of old-access\"}");
  expect_failure(MCP_ERR_REFUSED, "invalid_grant: .... of ....");
}

FLOW_TEST(what_the_platform_says_is_shown_without_secrets) {
  pass_code();
  flow_rig_take_log(&rig);
  flow_rig_fail(&rig, MCP_ERR_IO, "cannot send the-code:\nno route");
  expect("failed MCP_ERR_IO 0: getting a token: https://as.test/token: cannot "
         "send ....:?no route\n");
}

FLOW_TEST(a_private_address_does_not_mean_that_a_refresh_token_is_gone) {
  const mcpi_token token = {.access = (char *)"old-access",
                            .refresh = (char *)"old-refresh",
                            .issuer = (char *)RIG_ISSUER,
                            .resource = (char *)RIG_SERVER,
                            .client_id = (char *)"me"};
  rig.options.client_id = "me";
  for (int stop = 0; stop < 2; stop++) {
    assert_int_equal(flow_rig_new(&rig), 0);
    mcpi_flow_refresh(rig.flow, &token);
    if (stop > 0) {
      answer(200, RIG_METADATA);
    }
    flow_rig_fail(&rig, MCP_ERR_REFUSED, "10.0.0.1 is a private address");
    expect_failure(MCP_ERR_IO, "10.0.0.1 is a private address");
    forget();
  }
}

FLOW_TEST(a_url_is_shown_without_its_query_and_cut) {
  char url[400];
  snprintf(url, sizeof(url), "https://mcp.test/%0200d?secret=1", 0);
  rig.start.metadata_url = url;
  begin();
  answer(500, "");
  assert_null(strstr(rig.why.message, "secret"));
  assert_non_null(strstr(rig.why.message, "000 answered HTTP 500"));
  again();
  rig.start.metadata_url = "https://mcp.test/m?secret=1";
  begin();
  answer(500, "");
  expect_failure(MCP_ERR_IO, ": https://mcp.test/m answered HTTP 500");
}

FLOW_TEST(a_long_error_is_cut) {
  static char body[200000];
  int len = snprintf(body, sizeof(body), "{\"error\":\"");
  memset(body + len, 'e', sizeof(body) - 100);
  snprintf(body + len + sizeof(body) - 100, 10, "\"}");
  refuse(body);
  expect_failure(MCP_ERR_REFUSED, "answered HTTP 400: eeee");
}

/* Without memory, a text is shown without its secrets or not at all: the rig
 * checks that. */
static int refuse_without_memory(const mcp_allocator *allocator,
                                 void *userdata) {
  int rc = flow_rig_init(&rig, allocator);
  if (rc == 0) {
    rig.options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
    rig.options.client_id = "me";
    rig.options.client_secret = "the secret";
    rig.options.private_key = "key 2";
    rc = flow_rig_new(&rig);
  }
  if (rc == 0) {
    mcpi_flow_log_in(rig.flow);
    static const char *const bodies[] = {
        RIG_RESOURCE, RIG_METADATA_WITH(",\"token_endpoint_auth_methods_"
                                        "supported\":"
                                        "[\"private_key_jwt\"]")};
    for (size_t i = 0; i < 2 && rig.done != NULL; i++) {
      answer(200, bodies[i]);
    }
    if (rig.done != NULL) {
      answer(400, "{\"error\":\"the secret\",\"error_description\":"
                  "\"the+secret\"}");
    }
    rc = rig.why.code;
  }
  flow_rig_deinit(&rig);
  return rc == MCP_ERR_REFUSED ? 0 : rc;
}

TEST(secrets_are_hidden_without_memory) {
  failing_alloc_rerun_least(15, refuse_without_memory, NULL);
}
