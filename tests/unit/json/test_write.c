/* SPDX-License-Identifier: MIT */
#include "json/json.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static mcpi_buf out;

static int setup(void **state) {
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  return 0;
}

static int teardown(void **state) {
  mcpi_buf_deinit(&out);
  return 0;
}

/* Compares the contents of the buffer, and empties it. */
static void check_out(const char *expected) {
  assert_int_equal(out.error, 0);
  assert_int_equal(out.len, strlen(expected));
  assert_memory_equal(out.data, expected, out.len);
  mcpi_buf_clear(&out);
}

static mcp_doc *parse(const char *text, size_t len) {
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  assert_non_null(doc);
  return doc;
}

#define FIXTURE_TEST(name) TEST_WITH(name, setup, teardown)

/* --- strings ------------------------------------------------------------ */

FIXTURE_TEST(strings_are_escaped_where_they_must) {
  mcpi_json_put_string(&out, MCPI_STR(""));
  check_out("\"\"");
  mcpi_json_put_string(&out, mcpi_str_z(NULL));
  check_out("\"\"");
  mcpi_json_put_string(&out, MCPI_STR("plain / text \x7F \xC3\xA9"));
  check_out("\"plain / text \x7F \xC3\xA9\"");
  mcpi_json_put_string(&out, MCPI_STR("\"\\\b\t\n\f\r"));
  check_out("\"\\\"\\\\\\b\\t\\n\\f\\r\"");
  mcpi_json_put_string(&out, mcpi_str_n("a\0\x01\x0b\x1f z", 7));
  check_out("\"a\\u0000\\u0001\\u000b\\u001f z\"");
}

/* Each byte at each place of the words in which a string is looked at. */
FIXTURE_TEST(every_byte_at_every_place) {
  for (int byte = 0; byte < 128; byte++) {
    for (size_t at = 0; at < 20; at++) {
      char text[20];
      memset(text, 0x7F, sizeof(text));
      text[at] = (char)byte;
      mcpi_json_put_string(&out, mcpi_str_n(text, sizeof(text)));
      mcp_doc *doc = parse(out.data, out.len);
      size_t len;
      const char *back = mcp_json_string_n(mcp_doc_root(doc), &len);
      assert_int_equal(len, sizeof(text));
      assert_memory_equal(back, text, len);
      int is_special = byte < 0x20 || byte == '"' || byte == '\\';
      assert_int_equal(out.len > len + 2, is_special);
      mcp_doc_free(doc);
      mcpi_buf_clear(&out);
    }
  }
}

FIXTURE_TEST(base64_is_quoted) {
  mcpi_json_put_base64(&out, "hello", 5);
  check_out("\"aGVsbG8=\"");
  mcpi_json_put_base64(&out, NULL, 0);
  check_out("\"\"");
}

/* --- numbers ------------------------------------------------------------ */

FIXTURE_TEST(integers_have_all_digits) {
  mcpi_json_put_int(&out, 0);
  check_out("0");
  mcpi_json_put_int(&out, INT64_MIN);
  check_out("-9223372036854775808");
  mcpi_json_put_int(&out, INT64_MAX);
  check_out("9223372036854775807");
  mcpi_json_put_uint(&out, UINT64_MAX);
  check_out("18446744073709551615");
  for (int64_t number = 1; number < INT64_MAX / 7; number *= 7) {
    char expected[32];
    mcpi_json_put_int(&out, -number);
    snprintf(expected, sizeof(expected), "-%lld", (long long)number);
    check_out(expected);
  }
}

