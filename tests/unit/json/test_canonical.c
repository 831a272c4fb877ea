/* SPDX-License-Identifier: MIT */
#include "json/json.h"

#include "support/failing_alloc.h"
#include "support/scratch.h"
#include <stdio.h>
#include <stdlib.h>

static void check(const char *text, const char *expected) {
  const mcp_json *doc = scratch_plain_json(text);
  mcpi_buf *buf = scratch_buf();
  mcpi_json_put_canonical(buf, doc);
  mcpi_buf_putc(buf, '\0');
  assert_int_equal(buf->error, 0);
  assert_string_equal(buf->data, expected);
}

SCRATCH_TEST(members_are_sorted_at_every_level) {
  check("{}", "{}");
  check("[]", "[]");
  check("{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}");
  check("[{\"b\":{\"d\":[],\"c\":{}},\"a\":[3,1,2]}]",
        "[{\"a\":[3,1,2],\"b\":{\"c\":{},\"d\":[]}}]");
  check("{\"ab\":1,\"a\":2,\"\":3,\"aa\":4}",
        "{\"\":3,\"a\":2,\"aa\":4,\"ab\":1}");
}

/* RFC 8785, section 3.2.3. */
SCRATCH_TEST(members_are_sorted_by_utf16) {
  check("{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\","
        "\"\\ufb33\":\"Hebrew Letter Dalet With Dagesh\",\"1\":\"One\","
        "\"\\ud83d\\ude00\":\"Emoji: Grinning Face\","
        "\"\\u0080\":\"Control\","
        "\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}",
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\","
        "\"\xC2\x80\":\"Control\","
        "\"\xC3\xB6\":\"Latin Small Letter O With Diaeresis\","
        "\"\xE2\x82\xAC\":\"Euro Sign\","
        "\"\xF0\x9F\x98\x80\":\"Emoji: Grinning Face\","
        "\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

SCRATCH_TEST(equal_names_keep_their_order) {
  check("{\"b\":0,\"a\":1,\"a\":2,\"a\":3,\"0\":4}",
        "{\"0\":4,\"a\":1,\"a\":2,\"a\":3,\"b\":0}");
}

SCRATCH_TEST(numbers_have_one_spelling) {
  check("[1,1.0,10e-1,-0,0.0,1e2,0.10,1.5e1]", "[1,1,1,0,0,100,0.1,15]");
  check("[12345678901234567890,123456789012345678901234567890]",
        "[12345678901234567890,123456789012345678901234567890]");
}

SCRATCH_TEST(strings_have_one_spelling) {
  check("\"\\u0041\\/\\u000A\\u001F\\u00e9\"", "\"A/\\n\\u001f\xC3\xA9\"");
}

static int compare_numbers(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

SCRATCH_TEST(random_names_are_sorted) {
  enum { MAX = 200 };
  static char names[MAX][8];
  static char text[MAX * 16];
  const char *sorted[MAX];
  srand(4);
  for (int count = 1; count < MAX; count += 7) {
    size_t len = 0;
    for (int i = 0; i < count; i++) {
      snprintf(names[i], sizeof(names[i]), "%x", (unsigned)rand() % 0xFFFFFF);
      sorted[i] = names[i];
      len += (size_t)sprintf(text + len, "%c\"%s\":0", i == 0 ? '{' : ',',
                             names[i]);
    }
    strcpy(text + len, "}");
    qsort(sorted, (size_t)count, sizeof(sorted[0]), compare_numbers);
    const mcp_json *doc = scratch_plain_json(text);
    const mcp_json *out[MAX];
    mcpi_json_sorted_names(doc, out);
    for (int i = 0; i < count; i++) {
      assert_string_equal(mcp_json_string(out[i]), sorted[i]);
    }
  }
}

static int write_canonical(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  mcpi_json_put_canonical(&buf, userdata);
  int rc = buf.error;
  mcpi_buf_deinit(&buf);
  return rc;
}

SCRATCH_TEST(failures_are_survived) {
  const mcp_json *doc = scratch_plain_json(
      "[{\"b\":{\"d\":{},\"c\":{\"x\":1}},\"a\":{\"y\":2}}]");
  const mcp_json *root = doc;
  assert_int_equal(failing_alloc_rerun(write_canonical, (void *)root), 5);
}
