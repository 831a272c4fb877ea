/* SPDX-License-Identifier: MIT */
#include "codec/http_value.h"

#include "support/failing_alloc.h"
#include "support/guarded.h"
#include "support/scratch.h"
#include <mcp/error.h>
#include <string.h>

/* --- text --------------------------------------------------------------- */

static void check_text(const char *text, size_t len, const char *value) {
  mcpi_buf buf;
  mcpi_str found;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  mcpi_header_put_text(&buf, mcpi_str_n(text, len));
  assert_true(mcpi_str_eq(mcpi_str_n(buf.data, buf.len), mcpi_str_z(value)));
  mcpi_buf_clear(&buf);
  assert_int_equal(mcpi_header_decode(&buf, mcpi_str_z(value), &found), 0);
  assert_true(mcpi_str_eq(found, mcpi_str_n(text, len)));
  mcpi_buf_deinit(&buf);
}

static void check_z(const char *text, const char *value) {
  check_text(text, strlen(text), value);
}

SCRATCH_TEST(text_is_sent_as_it_is_where_it_can) {
  check_z("", "");
  check_z("us-west1", "us-west1");
  check_z("a b  c", "a b  c");
  check_z("!~", "!~");
  check_z("file:///path/to/file%20name.txt", "file:///path/to/file%20name.txt");
  check_z("=?base64?SGVsbG8=", "=?base64?SGVsbG8=");
  check_z("SGVsbG8=", "SGVsbG8=");
  check_z("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?=");
  check_z("x=?base64?SGVsbG8=?=", "x=?base64?SGVsbG8=?=");
}

