/* SPDX-License-Identifier: MIT */
/* Origins: scheme "://" [ "*." ] host [ ":" port ]. This is the part of the
 * host-source of CSP Level 3 that names no path and no wildcard for schemes,
 * ports or whole hosts. CSP has no IPv6 addresses. */
#include "ext/apps/origin.h"

#include "codec/http_value.h"

enum { LABEL_MAX = 63, HOST_MAX = 253, PORT_MAX = 65535, PORT_MAX_DIGITS = 5 };

static int origin_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static int origin_is_host_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         origin_is_digit(c) || c == '-';
}

static int origin_take_scheme(mcpi_str *text) {
  static const mcpi_str schemes[] = {
      {"https://", 8}, {"http://", 7}, {"wss://", 6}, {"ws://", 5}};
  for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
    size_t len = schemes[i].len;
    if (text->len >= len &&
        mcpi_header_eq_nocase(mcpi_str_n(text->ptr, len), schemes[i])) {
      mcpi_str_take(text, len);
      return 1;
    }
  }
  return 0;
}

/* Takes a label of a host name. 0: there is no valid one. */
static int origin_take_label(mcpi_str *text) {
  size_t len = 0;
  while (len < text->len && origin_is_host_char(text->ptr[len])) {
    len++;
  }
  if (len == 0 || len > LABEL_MAX || text->ptr[0] == '-' ||
      text->ptr[len - 1] == '-') {
    return 0;
  }
  mcpi_str_take(text, len);
  return 1;
}

static int origin_take_host(mcpi_str *text) {
  size_t before = text->len;
  do {
    if (!origin_take_label(text)) {
      return 0;
    }
  } while (mcpi_str_take_char(text, '.'));
  return before - text->len <= HOST_MAX;
}

/* Whether the text is a port. */
static int origin_is_port(mcpi_str text) {
  uint32_t port = 0;
  for (size_t i = 0; i < text.len; i++) {
    if (!origin_is_digit(text.ptr[i])) {
      return 0;
    }
    port = port * 10 + (uint32_t)(text.ptr[i] - '0');
    if (i == PORT_MAX_DIGITS) {
      return 0;
    }
  }
  return port > 0 && port <= PORT_MAX;
}

int mcpi_origin_is_valid(mcpi_str text) {
  if (!origin_take_scheme(&text)) {
    return 0;
  }
  if (mcpi_str_starts_with(text, MCPI_STR("*."))) {
    mcpi_str_take(&text, 2);
  }
  if (!origin_take_host(&text)) {
    return 0;
  }
  return text.len == 0 ||
         (mcpi_str_take_char(&text, ':') && origin_is_port(text));
}
