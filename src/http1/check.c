/* SPDX-License-Identifier: MIT */
/* Checks a request's head beyond its grammar, which llhttp has checked (RFC
 * 9110 7.2, 8.6, 10.1.1; RFC 9112 2.3, 3.2, 6.1). */
#include "http1/conn.h"

#include "base/ascii.h"
#include "codec/http_value.h"

/* Compares without regard to case. */
static int equals(const char *text, const char *other) {
  return mcpi_header_eq_nocase(mcpi_str_z(text), mcpi_str_z(other));
}

static int http1_check_begins(const char *text, const char *with) {
  size_t len = strlen(with);
  return strlen(text) >= len &&
         mcpi_header_eq_nocase(mcpi_str_n(text, len), mcpi_str_n(with, len));
}

static int http1_check_refuse(const char **text, int status, const char *why) {
  *text = why;
  return status;
}

static int http1_check_check_version(mcpi_http1_conn *conn, const char **text) {
  int major = conn->parser.http_major;
  int minor = conn->parser.http_minor;
  if (major != 1) {
    return http1_check_refuse(text, 505, "The server speaks HTTP/1.1.");
  }
  conn->is_http10 = minor == 0;
  if (conn->is_http10) {
    conn->keeps_alive = 0;
  }
  return 0;
}

/* --- fields -------------------------------------------------------------- */

typedef struct counts {
  const char *host; /* NULL: none */
  uint32_t codings;
} counts;

/* The characters of a host and port besides letters and digits: few enough that
 * no two programs read them differently. */
static int is_host_mark(char byte) {
  switch (byte) {
  case '-':
  case '.':
  case '_':
  case '~':
  case '%':
  case '!':
  case '$':
  case '&':
  case '\'':
  case '(':
  case ')':
  case '*':
  case '+':
  case ';':
  case '=':
  case ':':
  case '[':
  case ']':
    return 1;
  default:
    return 0;
  }
}

static int http1_check_check_host(const char *value, counts *seen,
                                  const char **text) {
  if (seen->host != NULL) {
    return http1_check_refuse(text, 400, "The request has more than one Host.");
  }
  seen->host = value;
  for (; *value != '\0'; value++) {
    if (!mcpi_is_alnum(*value) && !is_host_mark(*value)) {
      return http1_check_refuse(text, 400, "The request's Host is malformed.");
    }
  }
  return 0;
}

static int check_expect(mcpi_http1_conn *conn, const char *value,
                        const char **text) {
  if (conn->is_http10) {
    return 0; /* the header is ignored */
  }
  if (!equals(value, "100-continue")) {
    return http1_check_refuse(
        text, 417, "The server does not support this Expect header.");
  }
  conn->expects_100 = 1;
  return 0;
}

static int check_coding(const mcpi_http1_conn *conn, const char *value,
                        counts *seen, const char **text) {
  if (conn->is_http10) {
    return http1_check_refuse(text, 400,
                              "The request's version has no chunked bodies.");
  }
  if (++seen->codings > 1 || !equals(value, "chunked")) {
    return http1_check_refuse(text, 501,
                              "The server knows no Transfer-Encoding but "
                              "chunked.");
  }
  return 0;
}

static int check_field(mcpi_http1_conn *conn, const mcp_http_header *header,
                       counts *seen, const char **text) {
  switch (header->name[0] | 0x20) {
  case 'h':
    return equals(header->name, "host")
               ? http1_check_check_host(header->value, seen, text)
               : 0;
  case 'e':
    return equals(header->name, "expect")
               ? check_expect(conn, header->value, text)
               : 0;
  case 't':
    return equals(header->name, "transfer-encoding")
               ? check_coding(conn, header->value, seen, text)
               : 0;
  default:
    return 0;
  }
}

/* --- the target ---------------------------------------------------------- */

/* Returns the text after "http://", or NULL. */
static const char *skip_scheme(const char *target) {
  if (http1_check_begins(target, "https://")) {
    return target + 8;
  }
  return http1_check_begins(target, "http://") ? target + 7 : NULL;
}

/* A complete URL, as clients send it to a proxy, stands for its path. Its host
 * must be the one in Host, which decides which requests may pass. */
static int http1_check_check_url(mcp_http_request *request, const char *host,
                                 const char **text) {
  const char *authority = skip_scheme(request->target);
  size_t len = authority != NULL ? strcspn(authority, "/?") : 0;
  if (len == 0) {
    return http1_check_refuse(text, 400, "The request's target is malformed.");
  }
  if (host == NULL ||
      !mcpi_header_eq_nocase(mcpi_str_n(authority, len), mcpi_str_z(host))) {
    return http1_check_refuse(text, 400,
                              "The request's target has another Host.");
  }
  if (authority[len] == '/') {
    request->target = authority + len;
  } else if (authority[len] == '\0') {
    request->target = "/";
  } else {
    return http1_check_refuse(text, 400, "The request's target has no path.");
  }
  return 0;
}

static int check_target(mcpi_http1_conn *conn, const char *host,
                        const char **text) {
  const char *target = conn->request->target;
  int method = conn->parser.method;
  if (target[0] == '/' || method == HTTP_CONNECT ||
      (method == HTTP_OPTIONS && equals(target, "*"))) {
    return 0;
  }
  return http1_check_check_url(conn->request, host, text);
}

/* --- the body ------------------------------------------------------------ */

/* Refuses a POST without a length: it would have no body, and the bytes after
 * it would be the next request, which its sender did not intend. */
static int check_length(mcpi_http1_conn *conn, const char **text) {
  if (conn->parser.method == HTTP_POST &&
      !(conn->parser.flags & (F_CONTENT_LENGTH | F_CHUNKED))) {
    return http1_check_refuse(text, 411, "The request has no Content-Length.");
  }
  if (conn->content_len > conn->http1->limits.max_body) {
    return http1_check_refuse(text, 413, "The request's body is too long.");
  }
  return 0;
}

int mcpi_http1_check(mcpi_http1_conn *conn, const char **text) {
  const mcp_http_request *request = conn->request;
  counts seen = {0};
  int status = http1_check_check_version(conn, text);
  for (size_t i = 0; status == 0 && i < request->header_count; i++) {
    status = check_field(conn, &request->headers[i], &seen, text);
  }
  if (status != 0) {
    return status;
  }
  if (seen.host == NULL && !conn->is_http10) {
    return http1_check_refuse(text, 400, "The request has no Host.");
  }
  status = check_target(conn, seen.host, text);
  return status != 0 ? status : check_length(conn, text);
}
