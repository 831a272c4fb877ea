/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include "support/cm.h"
#include <mcp/error.h>
#include <string.h>

enum { TEXT_MAX = MCP_ERROR_TEXT_SIZE - 1 };

TEST(codes_have_names_and_texts) {
  assert_string_equal(mcp_error_name(MCP_ERR_NOMEM), "MCP_ERR_NOMEM");
  assert_string_equal(mcp_error_text(MCP_ERR_NOMEM), "out of memory");
  assert_string_equal(mcp_error_name(MCP_ERR_UNANSWERED), "MCP_ERR_UNANSWERED");
  assert_string_equal(mcp_error_text(MCP_ERR_MISMATCH), "not what was listed");
  assert_string_equal(mcp_error_name(0), "MCP_OK");
  assert_string_equal(mcp_error_text(0), "success");
  assert_string_equal(mcp_error_name(MCP_PENDING), "MCP_PENDING");
  assert_string_equal(mcp_error_text(MCP_PENDING), "pending");
  assert_string_equal(mcp_error_name(-1000), "unknown");
  assert_string_equal(mcp_error_text(-1000), "unknown error");
}

TEST(codes_are_distinct_and_in_order) {
  int expected = -1;
#define CHECK(name, value, text) assert_int_equal(value, expected--);
  MCP_ERROR_LIST(CHECK)
#undef CHECK
}

TEST(set_fills_and_returns) {
  mcp_error err = {1, 2, 3, "old"};
  assert_int_equal(mcp_error_set(&err, MCP_ERR_LIMIT, "%d of %s", 7, "x"),
                   MCP_ERR_LIMIT);
  assert_int_equal(err.code, MCP_ERR_LIMIT);
  assert_int_equal(err.status, 0);
  assert_int_equal(err.offset, 0);
  assert_string_equal(err.message, "7 of x");
  assert_int_equal(mcp_error_set(NULL, MCP_ERR_IO, "%s", "y"), MCP_ERR_IO);
}

/* A text of `ascii` letters and then copies of a character. */
static void fill(char *text, size_t size, size_t ascii, const char *character) {
  memset(text, 'a', ascii);
  text[ascii] = '\0';
  while (strlen(text) + strlen(character) < size) {
    strcat(text, character);
  }
}

TEST(long_text_is_cut_at_a_character) {
  const char *const characters[] = {"x", "\xC3\xA9", "\xE2\x82\xAC",
                                    "\xF0\x9F\x98\x80"};
  for (size_t c = 0; c < 4; c++) {
    size_t width = strlen(characters[c]);
    for (size_t ascii = 230; ascii <= 239; ascii++) {
      char text[300];
      mcp_error err;
      fill(text, sizeof(text), ascii, characters[c]);
      mcp_error_set(&err, MCP_ERR_PARSE, "%s", text);
      size_t len = ascii + (TEXT_MAX - ascii) / width * width;
      assert_int_equal(strlen(err.message), len);
      assert_memory_equal(err.message, text, len);
    }
  }
}

TEST(text_of_exact_size_is_whole) {
  char text[MCP_ERROR_TEXT_SIZE];
  mcp_error err;
  memset(text, 'a', TEXT_MAX - 2);
  memcpy(text + TEXT_MAX - 2, "\xC3\xA9", 3);
  mcp_error_set(&err, MCP_ERR_PARSE, "%s", text);
  assert_string_equal(err.message, text);
}

TEST(peers_bytes_become_one_line_of_utf8) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_PARSE, "%s", "a\nb\r\x1B[2Jc\x7F\xFFz\xC3");
  assert_string_equal(err.message, "a?b??[2Jc??z?");
  mcp_error_set(&err, MCP_ERR_PARSE, "%s", "\xED\xA0\x80 \xC3\xA9");
  assert_string_equal(err.message, "??? \xC3\xA9");
}

TEST(cut_text_of_bad_bytes_stays_utf8) {
  char text[400];
  for (size_t len = 230; len < sizeof(text); len++) {
    mcp_error err;
    memset(text, len % 2 == 0 ? 0x80 : 0xF0, len);
    text[len] = '\0';
    mcp_error_set(&err, MCP_ERR_PARSE, "%s", text);
    size_t out = strlen(err.message);
    assert_true(out >= 229);
    assert_int_equal(mcpi_utf8_valid_prefix(err.message, out), out);
  }
}
