/* SPDX-License-Identifier: MIT */
/* A fixture: an HTTP endpoint with a server that has some tools, and requests
 * to it, on an allocator that counts. */
#ifndef MCP_TESTS_HTTP_BENCH_H
#define MCP_TESTS_HTTP_BENCH_H

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"

typedef struct http_bench {
  failing_alloc alloc; /* of both */
  http_rig http;
  http_trip trips[4]; /* for the test's use */
  mcp_call *kept[8];  /* by the tool "keep" */
  int kept_count;
  int cancelled; /* calls of "keep" */
} http_bench;

/* For cmocka: *state is the bench. It fails when a block is left. The tools
 * are "hello", "keep", which defers, and "tell", which logs before it
 * answers. */
int http_bench_set_up(void **state);
int http_bench_tear_down(void **state);
#define HTTP_TEST(name) TEST_WITH(name, http_bench_set_up, http_bench_tear_down)
/* Begins anew, with these options. */
void http_bench_restart(http_bench *b, const mcp_http_options *options);
void http_bench_add_tool(http_bench *b, const char *name, mcp_call_cb handler,
                         void *userdata);
/* Answers the calls that are kept with "kept". */
void http_bench_answer(http_bench *b);
void http_bench_free_server(http_bench *b);
void http_bench_free_endpoint(http_bench *b);

#endif
