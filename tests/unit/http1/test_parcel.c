/* SPDX-License-Identifier: MIT */
/* Copies of requests and of parts of answers. */
#include "support/cm.h"
#include "support/failing_alloc.h"

#include "http1/parcel.h"
#include <string.h>

static mcp_http_header headers[] = {{"Host", "localhost"}, {"X", ""}};

static int copies_a_request(const mcp_allocator *allocator, void *userdata) {
  char body[] = "{}!";
  char method[] = "POST";
  const mcp_http_request head = {.size = sizeof(mcp_http_request),
                                 .method = method,
                                 .target = "/mcp?x",
                                 .headers = headers,
                                 .header_count = 2,
                                 .peer = "127.0.0.1:4711"};
  mcpi_http1_parcel *parcel = mcpi_http1_parcel_new(allocator, &head, body, 2);
  if (parcel == NULL) {
    return MCP_ERR_NOMEM;
  }
  memset(method, 'x', 4);
  memset(body, 'x', 3);
  assert_int_equal(parcel->head.size, sizeof(mcp_http_request));
  assert_string_equal(parcel->head.method, "POST");
  assert_string_equal(parcel->head.target, "/mcp?x");
  assert_string_equal(parcel->head.peer, "127.0.0.1:4711");
  assert_null(parcel->head.principal);
  assert_int_equal(parcel->head.header_count, 2);
  assert_string_equal(parcel->head.headers[0].name, "Host");
  assert_string_equal(parcel->head.headers[0].value, "localhost");
  assert_string_equal(parcel->head.headers[1].name, "X");
  assert_string_equal(parcel->head.headers[1].value, "");
  assert_int_equal(parcel->body_len, 2);
  assert_memory_equal(parcel->body, "{}", 2);
  mcpi_http1_parcel_free(parcel);
  return 0;
}

static int copies_headers_alone(const mcp_allocator *allocator,
                                void *userdata) {
  const mcp_http_request head = {.headers = headers, .header_count = 1};
  mcpi_http1_parcel *parcel = mcpi_http1_parcel_new(allocator, &head, NULL, 0);
  if (parcel == NULL) {
    return MCP_ERR_NOMEM;
  }
  assert_null(parcel->head.method);
  assert_string_equal(parcel->head.headers[0].name, "Host");
  assert_null(parcel->body);
  mcpi_http1_parcel_free(parcel);
  return 0;
}

static int copies_a_body_alone(const mcp_allocator *allocator, void *userdata) {
  mcpi_http1_parcel *parcel = mcpi_http1_parcel_new(allocator, NULL, "", 0);
  if (parcel == NULL) {
    return MCP_ERR_NOMEM;
  }
  assert_int_equal(parcel->head.header_count, 0);
  assert_non_null(parcel->body); /* it is there, and empty */
  assert_int_equal(parcel->body_len, 0);
  mcpi_http1_parcel_free(parcel);
  return 0;
}

TEST(headers_are_overwritten_before_they_are_freed) {
  static mcp_http_header secret[] = {{"Authorization", "Bearer hidden"}};
  const mcp_http_request head = {.headers = secret, .header_count = 1};
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  alloc.secret = "hidden";
  mcpi_http1_parcel *parcel =
      mcpi_http1_parcel_new(&alloc.allocator, &head, "body", 4);
  mcpi_http1_parcel_free(parcel);
  assert_int_equal(alloc.live_blocks, 0);
  assert_int_equal(alloc.left_secrets, 0);
}

TEST(each_is_one_block) {
  assert_int_equal(failing_alloc_rerun(copies_a_request, NULL), 1);
  assert_int_equal(failing_alloc_rerun(copies_headers_alone, NULL), 1);
  assert_int_equal(failing_alloc_rerun(copies_a_body_alone, NULL), 1);
  mcpi_http1_parcel_free(NULL);
}
