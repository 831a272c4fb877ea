/* SPDX-License-Identifier: MIT */
/* Arguments that a transcript cannot write, results as a program reads them,
 * and memory. tests/wire/client has how requests go. */
#include "unit/client/kit.h"

#define TEXT "{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"

static mcp_error why;

static void expect_error(int rc, int code, const char *message) {
  assert_int_equal(rc, code);
  assert_int_equal(why.code, code);
  assert_string_equal(why.message, message);
}

KIT_TEST(a_request_that_does_not_start_says_why) {
  kit *k = *state;
  const mcp_request_options none = {.size = 0};
  expect_error(mcp_client_ping(k->client, NULL, NULL, NULL, &why),
               MCP_ERR_CLOSED, "not connected");
  connect_modern(k);
  mcp_client *c = k->client;
  expect_error(mcp_client_call_tool(c, "ab\xff", NULL, NULL, NULL, NULL, &why),
               MCP_ERR_INVALID, "name: not UTF-8 at byte 2: \"ab?\"");
  assert_int_equal(
      mcp_client_call_tool(c, "a", "{\"x\":}", NULL, NULL, NULL, &why),
      MCP_ERR_INVALID);
  assert_int_equal(why.offset, 5);
  expect_error(mcp_client_subscribe(c, "", NULL, NULL, NULL, &why),
               MCP_ERR_INVALID, "uri: empty");
  expect_error(mcp_client_ping(c, &none, NULL, NULL, &why), MCP_ERR_INVALID,
               "mcp_request_options has no size: set its member size to "
               "sizeof(mcp_request_options)");
  expect_error(mcp_client_listen(c, NULL, NULL, NULL, NULL, NULL, &why),
               MCP_ERR_INVALID, "mcp_listen_filter is NULL");
  expect_nothing(k);
  assert_int_equal(mcp_client_ping(c, NULL, NULL, NULL, &why), 0);
  assert_int_equal(why.code, 0);
}

