/* SPDX-License-Identifier: MIT */
#include "bench/faults.h"

#include "support/cm.h"

static ctl_faults faults;

static int start(void **state) {
  faults = (ctl_faults){0};
  return 0;
}

static void add(int code, int status, const char *message) {
  mcp_error err;
  mcp_error_set(&err, code, "%s", message);
  err.status = status;
  ctl_faults_add(&faults, &err);
}

static void expect(size_t at, const char *kind, uint64_t count,
                   const char *first) {
  char text[CTL_FAULT_KIND];
  assert_string_equal(ctl_fault_kind(text, &faults.list[at]), kind);
  assert_int_equal(faults.list[at].count, count);
  assert_string_equal(faults.list[at].first.message, first);
}

TEST_WITH(kinds_are_counted_apart, start, NULL) {
  add(MCP_ERR_TIMEOUT, 0, "no answer");
  add(MCP_ERR_REMOTE, -32602, "no such tool");
  add(MCP_ERR_REMOTE, -32603, "it broke");
  add(MCP_ERR_REMOTE, -32602, "no such tool, again");
  add(MCP_ERR_IO, 503, "answered HTTP 503");
  add(MCP_ERR_IO, 111, "refused"); /* ECONNREFUSED */
  add(0, 0, "the tool's text");
  assert_int_equal(faults.len, 6);
  assert_int_equal(faults.count, 7);
  assert_int_equal(faults.tool_count, 1);
  expect(0, "timed out", 1, "no answer");
  expect(1, "error -32602", 2, "no such tool");
  expect(2, "error -32603", 1, "it broke");
  expect(3, "HTTP 503", 1, "answered HTTP 503");
  expect(4, "input/output error", 1, "refused");
  expect(5, "tool error", 1, "the tool's text");
}

TEST_WITH(kinds_are_bounded, start, NULL) {
  for (int i = 0; i < 100; i++) {
    add(MCP_ERR_REMOTE, i, "x");
  }
  assert_int_equal(faults.len, CTL_FAULTS_MAX);
  assert_int_equal(faults.count, 100);
  assert_int_equal(faults.list[CTL_FAULTS_MAX - 1].count,
                   100 - CTL_FAULTS_MAX + 1);
}
