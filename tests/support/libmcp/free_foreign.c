/* SPDX-License-Identifier: MIT */
/* An HTTP server as a program may have one already, with libmcp's endpoint
 * behind it. Its responder's functions are moments of a free bench: what they
 * were given must last until they return, and so is used after the deed. */
#include "http1/http1.h"
#include "net/listener.h"
#include "support/libmcp/free_bench.h"

#include <stdlib.h>

/* One request. It stays until the server ends, so that a call for one that is
 * over is found. */
typedef struct trip {
  free_foreign *server;
  const mcp_http_responder *inner;
  void *inner_exchange;
  mcp_http_exchange *exchange;
  int has_begun; /* the client has seen the beginning of the answer */
  int is_over;
  struct trip *next;
} trip;

struct free_foreign {
  free_bench *b;
  mcpi_listener *listener;
  mcpi_http1 *http1;
  trip *trips;
};

/* ---- the responder ------------------------------------------------------- */

/* The endpoint ends an answer once, perhaps inside `begin`. */
static void end_trip(trip *t) {
  assert_false(t->is_over);
  t->is_over = 1;
  t->exchange = NULL;
}

/* A deed inside `begin` or `write` may have broken the answer off. */
static int go_on(trip *t, free_place where) {
  assert_false(t->is_over);
  free_at(t->server->b, where);
  return !t->is_over;
}

static void on_respond(void *exchange, int status,
                       const mcp_http_header *headers, size_t header_count,
                       const char *body, size_t len) {
  trip *t = exchange;
  end_trip(t);
  free_at(t->server->b, IN_RESPOND);
  t->inner->respond(t->inner_exchange, status, headers, header_count, body,
                    len);
}

static void on_begin(void *exchange, int status, const mcp_http_header *headers,
                     size_t header_count) {
  trip *t = exchange;
  if (go_on(t, IN_BEGIN)) {
    t->has_begun = 1;
    t->inner->begin(t->inner_exchange, status, headers, header_count);
  }
}

static void on_write(void *exchange, const char *bytes, size_t len) {
  trip *t = exchange;
  if (go_on(t, IN_WRITE)) {
    t->inner->write(t->inner_exchange, bytes, len);
  }
}

static void on_end(void *exchange) {
  trip *t = exchange;
  end_trip(t);
  free_at(t->server->b, IN_END);
  if (t->has_begun) {
    t->inner->end(t->inner_exchange);
  } else {
    t->inner->abort(t->inner_exchange);
  }
}

static size_t on_queued(void *exchange) {
  trip *t = exchange;
  return go_on(t, IN_UNSENT) ? t->inner->queued(t->inner_exchange) : 0;
}

static void on_abort(void *exchange) {
  trip *t = exchange;
  end_trip(t);
  free_at(t->server->b, IN_ABORT);
  t->inner->abort(t->inner_exchange);
}

static mcp_transport *on_upgrade(void *exchange, size_t max_message) {
  trip *t = exchange;
  end_trip(t);
  free_at(t->server->b, IN_UPGRADE);
  return t->inner->upgrade(t->inner_exchange, max_message);
}

static void on_close(void *exchange) {
  trip *t = exchange;
  end_trip(t);
  free_at(t->server->b, IN_CLOSE_ANSWER);
  if (t->has_begun) {
    t->inner->close(t->inner_exchange);
  } else {
    t->inner->abort(t->inner_exchange);
  }
}

static const mcp_http_responder responder = {.size = sizeof(mcp_http_responder),
                                             .respond = on_respond,
                                             .begin = on_begin,
                                             .write = on_write,
                                             .end = on_end,
                                             .queued = on_queued,
                                             .abort = on_abort,
                                             .upgrade = on_upgrade,
                                             .close = on_close};

/* ---- requests ------------------------------------------------------------ */

static void *on_head(void *userdata, const mcp_http_request *request,
                     const mcp_http_responder *inner, void *inner_exchange) {
  free_foreign *self = userdata;
  mcp_http *endpoint = self->b->now.endpoint;
  if (endpoint == NULL) {
    inner->respond(inner_exchange, 404, NULL, 0, NULL, 0);
    return NULL;
  }
  trip *t = calloc(1, sizeof(*t));
  assert_non_null(t);
  *t = (trip){.server = self,
              .inner = inner,
              .inner_exchange = inner_exchange,
              .next = self->trips};
  self->trips = t;
  mcp_http_exchange *exchange =
      mcp_http_begin(endpoint, request, &responder, t);
  assert_true(t->is_over == (exchange == NULL));
  t->exchange = exchange;
  return exchange != NULL ? t : NULL;
}

static void on_body(void *handle, const char *body, size_t len) {
  trip *t = handle;
  assert_false(t->is_over);
  mcp_http_body(t->exchange, body, len);
}

static void on_gone(void *handle) {
  trip *t = handle;
  mcp_http_exchange *exchange = t->exchange;
  end_trip(t);
  mcp_http_gone(exchange);
}

/* ---- life ---------------------------------------------------------------- */

static void on_connection(int fd, const char *peer, void *userdata) {
  free_foreign *self = userdata;
  mcpi_http1_serve(self->http1, fd, peer);
}

void free_foreign_listen(free_bench *b, const char *address,
                         const mcp_http_options *options) {
  const mcpi_http1_limits limits = {.max_connections = 100,
                                    .max_head = 16384,
                                    .max_headers = 100,
                                    .max_body = 1 << 20,
                                    .max_queue = 1 << 20,
                                    .max_waiting = 64 * 1024 * 1024,
                                    .head_ms = 60000,
                                    .body_ms = 60000,
                                    .idle_ms = 60000,
                                    .write_ms = 60000,
                                    .ping_ms = 60000,
                                    .pong_ms = 60000};
  mcp_error err = {0};
  free_foreign *self = calloc(1, sizeof(*self));
  assert_non_null(self);
  const mcpi_http1_app app = {.userdata = self,
                              .on_head = on_head,
                              .on_body = on_body,
                              .on_gone = on_gone};
  self->b = b;
  self->http1 = mcpi_http1_new(b->loop, &limits, &app, NULL);
  self->listener =
      mcpi_listener_new(b->loop, address, 0, on_connection, self, &err);
  b->now.endpoint = mcp_http_new(b->now.server, b->loop, options, &err);
  assert_string_equal(err.message, "");
  b->foreign = self;
}

void free_foreign_end(free_bench *b) {
  free_foreign *self = b->foreign;
  if (self == NULL) {
    return;
  }
  mcpi_listener_free(self->listener);
  mcpi_http1_free(self->http1);
  while (self->trips != NULL) {
    trip *t = self->trips;
    self->trips = t->next;
    free(t);
  }
  free(self);
}
