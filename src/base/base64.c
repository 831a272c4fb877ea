/* SPDX-License-Identifier: MIT */
/* Base64, RFC 4648: three bytes become four characters of six bits. */
#include "base/base64.h"

#include <mcp/error.h>

/* Both alphabets begin with these 62 digits and differ in the last two. */
#define BASE64_DIGITS                                                          \
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static const char standard[] = BASE64_DIGITS "+/";
static const char url_safe[] = BASE64_DIGITS "-_";

/* --- writing ------------------------------------------------------------ */

size_t mcpi_base64_len(size_t len) {
  return len / 3 * 4 + (len % 3 != 0 ? 4 : 0);
}

static char *base64_encode_group(char *to, const unsigned char *p,
                                 const char *alphabet) {
  to[0] = alphabet[p[0] >> 2];
  to[1] = alphabet[(p[0] & 3) << 4 | p[1] >> 4];
  to[2] = alphabet[(p[1] & 15) << 2 | p[2] >> 6];
  to[3] = alphabet[p[2] & 63];
  return to + 4;
}

/* Writes the last one or two bytes. Zeros fill up the group of three, and
 * characters for these zeros alone are left out. */
static char *base64_encode_tail(char *to, const unsigned char *p, size_t left,
                                const char *alphabet) {
  unsigned char group[3] = {p[0], left == 2 ? p[1] : 0, 0};
  base64_encode_group(to, group, alphabet);
  return to + left + 1;
}

static char *base64_encode(char *to, const unsigned char *p, size_t len,
                           const char *alphabet) {
  for (; len >= 3; len -= 3, p += 3) {
    to = base64_encode_group(to, p, alphabet);
  }
  return len > 0 ? base64_encode_tail(to, p, len, alphabet) : to;
}

/* Reserves room for the text of `len` bytes. A length that would overflow is
 * above any buffer's limit. */
static char *base64_reserve(mcpi_buf *buf, size_t len) {
  return mcpi_buf_reserve(
      buf, len <= SIZE_MAX / 4 * 3 - 3 ? mcpi_base64_len(len) : SIZE_MAX);
}

void mcpi_base64_write(char *to, const void *bytes, size_t len) {
  char *end = base64_encode(to, bytes, len, standard);
  while ((end - to) % 4 != 0) {
    *end++ = '=';
  }
}

void mcpi_base64_put(mcpi_buf *buf, const void *bytes, size_t len) {
  char *to = base64_reserve(buf, len);
  if (to == NULL || len == 0) {
    return;
  }
  mcpi_base64_write(to, bytes, len);
  mcpi_buf_commit(buf, mcpi_base64_len(len));
}

void mcpi_base64url_put(mcpi_buf *buf, const void *bytes, size_t len) {
  char *to = base64_reserve(buf, len);
  if (to == NULL || len == 0) {
    return;
  }
  char *end = base64_encode(to, bytes, len, url_safe);
  mcpi_buf_commit(buf, (size_t)(end - to));
}

/* --- reading ------------------------------------------------------------ */

/* Each character's six bits plus one; 0 for bytes that are not of the alphabet.
 */
#define BASE64_BITS                                                            \
  ['A'] = 1, ['B'] = 2, ['C'] = 3, ['D'] = 4, ['E'] = 5, ['F'] = 6, ['G'] = 7, \
  ['H'] = 8, ['I'] = 9, ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13,        \
  ['N'] = 14, ['O'] = 15, ['P'] = 16, ['Q'] = 17, ['R'] = 18, ['S'] = 19,      \
  ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24, ['Y'] = 25,      \
  ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31,      \
  ['f'] = 32, ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37,      \
  ['l'] = 38, ['m'] = 39, ['n'] = 40, ['o'] = 41, ['p'] = 42, ['q'] = 43,      \
  ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48, ['w'] = 49,      \
  ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55,      \
  ['3'] = 56, ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61,      \
  ['9'] = 62

static const unsigned char standard_bits[256] = {
    BASE64_BITS, ['+'] = 63, ['/'] = 64};
