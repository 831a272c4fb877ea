/* SPDX-License-Identifier: MIT */
/* A server's endpoint on its own address: listener -> HTTP/1.1 -> endpoint, all
 * on one loop; or with several threads: listener -> the branches in turn, each
 * of which has the rest. */
#include "base/buf.h"
#include "base/error.h"
#include "base/widen.h"
#include "core/loop.h"
#include "endpoint/endpoint.h"
#include "endpoint/life.h"
#include "http1/branch.h"
#include "http1/http1.h"
#include "http1/token_file.h"
#include "net/listener.h"
#include "tls/tls.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Calls on_drained when all branches have drained. Their letters may be read
 * after the listener has gone, so this is counted: held by the listener, which
 * ends their threads before it goes, and by each letter. */
typedef struct farewell {
  mcp_allocator allocator;
  mcp_loop *loop;
  atomic_size_t refs;
  mcp_http_listener *listener; /* NULL: it has gone */
  size_t awaited;
} farewell;

/* A listener is held by the program until mcp_http_listener_free, and by its
 * HTTP server until that has closed its last connection, in a later turn of the
 * loop. The last of them frees the memory, on the loop's thread. So the
 * listener exists in every callback that its connections cause, and a second
 * free there does nothing. */
struct mcp_http_listener {
  mcp_loop *loop;
  mcp_http *http;    /* NULL: there are branches */
  mcpi_http1 *http1; /* NULL: there are branches */
  mcpi_http1_branch **branches;
  size_t branch_count;
  size_t branch_cap;
  mcpi_http1_homes homes;
  size_t next_branch;      /* the branch that gets the next connection */
  farewell *farewell;      /* NULL: it is not draining, or has no branches */
  mcpi_timer keep;         /* keeps the loop running while it drains */
  mcpi_listener *listener; /* NULL: it accepts no more */
  char *tls_cert;          /* NULL: no TLS */
  char *tls_key;
  char *tls_client_ca;
  mcpi_buf url;
  /* Of the latest mcp_http_listener_drain; NULL: there is nothing to call. */
  void (*on_drained)(mcp_http_listener *listener, void *userdata);
  void *on_drained_userdata;
  int is_freed;
  size_t refs;
};

enum { KEPT_MS = 24 * 3600 * 1000 };

/* --- options ------------------------------------------------------------- */

static mcpi_http1_limits limits_of(const mcp_http_listen_options *options) {
  mcpi_http1_limits limits = {.max_connections = options->max_connections,
                              .max_head = options->max_head,
                              .max_headers = options->max_headers,
                              .max_body = options->max_body,
                              .max_queue = options->max_queue,
                              .max_waiting = options->max_waiting,
                              .head_ms = options->head_ms,
                              .body_ms = options->body_ms,
                              .idle_ms = options->idle_ms,
                              .write_ms = options->write_ms,
                              .ping_ms = options->ping_ms,
                              .pong_ms = options->pong_ms};
  mcpi_default_u32(&limits.max_connections, 16384);
  mcpi_default_u32(&limits.max_head, 16 * 1024);
  mcpi_default_u32(&limits.max_headers, 100);
  mcpi_default_size(&limits.max_body, 4 * 1024 * 1024);
  mcpi_default_size(&limits.max_queue, 16 * 1024 * 1024);
  mcpi_default_size(&limits.max_waiting, limits.max_body < SIZE_MAX / 64
                                             ? 64 * limits.max_body
                                             : SIZE_MAX);
  mcpi_default_u32(&limits.head_ms, 10000);
  mcpi_default_u32(&limits.body_ms, 30000);
  mcpi_default_u32(&limits.idle_ms, 75000);
  mcpi_default_u32(&limits.write_ms, 30000);
  mcpi_default_u32(&limits.ping_ms, 30000);
  mcpi_default_u32(&limits.pong_ms, 10000);
  return limits;
}

static int http_listener_check(const mcp_http_listen_options *options,
                               mcp_error *err) {
  if (options->threads > MCPI_HTTP1_MAX_HOMES) {
    return mcp_error_set(err, MCP_ERR_INVALID, "threads: %lu, at most %d",
                         (unsigned long)options->threads, MCPI_HTTP1_MAX_HOMES);
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
  const mcp_http_options *http = options->http;
  int has_websocket = http != NULL &&
                      http->size > offsetof(mcp_http_options, wires) &&
                      (http->wires & MCP_HTTP_WEBSOCKET) != 0;
  if (has_websocket) {
    return mcpi_http1_load_websocket(err);
  }
  return 0;
}

static int http_listener_widen(mcp_http_listen_options *out,
                               const mcp_http_listen_options *options,
                               mcp_error *err) {
  *out = (mcp_http_listen_options){.size = sizeof(mcp_http_listen_options)};
  int rc = 0;
  if (options != NULL) {
    rc = mcpi_widen(out, sizeof(*out), options, "mcp_http_listen_options", err);
  }
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_http_listen_options.reserved", out->reserved,
                             err);
  }
  if (out->address == NULL) {
    out->address = "127.0.0.1:8080";
  }
  return rc == 0 ? http_listener_check(out, err) : rc;
}