SCRATCH_TEST(other_text_is_encoded) {
  check_z(" padded ", "=?base64?IHBhZGRlZCA=?=");
  check_z("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
  check_z("Hello, \xE4\xB8\x96\xE7\x95\x8C", "=?base64?SGVsbG8sIOS4lueVjA==?=");
  check_z(" ", "=?base64?IA==?=");
  check_z("a\tb", "=?base64?YQli?=");
  check_z("a\r\nB: c", "=?base64?YQ0KQjogYw==?=");
  check_z("\x7F", "=?base64?fw==?=");
  check_text("\0", 1, "=?base64?AA==?=");
  check_z("=?base64?"
          "?=",
          "=?base64?PT9iYXNlNjQ/Pz0=?=");
  check_z("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?=");
}

static int decode(const char *value, const char *expected) {
  size_t len = strlen(value);
  char *copy = guarded_copy(value, len);
  mcpi_buf buf;
  mcpi_str text = {NULL, 0};
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  int rc = mcpi_header_decode(&buf, mcpi_str_n(copy, len), &text);
  if (rc == 0) {
    assert_true(mcpi_str_eq(text, mcpi_str_z(expected)));
  } else {
    assert_null(text.ptr);
    assert_int_equal(buf.len, 0);
  }
  mcpi_buf_deinit(&buf);
  guarded_free(copy, len);
  return rc;
}

SCRATCH_TEST(blanks_around_do_not_count) {
  assert_int_equal(decode("  a b\t ", "a b"), 0);
  assert_int_equal(decode("\t =?base64?IGEg?= ", " a "), 0);
  assert_int_equal(decode(" \t ", ""), 0);
}

SCRATCH_TEST(the_marks_are_exact) {
  static const char *const literal[] = {
      "=?base64?=", "=?base64?SGVsbG8=", "SGVsbG8=?=", "=?Base64?SGVsbG8=?=",
      "=?base64?",  "=?base64",          "?=",         "=?utf-8?SGVsbG8=?=",
  };
  for (size_t i = 0; i < sizeof(literal) / sizeof(literal[0]); i++) {
    assert_int_equal(decode(literal[i], literal[i]), 0);
  }
  assert_int_equal(decode("=?base64?SGVsbG8=?=", "Hello"), 0);
  assert_int_equal(decode("=?base64?"
                          "?=",
                          ""),
                   0);
}

SCRATCH_TEST(decoding_is_strict) {
  static const char *const bad[] = {
      "=?base64?SGVsbG8?=",
      "=?base64?SGVs!!!bG8=?=",
      "=?base64?SGVsbG9=?=",
      "=?base64?SGVsbG8==?=",
      "=?base64?SGVs bG8=?=",
      "=?base64?=?=",
      "=?base64?====?=",
      "=?base64?_-8=?=",
      "=?base64?/w==?=",
      "=?base64?7aCA?=",
      ("=?base64??"
       "?="),
      "a\tb",
      "caf\xC3\xA9",
      "a\x7F",
      "a\rb",
      "\x01",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(decode(bad[i], ""), MCP_ERR_PARSE);
  }
}

SCRATCH_TEST(what_was_in_the_buffer_stays) {
  mcpi_buf buf;
  mcpi_str text;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  mcpi_buf_lit(&buf, "abc");
  assert_int_equal(mcpi_header_decode(&buf, MCPI_STR("=?base64?/w==?="), &text),
                   MCP_ERR_PARSE);
  assert_int_equal(buf.len, 3);
  assert_int_equal(mcpi_header_decode(&buf, MCPI_STR("=?base64?IGEg?="), &text),
                   0);
  assert_int_equal(buf.len, 6);
  assert_memory_equal(buf.data, "abc a ", 6);
  mcpi_buf_deinit(&buf);
}

SCRATCH_TEST(the_buffers_limit_holds) {
  mcpi_buf buf;
  mcpi_str text;
  mcpi_buf_init(&buf, mcp_allocator_default(), 3);
  assert_int_equal(mcpi_header_decode(&buf, MCPI_STR("=?base64?YWJj?="), &text),
                   0);
  mcpi_buf_clear(&buf);
  assert_int_equal(
      mcpi_header_decode(&buf, MCPI_STR("=?base64?YWJjZA==?="), &text),
      MCP_ERR_LIMIT);
  mcpi_buf_deinit(&buf);
}

/* --- JSON values -------------------------------------------------------- */

static int put(const char *json, const char *expected) {
  const mcp_json *doc = scratch_plain_json(json);
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  int rc = mcpi_header_put_value(&buf, doc);
  assert_true(mcpi_str_eq(mcpi_str_n(buf.data, buf.len), mcpi_str_z(expected)));
  mcpi_buf_deinit(&buf);
  return rc;
}

SCRATCH_TEST(values_are_written) {
  assert_int_equal(put("\"a\"", "a"), 0);
  assert_int_equal(put("\"\"", ""), 0);
  assert_int_equal(put("\" a \"", "=?base64?IGEg?="), 0);
  assert_int_equal(put("42", "42"), 0);
  assert_int_equal(put("-42", "-42"), 0);
  assert_int_equal(put("42.0", "42"), 0);
  assert_int_equal(put("true", "true"), 0);
  assert_int_equal(put("false", "false"), 0);
  assert_int_equal(put("9007199254740991", "9007199254740991"), 0);
  assert_int_equal(put("-9007199254740991", "-9007199254740991"), 0);
}

SCRATCH_TEST(what_no_header_holds_is_refused) {
  assert_int_equal(put("9007199254740992", ""), MCP_ERR_LIMIT);
  assert_int_equal(put("-9007199254740992", ""), MCP_ERR_LIMIT);
  assert_int_equal(put("123456789012345678901234567890", ""), MCP_ERR_LIMIT);
  assert_int_equal(put("1.5", ""), MCP_ERR_INVALID);
  assert_int_equal(put("null", ""), MCP_ERR_INVALID);
  assert_int_equal(put("[1]", ""), MCP_ERR_INVALID);
  assert_int_equal(put("{}", ""), MCP_ERR_INVALID);
}

static int compare(const char *value, const char *json) {
  const mcp_json *doc = scratch_plain_json(json);
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  int rc = mcpi_header_compare(&buf, mcpi_str_z(value), doc);
  mcpi_buf_deinit(&buf);
  return rc;
}

SCRATCH_TEST(equal_values_compare_equal) {
  static const char *const pairs[][2] = {
      {"a", "\"a\""},
      {" a ", "\"a\""},
      {"", "\"\""},
      {NULL, "\"\""},
      {"=?base64?IGEg?=", "\" a \""},
      {"=?base64?SGVsbG8=?=", "\"Hello\""},
      {"true", "true"},
      {"false", "false"},
      {"0", "0"},
      {"-0", "0"},
      {"42", "42"},
      {"42", "42.0"},
      {"42.0", "42"},
      {"42.000", "4.2e1"},
      {"=?base64?NDI=?=", "42"},
      {"-7", "-7"},
      {"9007199254740991", "9007199254740991"},
      {"-9007199254740991.0", "-9007199254740991"},
  };
  for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
    assert_int_equal(compare(pairs[i][0], pairs[i][1]), 0);
  }
}

