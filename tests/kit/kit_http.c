/* SPDX-License-Identifier: MIT */
/* The transports of an HTTP endpoint. The server has no end that the kit could
 * look at, so the kit runs only scenarios of calls. */
#include "kit_own.h"

#include <mcp/http.h>
#include <mcp/http_client.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

typedef struct wire {
  mcp_http_options http;
  const char *scheme;
  const char *path;
  mcp_transport *(*make_client)(mcp_loop *loop, const char *url,
                                const mcp_http_client_options *options,
                                mcp_error *err);
} wire;

static mcp_http_listener *listener;

static void stop(void) {
  mcp_http_listener_free(listener);
  listener = NULL;
}

/* Each call in flight has a connection, and both its ends are in this
 * process. */
static void raise_descriptor_limit(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
}

static mcp_transport *make_end(mcp_loop *loop, const wire *self) {
  const mcp_http_client_options options = {.size =
                                               sizeof(mcp_http_client_options),
                                           .proxy = "",
                                           .close_wait_ms = 20000,
                                           .dialect = self->http.dialect};
  const char *authority = mcp_http_listener_url(listener) + strlen("http://");
  char url[80];
  snprintf(url, sizeof(url), "%s://%.*s%s", self->scheme,
           (int)strcspn(authority, "/"), authority, self->path);
  return self->make_client(loop, url, &options, NULL);
}

static int serve_at(const wire *self, mcp_loop *loop, mcp_server *server,
                    mcp_transport **client) {
  const mcp_http_listen_options options = {.size =
                                               sizeof(mcp_http_listen_options),
                                           .address = "127.0.0.1:0",
                                           .http = &self->http};
  raise_descriptor_limit();
  listener = mcp_server_listen_http(server, loop, &options, NULL);
  if (listener == NULL) {
    return MCP_ERR_IO;
  }
  *client = make_end(loop, self);
  return *client != NULL ? 0 : MCP_ERR_NOMEM;
}

/* --- Streamable HTTP, of both eras --------------------------------------- */

static const wire streamable = {.http = {.size = sizeof(mcp_http_options)},
                                .scheme = "http",
                                .path = "/mcp",
                                .make_client = mcp_transport_http};

static int serve_http(mcp_loop *loop, mcp_server *server,
                      mcp_transport **client) {
  return serve_at(&streamable, loop, server, client);
}

const kit_transport kit_http = {
    .name = "Streamable HTTP", .serve = serve_http, .stop = stop};
const kit_transport kit_http_legacy = {.name = "legacy Streamable HTTP",
                                       .policy = MCP_POLICY_LEGACY,
                                       .serve = serve_http,
                                       .stop = stop};

/* --- plain POSTs --------------------------------------------------------- */

static const wire posts = {
    .http = {.size = sizeof(mcp_http_options), .legacy = MCP_HTTP_PLAIN},
    .scheme = "http",
    .path = "/mcp",
    .make_client = mcp_transport_post};

static int serve_posts(mcp_loop *loop, mcp_server *server,
                       mcp_transport **client) {
  return serve_at(&posts, loop, server, client);
}

/* Plain POSTs lack the headers that 2026-07-28 requires; in earlier revisions a
 * lost connection does not cancel a call. */
const kit_transport kit_posts = {.name = "plain POSTs",
                                 .flags = KIT_NO_CANCELLING | KIT_NO_FAREWELL,
                                 .policy = MCP_POLICY_LEGACY,
                                 .serve = serve_posts,
                                 .stop = stop};

/* --- HTTP+SSE ------------------------------------------------------------ */

static const wire sse = {
    .http = {.size = sizeof(mcp_http_options), .wires = MCP_HTTP_SSE},
    .scheme = "http",
    .path = "/sse",
    .make_client = mcp_transport_sse};

static int serve_sse(mcp_loop *loop, mcp_server *server,
                     mcp_transport **client) {
  return serve_at(&sse, loop, server, client);
}

/* kit_sse has only the client's end. */
const kit_transport kit_sse_endpoint = {
    .name = "HTTP+SSE endpoint", .serve = serve_sse, .stop = stop};

/* --- the mcp-core dialect ------------------------------------------------ */

static const wire core = {
    .http = {.size = sizeof(mcp_http_options), .dialect = MCP_DIALECT_MCP_CORE},
    .scheme = "http",
    .path = "/mcp",
    .make_client = mcp_transport_post};

static int serve_core(mcp_loop *loop, mcp_server *server,
                      mcp_transport **client) {
  return serve_at(&core, loop, server, client);
}

static const wire core_websocket = {.http = {.size = sizeof(mcp_http_options),
                                             .wires = MCP_HTTP_WEBSOCKET,
                                             .dialect = MCP_DIALECT_MCP_CORE},
                                    .scheme = "ws",
                                    .path = "/mcp",
                                    .make_client = mcp_transport_websocket};

static int serve_core_websocket(mcp_loop *loop, mcp_server *server,
                                mcp_transport **client) {
  return serve_at(&core_websocket, loop, server, client);
}

const kit_transport kit_core_http = {
    .name = "mcp-core over HTTP", .serve = serve_core, .stop = stop};
const kit_transport kit_core_websocket = {.name = "mcp-core over websocket",
                                          .flags = KIT_NO_CANCELLING,
                                          .serve = serve_core_websocket,
                                          .stop = stop};
