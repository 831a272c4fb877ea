/* SPDX-License-Identifier: MIT */
#include "auth/resource/credentials.h"

#include "codec/http_value.h"

/* Letters, digits and "-._~+/", a bit each, 32 characters in a word. */
static int credentials_is_token_char(char c) {
  static const uint32_t chars[8] = {0, 0x03FFE800, 0x87FFFFFE, 0x47FFFFFE};
  unsigned char byte = (unsigned char)c;
  return (int)(chars[byte >> 5] >> (byte & 31) & 1);
}

int mcpi_credentials_is_token(mcpi_str text) {
  size_t i = 0;
  while (i < text.len && credentials_is_token_char(text.ptr[i])) {
    i++;
  }
  int has_begun = i > 0;
  while (i < text.len && text.ptr[i] == '=') {
    i++;
  }
  return has_begun && i == text.len;
}

static mcpi_scheme credentials_scheme(mcpi_str name) {
  if (mcpi_header_eq_nocase(name, MCPI_STR("Bearer"))) {
    return MCPI_SCHEME_BEARER;
  }
  if (mcpi_header_eq_nocase(name, MCPI_STR("DPoP"))) {
    return MCPI_SCHEME_DPOP;
  }
  return MCPI_SCHEME_NONE;
}

mcpi_scheme mcpi_credentials_read(mcpi_str value, mcpi_str *token) {
  mcpi_str rest = mcpi_header_trim(value);
  size_t len = 0;
  while (len < rest.len && rest.ptr[len] != ' ' && rest.ptr[len] != '\t') {
    len++;
  }
  mcpi_scheme scheme = credentials_scheme(mcpi_str_take(&rest, len));
  rest = mcpi_header_trim(rest);
  if (scheme == MCPI_SCHEME_NONE) {
    return scheme;
  }
  if (rest.len == 0) {
    return MCPI_SCHEME_BROKEN;
  }
  *token = rest;
  return scheme;
}