/* --- the application ----------------------------------------------------- */

static void *http_listener_on_head(void *userdata,
                                   const mcp_http_request *request,
                                   const mcp_http_responder *responder,
                                   void *exchange) {
  const mcp_http_listener *self = userdata;
  return mcp_http_begin(self->http, request, responder, exchange);
}

static void http_listener_on_body(void *handle, const char *body, size_t len) {
  mcp_http_body(handle, body, len);
}

static void http_listener_on_gone(void *handle) {
  mcp_http_gone(handle);
}

static void http_listener_on_refused(void *userdata, const char *peer,
                                     const mcp_error *err) {
  const mcp_http_listener *self = userdata;
  mcpi_endpoint_connection_refused(self->http, peer, err);
}

static void http_listener_on_ended(void *userdata, const char *peer,
                                   const mcp_error *err) {
  const mcp_http_listener *self = userdata;
  mcpi_endpoint_connection_ended(self->http, peer, err);
}

static void http_listener_unref(mcp_http_listener *self) {
  const mcp_allocator allocator = self->loop->allocator;
  if (--self->refs == 0) {
    mcpi_buf_deinit(&self->url);
    mcpi_strfree(&allocator, self->tls_cert);
    mcpi_strfree(&allocator, self->tls_key);
    mcpi_strfree(&allocator, self->tls_client_ca);
    mcpi_free(&allocator, self, sizeof(*self));
  }
}

static void http_listener_on_end(void *userdata) {
  http_listener_unref(userdata);
}

