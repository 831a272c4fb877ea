/* SPDX-License-Identifier: MIT */
#include "wires/websocket/sha1.h"

#include "support/cm.h"
#include <stdio.h>
#include <string.h>

static void assert_digest(const char *text, size_t len, const char *expected) {
  uint8_t digest[MCPI_SHA1_BYTES];
  char hex[2 * MCPI_SHA1_BYTES + 1];
  mcpi_sha1(text, len, digest);
  for (size_t i = 0; i < MCPI_SHA1_BYTES; i++) {
    snprintf(hex + 2 * i, 3, "%02x", digest[i]);
  }
  assert_string_equal(hex, expected);
}

/* RFC 3174, 7.3; the empty text is of FIPS 180's examples. */
TEST(published_digests) {
  assert_digest("", 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  assert_digest("abc", 3, "a9993e364706816aba3e25717850c26c9cd0d89d");
  const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  assert_digest(two, strlen(two), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

/* The end of a text with its length takes one block more from 56 bytes on. */
TEST(lengths_around_a_block) {
  char text[128];
  memset(text, 'a', sizeof(text));
  assert_digest(text, 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a");
  assert_digest(text, 56, "c2db330f6083854c99d4b5bfb6e8f29f201be699");
  assert_digest(text, 63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5");
  assert_digest(text, 64, "0098ba824b5c16427bd7a1122a5a442a25ec644d");
  assert_digest(text, 65, "11655326c708d70319be2610e8a57d9a5b959d3b");
  assert_digest(text, 128, "ad5b3fdbcb526778c2839d2f151ea753995e26a0");
}
