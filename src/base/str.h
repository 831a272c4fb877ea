/* SPDX-License-Identifier: MIT */
/* Borrowed byte strings: comparing, hashing, searching, UTF-8. */
#ifndef MCPI_BASE_STR_H
#define MCPI_BASE_STR_H

#include <mcp/export.h>
#include <string.h>

typedef struct mcpi_str {
  const char *ptr; /* not NUL-terminated; may be NULL when len is 0 */
  size_t len;
} mcpi_str;

/* A string literal as an mcpi_str. */
#define MCPI_STR(literal) ((mcpi_str){"" literal, sizeof(literal) - 1})

static inline mcpi_str mcpi_str_n(const char *ptr, size_t len) {
  return (mcpi_str){ptr, len};
}

/* NULL gives the empty string. */
static inline mcpi_str mcpi_str_z(const char *string) {
  return (mcpi_str){string, string != NULL ? strlen(string) : 0};
}

/* Whether two runs of `len` bytes are equal. Names are short, and calling
 * memcmp takes longer than comparing them: up to 16 bytes are two overlapping
 * words. */
static inline int mcpi_bytes_eq(const char *a, const char *b, size_t len) {
  if (len > 16) {
    return memcmp(a, b, len) == 0;
  }
  if (len >= 8) {
    uint64_t x[2];
    uint64_t y[2];
    memcpy(&x[0], a, 8);
    memcpy(&y[0], b, 8);
    memcpy(&x[1], a + len - 8, 8);
    memcpy(&y[1], b + len - 8, 8);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
  }
  if (len >= 4) {
    uint32_t x[2];
    uint32_t y[2];
    memcpy(&x[0], a, 4);
    memcpy(&y[0], b, 4);
    memcpy(&x[1], a + len - 4, 4);
    memcpy(&y[1], b + len - 4, 4);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
  }
  for (size_t i = 0; i < len; i++) {
    if (a[i] != b[i]) {
      return 0;
    }
  }
  return 1;
}

static inline int mcpi_str_eq(mcpi_str a, mcpi_str b) {
  return a.len == b.len && mcpi_bytes_eq(a.ptr, b.ptr, a.len);
}

static inline int mcpi_str_starts_with(mcpi_str text, mcpi_str start) {
  return text.len >= start.len && mcpi_bytes_eq(text.ptr, start.ptr, start.len);
}

/* Takes the first `len` bytes off a text that has at least as many. */
static inline mcpi_str mcpi_str_take(mcpi_str *text, size_t len) {
  mcpi_str taken = mcpi_str_n(text->ptr, len);
  if (len > 0) {
    text->ptr += len;
    text->len -= len;
  }
  return taken;
}

/* Takes the first byte off a text if it is this one. */
static inline int mcpi_str_take_char(mcpi_str *text, char wanted) {
  if (text->len == 0 || text->ptr[0] != wanted) {
    return 0;
  }
  mcpi_str_take(text, 1);
  return 1;
}

/* Whether a NUL is among the bytes, so that they are not a C string. */
static inline int mcpi_str_has_nul(mcpi_str string) {
  return string.len > 0 && memchr(string.ptr, '\0', string.len) != NULL;
}

/* Returns a keyed hash (SipHash-1-3), so that a peer that chooses the strings
 * cannot choose the collisions. `seed` is random for each process. */
uint64_t mcpi_str_hash(mcpi_str string, const uint64_t seed[2]);

/* Eight bytes as a number whose lowest byte is the first. Compilers make one
 * load of it. */
static inline uint64_t mcpi_load_word(const char *bytes) {
  const unsigned char *p = (const unsigned char *)bytes;
  return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
         (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 |
         (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* One in each byte of a word. */
#define MCPI_ONES UINT64_C(0x0101010101010101)

/* Not 0 when a byte of the word is `byte`. After the XOR that byte is zero, so
 * the subtraction sets its top bit, which was not set before. */
static inline uint64_t mcpi_word_has(uint64_t word, unsigned char byte) {
  uint64_t rest = word ^ (MCPI_ONES * byte);
  return (rest - MCPI_ONES) & ~rest & (MCPI_ONES << 7);
}

/* Returns the place of the first such byte; `found` is what mcpi_word_has
 * returned, and not 0. Borrows only go up, so all below the first found byte is
 * exact: each byte up to it keeps a one, and the product adds these ones up in
 * the top byte. */
static inline size_t mcpi_word_first(uint64_t found) {
  uint64_t below = (found - 1) & ~found;
  return (size_t)((below & MCPI_ONES) * MCPI_ONES >> 56) - 1;
}

/* Not 0 when a byte of the word is less than `limit`, at most 128. */
static inline uint64_t mcpi_word_has_less(uint64_t word, unsigned char limit) {
  return (word - MCPI_ONES * limit) & ~word & (MCPI_ONES << 7);
}

/* Returns the length of the longest prefix that is valid UTF-8: `len` when all
 * of it is. Surrogates and overlong forms are not valid. */
MCP_API size_t mcpi_utf8_valid_prefix(const char *bytes, size_t len);

static inline int mcpi_str_is_utf8(mcpi_str text) {
  return mcpi_utf8_valid_prefix(text.ptr, text.len) == text.len;
}

/* Takes the first character off a text that is valid UTF-8 and not empty. */
static inline uint32_t mcpi_utf8_take(mcpi_str *text) {
  unsigned char lead = (unsigned char)text->ptr[0];
  size_t len = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  uint32_t character = len == 1 ? lead : lead & (0x7FU >> len);
  for (size_t i = 1; i < len && i < text->len; i++) {
    character = character << 6 | ((unsigned char)text->ptr[i] & 0x3FU);
  }
  len = len < text->len ? len : text->len;
  text->ptr += len;
  text->len -= len;
  return character;
}

#endif