static void http_listener_on_connection(int fd, const char *peer,
                                        void *userdata) {
  mcp_http_listener *self = userdata;
  if (self->branch_count == 0) {
    /* The HTTP server closes a connection that it refuses. */
    mcpi_http1_serve(self->http1, fd, peer);
    return;
  }
  mcpi_http1_branch_serve(self->branches[self->next_branch], fd, peer);
  self->next_branch = (self->next_branch + 1) % self->branch_count;
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

static int http_listener_set_tls(mcp_http_listener *self, mcpi_tls *tls) {
  int rc = 0;
  if (self->http1 != NULL) {
    mcpi_http1_set_tls(self->http1, tls);
  }
  for (size_t i = 0; rc == 0 && i < self->branch_count; i++) {
    rc = mcpi_http1_branch_set_tls(self->branches[i], tls);
  }
  return rc;
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
  int rc = http_listener_set_tls(listener, tls);
  mcpi_tls_unref(tls);
  return rc == 0 ? 0 : mcp_error_set(err, rc, "%s", mcp_error_text(rc));
}

/* --- life ---------------------------------------------------------------- */

/* A Unix socket has no place in a URL: its path is reported in the form of the
 * address. */
static int http_listener_put_url(mcp_http_listener *self, const char *path) {
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

static int is_unix(const mcp_http_listen_options *options) {
  return strncmp(options->address, "unix:", 5) == 0;
}

/* Tells the endpoints at which address they are reached. */
static void set_address(mcp_http_listener *self) {
  const char *address = mcpi_listener_address(self->listener);
  if (self->http != NULL) {
    mcpi_endpoint_set_address(self->http, address);
  }
  for (size_t i = 0; i < self->branch_count; i++) {
    mcpi_http1_branch_set_address(self->branches[i], address);
  }
}

static int open_branches(mcp_http_listener *self, mcp_server *server,
                         const mcp_http_listen_options *options,
                         mcp_error *err) {
  const mcpi_http1_branch_setup setup = {.server = server,
                                         .loop = self->loop,
                                         .options = options->http,
                                         .limits = limits_of(options),
                                         .count = options->threads,
                                         .is_secure = options->tls_cert != NULL,
                                         .has_address = !is_unix(options),
                                         .homes = &self->homes};
  self->homes.allocator = &self->loop->allocator;
  self->branches = mcpi_calloc(&self->loop->allocator, options->threads,
                               sizeof(mcpi_http1_branch *));
  if (self->branches == NULL) {
    return mcpi_no_memory(err);
  }
  self->branch_cap = options->threads;
  while (self->branch_count < options->threads) {
    mcpi_http1_branch *branch = mcpi_http1_branch_new(&setup, err);
    if (branch == NULL) {
      return err->code;
    }
    self->branches[self->branch_count++] = branch;
  }
  return 0;
}

static int open_here(mcp_http_listener *self, mcp_server *server,
                     const mcp_http_listen_options *options, mcp_error *err) {
  const mcpi_http1_limits limits = limits_of(options);
  self->http = is_unix(options)
                   ? mcp_http_new(server, self->loop, options->http, err)
                   : mcpi_endpoint_new(server, self->loop, options->http, err);
  if (self->http == NULL) {
    return err->code;
  }
  if (options->tls_cert != NULL) {
    mcpi_endpoint_set_secure(self->http);
  }
  const mcpi_http1_app app = {.userdata = self,
                              .on_head = http_listener_on_head,
                              .on_body = http_listener_on_body,
                              .on_gone = http_listener_on_gone,
                              .on_end = http_listener_on_end,
                              .on_refused = http_listener_on_refused,
                              .on_ended = http_listener_on_ended};
  self->http1 = mcpi_http1_new(self->loop, &limits, &app, err);
  if (self->http1 == NULL) {
    return err->code;
  }
  self->refs++;
  mcpi_endpoint_count(self->http, mcpi_http1_waiting(self->http1));
  return 0;
}

/* Makes the endpoints, of options without token_file. */
static int open_endpoints(mcp_http_listener *self, mcp_server *server,
                          const mcp_http_listen_options *options,
                          mcp_error *err) {
  mcp_http_listen_options whole = *options;
  mcpi_token_file file;
  int rc =
      mcpi_token_file_read(&file, &whole.http, &self->loop->allocator, err);
  if (rc == 0) {
    rc = whole.threads > 1 ? open_branches(self, server, &whole, err)
                           : open_here(self, server, &whole, err);
  }
  mcpi_token_file_deinit(&file);
  return rc;
}

/* Makes everything except the address. */
static int open_server(mcp_http_listener *self, mcp_server *server,
                       const mcp_http_listen_options *options, mcp_error *err) {
  int rc = open_endpoints(self, server, options, err);
  if (rc != 0) {
    return rc;
  }
  if (copy_paths(self, options) != 0) {
    return mcpi_no_memory(err);
  }
  return self->tls_cert != NULL ? mcp_http_listener_reload(self, err) : 0;
}

/* Returns the path of HTTP+SSE only if nothing else is served. */
static const char *path_of(const mcp_http_options *http) {
  if (http != NULL && http->wires == MCP_HTTP_SSE) {
    int has_path = http->size > offsetof(mcp_http_options, sse_path) &&
                   http->sse_path != NULL;
    return has_path ? http->sse_path : "/sse";
  }
  return http != NULL && http->path != NULL ? http->path : "/mcp";
}

static int http_listener_open_address(mcp_http_listener *self,
                                      const mcp_http_listen_options *options,
                                      mcp_error *err) {
  const char *path = path_of(options->http);
  self->listener =
      mcpi_listener_new(self->loop, options->address, options->socket_mode,
                        http_listener_on_connection, self, err);
  if (self->listener == NULL) {
    return err->code;
  }
  if (!is_unix(options)) {
    set_address(self);
  }
  return http_listener_put_url(self, path) == 0 ? 0 : mcpi_no_memory(err);
}

mcp_http_listener *
mcp_server_listen_http(mcp_server *server, mcp_loop *loop,
                       const mcp_http_listen_options *options, mcp_error *err) {
  mcp_http_listen_options wide;
  mcp_error unwanted = {0};
  err = err != NULL ? err : &unwanted;
  if (server == NULL || loop == NULL) {
    mcpi_error_null(err, server == NULL ? "server" : "loop");
    return NULL;
  }
  if (http_listener_widen(&wide, options, err) != 0) {
    return NULL;
  }
  mcp_http_listener *self = mcpi_calloc(&loop->allocator, 1, sizeof(*self));
  if (self == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  self->loop = loop;
  self->refs = 1;
  mcpi_buf_init(&self->url, &loop->allocator, SIZE_MAX);
  if (open_server(self, server, &wide, err) != 0 ||
      http_listener_open_address(self, &wide, err) != 0) {
    mcp_http_listener_free(self);
    return NULL;
  }
  return self;
}

const char *mcp_http_listener_url(const mcp_http_listener *listener) {
  return listener != NULL ? listener->url.data : NULL;
}

/* --- draining ------------------------------------------------------------ */

static void farewell_unref(farewell *bye) {
  if (atomic_fetch_sub(&bye->refs, 1) == 1) {
    mcp_allocator allocator = bye->allocator;
    mcpi_free(&allocator, bye, sizeof(*bye));
  }
}

static void http_listener_stop_waiting(mcp_http_listener *self) {
  mcpi_loop_stop_timer(self->loop, &self->keep);
}

static void http_listener_tell_drained(void *userdata) {
  mcp_http_listener *self = userdata;
  void (*on_drained)(mcp_http_listener * listener, void *userdata) =
      self->on_drained;
  self->on_drained = NULL;
  if (on_drained != NULL) {
    on_drained(self, self->on_drained_userdata);
  }
}

/* On the loop that accepts. */
static void on_branch_told(void *argument) {
  farewell *bye = argument;
  if (bye->listener != NULL && --bye->awaited == 0) {
    http_listener_stop_waiting(bye->listener);
    http_listener_tell_drained(bye->listener);
  }
  farewell_unref(bye);
}

/* In a branch's thread. */
static void on_branch_drained(void *userdata) {
  farewell *bye = userdata;
  atomic_fetch_add(&bye->refs, 1);
  if (mcp_loop_post(bye->loop, on_branch_told, bye) != 0) {
    farewell_unref(bye);
  }
}

static void on_keep(mcpi_timer *timer) {
  mcp_http_listener *self = MCPI_CONTAINER(timer, mcp_http_listener, keep);
  mcpi_loop_start_timer(self->loop, timer, KEPT_MS);
}

static farewell *farewell_new(mcp_http_listener *self) {
  farewell *bye = mcpi_calloc(&self->loop->allocator, 1, sizeof(*bye));
  if (bye != NULL) {
    bye->allocator = self->loop->allocator;
    bye->loop = self->loop;
    bye->listener = self;
    bye->awaited = self->branch_count;
    atomic_init(&bye->refs, 1);
  }
  return bye;
}

static void begin_farewell(mcp_http_listener *self) {
  farewell *bye = farewell_new(self);
  if (bye == NULL) {
    return;
  }
  self->farewell = bye;
  self->keep.on_due = on_keep;
  mcpi_loop_start_timer(self->loop, &self->keep, KEPT_MS);
  for (size_t i = 0; i < self->branch_count; i++) {
    mcpi_http1_branch_drain(self->branches[i], on_branch_drained, bye);
  }
}

static void drain_branches(mcp_http_listener *self) {
  if (self->farewell == NULL) {
    begin_farewell(self);
  }
  const farewell *bye = self->farewell;
  if (bye == NULL || bye->awaited == 0) {
    mcp_loop *loop = self->loop; /* without memory nothing is waited for */
    loop->frames++;
    http_listener_tell_drained(self);
    loop->frames--;
  }
}

/* Draining may free the listener; http1 then remains until the loop's next
 * turn. */
void mcp_http_listener_drain(mcp_http_listener *listener,
                             void (*on_drained)(mcp_http_listener *listener,
                                                void *userdata),
                             void *userdata) {
  if (listener != NULL && !listener->is_freed) {
    mcpi_listener_free(listener->listener);
    listener->listener = NULL;
    listener->on_drained = on_drained;
    listener->on_drained_userdata = userdata;
    if (listener->branch_count > 0) {
      drain_branches(listener);
    } else {
      mcpi_http1 *http1 = listener->http1;
      mcpi_endpoint_drain(listener->http);
      mcpi_http1_drain(http1, http_listener_tell_drained, listener);
    }
  }
}

size_t mcp_http_listener_connection_count(const mcp_http_listener *listener) {
  size_t count = 0;
  if (listener == NULL) {
    return 0;
  }
  for (size_t i = 0; i < listener->branch_count; i++) {
    count += mcpi_http1_branch_connection_count(listener->branches[i]);
  }
  return listener->http1 != NULL ? mcpi_http1_connection_count(listener->http1)
                                 : count;
}

/* After their threads have ended no more letters come. */
static void free_branches(mcp_http_listener *self) {
  mcpi_http1_branches_free(self->branches, self->branch_count);
  mcpi_free(&self->loop->allocator, self->branches,
            self->branch_cap * sizeof(mcpi_http1_branch *));
  if (self->farewell != NULL) {
    self->farewell->listener = NULL;
    farewell_unref(self->farewell);
  }
  http_listener_stop_waiting(self);
}

/* The connections end first: their exchanges belong to the endpoint. The
 * application is not called after mcpi_http1_free. */
void mcp_http_listener_free(mcp_http_listener *listener) {
  if (listener == NULL || listener->is_freed) {
    return;
  }
  listener->is_freed = 1;
  mcpi_listener_free(listener->listener);
  listener->listener = NULL;
  free_branches(listener);
  mcpi_http1_free(listener->http1);
  mcp_http_free(listener->http);
  http_listener_unref(listener);
}
