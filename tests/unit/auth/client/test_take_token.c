/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/flow_case.h"

#define WHERE "getting a token: "

static void forget(void) {
  again();
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
}

static void take(const char *body) {
  pass_code();
  flow_rig_take_log(&rig);
  answer(200, body);
}

/* A token with these members. */
#define TOKEN(more) "{\"access_token\":\"the-access\"" more "}"

FLOW_TEST(answers_without_a_token_end_the_login) {
  static const char *const bodies[] = {
      "",
      "<html>the-access",
      "[]",
      "{}",
      "{\"access_token\":\"\",\"token_type\":\"Bearer\"}",
      "{\"access_token\":1,\"token_type\":\"Bearer\"}",
      "{\"access_token\":\"a\\u0000b\",\"token_type\":\"Bearer\"}",
      "{\"Access_Token\":\"the-access\",\"token_type\":\"Bearer\"}"};
  for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
    take(bodies[i]);
    expect_failure(MCP_ERR_PROTOCOL, WHERE "the answer of "
                                           "https://as.test/token has no "
                                           "access_token");
    forget();
  }
}

FLOW_TEST(tokens_that_a_header_cannot_carry_end_the_login) {
  static const char *const tokens[] = {"a b", "a\\nb", "a\\tb", "\\u00e4",
                                       "a\\u007f"};
  char body[100];
  for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
    snprintf(body, sizeof(body),
             "{\"access_token\":\"%s\",\"token_type\":\"Bearer\"}", tokens[i]);
    take(body);
    expect_failure(MCP_ERR_PROTOCOL, "a header cannot carry");
    forget();
  }
}

FLOW_TEST(tokens_have_a_limit) {
  static char body[2 * MCPI_FLOW_MAX_TOKEN + 200];
  for (int more = 0; more < 2; more++) {
    int len = snprintf(body, sizeof(body),
                       "{\"token_type\":\"Bearer\","
                       "\"access_token\":\"");
    memset(body + len, 'a', (size_t)(MCPI_FLOW_MAX_TOKEN + more));
    snprintf(body + len + MCPI_FLOW_MAX_TOKEN + more, 10, "\"}");
    take(body);
    if (more == 0) {
      assert_int_equal(strlen(rig.token->access), MCPI_FLOW_MAX_TOKEN);
    } else {
      expect_failure(MCP_ERR_LIMIT, "of more than 16 KB");
    }
    forget();
  }
}

FLOW_TEST(refresh_tokens_have_a_limit) {
  static char body[2 * MCPI_FLOW_MAX_TOKEN + 200];
  for (int more = 0; more < 2; more++) {
    int len = snprintf(body, sizeof(body),
                       "{\"access_token\":\"the-access\",\"token_type\":"
                       "\"Bearer\",\"refresh_token\":\"");
    memset(body + len, 'r', (size_t)(MCPI_FLOW_MAX_TOKEN + more));
    snprintf(body + len + MCPI_FLOW_MAX_TOKEN + more, 10, "\"}");
    take(body);
    assert_int_equal(rig.token->refresh != NULL, more == 0);
    forget();
  }
}

/* --- the type ------------------------------------------------------------- */

typedef struct type_case {
  const char *type; /* JSON */
  int has_key;
  int is_demanded;
  int code; /* 0: it is good */
} type_case;

FLOW_TEST(the_type_is_checked) {
  static const type_case cases[] = {{"\"Bearer\"", 0, 0, 0},
                                    {"\"bearer\"", 0, 0, 0},
                                    {"\"BEARER\"", 0, 0, 0},
                                    {"\"DPoP\"", 0, 0, MCP_ERR_PROTOCOL},
                                    {"\"mac\"", 0, 0, MCP_ERR_PROTOCOL},
                                    {"\"N_A\"", 0, 0, MCP_ERR_PROTOCOL},
                                    {"\"\"", 0, 0, MCP_ERR_PROTOCOL},
                                    {"null", 0, 0, MCP_ERR_PROTOCOL},
                                    {"1", 0, 0, MCP_ERR_PROTOCOL},
                                    {"\"DPoP\"", 1, 0, 0},
                                    {"\"dpop\"", 1, 1, 0},
                                    {"\"Bearer\"", 1, 0, 0},
                                    {"\"Bearer\"", 1, 1, MCP_ERR_REFUSED},
                                    {"\"mac\"", 1, 0, MCP_ERR_PROTOCOL}};
  char body[100];
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    rig.options.client_id = "me";
    rig.options.prefers_dpop = cases[i].has_key;
    rig.start.wants_dpop = cases[i].is_demanded;
    pass_metadata(RIG_METADATA_WITH(
        ",\"dpop_signing_alg_values_supported\":[\"ES256\"]"));
    return_with("code=the-code&state=" RIG_STATE);
    snprintf(body, sizeof(body), TOKEN(",\"token_type\":%s"), cases[i].type);
    answer(200, body);
    if (cases[i].code == 0) {
      assert_non_null(rig.token);
      int is_bound = strstr(cases[i].type, "earer") == NULL &&
                     strstr(cases[i].type, "EARER") == NULL;
      assert_int_equal(rig.token->key != NULL, is_bound);
    } else {
      expect_failure(cases[i].code, "has a token of the type");
    }
    forget();
  }
}