FIXTURE_TEST(reals_are_short_and_exact) {
  static const struct {
    double number;
    const char *text;
  } cases[] = {
      {3, "3"},
      {3.5, "3.5"},
      {0.1, "0.1"},
      {-0.0, "0"},
      {-7, "-7"},
      {1e300, "1e300"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e308"},
      {9007199254740991.0, "9007199254740991"},
      {-9007199254740991.0, "-9007199254740991"},
      {9007199254740992.0, "9007199254740992.0"},
      {-9007199254740992.0, "-9007199254740992.0"},
      {HUGE_VAL, "null"},
      {-HUGE_VAL, "null"},
      {NAN, "null"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    mcpi_json_put_number(&out, cases[i].number);
    check_out(cases[i].text);
  }
}

FIXTURE_TEST(reals_read_back_as_they_were) {
  srand(9);
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = 0;
    double number;
    for (int part = 0; part < 5; part++) {
      bits = bits << 15 ^ (uint64_t)rand();
    }
    memcpy(&number, &bits, sizeof(number));
    if (!isfinite(number)) {
      continue;
    }
    mcpi_json_put_number(&out, number);
    mcp_doc *doc = parse(out.data, out.len);
    assert_true(mcp_json_number(mcp_doc_root(doc)) == number);
    mcp_doc_free(doc);
    mcpi_buf_clear(&out);
  }
}

/* --- values ------------------------------------------------------------- */

static void check_value(const char *text, const char *expected) {
  mcp_doc *doc = parse(text, strlen(text));
  mcpi_json_put_value(&out, mcp_doc_root(doc));
  check_out(expected);
  mcp_doc_free(doc);
}

FIXTURE_TEST(values_are_written_as_read) {
  static const char *const texts[] = {
      "null",
      "true",
      "false",
      "0",
      "-1",
      "18446744073709551615",
      "1.0",
      "2.5",
      "123456789012345678901234567890",
      "1e999",
      "\"\"",
      "\"a\\u0000\\\"\\\\\"",
      "[]",
      "{}",
      "[[]]",
      "[[],[],{}]",
      "[1,[2,[3,[]],4],5]",
      "{\"a\":{},\"b\":[],\"c\":{\"d\":[{\"e\":null}]},\"f\":1}",
      "{\"\":\"\",\"\":0}",
      "[{\"a\":1},{\"a\":[true,false]},\"x\"]",
  };
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    check_value(texts[i], texts[i]);
  }
  check_value(" [ 1 , { \"a\" : [ ] } ] ", "[1,{\"a\":[]}]");
  mcpi_json_put_value(&out, NULL);
  check_out("null");
}

FIXTURE_TEST(a_part_of_a_document_is_written_alone) {
  const char text[] = "{\"a\":[1,{\"b\":[2,3]}],\"c\":{}}";
  mcp_doc *doc = parse(text, strlen(text));
  mcpi_json_put_value(&out, mcp_json_pointer(mcp_doc_root(doc), "/a/1"));
  check_out("{\"b\":[2,3]}");
  mcpi_json_put_value(&out, mcp_json_pointer(mcp_doc_root(doc), "/a/1/b/0"));
  check_out("2");
  mcpi_json_put_value(&out, mcp_json_pointer(mcp_doc_root(doc), "/c"));
  check_out("{}");
  mcp_doc_free(doc);
}

FIXTURE_TEST(the_deepest_value_is_written) {
  char text[2 * MCPI_JSON_MAX_DEPTH + 1] = {0};
  memset(text, '[', MCPI_JSON_MAX_DEPTH);
  memset(text + MCPI_JSON_MAX_DEPTH, ']', MCPI_JSON_MAX_DEPTH);
  check_value(text, text);
}

/* No reader of ours makes it, so it is parsed by hand. */
FIXTURE_TEST(a_deeper_value_is_past_the_limit) {
  enum { DEPTH = MCPI_JSON_MAX_DEPTH + 1 };
  char text[2 * DEPTH + MCPI_JSON_PADDING];
  const mcp_json *root;
  memset(text, '[', DEPTH);
  memset(text + DEPTH, ']', DEPTH);
  size_t memory_len = mcpi_json_memory(2 * DEPTH, DEPTH);
  void *memory = malloc(memory_len);
  assert_int_equal(
      mcpi_json_parse(text, 2 * DEPTH, memory, memory_len, &root, NULL), 0);
  mcpi_json_put_value(&out, root);
  assert_int_equal(out.error, MCP_ERR_LIMIT);
  mcpi_buf_clear(&out);
  mcpi_json_put_canonical(&out, root);
  assert_int_equal(out.error, MCP_ERR_LIMIT);
  mcpi_buf_clear(&out);
  mcpi_json_put_value(&out, mcp_json_at(root, 0));
  assert_int_equal(out.error, 0);
  free(memory);
}

FIXTURE_TEST(writing_asks_for_no_memory_of_its_own) {
  const char text[] = "{\"a\":[1,2.5,\"x\\n\",1e999,{\"b\":null}]}";
  failing_alloc alloc;
  mcpi_buf buf;
  mcp_doc *doc = parse(text, strlen(text));
  failing_alloc_init(&alloc);
  mcpi_buf_init(&buf, &alloc.allocator, SIZE_MAX);
  mcpi_json_put_value(&buf, mcp_doc_root(doc));
  assert_int_equal(alloc.calls, 1);
  assert_int_equal(buf.len, strlen(text));
  mcpi_buf_deinit(&buf);
  mcp_doc_free(doc);
}

/* --- text from the program ---------------------------------------------- */

