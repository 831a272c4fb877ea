/* SPDX-License-Identifier: MIT */
/* Filters that the program adds. How listens use them is in
 * tests/wire/server/listen.txt and listen-values.txt. */
#include "support/server_bench.h"
#include <stdio.h>

BENCH_TEST(a_filter_that_is_refused_says_why) {
  const server_bench *b = *state;
  mcp_server *server = b->rig.server;
  mcp_error err;
  assert_int_equal(mcp_server_add_listen_values(NULL, "a", NULL, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_listen_values(server, "", NULL, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "listen filter: no name");
  assert_int_equal(mcp_server_add_listen_values(server, "\xff", NULL, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_listen_values(server, "a", "", &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "extension: id is missing");
  assert_int_equal(mcp_server_add_listen_values(server, "a", "\xff", &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "listen filter: extension is not UTF-8 at byte 0");
  assert_int_equal(
      mcp_server_add_listen_values(server, "resourceSubscriptions", NULL, &err),
      MCP_ERR_EXISTS);
  assert_string_equal(
      err.message, "listen filter \"resourceSubscriptions\": already exists");
  assert_string_equal(mcp_server_error(server)->message,
                      "5 failures, the first: listen filter: no name");
}

BENCH_TEST(both_kinds_of_filters_share_names_and_room) {
  const server_bench *b = *state;
  mcp_server *server = b->rig.server;
  for (int i = 0; i < 32; i++) {
    char name[20];
    snprintf(name, sizeof(name), "f%d", i);
    int rc = i % 2 == 0
                 ? mcp_server_add_listen_filter(server, name, NULL)
                 : mcp_server_add_listen_values(server, name, "a/b", NULL);
    assert_int_equal(rc, 0);
  }
  assert_int_equal(mcp_server_add_listen_values(server, "f0", NULL, NULL),
                   MCP_ERR_EXISTS);
  assert_int_equal(mcp_server_add_listen_filter(server, "f1", NULL),
                   MCP_ERR_EXISTS);
  assert_int_equal(mcp_server_add_listen_values(server, "f32", NULL, NULL),
                   MCP_ERR_LIMIT);
}
