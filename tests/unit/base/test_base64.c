/* SPDX-License-Identifier: MIT */
#include "base/base64.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"
#include <mcp/error.h>
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

static void check_out(const char *expected, size_t len) {
  assert_int_equal(out.error, 0);
  assert_int_equal(out.len, len);
  assert_true(len == 0 || memcmp(out.data, expected, len) == 0);
  mcpi_buf_clear(&out);
}

/* RFC 4648, section 10, and the two characters in which the alphabets
 * differ. */
static const char *const vectors[][3] = {
    {"", "", ""},
    {"f", "Zg==", "Zg"},
    {"fo", "Zm8=", "Zm8"},
    {"foo", "Zm9v", "Zm9v"},
    {"foob", "Zm9vYg==", "Zm9vYg"},
    {"fooba", "Zm9vYmE=", "Zm9vYmE"},
    {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
    {"\xFB\xFF\xBF", "+/+/", "-_-_"},
};

#define FIXTURE_TEST(name) TEST_WITH(name, setup, teardown)

FIXTURE_TEST(published_vectors) {
  for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
    const char *plain = vectors[i][0];
    size_t len = strlen(plain);
    mcpi_base64_put(&out, plain, len);
    check_out(vectors[i][1], strlen(vectors[i][1]));
    assert_int_equal(mcpi_base64_len(len), strlen(vectors[i][1]));
    mcpi_base64url_put(&out, plain, len);
    check_out(vectors[i][2], strlen(vectors[i][2]));
    assert_int_equal(mcpi_base64_decode(&out, mcpi_str_z(vectors[i][1])), 0);
    check_out(plain, len);
    assert_int_equal(mcpi_base64url_decode(&out, mcpi_str_z(vectors[i][2])), 0);
    check_out(plain, len);
  }
}

FIXTURE_TEST(random_bytes_come_back) {
  srand(8);
  for (size_t len = 0; len < 300; len++) {
    char bytes[300];
    for (size_t i = 0; i < len; i++) {
      bytes[i] = (char)rand();
    }
    char *guarded = guarded_copy(bytes, len);
    mcpi_base64_put(&out, guarded, len);
    guarded_free(guarded, len);
    size_t text_len = out.len;
    char *text = guarded_copy(out.data, text_len);
    mcpi_buf_clear(&out);
    assert_int_equal(mcpi_base64_decode(&out, mcpi_str_n(text, text_len)), 0);
    guarded_free(text, text_len);
    check_out(bytes, len);
  }
}

FIXTURE_TEST(bad_text_is_refused) {
  static const char *const texts[] = {
      "A",        "AA",       "AAA",      "AAAAA", "A===",    "====",  "=",
      "AA=A",     "AAA\n",    "AA A",     "AA-_",  "AB==",    "AAB=",  "A=A=",
      "AA==AAAA", "AAA=AAAA", "AAAA====", "AAAA=", "AAA\xC3", "AAAA\n"};
  mcpi_buf_lit(&out, "x");
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_int_equal(mcpi_base64_decode(&out, mcpi_str_z(texts[i])),
                     MCP_ERR_PARSE);
  }
  check_out("x", 1);
}

FIXTURE_TEST(bad_url_safe_text_is_refused) {
  static const char *const texts[] = {"A",   "AAAAA", "AA==", "AA+/", "AB",
                                      "AAB", "AA A",  "=",    "AAA=", "AA\n"};
  mcpi_buf_lit(&out, "x");
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_int_equal(mcpi_base64url_decode(&out, mcpi_str_z(texts[i])),
                     MCP_ERR_PARSE);
  }
  check_out("x", 1);
}

/* Every byte at every place of a group, and in the last one. */
FIXTURE_TEST(only_the_alphabet_is_taken) {
  for (int byte = 0; byte < 256; byte++) {
    int is_letter = (byte >= 'A' && byte <= 'Z') ||
                    (byte >= 'a' && byte <= 'z') ||
                    (byte >= '0' && byte <= '9');
    for (size_t at = 0; at < 4; at++) {
      char text[] = "AAAAAAAA";
      text[at] = (char)byte;
      assert_int_equal(mcpi_base64_decode(&out, mcpi_str_n(text, 8)),
                       is_letter || byte == '+' || byte == '/' ? 0
                                                               : MCP_ERR_PARSE);
      assert_int_equal(mcpi_base64url_decode(&out, mcpi_str_n(text, 8)),
                       is_letter || byte == '-' || byte == '_' ? 0
                                                               : MCP_ERR_PARSE);
    }
  }
}

FIXTURE_TEST(each_digit_has_its_value) {
  int values = 0;
  for (unsigned i = 0; i < 64; i++) {
    char digit = mcpi_base64url_digit(i);
    assert_int_equal(mcpi_base64url_value(digit), i);
    assert_int_equal(mcpi_base64_value(digit), i < 62 ? (int)i : -1);
  }
  for (int c = 0; c < 256; c++) {
    values += mcpi_base64url_value((char)c) >= 0;
    values += mcpi_base64_value((char)c) >= 0;
  }
  assert_int_equal(values, 2 * 64);
  assert_int_equal(mcpi_base64_value('+'), 62);
  assert_int_equal(mcpi_base64_value('/'), 63);
}

FIXTURE_TEST(limits_and_memory_are_reported_by_the_buffer) {
  mcpi_buf small;
  mcpi_buf_init(&small, mcp_allocator_default(), 8);
  mcpi_base64_put(&small, "foobar", 6);
  assert_int_equal(small.error, 0);
  mcpi_buf_clear(&small);
  mcpi_base64_put(&small, "foobarx", 7);
  assert_int_equal(small.error, MCP_ERR_LIMIT);
  mcpi_buf_clear(&small);
  mcpi_base64_put(&small, "x", SIZE_MAX - 1);
  assert_int_equal(small.error, MCP_ERR_LIMIT);
  mcpi_buf_clear(&small);
  assert_int_equal(mcpi_base64_decode(&small, MCPI_STR("AAAAAAAAAAAA")), 0);
  assert_int_equal(small.error, MCP_ERR_LIMIT);
  mcpi_buf_deinit(&small);
}

static int encode_and_decode(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf text;
  mcpi_buf back;
  mcpi_buf_init(&text, allocator, SIZE_MAX);
  mcpi_buf_init(&back, allocator, SIZE_MAX);
  mcpi_base64_put(&text, userdata, 5);
  int rc = mcpi_base64_decode(&back, mcpi_str_n(text.data, text.len));
  rc = rc != 0 ? rc : text.error != 0 ? text.error : back.error;
  mcpi_buf_deinit(&text);
  mcpi_buf_deinit(&back);
  return rc;
}

FIXTURE_TEST(failures_are_survived) {
  char text[] = "hello";
  assert_int_equal(failing_alloc_rerun(encode_and_decode, text), 2);
}
