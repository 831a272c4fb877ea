/* SPDX-License-Identifier: MIT */
/* Limits and costs of an endpoint that only many or long requests show. What
 * fits in a few lines is in tests/wire/http. */
#include "support/http_bench.h"

#include "endpoint/endpoint.h"
#include "endpoint/session_id.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- long messages ------------------------------------------------------ */

/* The request, with a megabyte of blanks after it. Owned. */
static char *with_blanks(const char *request) {
  enum { LEN = 1024 * 1024 };
  size_t len = strlen(request);
  char *whole = malloc(len + LEN + 1);
  memcpy(whole, request, len);
  memset(whole + len, ' ', LEN);
  whole[len + LEN] = '\0';
  return whole;
}

HTTP_TEST(initialize_may_be_as_long_as_any_message) {
  http_bench *b = *state;
  char *request = with_blanks(INITIALIZE("2025-06-18", "{}"));
  trip_send(&b->trips[0], &b->http, request);
  assert_memory_equal(b->trips[0].answer.bytes, "200", 3);
  assert_int_equal(mcp_server_connection_count(b->http.rig.server), 1);
  free(request);
}

HTTP_TEST(so_it_may_over_sse) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .wires = MCP_HTTP_SSE};
  http_bench *b = *state;
  char head[500];
  http_bench_restart(b, &options);
  trip_send(&b->trips[0], &b->http,
            "GET /sse\nHost: localhost\nAccept: text/event-stream\n\n");
  const char *where = strstr(b->trips[0].answer.bytes, "/messages?");
  assert_non_null(where);
  snprintf(head, sizeof(head), "POST %.*s\n" HTTP_JSON "\n%s",
           (int)strcspn(where, "\n"), where,
           strchr(INITIALIZE("2024-11-05", "{}"), '{'));
  char *request = with_blanks(head);
  trip_send(&b->trips[1], &b->http, request);
  came(&b->trips[1], "202");
  free(request);
}

/* A tool's answer of half a megabyte. */
static int on_much(mcp_call *call, void *userdata) {
  enum { LEN = 512 * 1024 };
  char *text = calloc(1, LEN + 1);
  memset(text, 'x', LEN);
  int rc = mcp_call_reply_text(call, text);
  free(text);
  return rc;
}

/* Posts a batch of `count` calls of it, on the first trip. */
static void post_much(http_bench *b, int count, const char *accept) {
  static const char call[] = LEGACY_CALL("%d", "much");
  char *request = malloc(1000 + (size_t)count * 100);
  size_t len = (size_t)sprintf(request,
                               "POST /mcp\nHost: localhost\n"
                               "Content-Type: application/json\nAccept: %s\n"
                               "Mcp-Session-Id: %s\n\n[",
                               accept, b->http.session_id);
  for (int i = 0; i < count; i++) {
    len += (size_t)sprintf(request + len, call, i);
    request[len++] = i + 1 < count ? ',' : ']';
  }
  request[len] = '\0';
  trip_deinit(&b->trips[0]);
  trip_send(&b->trips[0], &b->http, request);
  free(request);
}

HTTP_TEST(answers_to_a_batch_are_bounded) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .replay_bytes = 4 * 1024 * 1024};
  static const char stream[] = "200 text/event-stream\nid: 1-1\n";
  http_bench *b = *state;
  http_trip *trip = &b->trips[0];
  http_bench_restart(b, &options);
  http_bench_add_tool(b, "much", on_much, NULL);
  session_open(&b->http, INITIALIZE("2025-03-26", "{}"));
  post_much(b, 40, "application/json");
  came(trip, JSON("500", ERROR_ALONE("-32603",
                                     "the answers to the batch are longer than "
                                     "16777216 bytes: send less at once, or "
                                     "accept text/event-stream")));
  post_much(b, 30, "application/json");
  assert_memory_equal(trip->answer.bytes, "200 application/json\n[{", 23);
  post_much(b, 4, "application/json, text/event-stream");
  assert_memory_equal(trip->answer.bytes, stream, strlen(stream));
  assert_non_null(strstr(trip->answer.bytes, "\nid: 1-4\n"));
  assert_null(strstr(trip->answer.bytes, "\nid: 1-5\n"));
  b->http.http->waiting->max = 1024 * 1024; /* with all that waits elsewhere */
  post_much(b, 3, "application/json");
  came(trip, "ABORT");
  b->http.http->waiting->max = 4 * 1024 * 1024; /* half is for the others */
  post_much(b, 5, "application/json");
  came(trip, "ABORT");
  assert_int_equal(mcpi_quota_used(b->http.http->waiting), 0);
}

/* ---- many of them ------------------------------------------------------- */

HTTP_TEST(the_id_of_a_session_begins_with_its_thread) {
  static const struct {
    size_t home;
    char first;
  } rows[] = {{0, 'A'}, {1, 'B'}, {26, 'a'}, {52, '0'}, {63, '_'}};
  http_bench *b = *state;
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    b->http.http->home = rows[i].home;
    session_open(&b->http, INITIALIZE("2025-06-18", "{}"));
    assert_int_equal(strlen(b->http.session_id), MCPI_ENDPOINT_SESSION_ID_LEN);
    assert_int_equal(b->http.session_id[0], rows[i].first);
    assert_int_equal(mcpi_endpoint_session_home(b->http.session_id),
                     rows[i].home);
  }
  assert_int_equal(mcpi_endpoint_session_home(""), MCPI_HTTP1_MAX_HOMES);
  assert_int_equal(mcpi_endpoint_session_home("=A"), MCPI_HTTP1_MAX_HOMES);
}

