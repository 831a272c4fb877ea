/* SPDX-License-Identifier: MIT */
/* Punycode by the algorithms of RFC 3492, section 6. */
#include "codec/punycode.h"

#include "base/ascii.h"

#include <mcp/error.h>

enum {
  BASE = 36,
  T_MIN = 1,
  T_MAX = 26,
  SKEW = 38,
  DAMP = 700,
  FIRST_BIAS = 72,
  FIRST_CHAR = 0x80,
  LAST_CHAR = 0x10FFFF
};

static uint32_t adapted_bias(uint32_t delta, uint32_t count, int is_first) {
  uint32_t k = 0;
  delta = is_first ? delta / DAMP : delta / 2;
  delta += delta / count;
  for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE) {
    delta /= BASE - T_MIN;
  }
  return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t punycode_threshold(uint32_t k, uint32_t bias) {
  if (k <= bias + T_MIN) {
    return T_MIN;
  }
  return k >= bias + T_MAX ? T_MAX : k - bias;
}

/* Returns a digit's value, or BASE if it is not a digit. */
static uint32_t digit_value(char c) {
  c = mcpi_to_lower(c);
  if (c >= 'a' && c <= 'z') {
    return (uint32_t)(c - 'a');
  }
  return c >= '0' && c <= '9' ? (uint32_t)(c - '0') + 26 : BASE;
}

static char digit_of(uint32_t value) {
  return (char)(value < 26 ? 'a' + (int)value : '0' + (int)value - 26);
}

/* --- decoding (6.2) ------------------------------------------------------ */

/* Takes a number whose digits have growing weights. */
static int punycode_take_delta(mcpi_str *rest, uint32_t bias, uint32_t *delta) {
  uint64_t sum = 0;
  uint64_t weight = 1;
  for (uint32_t k = BASE;; k += BASE) {
    uint32_t digit = rest->len > 0 ? digit_value(rest->ptr[0]) : BASE;
    uint32_t t = punycode_threshold(k, bias);
    sum += digit * weight;
    if (digit == BASE || sum > UINT32_MAX) {
      return 0;
    }
    mcpi_str_take(rest, 1);
    if (digit < t) {
      break;
    }
    weight *= BASE - t;
    if (weight > UINT32_MAX) {
      return 0;
    }
  }
  *delta = (uint32_t)sum;
  return 1;
}

static void label_insert(mcpi_label *to, uint32_t at, uint32_t c) {
  memmove(to->chars + at + 1, to->chars + at,
          (to->len - at) * sizeof(to->chars[0]));
  to->chars[at] = c;
  to->len++;
}

/* Takes the ASCII characters and the hyphen that follows them. */
static int punycode_take_basic(mcpi_str *rest, mcpi_label *out) {
  size_t len = rest->len;
  while (len > 0 && rest->ptr[len - 1] != '-') {
    len--;
  }
  out->len = 0;
  for (size_t i = 0; i + 1 < len; i++) {
    uint32_t c = (unsigned char)mcpi_to_lower(rest->ptr[i]);
    if (c >= FIRST_CHAR) {
      return 0;
    }
    out->chars[out->len++] = c;
  }
  if (len > 1) {
    mcpi_str_take(rest, len);
  }
  return 1;
}

/* After the ASCII characters comes one delta for each other character. The
 * decoder tries all places of the label for one character, then all places for
 * the next character, and so on. A delta is the number of such steps that it
 * skips before it inserts the character. */
int mcpi_punycode_decode(mcpi_str text, mcpi_label *out) {
  uint64_t c = FIRST_CHAR;
  uint64_t at = 0;
  uint32_t bias = FIRST_BIAS;
  if (text.len > MCPI_PUNYCODE_MAX || !punycode_take_basic(&text, out)) {
    return MCP_ERR_PARSE;
  }
  for (int is_first = 1; text.len > 0; is_first = 0) {
    uint32_t delta = 0;
    if (!punycode_take_delta(&text, bias, &delta)) {
      return MCP_ERR_PARSE;
    }
    bias = adapted_bias(delta, out->len + 1, is_first);
    at += delta;
    c += at / (out->len + 1);
    at %= out->len + 1;
    if (c > LAST_CHAR || (c >= 0xD800 && c <= 0xDFFF)) {
      return MCP_ERR_PARSE;
    }
    label_insert(out, (uint32_t)at, (uint32_t)c);
    at++;
  }
  return 0;
}

/* --- encoding (6.3) ------------------------------------------------------ */

/* The output. Bytes past MCPI_PUNYCODE_MAX are counted, not written. */
typedef struct punycode {
  char *text;
  size_t len;
} punycode;

static void punycode_put(punycode *out, char c) {
  if (out->len < MCPI_PUNYCODE_MAX) {
    out->text[out->len] = c;
  }
  out->len++;
}

static void punycode_put_delta(punycode *out, uint32_t delta, uint32_t bias) {
  for (uint32_t k = BASE;; k += BASE) {
    uint32_t t = punycode_threshold(k, bias);
    if (delta < t) {
      punycode_put(out, digit_of(delta));
      return;
    }
    punycode_put(out, digit_of(t + (delta - t) % (BASE - t)));
    delta = (delta - t) / (BASE - t);
  }
}

static uint32_t punycode_put_basic(punycode *out, const mcpi_label *in) {
  for (uint32_t i = 0; i < in->len; i++) {
    if (in->chars[i] < FIRST_CHAR) {
      punycode_put(out, (char)in->chars[i]);
    }
  }
  uint32_t count = (uint32_t)out->len;
  if (count > 0) {
    punycode_put(out, '-');
  }
  return count;
}

/* Returns the smallest character of the label that is not below c. */
static uint32_t label_next_char(const mcpi_label *in, uint32_t c) {
  uint32_t least = UINT32_MAX;
  for (uint32_t i = 0; i < in->len; i++) {
    if (in->chars[i] >= c && in->chars[i] < least) {
      least = in->chars[i];
    }
  }
  return least;
}

/* Nothing overflows: a label has at most MCPI_PUNYCODE_MAX characters. */
size_t mcpi_punycode_encode(const mcpi_label *in,
                            char text[MCPI_PUNYCODE_MAX]) {
  punycode out = {.text = text};
  uint32_t c = FIRST_CHAR;
  uint32_t delta = 0;
  uint32_t bias = FIRST_BIAS;
  uint32_t basic = punycode_put_basic(&out, in);
  for (uint32_t done = basic; done < in->len; delta++, c++) {
    uint32_t next = label_next_char(in, c);
    delta += (next - c) * (done + 1);
    c = next;
    for (uint32_t i = 0; i < in->len; i++) {
      if (in->chars[i] == c) {
        punycode_put_delta(&out, delta, bias);
        bias = adapted_bias(delta, done + 1, done == basic);
        delta = 0;
        done++;
      } else if (in->chars[i] < c) {
        delta++;
      }
    }
  }
  return out.len <= MCPI_PUNYCODE_MAX ? out.len : 0;
}
