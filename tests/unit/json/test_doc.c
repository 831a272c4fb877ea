/* SPDX-License-Identifier: MIT */
#include "json/json.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"

static int parse(const char *text, const mcp_json_limits *limits,
                 mcp_error *err) {
  mcp_error why = {0};
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), limits, NULL, &why);
  assert_true((why.code == 0) == (doc != NULL));
  mcp_doc_free(doc);
  if (err != NULL) {
    *err = why;
  }
  return why.code;
}

TEST(a_document_owns_its_values) {
  char *text = guarded_copy("{\"a\":[1,\"x\"]}", 13);
  mcp_doc *doc = mcp_doc_parse(text, 13, NULL, NULL, NULL);
  assert_non_null(doc);
  guarded_free(text, 13);
  const mcp_json *array = mcp_json_get(mcp_doc_root(doc), "a");
  assert_int_equal(mcp_json_int(mcp_json_at(array, 0)), 1);
  assert_string_equal(mcp_json_string(mcp_json_at(array, 1)), "x");
  mcp_doc_free(doc);
}

TEST(null_is_no_document) {
  mcp_error err;
  mcp_doc_free(NULL);
  assert_null(mcp_doc_root(NULL));
  assert_null(mcp_doc_parse(NULL, 1, NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "the text is NULL");
  assert_null(mcp_doc_parse(NULL, 0, NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_PARSE);
  assert_string_equal(err.message, "the text is empty");
  assert_null(mcp_doc_parse("[", 1, NULL, NULL, NULL));
}

TEST(errors_tell_the_place) {
  mcp_error err;
  assert_int_equal(parse("[1,\"\\q\"]", NULL, &err), MCP_ERR_PARSE);
  assert_int_equal(err.code, MCP_ERR_PARSE);
  assert_int_equal(err.offset, 5);
  assert_int_equal(parse("[1,", NULL, NULL), MCP_ERR_PARSE);
}

static void expect_fault(const char *text, const char *message) {
  mcp_error err;
  assert_null(mcp_doc_parse(text, strlen(text), NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_PARSE);
  if (strstr(err.message, message) == NULL) {
    fail_msg("\"%s\" is not in \"%s\"", message, err.message);
  }
}

TEST(a_parse_error_quotes_the_text_at_its_place) {
  expect_fault("[1,x]", " at byte 3: \"[1,x]\"");
  expect_fault("{\"a\":\n  ?}", " at byte 8: \"{\"a\":   ?}\"");
  expect_fault("[\"0123456789\",", " at byte 14: \"[\"0123456789\",\"");
  expect_fault("[\"0123456789012345678901234567890\", ?, "
               "\"98765432109876543210\"]",
               " at byte 36: \"8901234567890\", ?, \"98765432109876543210\"");
  /* A character of two bytes is quoted whole or not at all. */
  expect_fault("[\"\xC3\xB8"
               "01234567890123\",?]",
               " at byte 20: \"01234567890123\",?]\"");
  expect_fault("?\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8"
               "\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8"
               "\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8\xC3\xB8",
               "\xC3\xB8\"");
  expect_fault("", "the text is empty");
}

static void expect_unquoted(const char *message, const char *kept) {
  assert_int_equal(mcpi_json_unquoted_len(message), strlen(kept));
  assert_memory_equal(message, kept, strlen(kept));
}

TEST(a_message_ends_before_the_text_that_it_quotes) {
  expect_unquoted("bad at byte 12: \"[1,x]\"", "bad at byte 12");
  expect_unquoted("/a: bad at byte 0: \"", "/a: bad at byte 0");
  expect_unquoted("bad at byte 1: \" at byte 2: \"x\"\"", "bad at byte 1");
  expect_unquoted("not UTF-8 at byte 7", "not UTF-8 at byte 7");
  expect_unquoted("a at byte : \"b at byte 3", "a at byte : \"b at byte 3");
  expect_unquoted("a at byte 1: b at byte 2: \"", "a at byte 1: b at byte 2");
  expect_unquoted("", "");
}

TEST(limits_hold_at_and_one_past) {
  const char text[] = "[[1,2],{\"a\":3}]"; /* depth 2, 7 values */
  mcp_json_limits limits = {.size = sizeof(mcp_json_limits), 2, 0, 7};
  assert_int_equal(parse(text, &limits, NULL), 0);
  limits.max_values = 6;
  assert_int_equal(parse(text, &limits, NULL), MCP_ERR_LIMIT);
  limits = (mcp_json_limits){.size = sizeof(mcp_json_limits), 1, 0, 7};
  assert_int_equal(parse(text, &limits, NULL), MCP_ERR_LIMIT);
  limits = (mcp_json_limits){.size = sizeof(mcp_json_limits), 0, 0, 0};
  assert_int_equal(parse(text, &limits, NULL), 0);
}

TEST(default_limits_hold) {
  static char text[2 * MCPI_JSON_MAX_VALUES + 8];
  for (size_t count = MCPI_JSON_MAX_VALUES - 1; count <= MCPI_JSON_MAX_VALUES;
       count++) {
    for (size_t i = 0; i < count; i++) {
      memcpy(text + 2 * i, ",1", 2);
    }
    text[0] = '[';
    memcpy(text + 2 * count, "]", 2);
    assert_int_equal(parse(text, NULL, NULL),
                     count < MCPI_JSON_MAX_VALUES ? 0 : MCP_ERR_LIMIT);
  }
}

TEST(bad_limits_are_refused) {
  mcp_json_limits limits = {
      .size = sizeof(mcp_json_limits), MCPI_JSON_MAX_DEPTH, 0, 0};
  assert_int_equal(parse("1", &limits, NULL), 0);
  limits.max_depth = MCPI_JSON_MAX_DEPTH + 1;
  assert_int_equal(parse("1", &limits, NULL), MCP_ERR_INVALID);
  limits = (mcp_json_limits){0, 0, 0, 0};
  assert_int_equal(parse("1", &limits, NULL), MCP_ERR_INVALID);
}

/* A program compiled with an older header has fewer fields. */
TEST(a_shorter_structure_is_taken) {
  mcp_json_limits limits = {offsetof(mcp_json_limits, max_values), 1, 0, 1};
  assert_int_equal(parse("[1,2]", &limits, NULL), 0);
  assert_int_equal(parse("[[1]]", &limits, NULL), MCP_ERR_LIMIT);
}

static int parse_once(const mcp_allocator *allocator, void *userdata) {
  mcp_error err = {0};
  const char *text = userdata;
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, allocator, &err);
  mcp_doc_free(doc);
  return err.code;
}

TEST(failures_are_survived) {
  char text[] = "{\"a\":[1,2,3]}";
  assert_int_equal(failing_alloc_rerun(parse_once, text), 1);
}

TEST(a_refused_text_leaves_nothing) {
  failing_alloc alloc;
  mcp_error err;
  failing_alloc_init(&alloc);
  assert_null(mcp_doc_parse("[1", 2, NULL, &alloc.allocator, &err));
  assert_int_equal(err.code, MCP_ERR_PARSE);
  assert_int_equal(alloc.live_blocks, 0);
}
