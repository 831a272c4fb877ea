/* SPDX-License-Identifier: MIT */
/* The options of a program for its HTTP connections, copied and checked. */
#ifndef MCPI_HTTP_CLIENT_OPTIONS_H
#define MCPI_HTTP_CLIENT_OPTIONS_H

#include "auth/client/auth.h"
#include <mcp/http_client.h>

#include <curl/curl.h>

typedef struct mcpi_curl_options {
  mcp_http_client_options given;  /* with defaults; the strings are ours */
  const mcp_allocator *allocator; /* the loop's */
  struct curl_slist *headers;     /* owned */
  char *url;                      /* owned, as are the next eight */
  /* The user of the URL, as the password below; or NULL. */
  char *user;
  char *password;
  char *shown;  /* the URL for people: no user, no query */
  char *origin; /* "https://example.com:443", in lower case */
  char *proxy;  /* "": none; NULL: that of the environment */
  char *ca_file;
  char *cert_file;
  char *key_file;
  mcpi_auth_server *auth; /* a reference; NULL: there is no mcp_auth */
  /* With auth: a token may be sent to the URL, which is over TLS, or is of the
   * loopback interface and has no proxy. */
  int may_send_token;
} mcpi_curl_options;

/* Says why a URL is refused: 'url: "ftp://x" WHY'. Quotes no user and no query,
 * since these may be secret. text NULL: says that the URL is NULL. Returns
 * MCP_ERR_INVALID. */
int mcpi_curl_refuse_url(const char *text, const char *why, mcp_error *err);

/* written: the URL as the program wrote it, for errors. `given` may be NULL.
 * Returns 0, MCP_ERR_INVALID or MCP_ERR_NOMEM; _deinit must be called in each
 * case. */
int mcpi_curl_options_init(mcpi_curl_options *options, const char *url,
                           const char *written,
                           const mcp_http_client_options *given, mcp_loop *loop,
                           mcp_error *err);
void mcpi_curl_options_deinit(mcpi_curl_options *options,
                              const mcp_allocator *allocator);

/* Whether the dialect is one of MCP_DIALECT_*: 0 or MCP_ERR_INVALID. */
int mcpi_curl_options_check_dialect(const mcp_http_client_options *options,
                                    mcp_error *err);
/* For a transport, given by its name, that cannot carry the dialect: returns 0
 * or MCP_ERR_INVALID. */
int mcpi_curl_options_refuse_dialect(const mcpi_curl_options *options,
                                     const char *transport, mcp_error *err);

/* Whether the program sends this header itself. */
int mcpi_curl_options_has_header(const mcpi_curl_options *options,
                                 mcpi_str name);

/* Whether a redirect to that URL stays within our origin: 1, 0 or
 * MCP_ERR_NOMEM. */
int mcpi_curl_options_is_same_origin(const mcpi_curl_options *options,
                                     const char *url,
                                     const mcp_allocator *allocator);

/* Resolves a reference against an absolute URL. *out is owned; NULL: the
 * reference is not valid. 0 or MCP_ERR_NOMEM. */
int mcpi_curl_resolve(const char *base, const char *reference,
                      const mcp_allocator *allocator, char **out);
/* Returns the URL for people: without user and query. Owned. NULL: the URL is
 * not valid, or there is no memory. */
char *mcpi_curl_show_url(const char *url, const mcp_allocator *allocator);

/* Appends "name: value"; an empty value is sent as such. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_slist_add_header(struct curl_slist **list,
                          const mcp_allocator *allocator, const char *name,
                          const char *value, size_t len);
/* The same for a value that is secret. Our copies of it are overwritten; the
 * list's is overwritten by mcpi_slist_free_secret. */
int mcpi_slist_add_secret(struct curl_slist **list,
                          const mcp_allocator *allocator, const char *name,
                          mcpi_str value);
/* Overwrites the headers, and frees them. */
void mcpi_slist_free_secret(struct curl_slist *list);

#endif
