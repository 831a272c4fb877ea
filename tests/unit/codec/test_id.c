/* SPDX-License-Identifier: MIT */
#include "codec/id.h"

#include "support/scratch.h"
#include <stdio.h>

static void check_put(mcpi_id id, const char *expected) {
  mcpi_buf *buf = scratch_buf();
  mcpi_id_put(buf, id);
  mcpi_buf_putc(buf, '\0');
  assert_string_equal(buf->data, expected);
}

SCRATCH_TEST(ids_are_read_and_echoed) {
  static const struct {
    const char *text;
    int kind;
    const char *echo;
  } cases[] = {
      {"1", MCPI_ID_NUMBER, "1"},
      {"0", MCPI_ID_NUMBER, "0"},
      {"-7", MCPI_ID_NUMBER, "-7"},
      {"1.0", MCPI_ID_NUMBER, "1"},
      {"1e2", MCPI_ID_NUMBER, "100"},
      {"9007199254740993", MCPI_ID_NUMBER, "9007199254740993"},
      {"18446744073709551615", MCPI_ID_NUMBER, "18446744073709551615"},
      {"123456789012345678901234567890", MCPI_ID_NUMBER,
       "123456789012345678901234567890"},
      {"-9223372036854775809", MCPI_ID_NUMBER, "-9223372036854775809"},
      {"\"1\"", MCPI_ID_STRING, "\"1\""},
      {"\"\"", MCPI_ID_STRING, "\"\""},
      {"\"a\\u0000\\n\\u00e9\"", MCPI_ID_STRING, "\"a\\u0000\\n\xC3\xA9\""},
      {"null", MCPI_ID_NULL, "null"},
      {"1.5", MCPI_ID_BAD, "null"},
      {"true", MCPI_ID_BAD, "null"},
      {"[1]", MCPI_ID_BAD, "null"},
      {"{}", MCPI_ID_BAD, "null"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const mcp_json *doc = scratch_plain_json(cases[i].text);
    mcpi_id id = mcpi_id_read(doc);
    assert_int_equal(id.kind, cases[i].kind);
    check_put(id, cases[i].echo);
  }
}

SCRATCH_TEST(absent_is_none) {
  mcpi_id id = mcpi_id_read(NULL);
  assert_int_equal(id.kind, MCPI_ID_NONE);
  assert_null(id.value);
  check_put(id, "null");
}

static int kind_of_len(size_t len, char letter, const char *quote) {
  char text[MCPI_ID_MAX + 16];
  char letters[MCPI_ID_MAX + 2];
  memset(letters, letter, len);
  letters[len] = '\0';
  snprintf(text, sizeof(text), "%s%s%s", quote, letters, quote);
  const mcp_json *doc = scratch_plain_json(text);
  int kind = mcpi_id_read(doc).kind;
  return kind;
}

SCRATCH_TEST(the_limit_holds_at_and_one_past) {
  assert_int_equal(kind_of_len(MCPI_ID_MAX, 'x', "\""), MCPI_ID_STRING);
  assert_int_equal(kind_of_len(MCPI_ID_MAX + 1, 'x', "\""), MCPI_ID_BAD);
  assert_int_equal(kind_of_len(MCPI_ID_MAX, '1', ""), MCPI_ID_NUMBER);
  assert_int_equal(kind_of_len(MCPI_ID_MAX + 1, '1', ""), MCPI_ID_BAD);
}
