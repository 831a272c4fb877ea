/* SPDX-License-Identifier: MIT */
/* A server's endpoint on an address of its own: listener -> HTTP/1.1 ->
 * endpoint. */
#include "base/buf.h"
#include "base/widen.h"
#include "core/loop.h"
#include "transport/http1.h"
#include "transport/listener.h"
#include "transport/tls.h"

#include <string.h>

struct mcp_http_listener {
  mcp_loop *loop;
  mcp_http *http;
  mcpi_http1 *http1;
  mcpi_listener *listener; /* NULL: it takes no more */
  char *tls_cert;          /* NULL: no TLS */
  char *tls_key;
  char *tls_client_ca;
  mcpi_buf url;
};

/* --- options ------------------------------------------------------------- */

static uint32_t or_default(uint32_t value, uint32_t fallback) {
  return value != 0 ? value : fallback;
}

static size_t or_size(size_t value, size_t fallback) {
  return value != 0 ? value : fallback;
}

static mcpi_http1_limits limits_of(const mcp_http_listen_options *options) {
  return (mcpi_http1_limits){
      .max_connections = or_default(options->max_connections, 16384),
      .max_head = or_default(options->max_head, 16 * 1024),
      .max_headers = or_default(options->max_headers, 100),
      .max_body = or_size(options->max_body, 4 * 1024 * 1024),
      .max_queue = or_size(options->max_queue, 16 * 1024 * 1024),
      .head_ms = or_default(options->head_ms, 10000),
      .body_ms = or_default(options->body_ms, 30000),
      .idle_ms = or_default(options->idle_ms, 75000),
      .write_ms = or_default(options->write_ms, 30000),
  };
}

static int check(const mcp_http_listen_options *options, mcp_error *err) {
  if (options->threads > 1) {
    return mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                         "threads: %lu, and this version serves on one",
                         (unsigned long)options->threads);
  }
  if ((options->tls_cert == NULL) != (options->tls_key == NULL)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "tls_cert and tls_key go together: %s is missing",
                         options->tls_cert == NULL ? "tls_cert" : "tls_key");
  }
  if (options->tls_client_ca != NULL && options->tls_cert == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "tls_client_ca needs tls_cert and tls_key");
  }
  return 0;
}

static int widen(mcp_http_listen_options *out,
                 const mcp_http_listen_options *options, mcp_error *err) {
  *out = (mcp_http_listen_options){.size = MCP_HTTP_LISTEN_OPTIONS_INIT};
  int rc = 0;
  if (options != NULL) {
    rc = mcpi_widen(out, sizeof(*out), options, "mcp_http_listen_options", err);
  }
  if (out->address == NULL) {
    out->address = "127.0.0.1:8080";
  }
  return rc == 0 ? check(out, err) : rc;
}

/* --- the application ----------------------------------------------------- */

static void *on_head(void *userdata, const mcp_http_request *request,
                     const mcp_http_responder *responder, void *exchange) {
  return mcp_http_begin(userdata, request, responder, exchange);
}

static void on_body(void *handle, const char *body, size_t len) {
  mcp_http_body(handle, body, len);
}

static void on_gone(void *handle) {
  mcp_http_gone(handle);
}

static void on_connection(int fd, const char *peer, void *userdata) {
  mcp_http_listener *self = userdata;
  mcpi_http1_serve(self->http1, fd, peer); /* what it refuses is closed */
}

/* --- TLS ----------------------------------------------------------------- */

static int copy_paths(mcp_http_listener *self,
                      const mcp_http_listen_options *options) {
  const mcp_allocator *allocator = &self->loop->allocator;
  self->tls_cert = mcpi_strdup(allocator, options->tls_cert);
  self->tls_key = mcpi_strdup(allocator, options->tls_key);
  self->tls_client_ca = mcpi_strdup(allocator, options->tls_client_ca);
  return (options->tls_cert != NULL && self->tls_cert == NULL) ||
                 (options->tls_key != NULL && self->tls_key == NULL) ||
                 (options->tls_client_ca != NULL && self->tls_client_ca == NULL)
             ? MCP_ERR_NOMEM
             : 0;
}

