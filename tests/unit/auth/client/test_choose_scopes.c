/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "support/flow_case.h"

/* What is asked for, of the scopes that each side names; NULL: it names
 * none. */
typedef struct scope_case {
  const char *program;
  const char *challenge;
  const char *resource; /* JSON */
  const char *earlier;
  const char *server; /* JSON: scopes_supported of the authorization server */
  const char *asked;  /* "": the parameter is left out */
} scope_case;

static void check_case(const scope_case *c) {
  char resource[500];
  char metadata[800];
  rig.options.client_id = "me";
  rig.options.scopes = c->program;
  rig.start.demanded_scopes = c->challenge;
  rig.start.earlier_scopes = c->earlier;
  snprintf(resource, sizeof(resource),
           RIG_RESOURCE_WITH(",\"scopes_supported\":%s"), c->resource);
  snprintf(metadata, sizeof(metadata),
           RIG_METADATA_WITH(",\"scopes_supported\":%s"), c->server);
  begin();
  answer(200, resource);
  answer(200, metadata);
  assert_non_null(rig.flow);
  mcpi_str asked = mcpi_buf_str(&rig.flow->scopes);
  if (!mcpi_str_eq(asked, mcpi_str_z(c->asked))) {
    fail_msg("\"%.*s\", not \"%s\"", (int)asked.len, asked.ptr, c->asked);
  }
  assert_int_equal(strstr(flow_rig_take_log(&rig), "&scope=") != NULL,
                   c->asked[0] != '\0');
  again();
  mcpi_issuers_drop(&rig.issuers, MCPI_STR(RIG_ISSUER));
}

FLOW_TEST(scopes_are_chosen) {
  static const scope_case cases[] = {
      /* the challenge decides; else the resource's; else there are none */
      {NULL, "a", "[\"b\",\"c\"]", NULL, "null", "a"},
      {NULL, NULL, "[\"b\",\"c\"]", NULL, "null", "b c"},
      {NULL, NULL, "null", NULL, "null", ""},
      {NULL, NULL, "\"b\"", NULL, "null", ""},
      {NULL, NULL, "[1,\"b\",\"\",\"c d\",\"e\\\"\"]", NULL, "null", "b c d"},
      {NULL, "", "[\"b\"]", NULL, "null", ""},
      /* the program's, and what a server demands later */
      {"p", NULL, "[\"b\"]", NULL, "null", "p"},
      {"p", "a", "[\"b\"]", NULL, "null", "p a"},
      /* those of earlier logins stay */
      {NULL, "b a", "null", "a", "null", "a b"},
      {NULL, NULL, "[\"b\"]", "a", "null", "a b"},
      /* offline_access, where the authorization server lists it */
      {NULL, "a", "null", NULL, "[\"a\",\"offline_access\"]",
       "a offline_access"},
      {NULL, NULL, "null", NULL, "[\"a\",\"offline_access\"]", ""},
      {NULL, "a offline_access", "null", NULL, "[\"a\"]", "a"},
      {NULL, NULL, "[\"offline_access\",\"a\"]", NULL, "null", "a"},
      {NULL, "a", "null", "offline_access", "[\"a\"]", "a"},
      {NULL, "offline_access a", "null", NULL, "[\"offline_access\"]",
       "offline_access a"},
      /* but the program knows what it wants */
      {"offline_access", NULL, "null", NULL, "[\"a\"]", "offline_access"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    check_case(&cases[i]);
  }
}

FLOW_TEST(machines_do_not_ask_for_offline_access) {
  rig.options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
  rig.options.client_id = "me";
  rig.options.client_secret = "the-secret";
  rig.start.demanded_scopes = "a";
  pass_metadata(
      RIG_METADATA_WITH(",\"scopes_supported\":[\"offline_access\"]"));
  assert_non_null(strstr(flow_rig_take_log(&rig), "&scope=a&"));
}

FLOW_TEST(offline_access_asks_for_consent) {
  rig.options.client_id = "me";
  rig.start.demanded_scopes = "a";
  pass_metadata(
      RIG_METADATA_WITH(",\"scopes_supported\":[\"offline_access\"]"));
  assert_non_null(strstr(flow_rig_take_log(&rig), "&prompt=consent\n"));
}

FLOW_TEST(scopes_have_a_limit) {
  static char scopes[MCPI_FLOW_MAX_SCOPES + 2];
  rig.options.client_id = "me";
  memset(scopes, 'a', MCPI_FLOW_MAX_SCOPES);
  rig.start.demanded_scopes = scopes;
  pass_metadata(RIG_METADATA);
  assert_int_equal(rig.flow->state, MCPI_FLOW_BROWSING);
  again();
  scopes[MCPI_FLOW_MAX_SCOPES] = 'a';
  begin();
  answer(200, RIG_RESOURCE);
  expect_failure(MCP_ERR_LIMIT, "choosing scopes");
}