FIXTURE_TEST(text_is_checked_and_put_in_one_line) {
  static const char *const cases[][2] = {
      {"{\"a\": 1}", "{\"a\": 1}"},
      {" \r\n\t[1]\n", "[1]"},
      {"{\n  \"a\": [\r\n    1,\n    2\n  ]\n}\n",
       "{  \"a\": [    1,    2  ]}"},
      {"\"a\\nb\"", "\"a\\nb\""},
      {"1.0", "1.0"},
      {"12345678901234567890123", "12345678901234567890123"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(mcpi_json_put_text(&out, mcpi_str_z(cases[i][0]), NULL),
                     0);
    check_out(cases[i][1]);
  }
}

FIXTURE_TEST(bad_text_is_refused_and_adds_nothing) {
  static const char *const texts[] = {"",    " ",   "{",        "[1,]",
                                      "nul", "1 2", "\"a\nb\"", "1\n2"};
  mcp_error err;
  mcpi_buf_lit(&out, "x");
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_int_equal(mcpi_json_put_text(&out, mcpi_str_z(texts[i]), &err),
                     MCP_ERR_PARSE);
    assert_int_equal(err.code, MCP_ERR_PARSE);
  }
  char deep[2 * (MCPI_JSON_MAX_DEPTH + 1)];
  memset(deep, '[', sizeof(deep) / 2);
  memset(deep + sizeof(deep) / 2, ']', sizeof(deep) / 2);
  assert_int_equal(
      mcpi_json_put_text(&out, mcpi_str_n(deep, sizeof(deep)), &err),
      MCP_ERR_LIMIT);
  check_out("x");
}

FIXTURE_TEST(text_with_a_member_twice_is_refused_and_says_where) {
  static const struct {
    const char *text;
    uint64_t offset;
    const char *message;
  } cases[] = {
      {"{\"a\":1, \"a\":2}", 8, "the member \"a\" occurs twice"},
      {" {\"p\":{\"b\":[1,{\"c\":1,\"\\u0063\":2}]}}", 21,
       "/p/b/1: the member \"c\" occurs twice"},
      {"[{\"\":1},{\"\":1,\"\":2}]", 14, "/1: the member \"\" occurs twice"},
  };
  mcp_error err;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(mcpi_json_put_text(&out, mcpi_str_z(cases[i].text), &err),
                     MCP_ERR_INVALID);
    assert_string_equal(err.message, cases[i].message);
    assert_int_equal(err.offset, cases[i].offset);
  }
  check_out("");
}

/* The search in a large object needs memory of its own. */
static int write_large_object(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  int rc = mcpi_json_put_text(&buf, mcpi_str_z(userdata), NULL);
  assert_int_equal(rc != 0, buf.len == 0);
  mcpi_buf_deinit(&buf);
  return rc;
}

FIXTURE_TEST(a_member_twice_is_found_among_many) {
  char text[2000] = "{";
  size_t len = 1;
  mcp_error err;
  for (int i = 0; i < 100; i++) {
    len +=
        (size_t)snprintf(text + len, sizeof(text) - len, "\"m%d\":%d,", i, i);
  }
  snprintf(text + len, sizeof(text) - len, "\"last\":1}");
  assert_true(failing_alloc_rerun(write_large_object, text) > 2);
  snprintf(text + len, sizeof(text) - len, "\"m77\":1}");
  assert_int_equal(mcpi_json_put_text(&out, mcpi_str_z(text), &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "the member \"m77\" occurs twice");
}

FIXTURE_TEST(the_buffers_limit_is_told) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 5);
  assert_int_equal(mcpi_json_put_text(&buf, MCPI_STR("[1,2]"), NULL), 0);
  mcpi_buf_clear(&buf);
  assert_int_equal(mcpi_json_put_text(&buf, MCPI_STR("[1,23]"), NULL),
                   MCP_ERR_LIMIT);
  mcpi_buf_deinit(&buf);
}

static int write_all(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  mcpi_json_put_value(&buf, userdata);
  int rc = buf.error;
  if (rc == 0) {
    char text[2001]; /* too long to be checked on the stack */
    memset(text, ' ', sizeof(text));
    text[0] = '1';
    rc = mcpi_json_put_text(&buf, mcpi_str_n(text, sizeof(text)), NULL);
  }
  mcpi_buf_deinit(&buf);
  return rc;
}

FIXTURE_TEST(failures_are_survived) {
  char text[4002];
  memset(text, 'x', sizeof(text));
  text[0] = text[4001] = '"';
  mcp_doc *doc = parse(text, sizeof(text));
  assert_int_equal(failing_alloc_rerun(write_all, (void *)mcp_doc_root(doc)),
                   2);
  mcp_doc_free(doc);
}
