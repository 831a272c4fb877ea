/* SPDX-License-Identifier: MIT */
#include "codec/ip.h"

#include "base/ascii.h"
#include <mcp/error.h>

/* --- reading -------------------------------------------------------------- */

/* Takes a decimal number up to 255, without leading zeros: some resolvers read
 * these as octal. Returns -1 without one. */
static int ip_take_byte(mcpi_str *text) {
  int value = 0;
  size_t len = 0;
  while (len < text->len && len < 4 && mcpi_is_digit(text->ptr[len])) {
    value = value * 10 + (text->ptr[len] - '0');
    len++;
  }
  int is_fine = len > 0 && value <= 255 && (len == 1 || text->ptr[0] != '0');
  mcpi_str_take(text, len);
  return is_fine ? value : -1;
}

/* "1.2.3.4" and nothing else. */
static int ip_read_v4(uint8_t out[4], mcpi_str text) {
  for (int i = 0; i < 4; i++) {
    if (i > 0 && !mcpi_str_take_char(&text, '.')) {
      return 0;
    }
    int byte = ip_take_byte(&text);
    if (byte < 0) {
      return 0;
    }
    out[i] = (uint8_t)byte;
  }
  return text.len == 0;
}

/* Takes one to four hexadecimal digits. Returns -1 without one. */
static long ip_take_group(mcpi_str *text) {
  long value = 0;
  size_t len = 0;
  for (; len < text->len && len < 4; len++) {
    int digit = mcpi_hex_value(text->ptr[len]);
    if (digit < 0) {
      break;
    }
    value = value << 4 | digit;
  }
  mcpi_str_take(text, len);
  return len > 0 ? value : -1;
}

/* Reads groups with colons between them, at most 16 bytes. The end of an
 * address may be an IPv4 address. Returns the number of bytes, or -1. */
static int ip_read_groups(uint8_t out[16], mcpi_str text, int is_end) {
  int count = 0;
  while (text.len > 0) {
    if (count > 0 && !mcpi_str_take_char(&text, ':')) {
      return -1;
    }
    if (is_end && count <= 12 && ip_read_v4(out + count, text)) {
      return count + 4;
    }
    long group = ip_take_group(&text);
    if (group < 0 || count == 16) {
      return -1;
    }
    out[count++] = (uint8_t)(group >> 8);
    out[count++] = (uint8_t)(group & 255);
  }
  return count;
}

static size_t ip_find_gap(mcpi_str text) {
  for (size_t i = 0; i + 1 < text.len; i++) {
    if (text.ptr[i] == ':' && text.ptr[i + 1] == ':') {
      return i;
    }
  }
  return text.len;
}

static int ip_read_v6(uint8_t out[16], mcpi_str text) {
  uint8_t before[16] = {0};
  uint8_t after[16] = {0};
  size_t gap = ip_find_gap(text);
  int first =
      ip_read_groups(before, mcpi_str_n(text.ptr, gap), gap == text.len);
  if (gap == text.len) {
    memcpy(out, before, 16);
    return first == 16;
  }
  int last = ip_read_groups(
      after, mcpi_str_n(text.ptr + gap + 2, text.len - gap - 2), 1);
  if (first < 0 || last < 0 || first + last > 14) {
    return 0;
  }
  memset(out, 0, 16);
  memcpy(out, before, (size_t)first);
  memcpy(out + 16 - last, after, (size_t)last);
  return 1;
}

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0,    0,
                                          0, 0, 0, 0, 0xff, 0xff};

int mcpi_ip_parse(uint8_t out[16], mcpi_str text) {
  uint8_t address[16];
  if (text.len > 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']') {
    text = mcpi_str_n(text.ptr + 1, text.len - 2);
  } else if (ip_read_v4(address + 12, text)) {
    memcpy(out, mapped_prefix, 12);
    memcpy(out + 12, address + 12, 4);
    return 0;
  }
  if (text.len == 0 || !ip_read_v6(address, text)) {
    return MCP_ERR_PARSE;
  }
  memcpy(out, address, 16);
  return 0;
}

/* --- ranges --------------------------------------------------------------- */

typedef struct ip_range {
  uint8_t prefix[16];
  unsigned bits;
} ip_range;

static int ip_is_in(const uint8_t *address, const ip_range *range) {
  unsigned whole = range->bits / 8;
  unsigned rest = range->bits % 8;
  if (memcmp(address, range->prefix, whole) != 0) {
    return 0;
  }
  return rest == 0 ||
         (address[whole] ^ range->prefix[whole]) >> (8 - rest) == 0;
}

static int ip_is_special_v4(const uint8_t address[4]) {
  static const ip_range ranges[] = {
      {{0}, 8},             /* "this network" */
      {{10}, 8},            /* private */
      {{100, 64}, 10},      /* shared, behind a provider's NAT */
      {{127}, 8},           /* loopback */
      {{169, 254}, 16},     /* link-local: metadata of cloud hosts */
      {{172, 16}, 12},      /* private */
      {{192, 0, 0}, 24},    /* of the protocols */
      {{192, 0, 2}, 24},    /* documentation */
      {{192, 88, 99}, 24},  /* relays of 6to4 */
      {{192, 168}, 16},     /* private */
      {{198, 18}, 15},      /* measurements */
      {{198, 51, 100}, 24}, /* documentation */
      {{203, 0, 113}, 24},  /* documentation */
      {{224}, 3}            /* multicast, reserved, broadcast */
  };
  for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
    if (ip_is_in(address, &ranges[i])) {
      return 1;
    }
  }
  return 0;
}

/* Only 2000::/3 is given to hosts; in it, these are not. */
static int ip_is_special_v6(const uint8_t address[16]) {
  static const ip_range global = {{0x20}, 3};
  static const ip_range ranges[] = {
      {{0x20, 0x01, 0x00}, 23},       /* of the protocols: Teredo */
      {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
      {{0x3f, 0xff, 0x00}, 20}        /* documentation */
  };
  if (!ip_is_in(address, &global)) {
    return 1;
  }
  for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
    if (ip_is_in(address, &ranges[i])) {
      return 1;
    }
  }
  return 0;
}

/* Returns the IPv4 address that an address stands for, or NULL. */
static const uint8_t *ip_embedded_v4(const uint8_t address[16]) {
  static const ip_range mapped = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff},
                                  96};
  static const ip_range nat64 = {{0x00, 0x64, 0xff, 0x9b}, 96};
  static const ip_range six_to_four = {{0x20, 0x02}, 16};
  if (ip_is_in(address, &mapped) || ip_is_in(address, &nat64)) {
    return address + 12;
  }
  return ip_is_in(address, &six_to_four) ? address + 2 : NULL;
}

int mcpi_ip_is_public(const uint8_t address[16]) {
  const uint8_t *v4 = ip_embedded_v4(address);
  return v4 != NULL ? !ip_is_special_v4(v4) : !ip_is_special_v6(address);
}
