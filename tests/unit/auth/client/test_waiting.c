/* SPDX-License-Identifier: MIT */
#include "auth/client/waiting.h"

#include "support/cm.h"
#include <stdio.h>
#include <string.h>

static mcpi_waiting waiting;
static mcpi_auth_request requests[4];
static char calls[64];
static void (*in_first)(void);

static void on_ready(mcpi_auth_request *request, const mcp_error *err) {
  size_t len = strlen(calls);
  snprintf(calls + len, sizeof(calls) - len, "%d%s ", (int)(request - requests),
           err != NULL ? "!" : "");
  if (request == &requests[0] && in_first != NULL) {
    in_first();
  }
}

static int set_up(void **state) {
  mcpi_waiting_init(&waiting);
  calls[0] = '\0';
  in_first = NULL;
  for (int i = 0; i < 4; i++) {
    mcpi_auth_request_init(&requests[i], NULL, on_ready, NULL);
  }
  mcpi_waiting_add(&waiting, &requests[0]);
  mcpi_waiting_add(&waiting, &requests[1]);
  return 0;
}

static mcp_error failed = {.code = MCP_ERR_IO};

static void begin_two(void) {
  assert_false(mcpi_waiting_is_behind(&waiting, &requests[0]));
  assert_true(mcpi_waiting_is_behind(&waiting, &requests[2]));
  mcpi_waiting_add_ready(&waiting, &requests[2]);
  mcpi_waiting_add(&waiting, &requests[3]);
}

TEST_WITH(requests_that_begin_meanwhile_go_last, set_up, NULL) {
  in_first = begin_two;
  mcpi_waiting_wake(&waiting);
  assert_string_equal(calls, "0 1 2 ");
  assert_false(mcpi_waiting_is_behind(&waiting, &requests[2]));
  mcpi_waiting_wake(&waiting);
  assert_string_equal(calls, "0 1 2 3 ");
}

static void wake_again(void) {
  mcpi_waiting_add(&waiting, &requests[2]);
  mcpi_waiting_wake(&waiting);
  assert_string_equal(calls, "0 ");
}

TEST_WITH(a_call_inside_a_call_keeps_the_order, set_up, NULL) {
  in_first = wake_again;
  mcpi_waiting_wake(&waiting);
  assert_string_equal(calls, "0 1 2 ");
}

static void end_second(void) {
  mcpi_list_remove(&requests[1].link);
}

TEST_WITH(a_request_that_ends_is_skipped, set_up, NULL) {
  in_first = end_second;
  mcpi_waiting_wake(&waiting);
  assert_string_equal(calls, "0 ");
}

TEST_WITH(all_that_wait_fail, set_up, NULL) {
  in_first = begin_two;
  mcpi_waiting_init(&waiting);
  set_up(NULL);
  mcpi_waiting_fail(&waiting, &failed);
  assert_string_equal(calls, "0! 1! ");
}

static void fail_rest(void) {
  mcpi_waiting_fail_all(&waiting, &failed);
}

TEST_WITH(those_whose_turn_has_not_come_can_fail, set_up, NULL) {
  in_first = fail_rest;
  mcpi_waiting_wake(&waiting);
  assert_string_equal(calls, "0 1! ");
}