FLOW_TEST(the_type_is_shown_without_control_characters) {
  take(TOKEN(",\"token_type\":\"a\\u001b[31mb\""));
  expect("failed MCP_ERR_PROTOCOL 0: " WHERE
         "the answer of https://as.test/token "
         "has a token of the type \"a?[31mb\", which was not asked for\n");
}

/* --- the other members ---------------------------------------------------- */

FLOW_TEST(a_time_that_makes_sense_is_believed) {
  static const struct {
    const char *json;
    int64_t s; /* 0: not known */
  } cases[] = {{"3600", 3600},
               {"1", 1},
               {"\"3600\"", 3600},
               {"3599.9", 3599},
               {"315360000", 315360000},
               {"315360001", 0},
               {"0", 0},
               {"-1", 0},
               {"1e300", 0},
               {"99999999999999999999", 0},
               {"\"99999999999999999999\"", 0},
               {"\"\"", 0},
               {"\"-1\"", 0},
               {"\"soon\"", 0},
               {"null", 0},
               {"[3600]", 0}};
  char body[200];
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    snprintf(body, sizeof(body),
             TOKEN(",\"token_type\":\"Bearer\",\"expires_in\":%s"),
             cases[i].json);
    take(body);
    int64_t expected =
        cases[i].s > 0 ? 1700000000000 + cases[i].s * 1000 : INT64_MAX;
    assert_true(rig.token->expires_ms == expected);
    forget();
  }
}

FLOW_TEST(granted_scopes_are_kept) {
  rig.start.demanded_scopes = "a b";
  take(TOKEN(",\"token_type\":\"Bearer\",\"scope\":\"a\""));
  assert_string_equal(rig.token->scopes, "a");
  assert_string_equal(rig.token->asked, "a b");
  forget();
  take(TOKEN(",\"token_type\":\"Bearer\",\"scope\":7"));
  assert_string_equal(rig.token->scopes, "a b");
  assert_string_equal(rig.token->asked, "a b");
}

FLOW_TEST(a_refresh_token_is_kept) {
  take(TOKEN(",\"token_type\":\"Bearer\",\"refresh_token\":\"the-refresh\""));
  assert_string_equal(rig.token->refresh, "the-refresh");
  forget();
  take(TOKEN(",\"token_type\":\"Bearer\",\"refresh_token\":\"\""));
  assert_null(rig.token->refresh);
}

/* --- renewing ------------------------------------------------------------- */

static void renew(const char *key, const char *body) {
  const mcpi_token token = {.access = (char *)"old-access",
                            .refresh = (char *)"old-refresh",
                            .issuer = (char *)RIG_ISSUER,
                            .resource = (char *)RIG_SERVER,
                            .client_id = (char *)"me",
                            .scopes = (char *)"a b",
                            .key = (char *)(uintptr_t)key};
  rig.options.client_id = "me";
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_refresh(rig.flow, &token);
  answer(200, RIG_METADATA);
  answer(200, body);
}

FLOW_TEST(a_new_refresh_token_replaces_the_old_one) {
  renew(NULL,
        TOKEN(",\"token_type\":\"Bearer\",\"refresh_token\":\"the-refresh\","
              "\"scope\":\"a\""));
  assert_string_equal(rig.token->refresh, "the-refresh");
  assert_string_equal(rig.token->scopes, "a");
  assert_null(rig.token->asked);
}

FLOW_TEST(a_bound_token_does_not_become_free) {
  renew("key 2", TOKEN(",\"token_type\":\"Bearer\""));
  expect_failure(MCP_ERR_REFUSED, "must be bound to a key");
}
