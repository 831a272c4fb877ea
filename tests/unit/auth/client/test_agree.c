/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "platform/platform.h"
#include "support/flow_case.h"

#define WHERE "asking the user to agree: "
#define ISS "&iss=https%3A%2F%2Fas.test"

/* Brings a login to where the browser is asked for. */
static void pass_to_browser(const char *metadata) {
  rig.options.client_id = "me";
  pass_metadata(metadata);
  assert_int_equal(rig.flow->state, MCPI_FLOW_BROWSING);
  flow_rig_take_log(&rig);
}

static void forget(void) {
  again();
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
}

/* --- the page ------------------------------------------------------------- */

FLOW_TEST(a_page_may_have_a_query) {
  rig.options.client_id = "me";
  pass_metadata("{\"issuer\":\"" RIG_ISSUER "\",\"token_endpoint\":"
                "\"https://as.test/token\",\"authorization_endpoint\":"
                "\"https://as.test/authorize?tenant=1\","
                "\"code_challenge_methods_supported\":[\"S256\"]}");
  assert_non_null(strstr(flow_rig_take_log(&rig),
                         "browse https://as.test/authorize?tenant=1"
                         "&response_type=code&client_id=me&"));
}

FLOW_TEST(each_login_has_its_own_state_and_verifier) {
  char first[2][MCPI_RANDOM_TEXT_SIZE];
  pass_to_browser(RIG_METADATA);
  memcpy(first[0], rig.flow->state_text, sizeof(first[0]));
  memcpy(first[1], rig.flow->verifier, sizeof(first[1]));
  uint8_t random = rig.random;
  again();
  rig.random = random;
  begin();
  answer(200, RIG_RESOURCE);
  assert_string_not_equal(rig.flow->state_text, first[0]);
  assert_string_not_equal(rig.flow->verifier, first[1]);
  assert_string_not_equal(rig.flow->verifier, rig.flow->state_text);
  assert_int_equal(strlen(rig.flow->verifier), 43);
}

/* RFC 7636, appendix B: the random bytes of the example. */
static int give_example(void *userdata, void *bytes, size_t len) {
  static const uint8_t example[] = {116, 24,  223, 180, 151, 153, 224, 37,
                                    79,  250, 96,  125, 216, 173, 187, 186,
                                    22,  212, 37,  77,  105, 214, 191, 240,
                                    91,  88,  5,   88,  83,  132, 141, 121};
  assert_int_equal(len, sizeof(example));
  memcpy(bytes, example, len);
  return 0;
}

FLOW_TEST(the_challenge_of_rfc_7636_is_made) {
  static mcp_crypto crypto;
  crypto = *rig.loop->platform.crypto;
  crypto.sha256 = mcpi_platform_crypto.sha256;
  rig.loop->platform.crypto = &crypto;
  rig.loop->platform.random = give_example;
  rig.options.client_id = "me";
  pass_metadata(RIG_METADATA);
  assert_string_equal(rig.flow->verifier,
                      "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
  assert_non_null(strstr(flow_rig_take_log(&rig),
                         "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJS"
                         "stw-cM&code_challenge_method=S256&"));
}

/* --- the URL -------------------------------------------------------------- */

FLOW_TEST(a_url_or_its_query_is_taken) {
  static const char *const urls[] = {
      "code=the-code&state=" RIG_STATE,
      "?code=the-code&state=" RIG_STATE,
      RIG_REDIRECT "?code=the-code&state=" RIG_STATE,
      RIG_REDIRECT "?code=the-code&state=" RIG_STATE "#_=_",
      "HTTP://127.0.0.1:1234/callback?state=" RIG_STATE "&code=the-code",
      "code=the%2Dcode&x=http://y?z&state=" RIG_STATE};
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    pass_to_browser(RIG_METADATA);
    return_with(urls[i]);
    assert_non_null(strstr(flow_rig_take_log(&rig), "&code=the-code&"));
    forget();
  }
}

FLOW_TEST(a_redirect_url_may_have_a_query) {
  rig.redirect_uri = "https://app.test/cb?x=1";
  pass_to_browser(RIG_METADATA);
  return_with("https://app.test/cb?x=1&code=the-code&state=" RIG_STATE);
  assert_non_null(strstr(flow_rig_take_log(&rig), "&code=the-code&"));
}

FLOW_TEST(urls_of_others_leave_the_login_waiting) {
  static const struct {
    const char *url;
    const char *why;
  } cases[] = {
      {"", "has no \"state\""},
      {"?", "has no \"state\""},
      {"/callback", "has no \"state\""},
      {RIG_REDIRECT, "has no \"state\""},
      {RIG_REDIRECT "#code=a&state=" RIG_STATE, "has no \"state\""},
      {"code=a", "has no \"state\""},
      {"code=a&state=", "another login"},
      {"code=a&state=x", "another login"},
      {"code=a&state=" RIG_STATE "x", "another login"},
      {"code=a&state=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9",
       "another login"},
      {"error=access_denied&state=x", "another login"},
      {"code=a&state=" RIG_STATE "&state=" RIG_STATE, "query is broken"},
      {"code=a&code=b&state=" RIG_STATE, "query is broken"},
      {"code=%zz&state=" RIG_STATE, "query is broken"},
      {"code=%00&state=" RIG_STATE, "query is broken"},
      {"http://127.0.0.1:1235/callback?code=a&state=" RIG_STATE,
       "does not begin with http://127.0.0.1:1234/callback"},
      {"http://127.0.0.1:1234/callback2?code=a&state=" RIG_STATE,
       "does not begin with"},
      {"https://evil.test/callback?code=a&state=" RIG_STATE,
       "does not begin with"},
      {"javascript:alert(1)", "does not begin with"}};
  mcp_error err;
  pass_to_browser(RIG_METADATA);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(mcpi_flow_redirected(rig.flow, cases[i].url, &err),
                     MCP_ERR_INVALID);
    if (strstr(err.message, cases[i].why) == NULL) {
      fail_msg("%s: %s", cases[i].url, err.message);
    }
    assert_null(strstr(err.message, RIG_STATE));
    assert_int_equal(rig.ends, 0);
  }
  return_with("code=the-code&state=" RIG_STATE);
  assert_int_equal(rig.flow->state, MCPI_FLOW_FETCHING);
}