SCRATCH_TEST(other_values_do_not) {
  static const char *const pairs[][2] = {
      {"A", "\"a\""},
      {"a", "\"a \""},
      {"", "\"a\""},
      {"a", "\"\""},
      {"True", "true"},
      {"1", "true"},
      {"false", "true"},
      {"42", "43"},
      {"", "0"},
      {NULL, "0"},
      {"-", "0"},
      {"+1", "1"},
      {"01", "1"},
      {"1.", "1"},
      {"1.5", "1"},
      {"1.5", "1.5"},
      {".0", "0"},
      {"1e0", "1"},
      {"0x1", "1"},
      {"1 1", "11"},
      {"42.00x", "42"},
      {"9007199254740992", "9007199254740992"},
      {"9007199254740993", "9007199254740992"},
      {"18446744073709551658", "42"},
      {"99999999999999999999999999999999999999", "1"},
      {"null", "null"},
      {"", "null"},
      {"[]", "[]"},
      {"{}", "{}"},
  };
  for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
    assert_int_equal(compare(pairs[i][0], pairs[i][1]), MCP_ERR_PROTOCOL);
  }
  assert_int_equal(compare("=?base64?SGVsbG8?=", "\"Hello\""), MCP_ERR_PARSE);
  assert_int_equal(compare("\xC3\xA9", "\"\xC3\xA9\""), MCP_ERR_PARSE);
}

SCRATCH_TEST(nothing_is_no_value) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  assert_int_equal(mcpi_header_compare(&buf, MCPI_STR("a"), NULL),
                   MCP_ERR_PROTOCOL);
  assert_int_equal(mcpi_header_put_value(&buf, NULL), MCP_ERR_INVALID);
  mcpi_buf_deinit(&buf);
}

static int round_trip(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf value;
  mcpi_buf text;
  mcpi_str found = {NULL, 0};
  mcpi_buf_init(&value, allocator, 1000);
  mcpi_buf_init(&text, allocator, 1000);
  mcpi_header_put_text(&value, MCPI_STR(" a "));
  int rc = value.error;
  if (rc == 0) {
    rc = mcpi_header_decode(&text, mcpi_str_n(value.data, value.len), &found);
  }
  assert_int_equal(found.len, rc == 0 ? 3 : 0);
  mcpi_buf_deinit(&value);
  mcpi_buf_deinit(&text);
  return rc;
}

SCRATCH_TEST(failures_are_survived) {
  assert_int_equal(failing_alloc_rerun(round_trip, NULL), 2);
}

/* --- the smaller ones --------------------------------------------------- */

SCRATCH_TEST(tokens_are_told_apart) {
  char text[2] = {0, 0};
  size_t count = 0;
  for (int c = 0; c < 256; c++) {
    text[0] = (char)c;
    count += (size_t)mcpi_header_is_token(mcpi_str_n(text, 1));
  }
  assert_int_equal(count, 26 + 26 + 10 + 15);
  assert_true(mcpi_header_is_token(MCPI_STR("aZ09!#$%&'*+-.^_`|~")));
  assert_false(mcpi_header_is_token(MCPI_STR("")));
  assert_false(mcpi_header_is_token(MCPI_STR("a b")));
  assert_false(mcpi_header_is_token(MCPI_STR("a:")));
  assert_false(mcpi_header_is_token(MCPI_STR("a\0")));
  assert_false(mcpi_header_is_token(MCPI_STR("caf\xC3\xA9")));
}

SCRATCH_TEST(case_is_that_of_ascii) {
  assert_true(
      mcpi_header_eq_nocase(MCPI_STR("Mcp-Name"), MCPI_STR("mCP-nAME")));
  assert_true(mcpi_header_eq_nocase(MCPI_STR(""), mcpi_str_n(NULL, 0)));
  assert_false(mcpi_header_eq_nocase(MCPI_STR("a"), MCPI_STR("ab")));
  assert_false(mcpi_header_eq_nocase(MCPI_STR("@["), MCPI_STR("`{")));
  assert_false(
      mcpi_header_eq_nocase(MCPI_STR("\xC3\x84"), MCPI_STR("\xC3\xA4")));
}

SCRATCH_TEST(a_header_is_known_by_its_name) {
  mcpi_str value = MCPI_STR("as before");
  assert_true(
      mcpi_header_is_named(MCPI_STR("LOCATION:\t/a "), "Location", &value));
  assert_true(mcpi_str_eq(value, MCPI_STR("/a")));
  assert_true(mcpi_header_is_named(MCPI_STR("Location:"), "Location", &value));
  assert_int_equal(value.len, 0);
  value = MCPI_STR("as before");
  assert_false(mcpi_header_is_named(MCPI_STR("Location"), "Location", &value));
  assert_false(
      mcpi_header_is_named(MCPI_STR("Locations: a"), "Location", &value));
  assert_false(mcpi_header_is_named(MCPI_STR("Loc: a"), "Location", &value));
  assert_true(mcpi_str_eq(value, MCPI_STR("as before")));
}
