/* SPDX-License-Identifier: MIT */
/* URIs (RFC 3986). */
#include "codec/uri.h"

#include "base/ascii.h"

#include <mcp/error.h>

/* --- characters --------------------------------------------------------- */

static int uri_is_one_of(char c, const char *set) {
  return c != '\0' && strchr(set, c) != NULL;
}

int mcpi_uri_is_unreserved(char c) {
  return mcpi_is_alnum(c) || uri_is_one_of(c, "-._~");
}

int mcpi_uri_is_reserved(char c) {
  return uri_is_one_of(c, ":/?#[]@!$&'()*+,;=");
}

int mcpi_uri_is_encoded(const char *p, size_t left) {
  return left >= 3 && p[0] == '%' && mcpi_hex_value(p[1]) >= 0 &&
         mcpi_hex_value(p[2]) >= 0;
}

unsigned char mcpi_uri_decode(const char *p) {
  return (unsigned char)(mcpi_hex_value(p[1]) * 16 + mcpi_hex_value(p[2]));
}

void mcpi_uri_encode(char to[3], char byte) {
  static const char digits[] = "0123456789ABCDEF";
  to[0] = '%';
  to[1] = digits[(unsigned char)byte >> 4];
  to[2] = digits[(unsigned char)byte & 15];
}

/* --- parts -------------------------------------------------------------- */

/* Returns the bytes before the first of these characters, or all. */
static size_t uri_span_before(mcpi_str text, const char *ends) {
  size_t len = 0;
  while (len < text.len && !uri_is_one_of(text.ptr[len], ends)) {
    len++;
  }
  return len;
}

static int uri_is_scheme(mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    char c = text.ptr[i];
    int is_digit = c >= '0' && c <= '9';
    int is_fine = i == 0 ? mcpi_is_alnum(c) && !is_digit
                         : mcpi_is_alnum(c) || uri_is_one_of(c, "+-.");
    if (!is_fine) {
      return 0;
    }
  }
  return text.len > 0;
}

void mcpi_uri_split(mcpi_str text, mcpi_uri *out) {
  mcpi_str rest = text.len > 0 ? text : MCPI_STR("");
  *out = (mcpi_uri){.scheme = {NULL, 0}};
  size_t len = uri_span_before(rest, ":/?#");
  if (len < rest.len && rest.ptr[len] == ':' &&
      uri_is_scheme(mcpi_str_n(rest.ptr, len))) {
    out->scheme = mcpi_str_take(&rest, len);
    mcpi_str_take(&rest, 1);
  }
  if (rest.len >= 2 && rest.ptr[0] == '/' && rest.ptr[1] == '/') {
    mcpi_str_take(&rest, 2);
    out->authority = mcpi_str_take(&rest, uri_span_before(rest, "/?#"));
  }
  out->path = mcpi_str_take(&rest, uri_span_before(rest, "?#"));
  if (rest.len > 0 && rest.ptr[0] == '?') {
    mcpi_str_take(&rest, 1);
    out->query = mcpi_str_take(&rest, uri_span_before(rest, "#"));
  }
  if (rest.len > 0) {
    mcpi_str_take(&rest, 1);
    out->fragment = rest;
  }
}

/* --- resolving ---------------------------------------------------------- */

/* Drops the last segment written since `from`, with its slash. */
static void uri_drop_segment(mcpi_buf *buf, size_t from) {
  size_t len = buf->len;
  while (len > from && buf->data[--len] != '/') {
  }
  mcpi_buf_rewind(buf, len);
}

/* Appends a path without its segments "." and ".." (5.2.4). */
static void uri_put_path(mcpi_buf *buf, mcpi_str path) {
  size_t from = buf->len;
  while (path.len > 0 && buf->error == 0) {
    if (mcpi_str_starts_with(path, MCPI_STR("../"))) {
      mcpi_str_take(&path, 3);
    } else if (mcpi_str_starts_with(path, MCPI_STR("./"))) {
      mcpi_str_take(&path, 2);
    } else if (mcpi_str_starts_with(path, MCPI_STR("/./"))) {
      mcpi_str_take(&path, 2);
    } else if (mcpi_str_eq(path, MCPI_STR("/."))) {
      path = MCPI_STR("/");
    } else if (mcpi_str_starts_with(path, MCPI_STR("/../"))) {
      mcpi_str_take(&path, 3);
      uri_drop_segment(buf, from);
    } else if (mcpi_str_eq(path, MCPI_STR("/.."))) {
      path = MCPI_STR("/");
      uri_drop_segment(buf, from);
    } else if (mcpi_str_eq(path, MCPI_STR(".")) ||
               mcpi_str_eq(path, MCPI_STR(".."))) {
      return;
    } else {
      size_t slash = path.ptr[0] == '/';
      mcpi_str behind = mcpi_str_n(path.ptr + slash, path.len - slash);
      mcpi_buf_puts(buf,
                    mcpi_str_take(&path, slash + uri_span_before(behind, "/")));
    }
  }
}

