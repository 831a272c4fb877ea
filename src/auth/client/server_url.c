/* SPDX-License-Identifier: MIT */
#include "auth/client/server_url.h"

#include "base/ascii.h"
#include "codec/http_value.h"
#include "codec/uri.h"
#include <mcp/error.h>

/* Returns "http" or "https", or NULL. */
static const char *http_scheme(mcpi_str scheme) {
  if (mcpi_header_eq_nocase(scheme, MCPI_STR("https")) ||
      mcpi_header_eq_nocase(scheme, MCPI_STR("wss"))) {
    return "https";
  }
  if (mcpi_header_eq_nocase(scheme, MCPI_STR("http")) ||
      mcpi_header_eq_nocase(scheme, MCPI_STR("ws"))) {
    return "http";
  }
  return NULL;
}

static mcpi_str without_user(mcpi_str authority) {
  for (size_t i = authority.len; i > 0; i--) {
    if (authority.ptr[i - 1] == '@') {
      mcpi_str_take(&authority, i);
      break;
    }
  }
  return authority;
}

/* Drops ":443" of https, ":80" of http, and an empty port. */
static mcpi_str without_own_port(mcpi_str host, const char *scheme) {
  const mcpi_str ports[] = {MCPI_STR(":"),
                            mcpi_str_z(strlen(scheme) == 5 ? ":443" : ":80")};
  for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
    mcpi_str port = ports[i];
    if (host.len > port.len &&
        mcpi_bytes_eq(host.ptr + host.len - port.len, port.ptr, port.len)) {
      return mcpi_str_n(host.ptr, host.len - port.len);
    }
  }
  return host;
}

static int server_url_is_visible(mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    if (text.ptr[i] <= ' ' || text.ptr[i] > '~') {
      return 0;
    }
  }
  return 1;
}

int mcpi_server_url_put(mcpi_buf *buf, mcpi_str url) {
  mcpi_uri uri;
  mcpi_uri_split(url, &uri);
  const char *scheme = http_scheme(uri.scheme);
  if (scheme == NULL || !server_url_is_visible(url)) {
    return MCP_ERR_INVALID;
  }
  mcpi_str host = without_own_port(without_user(uri.authority), scheme);
  if (host.len == 0 || host.ptr[0] == ':') {
    return MCP_ERR_INVALID;
  }
  mcpi_buf_puts(buf, mcpi_str_z(scheme));
  mcpi_buf_lit(buf, "://");
  for (size_t i = 0; i < host.len; i++) {
    mcpi_buf_putc(buf, mcpi_to_lower(host.ptr[i]));
  }
  if (!mcpi_str_eq(uri.path, MCPI_STR("/"))) {
    mcpi_buf_puts(buf, uri.path);
  }
  return 0;
}
