/* SPDX-License-Identifier: MIT */
/* The options of a program for its HTTP connections, copied and checked. */
#include "http_client/options.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/widen.h"
#include "codec/http_origin.h"
#include "codec/http_value.h"

#include <stdio.h>

enum {
  CONNECT_TIMEOUT_MS = 10000,
  NOTIFY_TIMEOUT_MS = 30000,
  CLOSE_WAIT_MS = 2000,
  MAX_RETRIES = 5,
  PING_MS = 30000,
  PONG_MS = 10000,
  MAX_QUEUE = 64 * 1024 * 1024,
  /* Bytes of a header's name. */
  NAME_MAX_LEN = 256,
  /* Bytes of a URL. */
  URL_MAX_LEN = 8192
};

/* --- headers -------------------------------------------------------------- */

static int http_options_append(struct curl_slist **list, const char *line) {
  struct curl_slist *longer = curl_slist_append(*list, line);
  if (longer == NULL) {
    return MCP_ERR_NOMEM;
  }
  *list = longer;
  return 0;
}

/* For libcurl "Name:" removes a header, and "Name;" sends it empty. Deinits the
 * empty buffer. */
static int append_header(struct curl_slist **list, mcpi_buf *line,
                         const char *name, mcpi_str value) {
  mcpi_buf_puts(line, mcpi_str_z(name));
  mcpi_buf_puts(line, value.len > 0 ? MCPI_STR(": ") : MCPI_STR(";"));
  mcpi_buf_put(line, value.ptr, value.len);
  mcpi_buf_putc(line, '\0');
  int rc =
      line->error != 0 ? MCP_ERR_NOMEM : http_options_append(list, line->data);
  mcpi_buf_deinit(line);
  return rc;
}

int mcpi_slist_add_header(struct curl_slist **list,
                          const mcp_allocator *allocator, const char *name,
                          const char *value, size_t len) {
  mcpi_buf line;
  mcpi_buf_init(&line, allocator, SIZE_MAX);
  return append_header(list, &line, name, mcpi_str_n(value, len));
}

int mcpi_slist_add_secret(struct curl_slist **list,
                          const mcp_allocator *allocator, const char *name,
                          mcpi_str value) {
  mcpi_buf line;
  mcpi_buf_init_secret(&line, allocator, SIZE_MAX);
  return append_header(list, &line, name, value);
}

void mcpi_slist_free_secret(struct curl_slist *list) {
  for (struct curl_slist *line = list; line != NULL; line = line->next) {
    mcpi_wipe(line->data, strlen(line->data));
  }
  curl_slist_free_all(list);
}

/* Headers that the library sends, and those that frame a message. */
static int is_taken(mcpi_str name) {
  static const char *const names[] = {
      "Accept",         "Content-Type",         "Content-Length",
      "Connection",     "Transfer-Encoding",    "Expect",
      "Mcp-Session-Id", "MCP-Protocol-Version", "Mcp-Method",
      "Mcp-Name",       "Last-Event-ID",        "Upgrade",
  };
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (mcpi_header_eq_nocase(name, mcpi_str_z(names[i]))) {
      return 1;
    }
  }
  return 0;
}

static int http_options_begins(mcpi_str name, mcpi_str prefix) {
  return name.len >= prefix.len &&
         mcpi_header_eq_nocase(mcpi_str_n(name.ptr, prefix.len), prefix);
}

/* Headers for arguments of a call, as its tool's schema says, and for the
 * opening of a WebSocket. */
static int is_of_a_kind(mcpi_str name) {
  return http_options_begins(name, MCPI_STR("Mcp-Param-")) ||
         http_options_begins(name, MCPI_STR("Sec-WebSocket-"));
}

static int http_options_is_plain(mcpi_str value) {
  for (size_t i = 0; i < value.len; i++) {
    unsigned char byte = (unsigned char)value.ptr[i];
    if ((byte < 0x20 && byte != '\t') || byte == 0x7f) {
      return 0;
    }
  }
  return 1;
}

/* An error does not quote the value: it may be a token. `index` is the line's
 * in mcp_http_client_options.headers. */