KIT_TEST(wrong_listens_are_refused) {
  kit *k = *state;
  const char *const uris[] = {"\xff", NULL};
  mcp_listen_filter filter = {.size = 0};
  connect_modern(k);
  assert_int_equal(
      mcp_client_listen(k->client, NULL, NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  assert_int_equal(
      mcp_client_listen(k->client, &filter, NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  filter = (mcp_listen_filter){.size = sizeof(mcp_listen_filter), .uris = uris};
  assert_int_equal(
      mcp_client_listen(k->client, &filter, NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  filter =
      (mcp_listen_filter){.size = sizeof(mcp_listen_filter), .more = "\"x\""};
  assert_int_equal(
      mcp_client_listen(k->client, &filter, NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  expect_nothing(k);
  assert_int_equal(mcp_loop_next_deadline(k->loop), INT64_MAX);
}

/* --- results ------------------------------------------------------------ */

static void look_at_result(mcp_client *client, const mcp_outcome *outcome,
                           void *userdata) {
  kit *k = userdata;
  assert_int_equal(outcome->status, 0);
  k->kept = mcp_result_ref(outcome->result);
}

static mcp_result *call_and_keep(kit *k, const char *answer) {
  assert_int_equal(
      mcp_client_call_tool(k->client, "t", NULL, NULL, look_at_result, k, NULL),
      0);
  turn(k);
  k->got[0] = '\0';
  say(k, answer);
  assert_non_null(k->kept);
  return k->kept;
}

KIT_TEST(a_result_can_be_kept) {
  kit *k = *state;
  connect_modern(k);
  mcp_result *r = call_and_keep(
      k, RESULT("2", "{\"content\":[{\"type\":\"image\",\"data\":\"\"},"
                     "{\"type\":\"text\",\"text\":\"hi\"}],"
                     "\"structuredContent\":null,\"isError\":true}"));
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(mcp_result_count(r), 2);
  assert_string_equal(mcp_result_text(r), "hi");
  assert_int_equal(mcp_json_type(mcp_result_structured(r)), MCP_JSON_NULL);
  assert_int_equal(mcp_result_is_failure(r), 1);
  assert_string_equal(
      mcp_json_string(mcp_json_get(mcp_result_item(r, 0), "type")), "image");
  assert_null(mcp_result_item(r, 2));
  mcp_result_unref(mcp_result_ref(r));
}

/* Nor is the text after it taken for the first. */
KIT_TEST(a_text_with_nul_is_given_with_its_length_alone) {
  kit *k = *state;
  size_t len;
  connect_modern(k);
  mcp_result *r = call_and_keep(
      k, RESULT("2", "{\"content\":[{\"type\":\"text\",\"text\":\"a\\u0000b\"},"
                     "{\"type\":\"text\",\"text\":\"hi\"}]}"));
  assert_null(mcp_result_text(r));
  assert_memory_equal(mcp_result_text_n(r, &len), "a\0b", 4);
  assert_int_equal(len, 3);
  assert_null(mcp_result_text_n(NULL, &len));
  assert_int_equal(len, 0);
}

static void expect_bytes(kit *k, const char *id, const char *contents,
                         const char *bytes, size_t len) {
  char answer[500];
  size_t got = 99;
  snprintf(answer, sizeof(answer), RESULT("%s", "{\"contents\":[%s]}"), id,
           contents);
  mcp_result_unref(k->kept);
  k->kept = NULL;
  assert_int_equal(
      mcp_client_read_resource(k->client, "a:b", NULL, look_at_result, k, NULL),
      0);
  turn(k);
  k->got[0] = '\0';
  say(k, answer);
  const void *found = mcp_result_bytes(k->kept, &got);
  assert_int_equal(found != NULL, bytes != NULL);
  assert_int_equal(got, len);
  if (bytes != NULL) {
    assert_memory_equal(found, bytes, len + 1);
    assert_ptr_equal(mcp_result_bytes(k->kept, NULL), found);
  }
}

KIT_TEST(a_result_has_the_bytes_of_a_text_or_a_blob) {
  kit *k = *state;
  connect_legacy(k, "2025-11-25");
  expect_bytes(k, "2", "{\"text\":\"hi\"}", "hi", 2);
  expect_bytes(k, "3", "{\"text\":\"a\\u0000b\"}", "a\0b", 3);
  expect_bytes(k, "4", "{\"blob\":\"AP8K\"}", "\0\xff\n", 3);
  expect_bytes(k, "5", "{\"blob\":\"\"}", "", 0);
  expect_bytes(k, "6", "{},{\"blob\":\"aGk=\"}", "hi", 2);
  expect_bytes(k, "7", "{\"blob\":\"aGk\"}", NULL, 0);
  expect_bytes(k, "8", "{\"blob\":7}", NULL, 0);
  expect_bytes(k, "9", "", NULL, 0);
  assert_null(mcp_result_bytes(NULL, NULL));
}

KIT_COUNTED_TEST(bytes_that_find_no_memory_can_be_asked_for_again) {
  kit *k = *state;
  size_t len;
  connect_legacy(k, "2025-11-25");
  expect_bytes(k, "2", "{\"blob\":7}", NULL, 0);
  mcp_result_unref(k->kept);
  mcp_client_read_resource(k->client, "a:b", NULL, look_at_result, k, NULL);
  turn(k);
  say(k, RESULT("3", "{\"contents\":[{\"blob\":\"aGk=\"}]}"));
  kit_alloc.fail_at = kit_alloc.calls + 1;
  assert_null(mcp_result_bytes(k->kept, &len));
  assert_int_equal(len, 0);
  assert_string_equal(mcp_result_bytes(k->kept, &len), "hi");
  assert_int_equal(len, 2);
}

TEST(a_null_result_is_empty) {
  assert_null(mcp_result_ref(NULL));
  mcp_result_unref(NULL);
  assert_null(mcp_result_json(NULL));
  assert_null(mcp_result_text(NULL));
  assert_null(mcp_result_structured(NULL));
  assert_int_equal(mcp_result_count(NULL), 0);
  assert_int_equal(mcp_result_is_failure(NULL), 0);
}

KIT_TEST(the_text_of_a_prompt_is_that_of_its_messages) {
  kit *k = *state;
  connect_legacy(k, "2024-11-05");
  assert_int_equal(mcp_client_get_prompt(k->client, "p", NULL, NULL,
                                         look_at_result, k, NULL),
                   0);
  turn(k);
  say(k, RESULT("2", "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
                     "\"text\",\"text\":\"say\"}}]}"));
  assert_string_equal(mcp_result_text(k->kept), "say");
  assert_int_equal(mcp_result_count(k->kept), 1);
}

static const char *name_at(const mcp_result *result, size_t index) {
  return mcp_json_string(mcp_json_get(mcp_result_item(result, index), "name"));
}

KIT_TEST(a_list_has_the_entries_of_all_its_pages) {
  kit *k = *state;
  connect_modern(k);
  assert_int_equal(
      mcp_client_list_tools(k->client, NULL, look_at_result, k, NULL), 0);
  turn(k);
  say(k, RESULT("2", "{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}],"
                     "\"nextCursor\":\"one\"}"));
  say(k, RESULT("3", "{\"tools\":[],\"nextCursor\":\"\"}"));
  say(k, RESULT("4", "{\"tools\":[{\"name\":\"c\"}],\"x\":9}"));
  assert_int_equal(mcp_result_count(k->kept), 3);
  assert_string_equal(name_at(k->kept, 0), "a");
  assert_string_equal(name_at(k->kept, 1), "b");
  assert_string_equal(name_at(k->kept, 2), "c");
  assert_null(name_at(k->kept, 3));
  assert_int_equal(mcp_json_int(mcp_json_get(mcp_result_json(k->kept), "x")),
                   9);
}

/* --- memory ------------------------------------------------------------- */

KIT_COUNTED_TEST(a_steady_stream_of_calls_allocates_nothing) {
  kit *k = *state;
  ending *e = new_ending(k);
  char text[256];
  connect_modern(k);
  size_t before = 0;
  for (int i = 2; i < 200; i++) {
    if (i == 20) {
      before = kit_alloc.calls;
    }
    assert_int_equal(mcp_client_call_tool(k->client, "add",
                                          " {\"a\": 1,\n\"b\":[2.50]} ", NULL,
                                          on_done, e, NULL),
                     0);
    turn(k);
    k->got[0] = '\0';
    snprintf(text, sizeof(text), RESULT("%d", TEXT), i);
    say(k, text);
    assert_int_equal(e->count, i - 1);
  }
  assert_int_equal(kit_alloc.calls, before);
}
