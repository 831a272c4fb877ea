/* SPDX-License-Identifier: MIT */
/* The headers Host and Origin. */
#include "codec/http_origin.h"

#include "base/ascii.h"
#include "codec/http_value.h"
#include "json/write.h"

#include <mcp/error.h>

enum { PORT_MAX = 65535 };

/* Bytes of the longest name in the DNS (RFC 1035, 2.3.4). */
enum { HOST_MAX = 253 };

/* --- hosts -------------------------------------------------------------- */

/* RFC 3986 allows more characters, but no resolver takes them. Numbers are
 * names too. */
static int host_is_name(mcpi_str name) {
  for (size_t i = 0; i < name.len; i++) {
    char c = name.ptr[i];
    if (!mcpi_is_alnum(c) && c != '-' && c != '.' && c != '_') {
      return 0;
    }
  }
  return name.len > 0 && name.len <= HOST_MAX;
}

/* "[" hex digits, colons and points "]". */
static int host_is_bracketed(mcpi_str name) {
  for (size_t i = 1; i + 1 < name.len; i++) {
    char c = name.ptr[i];
    if (!mcpi_is_hex(c) && c != ':' && c != '.') {
      return 0;
    }
  }
  return name.len > 2 && name.len <= HOST_MAX && name.ptr[0] == '[' &&
         name.ptr[name.len - 1] == ']';
}

/* Returns the bytes before the colon of the port, or all. */
static size_t host_name_len(mcpi_str text) {
  const char *end = NULL;
  if (text.len > 0 && text.ptr[0] == '[') {
    end = memchr(text.ptr, ']', text.len);
    return end != NULL ? (size_t)(end - text.ptr) + 1 : text.len;
  }
  end = text.len > 0 ? memchr(text.ptr, ':', text.len) : NULL;
  return end != NULL ? (size_t)(end - text.ptr) : text.len;
}

/* ":" and digits. */
static int host_read_port(mcpi_str text, int *port) {
  int found = 0;
  if (text.len < 2 || text.ptr[0] != ':') {
    return MCP_ERR_PARSE;
  }
  for (size_t i = 1; i < text.len; i++) {
    found = mcpi_is_digit(text.ptr[i]) ? found * 10 + (text.ptr[i] - '0')
                                       : PORT_MAX + 1;
    if (found > PORT_MAX) {
      return MCP_ERR_PARSE;
    }
  }
  *port = found;
  return 0;
}

int mcpi_header_host_parse(mcpi_header_host *out, mcpi_str text) {
  size_t len = host_name_len(text);
  mcpi_header_host host = {mcpi_str_n(text.ptr, len), -1};
  if (!host_is_name(host.name) && !host_is_bracketed(host.name)) {
    return MCP_ERR_PARSE;
  }
  if (len < text.len) {
    int rc =
        host_read_port(mcpi_str_n(text.ptr + len, text.len - len), &host.port);
    if (rc != 0) {
      return rc;
    }
  }
  *out = host;
  return 0;
}

/* --- the loopback interface --------------------------------------------- */

/* Takes a decimal number up to 255. Leading zeros are refused, because some
 * resolvers read such a number as octal. */
static int host_take_byte(mcpi_str *text, int *byte) {
  size_t len = 0;
  *byte = 0;
  while (len < text->len && len < 3 && mcpi_is_digit(text->ptr[len])) {
    *byte = *byte * 10 + (text->ptr[len] - '0');
    len++;
  }
  int is_fine = len > 0 && *byte <= 255 && (len == 1 || text->ptr[0] != '0');
  *text = mcpi_str_n(text->ptr + len, text->len - len);
  return is_fine;
}

static int host_is_loopback_v4(mcpi_str text) {
  for (int i = 0; i < 4; i++) {
    int byte = 0;
    if (i > 0) {
      if (text.len == 0 || text.ptr[0] != '.') {
        return 0;
      }
      text = mcpi_str_n(text.ptr + 1, text.len - 1);
    }
    if (!host_take_byte(&text, &byte) || (i == 0 && byte != 127)) {
      return 0;
    }
  }
  return text.len == 0;
}

int mcpi_header_is_loopback(mcpi_str name) {
  return mcpi_header_eq_nocase(name, MCPI_STR("localhost")) ||
         mcpi_str_eq(name, MCPI_STR("[::1]")) ||
         (name.len > 0 && host_is_loopback_v4(name));
}

/* --- origins ------------------------------------------------------------ */

static int origin_is_scheme(mcpi_str scheme) {
  for (size_t i = 0; i < scheme.len; i++) {
    char c = scheme.ptr[i];
    if (!mcpi_is_letter(c) &&
        !(i > 0 && (mcpi_is_digit(c) || c == '+' || c == '-' || c == '.'))) {
      return 0;
    }
  }
  return scheme.len > 0;
}

static int origin_default_port(mcpi_str scheme) {
  if (mcpi_header_eq_nocase(scheme, MCPI_STR("http"))) {
    return 80;
  }
  return mcpi_header_eq_nocase(scheme, MCPI_STR("https")) ? 443 : -1;
}

int mcpi_header_origin_parse(mcpi_header_origin *out, mcpi_str text) {
  const char *colon = text.len > 0 ? memchr(text.ptr, ':', text.len) : NULL;
  size_t len = colon != NULL ? (size_t)(colon - text.ptr) : text.len;
  mcpi_header_origin origin = {mcpi_str_n(text.ptr, len), {{NULL, 0}, -1}};
  if (!origin_is_scheme(origin.scheme) || text.len - len < 3 ||
      memcmp(text.ptr + len, "://", 3) != 0) {
    return MCP_ERR_PARSE;
  }
  int rc = mcpi_header_host_parse(
      &origin.host, mcpi_str_n(text.ptr + len + 3, text.len - len - 3));
  if (rc != 0) {
    return rc;
  }
  if (origin.host.port < 0) {
    origin.host.port = origin_default_port(origin.scheme);
  }
  *out = origin;
  return 0;
}

static void put_lower(mcpi_buf *buf, mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    mcpi_buf_putc(buf, mcpi_to_lower(text.ptr[i]));
  }
}

void mcpi_header_origin_put(mcpi_buf *buf, const mcpi_header_origin *origin) {
  int port = origin->host.port;
  put_lower(buf, origin->scheme);
  mcpi_buf_lit(buf, "://");
  put_lower(buf, origin->host.name);
  if (port >= 0 && port != origin_default_port(origin->scheme)) {
    mcpi_buf_putc(buf, ':');
    mcpi_json_put_uint(buf, (uint64_t)port);
  }
}

int mcpi_header_origin_matches(mcpi_str origin, mcpi_str allowed) {
  mcpi_header_origin a;
  mcpi_header_origin b;
  if (mcpi_header_origin_parse(&a, origin) != 0 ||
      mcpi_header_origin_parse(&b, allowed) != 0) {
    return mcpi_str_eq(origin, MCPI_STR("null")) &&
           mcpi_str_eq(allowed, MCPI_STR("null"));
  }
  return mcpi_header_eq_nocase(a.scheme, b.scheme) &&
         mcpi_header_eq_nocase(a.host.name, b.host.name) &&
         a.host.port == b.host.port;
}

int mcpi_header_origin_is_loopback(mcpi_str text) {
  mcpi_header_origin origin;
  return mcpi_header_origin_parse(&origin, text) == 0 &&
         origin_default_port(origin.scheme) >= 0 &&
         mcpi_header_is_loopback(origin.host.name);
}
