/* SPDX-License-Identifier: MIT */
/* The transports of a program. Each ends by itself once it is drained, and the
 * last one stops the loop. The end of input drains all of them: the process
 * that started the program has gone. */
#include "main/transports.h"

#include "base/error.h"
#include "core/transport.h"
#include "main/signals.h"
#include "server/server.h"

#include <stdio.h>
#include <string.h>

/* For callbacks that only get the transport. */
static mcpi_main_transports *open_transports;

static void stop_if_all_ended(const mcpi_main_transports *transports) {
  if (transports->connection == NULL && transports->open_count == 0) {
    mcp_loop_stop(transports->loop);
  }
}

static void note_end(mcpi_main_transports *transports) {
  if (transports->drained_ms == 0) {
    transports->drained_ms =
        mcpi_loop_now(transports->loop) + transports->settings->drain_ms;
  }
}

/* --- stdio --------------------------------------------------------------- */

static void on_input_end(mcp_transport *transport) {
  mcpi_main_transports *transports = open_transports;
  mcpi_main_log_put(transports->log, MCP_LOG_INFO, "end of input: ending");
  mcpi_main_signals_watch();
  note_end(transports);
  transports->server_on_end(transport);
  if (transports->open_count > 0) {
    mcpi_main_transports_drain(transports);
  }
}

static void main_transports_on_closed(mcp_connection *connection,
                                      const mcp_error *err, void *userdata) {
  mcpi_main_transports *transports = userdata;
  (void)connection;
  if (err != NULL && err->code != 0) {
    transports->has_failed = 1; /* the server reports it */
  }
  transports->connection = NULL;
  stop_if_all_ended(transports);
}

static mcp_transport *make_stdio(const mcpi_main_transports *transports,
                                 mcp_error *err) {
  mcp_transport *transport = mcp_transport_stdio(transports->loop, NULL, err);
  if (transport != NULL) {
    transport = mcpi_server_wire(
        transports->loop, transport,
        transports->settings->wants_trace ? mcpi_main_log_transport : NULL,
        transports->log, transports->settings->dialect, NULL, err);
  }
  return transport;
}

static int open_stdio(mcpi_main_transports *transports, mcp_error *err) {
  uint32_t drain_ms = transports->settings->drain_ms;
  const mcp_connection_options options = {
      .size = sizeof(mcp_connection_options),
      .drain_ms = drain_ms > 0 ? drain_ms : 1,
      .on_closed = main_transports_on_closed,
      .userdata = transports};
  mcp_transport *transport = make_stdio(transports, err);
  if (transport == NULL) {
    return err->code;
  }
  int rc = mcp_server_connect(transports->server, transports->loop, transport,
                              &options, &transports->connection, err);
  if (rc == 0) {
    transports->server_on_end = transport->on_end;
    transport->on_end = on_input_end;
    mcpi_main_log_put(transports->log, MCP_LOG_INFO, "%s %s serves on stdio",
                      transports->server->name, transports->server->version);
  }
  return rc;
}

/* --- addresses ----------------------------------------------------------- */

static void end_listener(mcpi_main_listener *self) {
  mcp_http_listener *http = self->http;
  mcp_socket_listener *socket = self->socket;
  self->http = NULL;
  self->socket = NULL;
  self->transports->open_count--;
  mcp_http_listener_free(http);
  mcp_socket_listener_free(socket);
  stop_if_all_ended(self->transports);
}

static void on_http_drained(mcp_http_listener *listener, void *userdata) {
  (void)listener;
  end_listener(userdata);
}

static void on_socket_drained(mcp_socket_listener *listener, void *userdata) {
  (void)listener;
  end_listener(userdata);
}

/* Reports the address at every level of the log: with port 0 the user cannot
 * know it otherwise. */
static void main_transports_tell(mcpi_main_log *log, const char *url) {
  mcpi_main_log_say(log, "listening on %s", url);
}

/* Reports a transport of HTTP. A Unix socket has no place in a URL, and
 * "unix:PATH" alone means lines. */
static void tell_http(mcpi_main_log *log, const char *url, const char *scheme,
                      const char *path) {
  const char *host = strstr(url, "://");
  if (host == NULL) {
    mcpi_main_log_say(log, "listening on %s for %s at %s", url, scheme, path);
    return;
  }
  int has_tls = strncmp(url, "https:", 6) == 0;
  host += strlen("://");
  mcpi_main_log_say(log, "listening on %s%s://%.*s%s", scheme,
                    has_tls ? "s" : "", (int)strcspn(host, "/"), host, path);
}

/* WebSockets have the path of Streamable HTTP; HTTP+SSE has its own. */
static void tell_all_http(mcpi_main_log *log, const char *url,
                          const mcp_http_options *http) {
  const char *path = http->path != NULL ? http->path : "/mcp";
  const char *sse_path = http->sse_path != NULL ? http->sse_path : "/sse";
  if ((http->wires & MCP_HTTP_STREAMABLE) != 0) {
    tell_http(log, url, "http", path);
  }
  if ((http->wires & MCP_HTTP_SSE) != 0) {
    tell_http(log, url, "http", sse_path);
  }
  if ((http->wires & MCP_HTTP_WEBSOCKET) != 0) {
    tell_http(log, url, "ws", path);
  }
}

/* With --trace the program's functions and the log have one userdata, ours. */
static void on_http_trace(mcp_server *server, const mcp_traced_message *message,
                          void *userdata) {
  const mcpi_main_transports *transports = userdata;
  const mcp_http_options *given = &transports->settings->given.endpoint;
  mcpi_main_log_server(server, message, transports->log);
  if (given->on_trace != NULL) {
    given->on_trace(server, message, given->userdata);
  }
}