/* Appends a relative path, resolved against the base's path (5.2.3). */
static void uri_put_merged(mcpi_buf *buf, const mcpi_uri *base, mcpi_str path) {
  mcpi_buf merged;
  mcpi_buf_init(&merged, buf->allocator, buf->max);
  if (base->authority.ptr != NULL && base->path.len == 0) {
    mcpi_buf_putc(&merged, '/');
  } else {
    size_t len = base->path.len;
    while (len > 0 && base->path.ptr[len - 1] != '/') {
      len--;
    }
    mcpi_buf_put(&merged, base->path.ptr, len);
  }
  mcpi_buf_puts(&merged, path);
  uri_put_path(buf, mcpi_str_n(merged.data, merged.len));
  if (merged.error != 0 && buf->error == 0) {
    buf->error = merged.error;
  }
  mcpi_buf_deinit(&merged);
}

static void uri_put_part(mcpi_buf *buf, mcpi_str before, mcpi_str part,
                         mcpi_str behind) {
  if (part.ptr != NULL) {
    mcpi_buf_puts(buf, before);
    mcpi_buf_puts(buf, part);
    mcpi_buf_puts(buf, behind);
  }
}

static void uri_put_relative(mcpi_buf *buf, const mcpi_uri *base,
                             const mcpi_uri *ref) {
  uri_put_part(buf, MCPI_STR(""), base->scheme, MCPI_STR(":"));
  uri_put_part(buf, MCPI_STR("//"), base->authority, MCPI_STR(""));
  if (ref->path.len == 0) {
    mcpi_buf_puts(buf, base->path);
    uri_put_part(buf, MCPI_STR("?"),
                 ref->query.ptr != NULL ? ref->query : base->query,
                 MCPI_STR(""));
    return;
  }
  if (ref->path.ptr[0] == '/') {
    uri_put_path(buf, ref->path);
  } else {
    uri_put_merged(buf, base, ref->path);
  }
  uri_put_part(buf, MCPI_STR("?"), ref->query, MCPI_STR(""));
}

void mcpi_uri_resolve(mcpi_buf *buf, mcpi_str base, mcpi_str reference) {
  mcpi_uri from;
  mcpi_uri ref;
  mcpi_uri_split(base, &from);
  mcpi_uri_split(reference, &ref);
  if (ref.scheme.ptr == NULL && ref.authority.ptr == NULL) {
    uri_put_relative(buf, &from, &ref);
    return;
  }
  uri_put_part(buf, MCPI_STR(""),
               ref.scheme.ptr != NULL ? ref.scheme : from.scheme,
               MCPI_STR(":"));
  uri_put_part(buf, MCPI_STR("//"), ref.authority, MCPI_STR(""));
  uri_put_path(buf, ref.path);
  uri_put_part(buf, MCPI_STR("?"), ref.query, MCPI_STR(""));
}

mcpi_str mcpi_uri_trim_path(mcpi_str path) {
  while (path.len > 0 && path.ptr[path.len - 1] == '/') {
    path.len--;
  }
  return path;
}

/* --- %XX ---------------------------------------------------------------- */

int mcpi_uri_put_decoded(mcpi_buf *buf, mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    const char *p = text.ptr + i;
    if (*p != '%') {
      mcpi_buf_putc(buf, *p);
    } else if (mcpi_uri_is_encoded(p, text.len - i)) {
      mcpi_buf_putc(buf, (char)mcpi_uri_decode(p));
      i += 2;
    } else {
      return MCP_ERR_PARSE;
    }
  }
  return 0;
}