HTTP_TEST(the_endpoint_knows_the_rates_of_so_many_clients) {
  const uint64_t seed[2] = {1, 2};
  mcpi_endpoint_rate rate;
  char key[16];
  mcpi_endpoint_rate_init(&rate, mcp_allocator_default(), seed);
  for (int i = 0; i < 10100; i++) {
    snprintf(key, sizeof(key), "k%d", i);
    assert_true(mcpi_endpoint_rate_admits(&rate, mcpi_str_z(key), 1, 5));
    assert_true(rate.buckets.count <= 10000);
  }
  assert_false(mcpi_endpoint_rate_admits(&rate, MCPI_STR("k10099"), 1, 5));
  assert_true(mcpi_endpoint_rate_admits(&rate, MCPI_STR("x"), 1, 1005));
  assert_int_equal(rate.buckets.count, 1);
  assert_true(
      mcpi_endpoint_rate_admits(&rate, MCPI_STR("big"), UINT32_MAX, 1005));
  assert_true(
      mcpi_endpoint_rate_admits(&rate, MCPI_STR("big"), UINT32_MAX, 1005));
  mcpi_endpoint_rate_deinit(&rate);
}

HTTP_TEST(a_client_pays_for_what_it_did_beyond_its_rate) {
  const uint64_t seed[2] = {1, 2};
  mcpi_endpoint_rate rate;
  mcpi_endpoint_rate_init(&rate, mcp_allocator_default(), seed);
  assert_true(mcpi_endpoint_rate_has_room(&rate, MCPI_STR("x"), 2, 5));
  for (int i = 0; i < 5; i++) {
    mcpi_endpoint_rate_count(&rate, MCPI_STR("x"), 2, 5);
    assert_int_equal(mcpi_endpoint_rate_has_room(&rate, MCPI_STR("x"), 2, 5),
                     i == 0);
  }
  assert_false(mcpi_endpoint_rate_has_room(&rate, MCPI_STR("x"), 2, 2004));
  assert_true(mcpi_endpoint_rate_has_room(&rate, MCPI_STR("y"), 2, 2004));
  assert_true(mcpi_endpoint_rate_admits(&rate, MCPI_STR("x"), 2, 2005));
  assert_false(mcpi_endpoint_rate_admits(&rate, MCPI_STR("x"), 2, 2005));
  mcpi_endpoint_rate_deinit(&rate);
}

static int on_step(mcp_call *call, void *userdata) {
  mcp_call_progress(call, 1, 2, NULL);
  return mcp_call_reply_text(call, "done");
}

static void add_annotated_tool(http_bench *b) {
  const mcp_tool tool = {
      .size = sizeof(mcp_tool),
      .name = "where",
      .input =
          MCP_SCHEMA_TEXT("{\"type\":\"object\",\"properties\":{\"region\":{"
                          "\"type\":\"string\",\"x-mcp-header\":\"Region\"}}}"),
      .handler = on_step};
  assert_int_equal(mcp_server_add_tool(b->http.rig.server, &tool, NULL), 0);
}

/* One request of each kind that a steady stream may have. */
static void send_each(http_bench *b) {
  static const char *const requests[] = {
      CALL("1", "hello"),
      MODERN("tools/call",
             "Mcp-Name: =?base64?aGVsbG8=?=\nOrigin: http://localhost\n",
             "{$J,'id':1,'method':'tools/call','params':{'name':'hello',"
             "$M{}}}"),
      CALL("1", "keep"),
      MODERN("tools/call",
             "Mcp-Name: where\nMcp-Param-Region: =?base64?w6Q=?=\n",
             "{$J,'id':1,'method':'tools/call','params':{'name':'where',"
             "'arguments':{'region':'\xc3\xa4'},$M{}}}"),
      MODERN("tools/call", "Mcp-Name: step\n",
             "{$J,'id':1,'method':'tools/call','params':{'name':'step',"
             "'_meta':{'io.modelcontextprotocol/protocolVersion':"
             "'" NEWEST_REVISION
             "','io.modelcontextprotocol/clientCapabilities':{},"
             "'progressToken':'t'}}}"),
      MODERN("tools/list", "",
             "{$J,'id':1,'method':'tools/list','params':{$M{}}}"),
  };
  for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
    http_trip *trip = &b->trips[0];
    trip->principal = "ann";
    trip_send(trip, &b->http, requests[i]);
    http_bench_answer(b);
    assert_true(trip->is_over);
    trip_deinit(trip);
  }
}

HTTP_TEST(a_steady_stream_of_requests_needs_no_memory) {
  http_bench *b = *state;
  http_bench_add_tool(b, "step", on_step, NULL);
  add_annotated_tool(b);
  for (int i = 0; i < 10; i++) {
    send_each(b);
  }
  size_t before = atomic_load(&b->alloc.calls);
  for (int i = 0; i < 100; i++) {
    send_each(b);
  }
  assert_int_equal(atomic_load(&b->alloc.calls) - before, 0);
}