static int on_http_request(mcp_server *server, const mcp_http_request *request,
                           mcp_http_decision *decision, void *userdata) {
  const mcpi_main_transports *transports = userdata;
  const mcp_http_options *given = &transports->settings->given.endpoint;
  return given->on_request(server, request, decision, given->userdata);
}

static void trace_http(mcpi_main_transports *transports,
                       mcp_http_options *http) {
  http->on_trace = on_http_trace;
  http->userdata = transports;
  if (http->on_request != NULL) {
    http->on_request = on_http_request;
  }
}

static int open_http(mcpi_main_listener *self, const mcpi_main_address *at,
                     mcp_error *err) {
  mcpi_main_transports *transports = self->transports;
  mcp_http_options http = transports->settings->whole.endpoint;
  mcp_http_listen_options listen = transports->settings->whole.listen;
  listen.address = at->text;
  listen.http = &http;
  http.wires = at->wires;
  if (transports->settings->wants_trace) {
    trace_http(transports, &http);
  }
  self->http = mcp_server_listen_http(transports->server, transports->loop,
                                      &listen, err);
  if (self->http == NULL) {
    return err->code;
  }
  tell_all_http(transports->log, mcp_http_listener_url(self->http), &http);
  return 0;
}

static int main_transports_open_socket(mcpi_main_listener *self,
                                       const mcpi_main_address *at,
                                       mcp_error *err) {
  const mcpi_main_transports *transports = self->transports;
  mcp_socket_listen_options listen = transports->settings->socket;
  listen.address = at->text;
  listen.dialect = transports->settings->dialect;
  if (transports->settings->wants_trace) {
    listen.on_trace = mcpi_main_log_server;
    listen.userdata = transports->log;
  }
  self->socket = mcp_server_listen_socket(transports->server, transports->loop,
                                          &listen, err);
  if (self->socket == NULL) {
    return err->code;
  }
  main_transports_tell(self->transports->log,
                       mcp_socket_listener_url(self->socket));
  return 0;
}

static int open_listener(mcpi_main_transports *transports,
                         const mcpi_main_address *at, mcp_error *err) {
  mcpi_main_listener *self = &transports->listeners[transports->open_count];
  *self = (mcpi_main_listener){.transports = transports};
  int rc = at->wires != 0 ? open_http(self, at, err)
                          : main_transports_open_socket(self, at, err);
  transports->open_count += rc == 0;
  return rc;
}

/* Whether it is a loopback address, or a file. */
static int is_local(const char *address) {
  return strncmp(address, "unix:", 5) == 0 ||
         strncmp(address, "127.", 4) == 0 || strncmp(address, "[::1]", 5) == 0;
}

/* Warns at every log level. */
static void warn_if_public(const mcpi_main_transports *transports,
                           const mcpi_main_address *at) {
  const mcpi_main_settings *settings = transports->settings;
  int has_tls = at->wires != 0 && settings->whole.listen.tls_cert != NULL;
  if (!is_local(at->text) && !has_tls) {
    mcpi_main_log_say(
        transports->log,
        "%s: warning: %s can be reached from other machines, and what is "
        "said there is not encrypted; %s",
        settings->program, at->text,
        at->wires != 0 ? "give --tls-cert and --tls-key, or listen on "
                         "127.0.0.1"
                       : "use --http or --ws with --tls-cert, or listen on "
                         "127.0.0.1");
  }
}

/* --- all ----------------------------------------------------------------- */

int mcpi_main_transports_open(mcpi_main_transports *transports,
                              mcp_error *err) {
  const mcpi_main_settings *settings = transports->settings;
  int rc = 0;
  open_transports = transports;
  for (size_t i = 0; rc == 0 && i < settings->address_count; i++) {
    rc = open_listener(transports, &settings->addresses[i], err);
    if (rc == 0) {
      warn_if_public(transports, &settings->addresses[i]);
    }
  }
  if (rc == 0 && mcpi_main_serves_stdio(settings)) {
    rc = open_stdio(transports, err);
  }
  return rc;
}

static void reload(const mcpi_main_transports *transports,
                   mcp_http_listener *http) {
  mcp_error err;
  if (mcp_http_listener_reload(http, &err) == 0) {
    mcpi_main_log_put(transports->log, MCP_LOG_NOTICE, "read %s again",
                      transports->settings->whole.listen.tls_cert);
  } else {
    mcpi_main_log_put(transports->log, MCP_LOG_ERROR,
                      "the previous certificate stays in use: %s", err.message);
  }
}

void mcpi_main_transports_reload(const mcpi_main_transports *transports) {
  for (size_t i = 0; i < transports->settings->address_count; i++) {
    if (transports->listeners[i].http != NULL) {
      reload(transports, transports->listeners[i].http);
    }
  }
}

void mcpi_main_transports_drain(mcpi_main_transports *transports) {
  note_end(transports);
  mcp_server_drain(transports->server, transports->settings->drain_ms);
  for (size_t i = 0; i < transports->settings->address_count; i++) {
    mcpi_main_listener *self = &transports->listeners[i];
    mcp_http_listener_drain(self->http, on_http_drained, self);
    mcp_socket_listener_drain(self->socket, on_socket_drained, self);
  }
}

void mcpi_main_transports_close(mcpi_main_transports *transports) {
  for (size_t i = 0; i < transports->settings->address_count; i++) {
    mcpi_main_listener *self = &transports->listeners[i];
    if (self->http != NULL || self->socket != NULL) {
      end_listener(self);
    }
  }
  if (transports->connection != NULL) {
    mcp_connection_close(transports->connection, 0);
    mcp_loop_run(transports->loop);
  }
}
