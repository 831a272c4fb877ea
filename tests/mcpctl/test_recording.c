/* SPDX-License-Identifier: MIT */
#include "common/envelope.h"
#include "record/recording.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

#define FIRST "{\"mcpctl\":\"0\",\"format\":1}\n"
#define CLIENT(message) "{\"from\":\"client\",\"message\":" message "}\n"
#define SERVER(message) "{\"from\":\"server\",\"message\":" message "}\n"

/* In a block of its own size, so that a read past the end is seen. */
static int read_text(ctl_recording *out, const char *text, mcp_error *err) {
  size_t len = strlen(text);
  char *copy = malloc(len > 0 ? len : 1);
  memcpy(copy, text, len);
  int rc = ctl_recording_parse(out, copy, len, err);
  free(copy);
  return rc;
}

static void expect_error(const char *text, int code, const char *message) {
  ctl_recording recording;
  mcp_error err = {0};
  assert_int_equal(read_text(&recording, text, &err), code);
  assert_int_equal(err.code, code);
  assert_memory_equal(err.message, message, strlen(message));
  ctl_recording_deinit(&recording);
}

TEST(other_files_are_refused) {
  expect_error("", MCP_ERR_INVALID, "line 1: this is not a recording");
  expect_error("\n\n", MCP_ERR_INVALID, "line 1: this is not a recording");
  expect_error("[]", MCP_ERR_INVALID, "line 1: this is not a recording");
  expect_error("{\n  \"tools\": []\n}\n", MCP_ERR_INVALID,
               "line 1: this is not a recording");
  expect_error("{\"mcpctl\":\"9\",\"format\":2}", MCP_ERR_UNSUPPORTED,
               "line 1: the format 2");
  expect_error(FIRST "{\"from\":\"server\"}\n{}", MCP_ERR_INVALID,
               "line 3: \"from\" is not");
  expect_error(FIRST "\n{\"from\":}", MCP_ERR_PARSE, "line 3, column 9: ");
}

TEST(messages_find_what_they_belong_to) {
  ctl_recording recording;
  mcp_error err = {0};
  int rc = read_text(
      &recording,
      FIRST SERVER("{\"method\":\"early\"}") CLIENT(
          "{\"id\":1,\"method\":\"a\","
          "\"params\":{\"_meta\":{\"progressToken\":\"t\"}}}")
          CLIENT("{\"id\":2,\"method\":\"b\"}") SERVER(
              "{\"method\":\"notifications/progress\","
              "\"params\":{\"progressToken\":\"t\"}}")
              SERVER("{\"id\":1,\"method\":\"ask\"}") "{\"from\":\"server\","
                                                      "\"junk\":\"x\"}"
                                                      "\n" CLIENT(
                                                          "[{\"id\":1,"
                                                          "\"result\":{}},{"
                                                          "\"method\":"
                                                          "\"notifications/"
                                                          "cancelled\","
                                                          "\"params\":{"
                                                          "\"requestId\":2}}]")
                                                          SERVER("{\"id\":1,"
                                                                 "\"error\":{}"
                                                                 "}")
                                                              SERVER(
                                                                  "{\"id\":9,"
                                                                  "\"result\":{"
                                                                  "}}"),
      &err);
  assert_int_equal(rc, 0);
  assert_int_equal(recording.count, 9);
  const ctl_entry *entries = recording.entries;
  assert_int_equal(entries[0].cause, CTL_NO_ENTRY);
  assert_int_equal(entries[1].partner, 7);
  assert_int_equal(entries[2].partner, CTL_NO_ENTRY);
  assert_true(entries[2].is_cancelled);
  assert_false(entries[1].is_cancelled);
  assert_int_equal(entries[3].cause, 1);
  assert_int_equal(entries[4].cause, 2);
  assert_int_equal(entries[4].partner, 5);
  assert_int_equal(entries[5].partner, 4);
  assert_int_equal(entries[6].line, 8);
  assert_int_equal(entries[7].partner, 1);
  assert_int_equal(entries[8].partner, CTL_NO_ENTRY);
  ctl_recording_deinit(&recording);
}

static int is_same(const char *a, const char *b) {
  mcp_doc *first = mcp_doc_parse(a, strlen(a), NULL, NULL, NULL);
  mcp_doc *second = mcp_doc_parse(b, strlen(b), NULL, NULL, NULL);
  int same = ctl_recording_is_same(mcp_doc_root(first), mcp_doc_root(second));
  mcp_doc_free(first);
  mcp_doc_free(second);
  return same;
}

TEST(ids_and_meta_do_not_count) {
  assert_true(is_same("{\"id\":1,\"method\":\"a\"}",
                      "{\"id\":2,\"method\":\"a\",\"params\":{}}"));
  assert_true(is_same("{\"method\":\"a\",\"params\":{\"x\":1,\"y\":2}}",
                      "{\"method\":\"a\",\"params\":{\"y\":2.0,\"_meta\":{},"
                      "\"x\":1}}"));
  assert_false(is_same("{\"method\":\"a\"}", "{\"method\":\"b\"}"));
  assert_false(is_same("{\"method\":\"a\",\"params\":{\"x\":1}}",
                       "{\"method\":\"a\",\"params\":{\"x\":2}}"));
  assert_false(is_same("{\"method\":\"a\",\"params\":{\"x\":1}}",
                       "{\"method\":\"a\",\"params\":{\"x\":1,\"y\":1}}"));
  assert_false(is_same("{\"method\":\"a\",\"params\":{\"x\":1}}",
                       "{\"method\":\"a\",\"params\":{\"y\":1}}"));
}

TEST(a_message_is_written_with_one_other_member) {
  static const char text[] =
      "{\"a\":{\"b\":1,\"c\":{\"b\":[2]}},\"b\":null,\"x\":1e400}";
  static const char *const path[] = {"a", "c", "b", NULL};
  static const char *const none[] = {NULL};
  mcp_doc *doc = mcp_doc_parse(text, sizeof(text) - 1, NULL, NULL, NULL);
  const mcp_json *value = mcp_json_pointer(mcp_doc_root(doc), "/a/b");
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  ctl_envelope_put(out, mcp_doc_root(doc), path, value);
  assert_string_equal(mcp_builder_text(out, NULL),
                      "{\"a\":{\"b\":1,\"c\":{\"b\":1}},\"b\":null,"
                      "\"x\":1e400}");
  mcp_builder_clear(out);
  ctl_envelope_put(out, mcp_doc_root(doc), none, NULL);
  assert_string_equal(mcp_builder_text(out, NULL), text);
  mcp_builder_free(out);
  mcp_doc_free(doc);
}
