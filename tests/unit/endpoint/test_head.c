/* SPDX-License-Identifier: MIT */
#include "endpoint/head.h"

#include "support/cm.h"

static mcpi_endpoint_accept_line last;

static mcpi_endpoint_head read_all(const mcp_http_header *headers,
                                   size_t count) {
  const mcp_http_request request = {.size = sizeof(mcp_http_request),
                                    .method = "POST",
                                    .target = "/mcp",
                                    .headers = headers,
                                    .header_count = count};
  mcpi_endpoint_head head;
  mcpi_endpoint_read_head(&request, &head, &last);
  return head;
}

#define READ(...)                                                              \
  read_all((const mcp_http_header[]){__VA_ARGS__},                             \
           sizeof((const mcp_http_header[]){__VA_ARGS__}) /                    \
               sizeof(mcp_http_header))

static int setup(void **state) {
  last = (mcpi_endpoint_accept_line){0};
  return 0;
}

#define FIXTURE_TEST(name) TEST_WITH(name, setup, NULL)

/* --- names --------------------------------------------------------------- */

FIXTURE_TEST(each_header_is_found_in_any_case) {
  mcpi_endpoint_head head = READ(
      {"host", "h"}, {"ORIGIN", "o"}, {"mcp-name", "n"}, {"Mcp-Method", "m"},
      {"content-TYPE", "t"}, {"last-event-id", "l"}, {"MCP-SESSION-ID", "s"},
      {"Content-Encoding", "e"}, {"mcp-protocol-version", "v"});
  assert_string_equal(head.host, "h");
  assert_string_equal(head.origin, "o");
  assert_string_equal(head.mcp_name, "n");
  assert_string_equal(head.mcp_method, "m");
  assert_string_equal(head.content_type, "t");
  assert_string_equal(head.last_event_id, "l");
  assert_string_equal(head.session_id, "s");
  assert_string_equal(head.content_encoding, "e");
  assert_string_equal(head.protocol_version, "v");
  assert_null(head.repeated);
}

FIXTURE_TEST(a_header_without_a_name_is_not_host) {
  mcpi_endpoint_head head = READ({"", "evil.example"});
  assert_null(head.host);
  head = READ({"Host", "good.example"}, {"", "evil.example"});
  assert_string_equal(head.host, "good.example");
  assert_null(head.repeated);
  assert_false(head.is_ambiguous);
}

FIXTURE_TEST(other_headers_are_not_taken_for_known_ones) {
  mcpi_endpoint_head head =
      READ({"Hose", "a"}, {"X", "b"}, {"Hosts", "c"},
           {"X-Of-As-Many-Letters", "d"}, {"MCP-Protocol-Version2", "e"});
  assert_null(head.host);
  assert_null(head.protocol_version);
  assert_null(head.repeated);
}

/* --- headers that come twice --------------------------------------------- */

FIXTURE_TEST(a_second_line_is_named_and_ambiguous) {
  mcpi_endpoint_head head = READ({"Host", "a"}, {"HOST", "a"});
  assert_string_equal(head.repeated, "HOST");
  assert_true(head.is_ambiguous);
}

FIXTURE_TEST(a_second_mirror_is_named_alone) {
  mcpi_endpoint_head head = READ({"Mcp-Method", "a"}, {"Mcp-Method", "b"});
  assert_string_equal(head.repeated, "Mcp-Method");
  assert_false(head.is_ambiguous);
}

/* --- Accept -------------------------------------------------------------- */

FIXTURE_TEST(without_accept_every_type_is_welcome) {
  mcpi_endpoint_head head = READ({"Host", "a"});
  assert_true(head.accepts.json);
  assert_true(head.accepts.events);
  assert_false(head.accepts.names_events);
}

FIXTURE_TEST(lines_of_accept_are_read_together) {
  mcpi_endpoint_head head =
      READ({"Accept", "application/json"}, {"accept", "text/event-stream"});
  assert_true(head.accepts.json);
  assert_true(head.accepts.names_events);
  assert_null(head.repeated);
}

FIXTURE_TEST(the_last_line_of_accept_is_remembered_by_its_text) {
  for (int round = 0; round < 2; round++) {
    mcpi_endpoint_head head = READ({"Accept", "application/json"});
    assert_true(head.accepts.json);
    assert_false(head.accepts.events);
    head = READ({"Accept", "text/event-stream"});
    assert_false(head.accepts.json);
    assert_true(head.accepts.events);
    head = READ({"Accept", "text/event-stream"});
    assert_false(head.accepts.json);
    assert_true(head.accepts.events);
  }
}
