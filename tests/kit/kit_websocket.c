/* SPDX-License-Identifier: MIT */
/* A WebSocket client as one end, its server as the other. The server's end
 * exists only once the client's `start` has made the connection. Until then the
 * kit holds a placeholder. */
#include "kit_own.h"

#include "http1/http1.h"
#include "net/listener.h"
#include <mcp/http_client.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the server ---------------------------------------------------------- */

static struct site {
  mcp_loop *loop;
  mcpi_http1 *http1;
  mcpi_listener *listener;
  const mcp_http_responder *responder;
  mcp_transport *arrived; /* not handed out yet */
  size_t max_message;
  int is_dialed; /* the client's end has started */
  struct late *late;
} site;

static void adopt(struct late *late);

static void *on_head(void *userdata, const mcp_http_request *request,
                     const mcp_http_responder *responder, void *exchange) {
  (void)userdata;
  (void)request;
  site.responder = responder;
  return exchange;
}

static void on_body(void *handle, const char *body, size_t len) {
  (void)body;
  (void)len;
  site.arrived = site.responder->upgrade(handle, site.max_message);
  if (site.late != NULL) {
    adopt(site.late);
  }
}

static void on_gone(void *handle) {
  (void)handle;
}

static void on_connection(int fd, const char *peer, void *userdata) {
  (void)userdata;
  mcpi_http1_serve(site.http1, fd, peer);
}

/* NULL: without TLS. */
static int serve(mcp_loop *loop, const kit_limits *limits, mcpi_tls *tls) {
  const uint32_t long_ms = 600 * 1000;
  const mcpi_http1_limits all = {
      .max_connections = 10,
      .max_head = 16 * 1024,
      .max_headers = 100,
      .max_body = SIZE_MAX / 2,
      .max_queue = limits->max_queue > 0 ? limits->max_queue : 64 << 20,
      .max_waiting = SIZE_MAX / 2,
      .head_ms = long_ms,
      .body_ms = long_ms,
      .idle_ms = long_ms,
      .write_ms = long_ms,
      .ping_ms = long_ms,
      .pong_ms = long_ms};
  const mcpi_http1_app app = {
      .on_head = on_head, .on_body = on_body, .on_gone = on_gone};
  site = (struct site){
      .loop = loop,
      .max_message = limits->max_message > 0 ? limits->max_message : 10 << 20};
  site.http1 = mcpi_http1_new(loop, &all, &app, NULL);
  site.listener =
      mcpi_listener_new(loop, "127.0.0.1:0", 0, on_connection, NULL, NULL);
  if (site.http1 == NULL || site.listener == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_http1_set_tls(site.http1, tls);
  return 0;
}

static void free_loop(mcp_loop *loop) {
  mcpi_listener_free(site.listener);
  mcpi_http1_free(site.http1);
  mcp_transport_free(site.arrived);
  site = (struct site){.loop = NULL};
  mcp_loop_free(loop);
}

/* --- the end that comes late --------------------------------------------- */

struct late {
  mcp_transport base;
  mcp_transport *real; /* NULL: it does not exist yet */
};

static struct late *of(mcp_transport *transport) {
  return transport->userdata;
}

static void on_message(mcp_transport *real, const char *message, size_t len) {
  mcp_transport *base = real->owner;
  base->on_message(base, message, len);
}

static void on_error(mcp_transport *real, const mcp_error *err) {
  mcp_transport *base = real->owner;
  base->on_error(base, err);
}

static void on_close(mcp_transport *real, const mcp_error *err) {
  mcp_transport *base = real->owner;
  base->on_close(base, err);
}

static void adopt(struct late *late) {
  late->real = site.arrived;
  site.arrived = NULL;
  late->real->owner = &late->base;
  late->real->on_message = on_message;
  late->real->on_error = on_error;
  late->real->on_close = on_close;
  late->real->start(late->real, NULL);
}

/* The loop waits for the connection that the started client makes. Else the
 * server's end starts when it comes. */
static int start(mcp_transport *transport, mcp_error *err) {
  (void)err;
  while (site.is_dialed && site.arrived == NULL) {
    mcp_loop_wait(site.loop, 1000);
  }
  if (site.arrived != NULL) {
    adopt(of(transport));
  } else {
    site.late = of(transport);
  }
  return 0;
}

static int send_late(mcp_transport *transport, const char *message, size_t len,
                     const mcp_send_info *info) {
  mcp_transport *real = of(transport)->real;
  return real->send(real, message, len, info);
}

static void close_late(mcp_transport *transport) {
  mcp_transport *real = of(transport)->real;
  real->close(real);
}

static size_t queued(mcp_transport *transport) {
  mcp_transport *real = of(transport)->real;
  return real->queued(real);
}

static void release(mcp_transport *transport) {
  struct late *late = of(transport);
  mcp_transport_free(late->real);
  free(late);
}

static mcp_transport *make_late(void) {
  struct late *late = calloc(1, sizeof(*late));
  if (late == NULL) {
    return NULL;
  }
  late->base = (mcp_transport){.size = sizeof(mcp_transport),
                               .userdata = late,
                               .start = start,
                               .send = send_late,
                               .close = close_late,
                               .release = release,
                               .queued = queued};
  return &late->base;
}

/* --- the client ---------------------------------------------------------- */

static int (*own_start)(mcp_transport *transport, mcp_error *err);

static int dial(mcp_transport *transport, mcp_error *err) {
  site.is_dialed = 1;
  return own_start(transport, err);
}

static int make_both(const kit_limits *limits, const char *scheme,
                     mcp_transport **a, mcp_transport **b) {
  char url[64];
  const mcp_http_client_options options = {.size =
                                               sizeof(mcp_http_client_options),
                                           .proxy = "",
                                           .trust_any_certificate = 1,
                                           .connect_timeout_ms = UINT32_MAX,
                                           .max_message = limits->max_message,
                                           .max_queue = limits->max_queue};
  snprintf(url, sizeof(url), "%s://%s/", scheme,
           mcpi_listener_address(site.listener));
  *a = mcp_transport_websocket(site.loop, url, &options, NULL);
  *b = make_late();
  if (*a == NULL || *b == NULL) {
    return MCP_ERR_NOMEM;
  }
  own_start = (*a)->start;
  (*a)->start = dial;
  return 0;
}

static int make_plain(mcp_loop *loop, const kit_limits *limits,
                      mcp_transport **a, mcp_transport **b) {
  int rc = serve(loop, limits, NULL);
  return rc != 0 ? rc : make_both(limits, "ws", a, b);
}

static int make_private(mcp_loop *loop, const kit_limits *limits,
                        mcp_transport **a, mcp_transport **b) {
  mcpi_tls *tls = mcpi_tls_new(KIT_CERT, KIT_CERT, NULL, NULL);
  int rc = tls != NULL ? serve(loop, limits, tls) : MCP_ERR_IO;
  mcpi_tls_unref(tls);
  return rc != 0 ? rc : make_both(limits, "wss", a, b);
}

/* A message that is too long ends the channel, so that no message is lost
 * silently. */
const kit_transport kit_websocket = {.name = "websocket",
                                     .flags = KIT_NO_MESSAGE_LIMIT |
                                              KIT_NO_HALF_CLOSE,
                                     .make_pair = make_plain,
                                     .free_loop = free_loop};
const kit_transport kit_websocket_tls = {.name = "websocket over TLS",
                                         .flags = KIT_NO_MESSAGE_LIMIT |
                                                  KIT_NO_HALF_CLOSE,
                                         .make_pair = make_private,
                                         .free_loop = free_loop};
