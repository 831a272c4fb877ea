/* SPDX-License-Identifier: MIT */
/* Tests of logins: one rig, and short names for what a test does with it. */
#ifndef TESTS_SUPPORT_FLOW_CASE_H
#define TESTS_SUPPORT_FLOW_CASE_H

#include "support/cm.h"
#include "support/flow_rig.h"
#include <stdio.h>

static flow_rig rig;

static inline int flow_case_set_up(void **state) {
  (void)state;
  return flow_rig_init(&rig, NULL);
}

static inline int flow_case_tear_down(void **state) {
  (void)state;
  flow_rig_deinit(&rig);
  return 0;
}

#define FLOW_TEST(name) TEST_WITH(name, flow_case_set_up, flow_case_tear_down)

/* Compares what has happened since the last call. */
static inline void expect(const char *log) {
  assert_string_equal(flow_rig_take_log(&rig), log);
}

/* Checks that the login has failed with this code, and that the error has these
 * words. */
static inline void expect_failure(int code, const char *words) {
  assert_int_equal(rig.ends, 1);
  assert_null(rig.token);
  assert_int_equal(rig.why.code, code);
  if (strstr(rig.why.message, words) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", rig.why.message, words);
  }
}

/* Begins a login. */
static inline void begin(void) {
  assert_int_equal(flow_rig_new(&rig), 0);
  mcpi_flow_log_in(rig.flow);
}

/* Ends the login, so that a test can begin another one. */
static inline void again(void) {
  flow_rig_free(&rig);
  flow_rig_take_log(&rig);
}

static inline void answer(int status, const char *body) {
  flow_rig_answer(&rig, status, NULL, body);
}

/* The browser returns, and the login takes it. */
static inline void return_with(const char *query) {
  mcp_error err = {.code = 0};
  if (mcpi_flow_redirected(rig.flow, query, &err) != 0) {
    fail_msg("%s", err.message);
  }
}

/* Brings a login to where the authorization server's metadata are asked for. */
static inline void pass_resource(void) {
  begin();
  answer(200, RIG_RESOURCE);
}

/* ... or have been read. */
static inline void pass_metadata(const char *metadata) {
  pass_resource();
  answer(200, metadata);
}

/* Brings a login by code with a client_id to where a token is asked for. */
static inline void pass_code(void) {
  rig.options.client_id = "me";
  pass_metadata(RIG_METADATA);
  return_with("code=the-code&state=" RIG_STATE);
}

#endif
