/* SPDX-License-Identifier: MIT */
/* A fixture: a server, and one client that is connected to it, on an allocator
 * that counts. */
#ifndef MCP_TESTS_SERVER_BENCH_H
#define MCP_TESTS_SERVER_BENCH_H

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/messages.h"
#include "support/server_rig.h"

typedef struct server_bench {
  failing_alloc alloc; /* of both */
  server_rig rig;
  rig_wire wire;
  mcp_call *kept[8]; /* by server_bench_keep; the test replies or drops them */
  int kept_count;
  uint32_t dialect; /* of the wire, from the next restart on */
  int is_elsewhere; /* the test plays another thread than the loop's */
  /* What is done to the platform at the next restart; NULL: nothing. */
  void (*change_platform)(mcp_platform *platform);
} server_bench;

/* For cmocka: *state is the bench. It fails when a block is left. */
int server_bench_set_up(void **state);
int server_bench_tear_down(void **state);
#define BENCH_TEST(name)                                                       \
  TEST_WITH(name, server_bench_set_up, server_bench_tear_down)
/* Begins anew, with these options. */
void server_bench_restart(server_bench *b, const mcp_server_options *options);
/* Adds a tool with that handler, whose userdata is the bench. */
void server_bench_add_tool(server_bench *b, const char *name,
                           mcp_call_cb handler);
/* A handler that defers. */
int server_bench_keep(mcp_call *call, void *userdata);

#endif
