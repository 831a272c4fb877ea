/* SPDX-License-Identifier: MIT */
/* A program that logs what the server reports. All else about logging is in
 * tests/wire/server/logging.txt. */
#include "support/server_bench.h"

static struct {
  int count;  /* reports so far */
  int logged; /* what mcp_server_log returned for the last one */
} reports;

/* Forgets that the data must be JSON. */
static void log_report(mcp_server *server, const mcp_error *err,
                       void *userdata) {
  reports.count++;
  reports.logged = mcp_server_log(server, MCP_LOG_ERROR, NULL, err->message);
}

static void restart(server_bench *b) {
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .on_report = log_report};
  server_bench_restart(b, &options);
  assert_int_equal(mcp_server_enable_logging(b->rig.server), 0);
  reports.count = 0;
}

BENCH_TEST(a_mistake_in_logging_a_report_is_reported_once) {
  server_bench *b = *state;
  restart(b);
  exchange(&b->wire, "{$J,'id':9,'result':{}}", "");
  assert_int_equal(reports.count, 2); /* the response, and the mistake */
  assert_int_equal(reports.logged, MCP_ERR_PARSE);
  rig_pass(&b->rig, 10000);
  assert_int_equal(reports.count, 2);
}

BENCH_TEST(a_mistake_in_logging_is_reported_each_time) {
  server_bench *b = *state;
  restart(b);
  for (int i = 1; i <= 3; i++) {
    assert_int_equal(mcp_server_log(b->rig.server, MCP_LOG_ERROR, NULL, "{"),
                     MCP_ERR_PARSE);
    assert_int_equal(reports.count, i);
  }
}
