/* SPDX-License-Identifier: MIT */
#include "transport/platform.h"

#include "support/cm.h"
#include <mcp/error.h>
#include <string.h>
#include <uv.h>

/* --- random bytes -------------------------------------------------------- */

static void random_bytes_differ(void **state) {
  (void)state;
  uint8_t a[32] = {0};
  uint8_t b[32] = {0};
  assert_int_equal(mcpi_platform_random(NULL, a, sizeof(a)), 0);
  assert_int_equal(mcpi_platform_random(NULL, b, sizeof(b)), 0);
  assert_memory_not_equal(a, b, sizeof(a));
  assert_int_equal(mcpi_platform_random(NULL, a, 0), 0);
}

/* --- sealing ------------------------------------------------------------- */

static const uint8_t key[MCP_SEAL_KEY_SIZE] = {1, 2, 3};

static int seal(const char *bound, const char *text, uint8_t *out) {
  return mcpi_platform_seal(NULL, key, bound, strlen(bound), text, strlen(text),
                            out);
}

static int unseal(const uint8_t *seal_key, const char *bound,
                  const uint8_t *sealed, size_t len, uint8_t *out) {
  return mcpi_platform_unseal(NULL, seal_key, bound, strlen(bound), sealed, len,
                              out);
}

static void what_is_sealed_comes_back(void **state) {
  (void)state;
  static const char *const texts[] = {"", "x", "a longer text than one block"};
  for (size_t i = 0; i < 3; i++) {
    uint8_t sealed[64 + MCP_SEAL_OVERHEAD];
    uint8_t again[64];
    size_t len = strlen(texts[i]);
    assert_int_equal(seal("alice", texts[i], sealed), 0);
    assert_int_equal(
        unseal(key, "alice", sealed, len + MCP_SEAL_OVERHEAD, again), 0);
    assert_memory_equal(again, texts[i], len);
  }
}

static void two_seals_of_one_text_differ(void **state) {
  (void)state;
  uint8_t a[4 + MCP_SEAL_OVERHEAD];
  uint8_t b[4 + MCP_SEAL_OVERHEAD];
  assert_int_equal(seal("", "text", a), 0);
  assert_int_equal(seal("", "text", b), 0);
  assert_memory_not_equal(a, b, sizeof(a));
}

static void every_altered_bit_is_found(void **state) {
  (void)state;
  uint8_t sealed[4 + MCP_SEAL_OVERHEAD];
  uint8_t out[4];
  assert_int_equal(seal("alice", "text", sealed), 0);
  for (size_t bit = 0; bit < sizeof(sealed) * 8; bit++) {
    sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    assert_int_equal(unseal(key, "alice", sealed, sizeof(sealed), out),
                     MCP_ERR_SEAL);
    sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  assert_int_equal(unseal(key, "alice", sealed, sizeof(sealed), out), 0);
}

static void foreign_and_short_seals_are_refused(void **state) {
  (void)state;
  static const uint8_t other_key[MCP_SEAL_KEY_SIZE] = {9};
  uint8_t sealed[4 + MCP_SEAL_OVERHEAD];
  uint8_t out[4] = "abc";
  assert_int_equal(seal("alice", "text", sealed), 0);
  assert_int_equal(unseal(key, "bob", sealed, sizeof(sealed), out),
                   MCP_ERR_SEAL);
  assert_int_equal(unseal(other_key, "alice", sealed, sizeof(sealed), out),
                   MCP_ERR_SEAL);
  for (size_t len = 0; len < sizeof(sealed); len++) {
    assert_int_equal(unseal(key, "alice", sealed, len, out), MCP_ERR_SEAL);
  }
}

/* --- regular expressions ------------------------------------------------- */

static int match(const char *pattern, const char *text) {
  void *regex = NULL;
  size_t offset = 0;
  assert_int_equal(
      mcpi_platform_regex_new(NULL, pattern, strlen(pattern), &regex, &offset),
      0);
  int found = mcpi_platform_regex_match(NULL, regex, text, strlen(text));
  mcpi_platform_regex_free(NULL, regex);
  return found;
}

static void patterns_mean_what_ecmascript_says(void **state) {
  (void)state;
  assert_int_equal(match("b", "abc"), 1); /* anywhere */
  assert_int_equal(match("^b", "abc"), 0);
  assert_int_equal(match("c$", "abc\n"), 0);        /* only at the very end */
  assert_int_equal(match("^\\d+$", "\xD9\xA1"), 0); /* ASCII digits alone */
  assert_int_equal(match("^.$", "\xF0\x9F\x98\x80"), 1); /* one character */
  assert_int_equal(match("^\\u0041$", "A"), 1);
  assert_int_equal(match("^\\u{1F600}$", "\xF0\x9F\x98\x80"), 1);
  assert_int_equal(match("^\\x41$", "A"), 1);
  assert_int_equal(match("a[]b", "ab"), 0);
  assert_int_equal(match("a[^]b", "a\nb"), 1);
  assert_int_equal(match("^\\p{L}+$", "\xC3\xA9t\xC3\xA9"), 1);
  assert_int_equal(match("^(a)|\\1b$", "b"), 1); /* an unset group is empty */
  assert_int_equal(match("^\\/x$", "/x"), 1);
  assert_int_equal(match("^a.b$", "a\rb"), 0);
  assert_int_equal(match("", ""), 1);
}

static void a_broken_pattern_tells_where(void **state) {
  (void)state;
  void *regex = NULL;
  size_t offset = 0;
  assert_int_equal(mcpi_platform_regex_new(NULL, "ab(c", 4, &regex, &offset),
                   MCP_ERR_PARSE);
  assert_int_equal(offset, 4);
  assert_null(regex);
}

static void an_evil_pattern_gives_up(void **state) {
  (void)state;
  uint64_t started = uv_hrtime();
  assert_int_equal(
      match("^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"),
      MCP_ERR_LIMIT);
  assert_true(uv_hrtime() - started < UINT64_C(5000000000));
  char deep[400];
  memset(deep, '(', sizeof(deep));
  void *regex = NULL;
  size_t offset = 0;
  assert_int_equal(
      mcpi_platform_regex_new(NULL, deep, sizeof(deep), &regex, &offset),
      MCP_ERR_PARSE);
}

static void match_many(void *regex) {
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(mcpi_platform_regex_match(NULL, regex, "xxabbby", 7), 1);
  }
}

static void threads_match_at_once(void **state) {
  (void)state;
  void *regex = NULL;
  size_t offset = 0;
  uv_thread_t threads[4];
  assert_int_equal(mcpi_platform_regex_new(NULL, "ab+y$", 5, &regex, &offset),
                   0);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(uv_thread_create(&threads[i], match_many, regex), 0);
  }
  for (int i = 0; i < 4; i++) {
    uv_thread_join(&threads[i]);
  }
  mcpi_platform_regex_free(NULL, regex);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_bytes_differ),
      cmocka_unit_test(what_is_sealed_comes_back),
      cmocka_unit_test(two_seals_of_one_text_differ),
      cmocka_unit_test(every_altered_bit_is_found),
      cmocka_unit_test(foreign_and_short_seals_are_refused),
      cmocka_unit_test(patterns_mean_what_ecmascript_says),
      cmocka_unit_test(a_broken_pattern_tells_where),
      cmocka_unit_test(an_evil_pattern_gives_up),
      cmocka_unit_test(threads_match_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
