/* SPDX-License-Identifier: MIT */
/* What a transport learns about a message that it is to send. */
#include "core/outgoing.h"
#include "support/cm.h"
#include "support/failing_alloc.h"

#include <stdio.h>
#include <string.h>

static const char call[] =
    "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0001\",\"method\":\"tools/call\","
    "\"params\":{\"name\":\"a\\u0000b\",\"arguments\":{\"x\":1},\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}";

static mcpi_outgoing outgoing;
static failing_alloc alloc; /* fails only where a test says so */

static const mcp_send_info *read_text(const char *text,
                                      const mcp_send_info *info) {
  assert_int_equal(
      mcpi_outgoing_init(&outgoing, &alloc.allocator, text, strlen(text), info),
      0);
  return &outgoing.info;
}

TEST(a_sender_that_says_nothing_has_its_message_parsed) {
  const mcp_send_info *info = read_text(call, NULL);
  assert_int_equal(info->size, sizeof(*info));
  assert_int_equal(info->kind, MCP_MESSAGE_REQUEST);
  assert_string_equal(info->method, "tools/call");
  assert_int_equal(info->id_len, strlen("\"a\\u0001\""));
  assert_memory_equal(info->id, "\"a\\u0001\"", info->id_len);
  assert_string_equal(info->revision, "2026-07-28");
  assert_int_equal(info->name_len, 3);
  assert_memory_equal(info->name, "a\0b", 3);
  assert_int_equal(mcp_json_int(mcp_json_get(info->arguments, "x")), 1);
  assert_int_equal(info->cancels, 0);
  mcpi_outgoing_deinit(&outgoing);
}

static void expect_kind(const char *text, uint32_t kind) {
  assert_int_equal(read_text(text, NULL)->kind, kind);
  mcpi_outgoing_deinit(&outgoing);
}

TEST(each_kind_is_told_apart) {
  expect_kind("{\"id\":1,\"method\":\"m\"}", MCP_MESSAGE_REQUEST);
  expect_kind("{\"method\":\"m\"}", MCP_MESSAGE_NOTIFICATION);
  expect_kind("{\"id\":1,\"result\":{}}", MCP_MESSAGE_RESULT);
  expect_kind("{\"id\":1,\"error\":{}}", MCP_MESSAGE_ERROR);
  expect_kind("{}", MCP_MESSAGE_UNKNOWN);
  expect_kind("[{\"method\":\"m\"}]", MCP_MESSAGE_UNKNOWN);
}

TEST(a_cancellation_names_its_request) {
  static const char form[] = "{\"method\":\"notifications/cancelled\","
                             "\"params\":{\"requestId\":%s}}";
  static const struct {
    const char *id;
    uint64_t cancels;
  } cases[] = {{"7", 7}, {"0", 0}, {"-1", 0}, {"\"7\"", 0}, {"7.5", 0}};
  char text[128];
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    snprintf(text, sizeof(text), form, cases[i].id);
    assert_int_equal(read_text(text, NULL)->cancels, cases[i].cancels);
    mcpi_outgoing_deinit(&outgoing);
  }
}

/* The first layout ended with is_final. */
TEST(a_shorter_layout_is_accepted) {
  mcp_send_info known = {.size = offsetof(mcp_send_info, kind),
                         .request = 5,
                         .is_final = 1,
                         .kind = MCP_MESSAGE_ERROR};
  const mcp_send_info *info = read_text(call, &known);
  assert_int_equal(info->request, 5);
  assert_int_equal(info->is_final, 1);
  assert_int_equal(info->kind, MCP_MESSAGE_REQUEST);
  mcpi_outgoing_deinit(&outgoing);
}

TEST(a_sender_is_believed) {
  const mcp_send_info known = {.size = sizeof(known),
                               .kind = MCP_MESSAGE_NOTIFICATION,
                               .method = "notifications/x"};
  const mcp_json *params = NULL;
  const mcp_send_info *info = read_text(call, &known);
  assert_string_equal(info->method, "notifications/x");
  assert_null(info->id);
  assert_null(outgoing.doc);
  assert_int_equal(mcpi_outgoing_params(&outgoing, &params), 0);
  assert_non_null(mcp_json_get(params, "arguments"));
  mcpi_outgoing_deinit(&outgoing);
}

TEST(bytes_that_are_not_json_are_refused) {
  assert_int_equal(
      mcpi_outgoing_init(&outgoing, &alloc.allocator, "{", 1, NULL),
      MCP_ERR_PARSE);
  mcpi_outgoing_deinit(&outgoing);
}

static int read_call(const mcp_allocator *allocator, void *userdata) {
  mcpi_outgoing read;
  int rc = mcpi_outgoing_init(&read, allocator, call, strlen(call), NULL);
  mcpi_outgoing_deinit(&read);
  return rc;
}

TEST(it_survives_without_memory) {
  assert_true(failing_alloc_rerun(read_call, NULL) >= 2);
}

static int no_block_is_left(void **state) {
  return alloc.live_blocks == 0 ? 0 : -1;
}

int main(void) {
  failing_alloc_init(&alloc);
  return tests_run(NULL, no_block_is_left);
}
