/* SPDX-License-Identifier: MIT */
/* Characters of ASCII, in any locale. */
#ifndef MCPI_BASE_ASCII_H
#define MCPI_BASE_ASCII_H

static inline int mcpi_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static inline int mcpi_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline int mcpi_is_alnum(char c) {
  return mcpi_is_letter(c) || mcpi_is_digit(c);
}

/* Returns the value of a hexadecimal digit, or -1. */
static inline int mcpi_hex_value(char c) {
  if (mcpi_is_digit(c)) {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline int mcpi_is_hex(char c) {
  return mcpi_hex_value(c) >= 0;
}

static inline char mcpi_to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

#endif
