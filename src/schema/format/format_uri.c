/* SPDX-License-Identifier: MIT */
/* URIs (RFC 3986) and IRIs (RFC 3987). */
#include "schema/format_checks.h"

#include "codec/uri.h"

/* --- characters ---------------------------------------------------------- */

/* RFC 3987, 2.2: ucschar, and iprivate in queries. The last two code points of
 * each plane are not characters. */
static int is_iri_char(uint32_t c, int is_query) {
  if (c >= 0xE000 && c <= 0xF8FF) {
    return is_query;
  }
  if (c < 0x10000) {
    return (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xF900 && c <= 0xFDCF) ||
           (c >= 0xFDF0 && c <= 0xFFEF);
  }
  int is_private = c >= 0xF0000;
  return (c & 0xFFFF) <= 0xFFFD && (c < 0xE0000 || c >= 0xE1000) &&
         (!is_private || is_query);
}

typedef struct alphabet {
  const char *more; /* besides unreserved characters and %XX */
  int is_iri;
  int is_query;
} alphabet;

static int text_is_made_of(mcpi_str text, const alphabet *letters) {
  while (text.len > 0) {
    char c = text.ptr[0];
    if ((unsigned char)c >= 0x80) {
      if (!letters->is_iri ||
          !is_iri_char(mcpi_utf8_take(&text), letters->is_query)) {
        return 0;
      }
    } else if (c == '%') {
      if (!mcpi_uri_is_encoded(text.ptr, text.len)) {
        return 0;
      }
      mcpi_str_take(&text, 3);
    } else if (mcpi_uri_is_unreserved(c) ||
               (c != '\0' && strchr(letters->more, c) != NULL)) {
      mcpi_str_take(&text, 1);
    } else {
      return 0;
    }
  }
  return 1;
}

#define SUB_DELIMS "!$&'()*+,;="

/* --- parts --------------------------------------------------------------- */

/* Whether the text is "v1.something", an address of a future kind. */
static int is_ip_future(mcpi_str text) {
  static const alphabet letters = {SUB_DELIMS ":", 0, 0};
  size_t version = 0;
  if (!mcpi_str_take_char(&text, 'v') && !mcpi_str_take_char(&text, 'V')) {
    return 0;
  }
  while (version < text.len && mcpi_is_hex(text.ptr[version])) {
    version++;
  }
  mcpi_str_take(&text, version);
  return version > 0 && mcpi_str_take_char(&text, '.') && text.len > 0 &&
         memchr(text.ptr, '%', text.len) == NULL &&
         text_is_made_of(text, &letters);
}

static int uri_is_host(mcpi_str host, int is_iri) {
  const alphabet letters = {SUB_DELIMS, is_iri, 0};
  if (host.len == 0 || host.ptr[0] != '[') {
    return text_is_made_of(host, &letters);
  }
  if (host.len < 2 || host.ptr[host.len - 1] != ']') {
    return 0;
  }
  mcpi_str address = mcpi_str_n(host.ptr + 1, host.len - 2);
  return mcpi_is_ipv6(address) || is_ip_future(address);
}

/* Returns where the colon before the port is, or the end. It is the last colon
 * that is not in brackets, where an address has others. */
static size_t host_len(mcpi_str text) {
  for (size_t i = text.len; i > 0 && text.ptr[i - 1] != ']'; i--) {
    if (text.ptr[i - 1] == ':') {
      return i - 1;
    }
  }
  return text.len;
}

static int is_authority(mcpi_str text, int is_iri) {
  const alphabet user = {SUB_DELIMS ":", is_iri, 0};
  const char *at = text.len > 0 ? memchr(text.ptr, '@', text.len) : NULL;
  if (at != NULL) {
    if (!text_is_made_of(mcpi_str_take(&text, (size_t)(at - text.ptr)),
                         &user)) {
      return 0;
    }
    mcpi_str_take(&text, 1);
  }
  mcpi_str host = mcpi_str_take(&text, host_len(text));
  if (text.len > 0) {
    mcpi_str_take(&text, 1); /* the colon; there need not be a port */
  }
  return uri_is_host(host, is_iri) && mcpi_digits_len(text) == text.len;
}

/* A colon in the first segment would make it a scheme. */
static int begins_like_scheme(mcpi_str path) {
  const char *colon = path.len > 0 ? memchr(path.ptr, ':', path.len) : NULL;
  return colon != NULL &&
         memchr(path.ptr, '/', (size_t)(colon - path.ptr)) == NULL;
}

static int is_reference(mcpi_str text, int is_iri, int is_absolute) {
  const alphabet path = {SUB_DELIMS ":@/", is_iri, 0};
  const alphabet query = {SUB_DELIMS ":@/?", is_iri, 1};
  const alphabet fragment = {SUB_DELIMS ":@/?", is_iri, 0};
  mcpi_uri uri;
  mcpi_uri_split(text, &uri);
  if (uri.scheme.ptr == NULL &&
      (is_absolute ||
       (uri.authority.ptr == NULL && begins_like_scheme(uri.path)))) {
    return 0;
  }
  return (uri.authority.ptr == NULL || is_authority(uri.authority, is_iri)) &&
         text_is_made_of(uri.path, &path) &&
         text_is_made_of(uri.query, &query) &&
         text_is_made_of(uri.fragment, &fragment);
}

int mcpi_is_uri(mcpi_str text) {
  return is_reference(text, 0, 1);
}

int mcpi_is_uri_reference(mcpi_str text) {
  return is_reference(text, 0, 0);
}

int mcpi_is_iri(mcpi_str text) {
  return is_reference(text, 1, 1);
}

int mcpi_is_iri_reference(mcpi_str text) {
  return is_reference(text, 1, 0);
}