static int add_given(struct curl_slist **list, const char *line, size_t index,
                     const mcp_allocator *allocator, mcp_error *err) {
  const char *colon = strchr(line, ':');
  mcpi_str name = mcpi_str_n(line, colon != NULL ? (size_t)(colon - line) : 0);
  char copy[NAME_MAX_LEN];
  if (!mcpi_header_is_token(name) || name.len >= sizeof(copy)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "headers[%zu] is not \"Name: value\"", index);
  }
  memcpy(copy, line, name.len);
  copy[name.len] = '\0';
  mcpi_str value = mcpi_header_trim(mcpi_str_z(colon + 1));
  if (is_taken(name) || is_of_a_kind(name)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "headers: %s is the transport's own", copy);
  }
  if (!http_options_is_plain(value)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "headers: %s has a control character", copy);
  }
  int rc = mcpi_slist_add_header(list, allocator, copy, value.ptr, value.len);
  return rc == 0 ? 0 : mcp_error_set(err, rc, "out of memory");
}

/* --- the URL -------------------------------------------------------------- */

/* NULL gives NULL. Returns 0 or MCP_ERR_NOMEM. */
static int copy_string(char **out, const char *from,
                       const mcp_allocator *allocator) {
  *out = mcpi_strdup(allocator, from);
  return *out != NULL || from == NULL ? 0 : MCP_ERR_NOMEM;
}

static char *http_options_part_of(CURLU *url, CURLUPart what) {
  char *part = NULL;
  curl_url_get(url, what, &part,
               what == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0);
  return part;
}

/* Returns NULL when the URL is not valid; *why says why. `why` may be NULL. */
static CURLU *parse_url(const char *text, CURLUcode *why) {
  CURLU *url = curl_url();
  CURLUcode rc = url != NULL ? curl_url_set(url, CURLUPART_URL, text, 0)
                             : CURLUE_OUT_OF_MEMORY;
  if (why != NULL) {
    *why = rc;
  }
  if (rc != CURLUE_OK) {
    curl_url_cleanup(url);
    url = NULL;
  }
  return url;
}

static int is_http(CURLU *url) {
  char *scheme = http_options_part_of(url, CURLUPART_SCHEME);
  int yes = scheme != NULL &&
            (curl_strequal(scheme, "http") || curl_strequal(scheme, "https"));
  curl_free(scheme);
  return yes;
}

/* libcurl accepts it, but no server can have this address. */
static int has_port_zero(CURLU *url) {
  char *port = http_options_part_of(url, CURLUPART_PORT);
  int yes = port != NULL && strcmp(port, "0") == 0;
  curl_free(port);
  return yes;
}

/* Returns the URL's text for errors, which must not show secrets, such as the
 * user and the query. Removes these from `url`, which is then of no other use.
 * NULL when out of memory. */
static char *http_options_show(CURLU *url, const mcp_allocator *allocator) {
  char *whole = NULL;
  curl_url_set(url, CURLUPART_USER, NULL, 0);
  curl_url_set(url, CURLUPART_PASSWORD, NULL, 0);
  curl_url_set(url, CURLUPART_OPTIONS, NULL, 0);
  curl_url_set(url, CURLUPART_QUERY, NULL, 0);
  curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0);
  curl_url_get(url, CURLUPART_URL, &whole, 0);
  char *copy = mcpi_strdup(allocator, whole);
  curl_free(whole);
  return copy;
}

static void put_lower(mcpi_buf *buf, const char *text) {
  for (; text != NULL && *text != '\0'; text++) {
    char byte = *text;
    mcpi_buf_putc(buf, byte >= 'A' && byte <= 'Z' ? (char)(byte | 0x20) : byte);
  }
}

/* NULL when out of memory. */
static char *http_options_origin_of(CURLU *url,
                                    const mcp_allocator *allocator) {
  char *scheme = http_options_part_of(url, CURLUPART_SCHEME);
  char *host = http_options_part_of(url, CURLUPART_HOST);
  char *port = http_options_part_of(url, CURLUPART_PORT);
  char *origin = NULL;
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  put_lower(&buf, scheme);
  mcpi_buf_lit(&buf, "://");
  put_lower(&buf, host);
  mcpi_buf_putc(&buf, ':');
  put_lower(&buf, port);
  mcpi_buf_putc(&buf, '\0');
  if (scheme != NULL && host != NULL && port != NULL && buf.error == 0) {
    origin = mcpi_strdup(allocator, buf.data);
  }
  mcpi_buf_deinit(&buf);
  curl_free(scheme);
  curl_free(host);
  curl_free(port);
  return origin;
}

