/* SPDX-License-Identifier: MIT */
#include "json/json.h"

#include "base/alloc.h"
#include "support/cm.h"
#include "support/failing_alloc.h"

static mcp_doc *parse(const char *json) {
  mcp_doc *doc = mcp_doc_parse(json, strlen(json), NULL, NULL, NULL);
  assert_non_null(doc);
  return doc;
}

TEST(a_value_is_written_as_it_was_read) {
  static const char *const texts[] = {
      "null",          "true",
      "1.0",           "18446744073709551616",
      "\"a\\u0000b\"", "[]",
      "\"\"",          "{\"b\":[1e400,{}],\"a\":\"\\n\",\"b\":0}"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    mcp_doc *doc = parse(texts[i]);
    size_t len = 0;
    char *text = mcp_json_to_text(mcp_doc_root(doc), &len);
    assert_non_null(text);
    assert_string_equal(text, texts[i]);
    assert_int_equal(len, strlen(texts[i]));
    mcp_text_free(text);
    mcp_doc_free(doc);
  }
}

TEST(a_part_of_a_document_is_written_alone) {
  mcp_doc *doc = parse("[1, {\"a\": [2, 3]}, 4]");
  char *text = mcp_json_to_text(mcp_json_at(mcp_doc_root(doc), 1), NULL);
  mcp_doc_free(doc);
  assert_string_equal(text,
                      "{\"a\":[2,3]}"); /* it does not need the document */
  mcp_text_free(text);
}

TEST(null_has_no_text) {
  size_t len = 9;
  assert_null(mcp_json_to_text(NULL, &len));
  assert_int_equal(len, 0);
  assert_null(mcp_json_to_text(NULL, NULL));
  mcp_text_free(NULL);
}

static int write_once(const mcp_allocator *allocator, void *userdata) {
  size_t len = 9;
  char *text = mcpi_json_to_text(userdata, allocator, &len);
  assert_int_equal(len, text != NULL ? strlen(text) : 0);
  mcpi_strfree(allocator, text);
  return text != NULL ? 0 : MCP_ERR_NOMEM;
}

/* One failure is that of the memory, the other that of its cut to the length of
 * the text. */
TEST(failures_are_survived) {
  char json[400];
  memset(json, 'x', sizeof(json));
  json[0] = '"';
  memcpy(json + sizeof(json) - 2, "\"", 2);
  mcp_doc *doc = parse(json);
  void *root = (void *)(uintptr_t)mcp_doc_root(doc);
  assert_int_equal(failing_alloc_rerun(write_once, root), 2);
  mcp_doc_free(doc);
}
