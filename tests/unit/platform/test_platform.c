/* SPDX-License-Identifier: MIT */
#include "platform/platform.h"

#include "support/cm.h"
#include <mcp/error.h>
#include <string.h>
#include <uv.h>

/* --- random bytes -------------------------------------------------------- */

TEST(random_bytes_differ) {
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

TEST(what_is_sealed_comes_back) {
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

TEST(two_seals_of_one_text_differ) {
  uint8_t a[4 + MCP_SEAL_OVERHEAD];
  uint8_t b[4 + MCP_SEAL_OVERHEAD];
  assert_int_equal(seal("", "text", a), 0);
  assert_int_equal(seal("", "text", b), 0);
  assert_memory_not_equal(a, b, sizeof(a));
}

TEST(every_altered_bit_is_found) {
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

TEST(foreign_and_short_seals_are_refused) {
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