/* Redirects do not change the user. Returns 0 or MCP_ERR_NOMEM. */
static int take_user(mcpi_curl_options *options, CURLU *url,
                     const mcp_allocator *allocator) {
  char *user = NULL;
  char *password = NULL;
  curl_url_get(url, CURLUPART_USER, &user, CURLU_URLDECODE);
  curl_url_get(url, CURLUPART_PASSWORD, &password, CURLU_URLDECODE);
  int rc = copy_string(&options->user, user, allocator);
  if (rc == 0) {
    rc = copy_string(&options->password, password, allocator);
  }
  curl_free(user);
  curl_free(password);
  return rc;
}

/* Returns how many bytes an error may quote of a URL that is not valid: nothing
 * from the query on, which may be secret. The user may be secret too, and in
 * such a URL it is not clear where it ends: with an "@", at most the text up to
 * "://" is quoted. */
static int quotable_len(const char *text) {
  enum { QUOTE_MAX_LEN = 100 };
  size_t len = strcspn(text, "?#");
  if (strchr(text, '@') != NULL) {
    const char *colon = text + strcspn(text, ":@/?#");
    len = strncmp(colon, "://", 3) == 0 ? (size_t)(colon + 3 - text) : 0;
  }
  return len < QUOTE_MAX_LEN ? (int)len : QUOTE_MAX_LEN;
}

int mcpi_curl_refuse_url(const char *text, const char *why, mcp_error *err) {
  if (text == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "url is NULL");
  }
  int len = quotable_len(text);
  return mcp_error_set(err, MCP_ERR_INVALID, "url: \"%.*s%s\" %s", len, text,
                       text[len] != '\0' ? "..." : "", why);
}

static const char *last_colon(const char *text, size_t len) {
  while (len > 0 && text[len - 1] != ':') {
    len--;
  }
  return len > 0 ? text + len - 1 : NULL;
}

/* The port is quoted, since it is not a secret. But in
 * "http://me:pass/word@host/" libcurl takes "pass" for the port: a later "@"
 * shows that. */
static int refuse_port(const char *text, mcp_error *err) {
  const char *host = strstr(text, "://");
  host = host != NULL ? host + 3 : text;
  size_t len = strcspn(host, "/?#");
  const char *colon = last_colon(host, len);
  int port_len = colon != NULL ? (int)(host + len - colon - 1) : 0;
  if (colon == NULL || strchr(host + len, '@') != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "url: the port is not a number from 1 to 65535; in a "
                         "user name or password write / as %%2F, ? as %%3F and "
                         "# as %%23");
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "url: the port \"%.*s\" is not a number from 1 to 65535",
                       port_len < 20 ? port_len : 20, colon + 1);
}

static int refuse_url(const char *text, const char *written, CURLUcode why,
                      mcp_error *err) {
  char reason[128];
  switch (why) {
  case CURLUE_OUT_OF_MEMORY:
    return mcpi_no_memory(err);
  case CURLUE_BAD_PORT_NUMBER:
    return refuse_port(text, err);
  case CURLUE_OK:
  case CURLUE_UNSUPPORTED_SCHEME:
  case CURLUE_BAD_SCHEME:
    return mcpi_curl_refuse_url(written, "is not an http:// or https:// URL",
                                err);
  default:
    snprintf(reason, sizeof(reason), "is not a valid URL: %s",
             curl_url_strerror(why));
    return mcpi_curl_refuse_url(written, reason, err);
  }
}

static int http_options_take_url(mcpi_curl_options *options, const char *text,
                                 const char *written,
                                 const mcp_allocator *allocator,
                                 mcp_error *err) {
  CURLUcode why = CURLUE_OK;
  if (text != NULL && strlen(text) >= URL_MAX_LEN) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "url: its %zu bytes are more than the limit of %d",
                         strlen(text), URL_MAX_LEN - 1);
  }
  CURLU *url = text != NULL ? parse_url(text, &why) : NULL;
  if (url != NULL && is_http(url) && has_port_zero(url)) {
    why = CURLUE_BAD_PORT_NUMBER;
  }
  if (url == NULL || !is_http(url) || why != CURLUE_OK) {
    curl_url_cleanup(url);
    return refuse_url(text, written, why, err);
  }
  options->url = mcpi_strdup(allocator, text);
  options->origin = http_options_origin_of(url, allocator);
  int rc = take_user(options, url, allocator);
  options->shown = http_options_show(url, allocator);
  curl_url_cleanup(url);
  return rc == 0 && options->url != NULL && options->origin != NULL &&
                 options->shown != NULL
             ? 0
             : mcpi_no_memory(err);
}

