/* SPDX-License-Identifier: MIT */
/* Requests that an endpoint keeps while their tokens are checked. That they are
 * counted and go on is in test_protect.c. */
#include "endpoint/kept.h"

#include "endpoint/endpoint.h"
#include "support/http_bench.h"
#include <string.h>

static const mcp_http_header headers[] = {{"Host", "localhost"},
                                          {"Mcp-Name", "a"},
                                          {"Empty", ""},
                                          {"Accept", "application/json"}};

/* An exchange as it is while a check waits. */
static void begin(const http_bench *b, mcp_http_exchange *exchange,
                  mcpi_endpoint_pass *pass, mcp_http_request *request) {
  *request = (mcp_http_request){.size = sizeof(mcp_http_request),
                                .method = "POST",
                                .target = "/mcp?x",
                                .headers = headers,
                                .header_count = 4,
                                .peer = "192.0.2.1:1"};
  *pass = (mcpi_endpoint_pass){.exchange = exchange};
  *exchange = (mcp_http_exchange){
      .http = b->http.http, .request = request, .pass = pass};
  mcpi_endpoint_read_head(request, &exchange->head, &b->http.http->last_accept);
}

HTTP_TEST(a_copy_has_all_of_the_request) {
  http_bench *b = *state;
  mcp_http_exchange exchange;
  mcpi_endpoint_pass pass;
  mcp_http_request request;
  char body[] = "hello";
  begin(b, &exchange, &pass, &request);
  assert_int_equal(mcpi_endpoint_keep_request(&exchange, body, 5), 0);
  memset(body, 0, sizeof(body));
  memset(&request, 0, sizeof(request));
  const mcpi_endpoint_kept *kept = pass.kept;
  const mcp_http_request *copy = exchange.request;
  assert_ptr_equal(copy, &kept->request);
  assert_string_equal(copy->method, "POST");
  assert_string_equal(copy->target, "/mcp?x");
  assert_string_equal(copy->peer, "192.0.2.1:1");
  assert_null(copy->principal);
  assert_int_equal(copy->header_count, 4);
  assert_ptr_not_equal(copy->headers, headers);
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(copy->headers[i].name, headers[i].name);
    assert_string_equal(copy->headers[i].value, headers[i].value);
  }
  assert_ptr_equal(exchange.head.mcp_name, copy->headers[1].value);
  assert_true(exchange.head.accepts.json && !exchange.head.accepts.events);
  assert_int_equal(kept->body_len, 5);
  assert_memory_equal(kept->body, "hello", 5);
  assert_int_equal(mcpi_quota_used(b->http.http->waiting), kept->size);
  mcpi_endpoint_kept_free(pass.kept);
  assert_int_equal(mcpi_quota_used(b->http.http->waiting), 0);
  mcpi_endpoint_kept_free(NULL);
}

HTTP_TEST(a_request_without_a_body_is_kept) {
  http_bench *b = *state;
  mcp_http_exchange exchange;
  mcpi_endpoint_pass pass;
  mcp_http_request request;
  begin(b, &exchange, &pass, &request);
  request.principal = "anna";
  request.header_count = 0;
  assert_int_equal(mcpi_endpoint_keep_request(&exchange, NULL, 0), 0);
  assert_int_equal(pass.kept->body_len, 0);
  assert_string_equal(exchange.request->principal, "anna");
  mcpi_endpoint_kept_free(pass.kept);
}

HTTP_TEST(without_room_nothing_changes) {
  http_bench *b = *state;
  mcp_http_exchange exchange;
  mcpi_endpoint_pass pass;
  mcp_http_request request;
  begin(b, &exchange, &pass, &request);
  b->http.http->waiting->max = 100;
  assert_int_equal(mcpi_endpoint_keep_request(&exchange, "x", 1),
                   MCP_ERR_LIMIT);
  atomic_store(&b->alloc.fail_at, atomic_load(&b->alloc.calls) + 1);
  assert_int_equal(mcpi_endpoint_keep_request(&exchange, "x", 1),
                   MCP_ERR_NOMEM);
  atomic_store(&b->alloc.fail_at, 0);
  assert_ptr_equal(exchange.request, &request);
  assert_null(pass.kept);
  assert_int_equal(mcpi_quota_used(b->http.http->waiting), 0);
}
