/* SPDX-License-Identifier: MIT */
/* The choice of a method: test_get_client.c. */
#include "auth/client/step.h"

#include "support/flow_case.h"

#define POSTED                                                                 \
  ",\"token_endpoint_auth_methods_supported\":"                                \
  "[\"client_secret_post\"]"

static const char *log_of_request(const char *metadata) {
  rig.options.grant = MCP_AUTH_CLIENT_CREDENTIALS;
  rig.options.client_id = "a:b c";
  rig.options.client_secret = "the secret";
  pass_metadata(metadata);
  const char *log = flow_rig_take_log(&rig);
  return strstr(log, "POST ");
}

FLOW_TEST(basic_encodes_id_and_secret) {
  const char *log = log_of_request(RIG_METADATA_WITH(""));
  /* a%3Ab+c:the+secret */
  assert_non_null(
      strstr(log, "Authorization: Basic YSUzQWIrYzp0aGUrc2VjcmV0\n"));
  assert_null(strstr(log, "client_id"));
  assert_null(strstr(log, "client_secret"));
}

FLOW_TEST(post_sends_both_in_the_form) {
  const char *log = log_of_request(RIG_METADATA_WITH(POSTED));
  assert_non_null(strstr(log, "&client_id=a%3Ab+c&client_secret=the+secret\n"));
  assert_null(strstr(log, "Authorization"));
}

FLOW_TEST(without_a_secret_only_the_id_is_sent) {
  pass_code();
  const char *log = strstr(flow_rig_take_log(&rig), "POST ");
  assert_non_null(strstr(log, "&client_id=me\n"));
  assert_null(strstr(log, "client_secret"));
  assert_null(strstr(log, "Authorization"));
}

FLOW_TEST(a_jwt_names_the_client) {
  rig.options.private_key = "key 3";
  pass_code();
  const char *log = strstr(flow_rig_take_log(&rig), "POST ");
  assert_non_null(strstr(log, "&client_assertion="));
  assert_null(strstr(log, "client_id="));
  assert_null(strstr(log, "Authorization"));
}