FLOW_TEST(a_state_is_good_once) {
  pass_to_browser(RIG_METADATA);
  return_with("code=the-code&state=" RIG_STATE);
  assert_int_equal(
      mcpi_flow_redirected(rig.flow, "code=x&state=" RIG_STATE, NULL),
      MCP_ERR_INVALID);
  answer(200, RIG_TOKEN);
  assert_int_equal(
      mcpi_flow_redirected(rig.flow, "code=x&state=" RIG_STATE, NULL),
      MCP_ERR_INVALID);
}

FLOW_TEST(a_url_has_a_limit) {
  static char url[MCPI_FLOW_MAX_REDIRECT + 2];
  mcp_error err;
  pass_to_browser(RIG_METADATA);
  int len = snprintf(url, sizeof(url), "state=" RIG_STATE "&code=");
  memset(url + len, 'c', sizeof(url) - 1 - (size_t)len);
  assert_int_equal(mcpi_flow_redirected(rig.flow, url, &err), MCP_ERR_INVALID);
  assert_non_null(strstr(err.message, "more than 16384 bytes"));
  url[MCPI_FLOW_MAX_REDIRECT] = '\0';
  return_with(url);
  assert_int_equal(rig.flow->state, MCPI_FLOW_FETCHING);
}

/* --- iss ------------------------------------------------------------------ */

typedef struct iss_case {
  int is_advertised;
  const char *iss;
  int is_good;
} iss_case;

static const iss_case iss_cases[] = {
    {1, ISS, 1},
    {1, "", 0},
    {0, ISS, 1},
    {0, "", 1},
    {1, "&iss=https%3A%2F%2Fevil.example.com", 0},
    {0, "&iss=https%3A%2F%2Fevil.example.com", 0},
    {1, "&iss=https%3A%2F%2Fas.test%2F", 0},
    {1, "&iss=HTTPS%3A%2F%2Fas.test", 0},
    {1, "&iss=https%3A%2F%2Fas.test:443", 0},
    {0, "&iss=", 0}};

static void pass_to_iss(const iss_case *c) {
  pass_to_browser(
      c->is_advertised
          ? RIG_METADATA_WITH(
                ",\"authorization_response_iss_parameter_supported\":true")
          : RIG_METADATA);
}

FLOW_TEST(a_code_must_come_from_the_issuer) {
  char query[300];
  for (size_t i = 0; i < sizeof(iss_cases) / sizeof(iss_cases[0]); i++) {
    pass_to_iss(&iss_cases[i]);
    snprintf(query, sizeof(query), "code=the-code&state=" RIG_STATE "%s",
             iss_cases[i].iss);
    return_with(query);
    if (iss_cases[i].is_good) {
      assert_int_equal(rig.flow->state, MCPI_FLOW_FETCHING);
    } else {
      expect_failure(MCP_ERR_REFUSED, "does not come from https://as.test");
    }
    forget();
  }
}

FLOW_TEST(an_error_must_come_from_the_issuer_to_be_shown) {
  char query[300];
  for (size_t i = 0; i < sizeof(iss_cases) / sizeof(iss_cases[0]); i++) {
    pass_to_iss(&iss_cases[i]);
    snprintf(query, sizeof(query),
             "error=bad&error_description=words&state=" RIG_STATE "%s",
             iss_cases[i].iss);
    return_with(query);
    expect_failure(MCP_ERR_REFUSED, iss_cases[i].is_good
                                        ? WHERE "https://as.test answered: "
                                                "bad: words"
                                        : "does not come from");
    assert_int_equal(strstr(rig.why.message, "words") != NULL,
                     iss_cases[i].is_good);
    forget();
  }
}

/* --- errors --------------------------------------------------------------- */

FLOW_TEST(a_refusal_of_the_user_is_shown) {
  pass_to_browser(RIG_METADATA);
  return_with("error=access_denied&error_description=the+user%0Asaid+no"
              "&code=the-code&state=" RIG_STATE);
  expect("failed MCP_ERR_REFUSED 0: " WHERE
         "https://as.test answered: access_denied: the user?said no\n");
  forget();
  pass_to_browser(RIG_METADATA);
  return_with("error=access_denied&state=" RIG_STATE);
  expect("failed MCP_ERR_REFUSED 0: " WHERE
         "https://as.test answered: access_denied\n");
}

FLOW_TEST(trouble_of_the_server_is_told_from_a_refusal) {
  pass_to_browser(RIG_METADATA);
  return_with("error=temporarily_unavailable&state=" RIG_STATE);
  expect_failure(MCP_ERR_IO, "temporarily_unavailable");
}

FLOW_TEST(a_return_without_a_code_ends_the_login) {
  pass_to_browser(RIG_METADATA);
  return_with("state=" RIG_STATE);
  expect_failure(MCP_ERR_PROTOCOL, "without a code");
  forget();
  pass_to_browser(RIG_METADATA);
  return_with("code=&state=" RIG_STATE);
  expect_failure(MCP_ERR_PROTOCOL, "without a code");
}