int mcp_http_listener_reload(mcp_http_listener *listener, mcp_error *err) {
  if (listener == NULL || listener->tls_cert == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "there is no certificate to read again");
  }
  mcp_error why;
  mcpi_tls *tls = mcpi_tls_new(listener->tls_cert, listener->tls_key,
                               listener->tls_client_ca, &why);
  if (tls == NULL) {
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  mcpi_http1_set_tls(listener->http1, tls);
  mcpi_tls_unref(tls);
  return 0;
}

/* --- life ---------------------------------------------------------------- */

/* A Unix socket has no place in a URL: its path is told as the address was. */
static int put_url(mcp_http_listener *self, const char *path) {
  const char *address = mcpi_listener_address(self->listener);
  if (strncmp(address, "unix:", 5) == 0) {
    mcpi_buf_puts(&self->url, mcpi_str_z(address));
  } else {
    mcpi_buf_puts(&self->url,
                  mcpi_str_z(self->tls_cert != NULL ? "https://" : "http://"));
    mcpi_buf_puts(&self->url, mcpi_str_z(address));
    mcpi_buf_puts(&self->url, mcpi_str_z(path));
  }
  mcpi_buf_putc(&self->url, '\0');
  return self->url.error;
}

/* What answers, but the address. */
static int open_server(mcp_http_listener *self, mcp_server *server,
                       const mcp_http_listen_options *options, mcp_error *err) {
  const mcpi_http1_limits limits = limits_of(options);
  self->http = mcp_http_new(server, self->loop, options->http, err);
  if (self->http == NULL) {
    return MCP_ERR_INVALID;
  }
  const mcpi_http_app app = {self->http, on_head, on_body, on_gone};
  self->http1 = mcpi_http1_new(self->loop, &limits, &app);
  if (self->http1 == NULL || copy_paths(self, options) != 0) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  return self->tls_cert != NULL ? mcp_http_listener_reload(self, err) : 0;
}

static int open_address(mcp_http_listener *self,
                        const mcp_http_listen_options *options,
                        mcp_error *err) {
  const char *path = options->http != NULL && options->http->path != NULL
                         ? options->http->path
                         : "/mcp";
  self->listener =
      mcpi_listener_new(self->loop, options->address, on_connection, self, err);
  if (self->listener == NULL) {
    return MCP_ERR_IO;
  }
  return put_url(self, path) == 0
             ? 0
             : mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
}

mcp_http_listener *
mcp_server_listen_http(mcp_server *server, mcp_loop *loop,
                       const mcp_http_listen_options *options, mcp_error *err) {
  mcp_http_listen_options wide;
  if (server == NULL || loop == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "server or loop is NULL");
    return NULL;
  }
  if (widen(&wide, options, err) != 0) {
    return NULL;
  }
  mcp_http_listener *self = mcpi_calloc(&loop->allocator, 1, sizeof(*self));
  if (self == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  self->loop = loop;
  mcpi_buf_init(&self->url, &loop->allocator, SIZE_MAX);
  if (open_server(self, server, &wide, err) != 0 ||
      open_address(self, &wide, err) != 0) {
    mcp_http_listener_free(self);
    return NULL;
  }
  return self;
}

const char *mcp_http_listener_url(const mcp_http_listener *listener) {
  return listener != NULL ? listener->url.data : NULL;
}

void mcp_http_listener_drain(mcp_http_listener *listener,
                             void (*on_drained)(void *userdata),
                             void *userdata) {
  if (listener != NULL) {
    mcpi_listener_free(listener->listener);
    listener->listener = NULL;
    mcpi_http1_drain(listener->http1, on_drained, userdata);
  }
}

size_t mcp_http_listener_connection_count(const mcp_http_listener *listener) {
  return listener != NULL ? mcpi_http1_connection_count(listener->http1) : 0;
}

/* The connections first: their exchanges are the endpoint's. */
void mcp_http_listener_free(mcp_http_listener *listener) {
  if (listener == NULL) {
    return;
  }
  const mcp_allocator *allocator = &listener->loop->allocator;
  mcpi_listener_free(listener->listener);
  mcpi_http1_free(listener->http1);
  mcp_http_free(listener->http);
  mcpi_buf_deinit(&listener->url);
  mcpi_strfree(allocator, listener->tls_cert);
  mcpi_strfree(allocator, listener->tls_key);
  mcpi_strfree(allocator, listener->tls_client_ca);
  mcpi_free(allocator, listener, sizeof(*listener));
}
