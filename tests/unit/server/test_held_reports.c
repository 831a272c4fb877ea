/* SPDX-License-Identifier: MIT */
/* Reports of registrations, which come before the program calls mcp_main. */
#include "support/cm.h"

#include "server/shard.h"
#include "support/failing_alloc.h"
#include <mcp/mcp.h>
#include <stdio.h>

static int count;
static char last[MCP_ERROR_TEXT_SIZE];

static void on_report(mcp_server *server, const mcp_error *err,
                      void *userdata) {
  count++;
  snprintf(last, sizeof(last), "%s", err->message);
}

static void report(mcp_server *server, int times) {
  for (int i = 1; i <= times; i++) {
    mcpi_server_report(server, MCP_ERR_INVALID, "report %d", i);
  }
}

/* As mcp_main does. */
static void take_reports(mcp_server *server) {
  count = 0;
  server->options.on_report = on_report;
  mcpi_server_tell_held(server);
}

TEST(early_reports_are_held_for_mcp_main) {
  mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
  report(server, 2);
  take_reports(server);
  assert_int_equal(count, 2);
  assert_string_equal(last, "report 2");
  mcpi_server_tell_held(server);
  assert_int_equal(count, 2);
  report(server, 1);
  assert_int_equal(count, 3);
  mcp_server_free(server);
}

TEST(a_few_reports_are_held_and_the_others_are_counted) {
  mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
  report(server, MCPI_MAX_HELD + 3);
  take_reports(server);
  assert_int_equal(count, MCPI_MAX_HELD + 1);
  assert_string_equal(last, "3 more reports came before mcp_main and are lost");
  mcp_server_free(server);
}

TEST(reports_that_nobody_takes_are_freed_with_the_server) {
  mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
  report(server, 1);
  mcp_server_free(server);
}

TEST(a_server_that_serves_holds_nothing) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
  assert_non_null(mcpi_shard_get(server, loop));
  report(server, 1);
  assert_null(server->held_reports);
  mcp_server_free(server);
  mcp_loop_free(loop);
}

static int hold_with(const mcp_allocator *allocator, void *userdata) {
  mcp_server *server =
      mcp_server_new("test", "1",
                     &(mcp_server_options){.size = sizeof(mcp_server_options),
                                           .allocator = allocator},
                     NULL);
  if (server == NULL) {
    return MCP_ERR_NOMEM;
  }
  report(server, 1);
  int rc = server->held_reports != NULL ? 0 : MCP_ERR_NOMEM;
  mcp_server_free(server);
  return rc;
}

TEST(a_report_for_which_there_is_no_memory_is_dropped) {
  failing_alloc_rerun_least(2, hold_with, NULL);
}