int mcpi_curl_options_is_same_origin(const mcpi_curl_options *options,
                                     const char *url,
                                     const mcp_allocator *allocator) {
  CURLU *parsed = parse_url(url, NULL);
  int rc = 0;
  if (parsed != NULL && is_http(parsed)) {
    char *origin = http_options_origin_of(parsed, allocator);
    rc = origin != NULL ? strcmp(origin, options->origin) == 0 : MCP_ERR_NOMEM;
    mcpi_strfree(allocator, origin);
  }
  curl_url_cleanup(parsed);
  return rc;
}

int mcpi_curl_resolve(const char *base, const char *reference,
                      const mcp_allocator *allocator, char **out) {
  const unsigned int any = CURLU_NON_SUPPORT_SCHEME;
  CURLU *url = curl_url();
  char *whole = NULL;
  if (url != NULL && curl_url_set(url, CURLUPART_URL, base, any) == CURLUE_OK &&
      curl_url_set(url, CURLUPART_URL, reference, any) == CURLUE_OK) {
    curl_url_get(url, CURLUPART_URL, &whole, 0);
  }
  *out = mcpi_strdup(allocator, whole);
  int rc = url == NULL || (whole != NULL && *out == NULL) ? MCP_ERR_NOMEM : 0;
  curl_free(whole);
  curl_url_cleanup(url);
  return rc;
}

char *mcpi_curl_show_url(const char *url, const mcp_allocator *allocator) {
  CURLU *parsed = curl_url();
  char *shown = NULL;
  if (parsed != NULL && curl_url_set(parsed, CURLUPART_URL, url,
                                     CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK) {
    shown = http_options_show(parsed, allocator);
  }
  curl_url_cleanup(parsed);
  return shown;
}

/* --- authorization -------------------------------------------------------- */

int mcpi_curl_options_has_header(const mcpi_curl_options *options,
                                 mcpi_str name) {
  const struct curl_slist *line = options->headers;
  for (; line != NULL; line = line->next) {
    if (mcpi_header_eq_nocase(mcpi_str_n(line->data, strcspn(line->data, ":;")),
                              name)) {
      return 1;
    }
  }
  return 0;
}

/* One of the two would be sent, and the program could not know which. */
static int http_options_check_auth(const mcpi_curl_options *options,
                                   mcp_loop *loop, mcp_error *err) {
  if (mcpi_auth_loop(options->given.auth) != loop) {
    return mcp_error_set(err, MCP_ERR_INVALID, "auth belongs to another loop");
  }
  if (mcpi_curl_options_has_header(options, MCPI_STR("Authorization")) ||
      mcpi_curl_options_has_header(options, MCPI_STR("DPoP"))) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "headers: Authorization and DPoP are set by auth");
  }
  if (options->user != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "url: with auth, it must not name a user");
  }
  return 0;
}

static int http_options_take_auth(mcpi_curl_options *options, mcp_loop *loop,
                                  mcp_error *err) {
  mcp_error local = {0};
  err = err != NULL ? err : &local;
  mcp_auth *auth = options->given.auth;
  mcpi_str origin = mcpi_str_z(options->origin);
  options->may_send_token =
      http_options_begins(origin, MCPI_STR("https:")) ||
      (mcpi_header_origin_is_loopback(origin) && options->proxy[0] == '\0');
  int rc = auth != NULL ? http_options_check_auth(options, loop, err) : 0;
  if (rc == 0 && auth != NULL) {
    options->auth = mcpi_auth_server_ref(auth, options->url, err);
    rc = options->auth != NULL ? 0 : err->code;
  }
  options->given.auth = NULL;
  return rc;
}

/* --- all ------------------------------------------------------------------ */

