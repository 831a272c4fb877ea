/* SPDX-License-Identifier: MIT */
/* SHA-1 as RFC 3174, 6.1 describes it. */
#include "wires/websocket/sha1.h"

#include <string.h>

enum { BLOCK = 64, LENGTH_BYTES = 8 };

static uint32_t sha1_rotate(uint32_t word, int bits) {
  return word << bits | word >> (32 - bits);
}

static uint32_t sha1_read_word(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
         p[3];
}

static void add_block(uint32_t h[5], const uint8_t *block) {
  uint32_t w[80];
  for (int t = 0; t < 16; t++) {
    w[t] = sha1_read_word(block + (size_t)t * 4);
  }
  for (int t = 16; t < 80; t++) {
    w[t] = sha1_rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  }
  uint32_t a = h[0];
  uint32_t b = h[1];
  uint32_t c = h[2];
  uint32_t d = h[3];
  uint32_t e = h[4];
  for (int t = 0; t < 80; t++) {
    uint32_t f;
    uint32_t k;
    if (t < 20) {
      f = (b & c) | (~b & d);
      k = 0x5a827999;
    } else if (t < 40) {
      f = b ^ c ^ d;
      k = 0x6ed9eba1;
    } else if (t < 60) {
      f = (b & c) | (b & d) | (c & d);
      k = 0x8f1bbcdc;
    } else {
      f = b ^ c ^ d;
      k = 0xca62c1d6;
    }
    uint32_t next = sha1_rotate(a, 5) + f + e + w[t] + k;
    e = d;
    d = c;
    c = sha1_rotate(b, 30);
    b = a;
    a = next;
  }
  h[0] += a;
  h[1] += b;
  h[2] += c;
  h[3] += d;
  h[4] += e;
}

/* Adds the rest, a bit 1, zeros, and the length in bits: one block or two. */
static void add_end(uint32_t h[5], const uint8_t *rest, size_t rest_len,
                    size_t len) {
  uint8_t end[2 * BLOCK] = {0};
  size_t end_len = rest_len < BLOCK - LENGTH_BYTES ? BLOCK : 2 * BLOCK;
  if (rest_len > 0) {
    memcpy(end, rest, rest_len);
  }
  end[rest_len] = 0x80;
  uint64_t bits = (uint64_t)len << 3;
  for (size_t i = 1; i <= LENGTH_BYTES; i++, bits >>= 8) {
    end[end_len - i] = (uint8_t)bits;
  }
  for (size_t at = 0; at < end_len; at += BLOCK) {
    add_block(h, end + at);
  }
}

void mcpi_sha1(const void *bytes, size_t len, uint8_t digest[MCPI_SHA1_BYTES]) {
  uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const uint8_t *p = bytes;
  size_t left = len;
  for (; left >= BLOCK; left -= BLOCK, p += BLOCK) {
    add_block(h, p);
  }
  add_end(h, p, left, len);
  for (size_t i = 0; i < MCPI_SHA1_BYTES; i++) {
    digest[i] = (uint8_t)(h[i / 4] >> (24 - i % 4 * 8));
  }
}