static const unsigned char url_safe_bits[256] = {
    BASE64_BITS, ['-'] = 63, ['_'] = 64};

int mcpi_base64_value(char c) {
  return standard_bits[(unsigned char)c] - 1;
}

int mcpi_base64url_value(char c) {
  return url_safe_bits[(unsigned char)c] - 1;
}

char mcpi_base64url_digit(unsigned six_bits) {
  return url_safe[six_bits & 63];
}

/* Decodes four characters to 24 bits. If a byte is not in the alphabet, the
 * result is larger than 24 bits: `bits` has 0 for the byte, and 0 - 1 sets all
 * bits. */
static uint32_t base64_decode_group(const unsigned char *p,
                                    const unsigned char *bits) {
  uint32_t a = bits[p[0]] - UINT32_C(1);
  uint32_t b = bits[p[1]] - UINT32_C(1);
  uint32_t c = bits[p[2]] - UINT32_C(1);
  uint32_t d = bits[p[3]] - UINT32_C(1);
  uint32_t bad = (a | b | c | d) & UINT32_C(0xFF000000);
  return bad | ((a << 18 | b << 12 | c << 6 | d) & UINT32_C(0xFFFFFF));
}

static int base64_decode_groups(char *to, const unsigned char *p, size_t count,
                                const unsigned char *bits) {
  uint32_t seen = 0;
  for (size_t i = 0; i < count; i++, p += 4, to += 3) {
    uint32_t group = base64_decode_group(p, bits);
    seen |= group;
    to[0] = (char)(group >> 16 & 0xFF);
    to[1] = (char)(group >> 8 & 0xFF);
    to[2] = (char)(group & 0xFF);
  }
  return seen <= UINT32_C(0xFFFFFF) ? 0 : MCP_ERR_PARSE;
}

/* Decodes the last `left` (two or three) characters, to one or two bytes. The
 * bits after these bytes must be zero; otherwise two texts would mean the same
 * bytes. 'A' stands for six zero bits. */
static int base64_decode_tail(char *to, const unsigned char *p, size_t left,
                              const unsigned char *bits) {
  unsigned char padded[4] = {p[0], p[1], left == 3 ? p[2] : 'A', 'A'};
  uint32_t group = base64_decode_group(padded, bits);
  uint32_t spare = left == 3 ? 0xFF : 0xFFFF;
  if (group > UINT32_C(0xFFFFFF) || (group & spare) != 0) {
    return MCP_ERR_PARSE;
  }
  to[0] = (char)(group >> 16);
  if (left == 3) {
    to[1] = (char)(group >> 8 & 0xFF);
  }
  return 0;
}

/* Decodes text without padding. */
static int base64_decode(mcpi_buf *buf, mcpi_str text,
                         const unsigned char *bits) {
  size_t tail = text.len % 4;
  if (tail == 1) {
    return MCP_ERR_PARSE;
  }
  size_t count = text.len / 4;
  size_t len = count * 3 + (tail > 0 ? tail - 1 : 0);
  char *to = mcpi_buf_reserve(buf, len);
  if (to == NULL || len == 0) {
    return 0;
  }
  const unsigned char *p = (const unsigned char *)text.ptr;
  int rc = base64_decode_groups(to, p, count, bits);
  if (rc == 0 && tail > 0) {
    rc = base64_decode_tail(to + count * 3, p + count * 4, tail, bits);
  }
  if (rc == 0) {
    mcpi_buf_commit(buf, len);
  }
  return rc;
}

int mcpi_base64_decode(mcpi_buf *buf, mcpi_str text) {
  if (text.len % 4 != 0) {
    return MCP_ERR_PARSE;
  }
  for (int i = 0; i < 2 && text.len > 0; i++) {
    text.len -= text.ptr[text.len - 1] == '=';
  }
  return base64_decode(buf, text, standard_bits);
}

int mcpi_base64url_decode(mcpi_buf *buf, mcpi_str text) {
  return base64_decode(buf, text, url_safe_bits);
}