static void http_options_set_defaults(mcp_http_client_options *options) {
  mcpi_default_u32(&options->connect_timeout_ms, CONNECT_TIMEOUT_MS);
  mcpi_default_u32(&options->notify_timeout_ms, NOTIFY_TIMEOUT_MS);
  mcpi_default_u32(&options->close_wait_ms, CLOSE_WAIT_MS);
  mcpi_default_u32(&options->max_retries, MAX_RETRIES);
  mcpi_default_u32(&options->ping_ms, PING_MS);
  mcpi_default_u32(&options->pong_ms, PONG_MS);
  mcpi_default_size(&options->max_message, MCP_LINE_MAX_DEFAULT);
  mcpi_default_size(&options->max_queue, MAX_QUEUE);
}

static int http_options_copy_strings(mcpi_curl_options *options,
                                     const mcp_allocator *allocator,
                                     mcp_error *err) {
  const mcp_http_client_options *given = &options->given;
  const char *proxy = given->proxy;
  /* The proxy of the environment may be on another machine, and would read
   * what is meant to stay on this one. */
  if (proxy == NULL &&
      mcpi_header_origin_is_loopback(mcpi_str_z(options->origin))) {
    proxy = "";
  }
  if (copy_string(&options->proxy, proxy, allocator) != 0 ||
      copy_string(&options->ca_file, given->ca_file, allocator) != 0 ||
      copy_string(&options->cert_file, given->cert_file, allocator) != 0 ||
      copy_string(&options->key_file, given->key_file, allocator) != 0) {
    return mcpi_no_memory(err);
  }
  return 0;
}

static int copy_headers(mcpi_curl_options *options,
                        const mcp_allocator *allocator, mcp_error *err) {
  const char *const *lines = options->given.headers;
  int rc = 0;
  for (size_t i = 0; rc == 0 && lines != NULL && lines[i] != NULL; i++) {
    rc = add_given(&options->headers, lines[i], i, allocator, err);
  }
  return rc;
}

int mcpi_curl_options_check_dialect(const mcp_http_client_options *options,
                                    mcp_error *err) {
  return options->dialect <= MCP_DIALECT_MCP_CORE_RPC
             ? 0
             : mcp_error_set(err, MCP_ERR_INVALID,
                             "dialect: %lu is not one of MCP_DIALECT_*",
                             (unsigned long)options->dialect);
}

int mcpi_curl_options_init(mcpi_curl_options *options, const char *url,
                           const char *written,
                           const mcp_http_client_options *given, mcp_loop *loop,
                           mcp_error *err) {
  const mcp_allocator *allocator = &loop->allocator;
  mcp_http_client_options *all = &options->given;
  *options = (mcpi_curl_options){.given.size = sizeof(mcp_http_client_options),
                                 .allocator = allocator};
  int rc = given != NULL ? mcpi_widen(all, sizeof(*all), given,
                                      "mcp_http_client_options", err)
                         : 0;
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_http_client_options.reserved", all->reserved,
                             err);
  }
  http_options_set_defaults(all);
  if (rc == 0) {
    rc = mcpi_curl_options_check_dialect(all, err);
  }
  if (rc == 0) {
    rc = http_options_take_url(options, url, written, allocator, err);
  }
  if (rc == 0) {
    rc = http_options_copy_strings(options, allocator, err);
  }
  if (rc == 0) {
    rc = copy_headers(options, allocator, err);
  }
  all->headers = NULL;
  if (rc == 0) {
    rc = http_options_take_auth(options, loop, err);
  }
  return rc;
}

int mcpi_curl_options_refuse_dialect(const mcpi_curl_options *options,
                                     const char *transport, mcp_error *err) {
  return options->given.dialect == MCP_DIALECT_MCP
             ? 0
             : mcp_error_set(err, MCP_ERR_INVALID,
                             "dialect: %s speaks MCP alone; "
                             "mcp_transport_post (http://) and "
                             "mcp_transport_websocket (ws://) speak others",
                             transport);
}

void mcpi_curl_options_deinit(mcpi_curl_options *options,
                              const mcp_allocator *allocator) {
  mcpi_auth_server_unref(options->auth);
  curl_slist_free_all(options->headers);
  char *const strings[] = {
      options->url,     options->user,      options->password,
      options->shown,   options->origin,    options->proxy,
      options->ca_file, options->cert_file, options->key_file};
  for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
    mcpi_strfree(allocator, strings[i]);
  }
}
