/* SPDX-License-Identifier: MIT */
#include "auth/web_url.h"

#include "base/ascii.h"
#include "codec/http_origin.h"
#include "codec/http_value.h"
#include "codec/ip.h"
#include "codec/uri.h"

/* --- the parts ------------------------------------------------------------ */

/* A URL that is http or https, in parts. */
typedef struct web_url {
  mcpi_uri uri;
  mcpi_header_host host;
  int is_https;
  int port; /* with the scheme's own */
} web_url;

/* RFC 3986, 2. Programs differ in what they make of other characters, such as a
 * backslash before a host. */
static int has_only_url_characters(mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    char c = text.ptr[i];
    if (!mcpi_uri_is_unreserved(c) && !mcpi_uri_is_reserved(c) && c != '%') {
      return 0;
    }
  }
  return 1;
}

/* Whether a host ends in a number, perhaps with a dot after it. */
static int host_ends_in_number(mcpi_str name) {
  size_t end = name.len;
  if (end > 0 && name.ptr[end - 1] == '.') {
    end--;
  }
  size_t begin = end;
  while (begin > 0 && name.ptr[begin - 1] != '.') {
    begin--;
  }
  int is_hex = end - begin >= 2 && name.ptr[begin] == '0' &&
               mcpi_to_lower(name.ptr[begin + 1]) == 'x';
  for (size_t i = is_hex ? begin + 2 : begin; i < end; i++) {
    char c = name.ptr[i];
    if (is_hex ? !mcpi_is_hex(c) : !mcpi_is_digit(c)) {
      return 0;
    }
  }
  return end > begin;
}

/* Many resolvers read "127.1", "0x7f000001" and "2130706433" as 127.0.0.1. A
 * host that looks like an address must be one in its plain form, so that we
 * know what it is. */
static int is_clear_host(mcpi_str name) {
  uint8_t address[16];
  return mcpi_ip_parse(address, name) == 0 ||
         (name.ptr[0] != '[' && !host_ends_in_number(name));
}

/* Returns 0 or MCP_ERR_PARSE. */
static int web_url_split(web_url *out, mcpi_str url) {
  if (!has_only_url_characters(url)) {
    return MCP_ERR_PARSE;
  }
  mcpi_uri_split(url, &out->uri);
  out->is_https = mcpi_header_eq_nocase(out->uri.scheme, MCPI_STR("https"));
  if (!out->is_https &&
      !mcpi_header_eq_nocase(out->uri.scheme, MCPI_STR("http"))) {
    return MCP_ERR_PARSE;
  }
  int rc = mcpi_header_host_parse(&out->host, out->uri.authority);
  if (rc != 0) {
    return rc;
  }
  if (out->host.port == 0 || !is_clear_host(out->host.name)) {
    return MCP_ERR_PARSE;
  }
  out->port = out->host.port;
  if (out->port < 0) {
    out->port = out->is_https ? 443 : 80;
  }
  return 0;
}

/* --- checking ------------------------------------------------------------- */

/* Shows the URL without its user, query and fragment, which may be secret. */
static int refuse_url(mcpi_str url, const char *what, const char *why,
                      mcp_error *err) {
  char shown[121];
  size_t len = 0;
  for (size_t i = 0; i < url.len; i++) {
    char c = url.ptr[i];
    if (c == '?' || c == '#') {
      break;
    }
    if (c == '@') { /* what comes before it may be a password */
      len = 0;
    } else if (len < sizeof(shown) - 1) {
      shown[len] = c;
      if (c < 0x20 || c > 0x7e) {
        shown[len] = '?';
      }
      len++;
    }
  }
  shown[len] = '\0';
  return mcp_error_set(err, MCP_ERR_REFUSED, "%s: \"%s\" %s", what, shown, why);
}

int mcpi_web_url_check(mcpi_str url, const char *what, mcp_error *err) {
  web_url parts;
  if (url.len > MCPI_WEB_URL_MAX) {
    return refuse_url(url, what, "is too long", err);
  }
  if (web_url_split(&parts, url) != 0) {
    return refuse_url(url, what, "is not a URL of https://", err);
  }
  if (parts.uri.fragment.ptr != NULL) {
    return refuse_url(url, what, "has a fragment", err);
  }
  if (!parts.is_https && !mcpi_header_is_loopback(parts.host.name)) {
    return refuse_url(url, what,
                      "must be https, because its host is not a loopback name",
                      err);
  }
  return 0;
}

