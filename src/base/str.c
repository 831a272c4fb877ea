/* SPDX-License-Identifier: MIT */
/* Hashing of byte strings (SipHash-1-3) and UTF-8 validation (RFC 3629). */
#include "base/str.h"

/* The last 0 to 7 bytes, with the length on top as SipHash wants it. */
static uint64_t load_tail(const char *p, size_t len) {
  uint64_t word = (uint64_t)len << 56;
  for (size_t i = 0; i < len % 8; i++) {
    word |= (uint64_t)(unsigned char)p[i] << (8 * i);
  }
  return word;
}

static uint64_t str_rotate(uint64_t word, int bits) {
  return word << bits | word >> (64 - bits);
}

static inline void sip_round(uint64_t v[4]) {
  v[0] += v[1];
  v[1] = str_rotate(v[1], 13) ^ v[0];
  v[0] = str_rotate(v[0], 32);
  v[2] += v[3];
  v[3] = str_rotate(v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = str_rotate(v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = str_rotate(v[1], 17) ^ v[2];
  v[2] = str_rotate(v[2], 32);
}

static inline void sip_absorb(uint64_t v[4], uint64_t word) {
  v[3] ^= word;
  sip_round(v);
  v[0] ^= word;
}

uint64_t mcpi_str_hash(mcpi_str string, const uint64_t seed[2]) {
  uint64_t v[4] = {
      seed[0] ^ UINT64_C(0x736f6d6570736575),
      seed[1] ^ UINT64_C(0x646f72616e646f6d),
      seed[0] ^ UINT64_C(0x6c7967656e657261),
      seed[1] ^ UINT64_C(0x7465646279746573),
  };
  const char *p = string.ptr;
  for (size_t left = string.len; left >= 8; left -= 8, p += 8) {
    sip_absorb(v, mcpi_load_word(p));
  }
  sip_absorb(v, load_tail(p, string.len));
  v[2] ^= 0xFF;
  for (int i = 0; i < 3; i++) {
    sip_round(v);
  }
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Whether a byte may follow this lead byte (RFC 3629, section 4). The narrower
 * ranges exclude overlong forms, surrogates and characters past U+10FFFF. */
static int is_second(unsigned char lead, unsigned char byte) {
  switch (lead) {
  case 0xE0:
    return byte >= 0xA0 && byte <= 0xBF;
  case 0xED:
    return byte >= 0x80 && byte <= 0x9F;
  case 0xF0:
    return byte >= 0x90 && byte <= 0xBF;
  case 0xF4:
    return byte >= 0x80 && byte <= 0x8F;
  default:
    return (byte & 0xC0) == 0x80;
  }
}

static size_t sequence_len(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xC2 || lead > 0xF4) {
    return 0;
  }
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* Returns the bytes of the character at p, or 0 when it is not valid. */
static size_t character_len(const unsigned char *p, size_t left) {
  size_t len = sequence_len(p[0]);
  if (len > left || (len > 1 && !is_second(p[0], p[1]))) {
    return 0;
  }
  for (size_t i = 2; i < len; i++) {
    if ((p[i] & 0xC0) != 0x80) {
      return 0;
    }
  }
  return len;
}

/* Returns how many bytes from p on are ASCII, in whole words: most text is. */
static size_t ascii_len(const char *p, size_t left) {
  size_t len = 0;
  while (left - len >= 8 && (mcpi_load_word(p + len) & (MCPI_ONES << 7)) == 0) {
    len += 8;
  }
  return len;
}

size_t mcpi_utf8_valid_prefix(const char *bytes, size_t len) {
  size_t done = 0;
  while (done < len) {
    const char *p = bytes + done;
    size_t step = ascii_len(p, len - done);
    if (step == 0) {
      step = character_len((const unsigned char *)p, len - done);
    }
    if (step == 0) {
      break;
    }
    done += step;
  }
  return done;
}
