/* SPDX-License-Identifier: MIT */
#include "auth/resource/token_key.h"

#include "support/cm.h"
#include <mcp/loop.h>
#include <string.h>

static mcp_loop *loop;
static mcpi_last_resource last;

static int begin(void **state) {
  loop = mcp_loop_new(NULL, NULL);
  last = (mcpi_last_resource){.len = 0};
  return 0;
}

static int end(void **state) {
  mcp_loop_free(loop);
  return 0;
}

static mcpi_token_key make(const char *token, const char *resource) {
  mcpi_token_key key = {.len = 0};
  assert_int_equal(mcpi_token_key_make(&key, loop, mcpi_str_z(token),
                                       mcpi_str_z(resource), &last),
                   0);
  return key;
}

static int is_same(mcpi_token_key a, mcpi_token_key b) {
  return mcpi_str_eq(mcpi_token_key_str(&a), mcpi_token_key_str(&b));
}

#define KEY_TEST(name) TEST_WITH(name, begin, end)

KEY_TEST(a_key_is_the_hash_of_the_token) {
  static const uint8_t hash[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01};
  const mcpi_token_key key = make("abc", NULL);
  assert_int_equal(key.len, MCP_SHA256_SIZE);
  assert_memory_equal(key.bytes, hash, sizeof(hash));
  assert_int_equal(last.len, 0);
}

KEY_TEST(each_resource_has_its_own_keys) {
  const mcpi_token_key one = make("abc", "https://a/mcp");
  const mcpi_token_key two = make("abc", "https://b/mcp");
  assert_int_equal(one.len, 2 * MCP_SHA256_SIZE);
  assert_false(is_same(one, two));
  assert_memory_equal(one.bytes, two.bytes, MCP_SHA256_SIZE);
  assert_true(is_same(two, make("abc", "https://b/mcp"))); /* remembered */
  assert_true(is_same(one, make("abc", "https://a/mcp")));
  assert_false(is_same(one, make("abd", "https://a/mcp")));
}

KEY_TEST(a_long_resource_is_not_remembered) {
  char most[sizeof(last.text) + 1];
  char longer[sizeof(last.text) + 2];
  memset(most, 'x', sizeof(most) - 1);
  memset(longer, 'x', sizeof(longer) - 1);
  most[sizeof(most) - 1] = '\0';
  longer[sizeof(longer) - 1] = '\0';
  const mcpi_token_key fits = make("abc", most);
  assert_int_equal(last.len, sizeof(last.text));
  const mcpi_token_key key = make("abc", longer);
  assert_int_equal(last.len, sizeof(last.text));
  assert_false(is_same(fits, key));
  assert_true(is_same(key, make("abc", longer)));
  assert_true(is_same(fits, make("abc", most)));
}

/* An empty one is not that of a structure of zeros. */
KEY_TEST(an_empty_resource_has_a_hash_too) {
  const mcpi_token_key key = make("abc", "");
  assert_int_equal(key.len, 2 * MCP_SHA256_SIZE);
  assert_int_equal(key.bytes[MCP_SHA256_SIZE], 0xe3);
}