int mcpi_web_url_has_path(mcpi_str url) {
  web_url parts;
  return web_url_split(&parts, url) == 0 && parts.uri.path.len > 1;
}

int mcpi_web_url_is_loopback(mcpi_str url) {
  web_url parts;
  return web_url_split(&parts, url) == 0 &&
         mcpi_header_is_loopback(parts.host.name);
}

/* RFC 6761, 6.3: "localhost" and all names below it are the loopback
 * interface. */
static int is_local_name(mcpi_str name) {
  const mcpi_str local = MCPI_STR("localhost");
  if (name.len > 0 && name.ptr[name.len - 1] == '.') {
    name.len--;
  }
  if (name.len > local.len && name.ptr[name.len - local.len - 1] == '.') {
    mcpi_str_take(&name, name.len - local.len);
  }
  return mcpi_header_eq_nocase(name, local);
}

int mcpi_web_url_is_public(mcpi_str url) {
  web_url parts;
  uint8_t address[16];
  if (web_url_split(&parts, url) != 0 || is_local_name(parts.host.name)) {
    return 0;
  }
  return mcpi_ip_parse(address, parts.host.name) != 0 ||
         mcpi_ip_is_public(address);
}

/* --- origins -------------------------------------------------------------- */

void mcpi_web_url_put_origin(mcpi_buf *buf, mcpi_str url) {
  web_url parts;
  if (web_url_split(&parts, url) == 0) {
    const mcpi_header_origin origin = {parts.uri.scheme, parts.host};
    mcpi_header_origin_put(buf, &origin);
  }
}

static int is_same_origin(const web_url *a, const web_url *b) {
  return a->is_https == b->is_https && a->port == b->port &&
         mcpi_header_eq_nocase(a->host.name, b->host.name);
}

int mcpi_web_url_has_same_origin(mcpi_str a, mcpi_str b) {
  web_url x;
  web_url y;
  return web_url_split(&x, a) == 0 && web_url_split(&y, b) == 0 &&
         is_same_origin(&x, &y);
}

/* --- well-known documents ------------------------------------------------- */

/* The origin stays as it was written. */
void mcpi_web_url_put_well_known(mcpi_buf *buf, mcpi_str url, const char *name,
                                 mcpi_well_known form) {
  web_url parts;
  if (web_url_split(&parts, url) != 0) {
    return;
  }
  mcpi_str path = mcpi_uri_trim_path(parts.uri.path);
  mcpi_buf_puts(buf, parts.uri.scheme);
  mcpi_buf_lit(buf, "://");
  mcpi_buf_puts(buf, parts.uri.authority);
  if (form == MCPI_WELL_KNOWN_APPENDED) {
    mcpi_buf_puts(buf, path);
  }
  mcpi_buf_lit(buf, "/.well-known/");
  mcpi_buf_puts(buf, mcpi_str_z(name));
  if (form == MCPI_WELL_KNOWN_INSERTED) {
    mcpi_buf_puts(buf, path);
  }
}

/* --- comparing ------------------------------------------------------------ */

int mcpi_web_url_covers(mcpi_str resource, mcpi_str server_url) {
  web_url a;
  web_url b;
  if (web_url_split(&a, resource) != 0 || web_url_split(&b, server_url) != 0 ||
      !is_same_origin(&a, &b) || a.uri.fragment.ptr != NULL) {
    return 0;
  }
  mcpi_str prefix = mcpi_uri_trim_path(a.uri.path);
  return mcpi_str_starts_with(b.uri.path, prefix) &&
         (b.uri.path.len == prefix.len || b.uri.path.ptr[prefix.len] == '/');
}

static mcpi_str path_or_root(const web_url *url) {
  return url->uri.path.len > 0 ? url->uri.path : MCPI_STR("/");
}

int mcpi_web_url_is_same_target(mcpi_str a, mcpi_str b) {
  web_url x;
  web_url y;
  return web_url_split(&x, a) == 0 && web_url_split(&y, b) == 0 &&
         is_same_origin(&x, &y) &&
         mcpi_str_eq(path_or_root(&x), path_or_root(&y));
}
