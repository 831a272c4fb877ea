/* SPDX-License-Identifier: MIT */
/* The wires of a program. Each ends by itself once it is drained, and the last
 * stops the loop. The end of input drains stdio alone; it is the end of the
 * program when nothing else is served. */
#include "transport/main_wires.h"

#include "server/server.h"
#include "transport/main_signals.h"

#include <stdio.h>

/* For callbacks that are told of the transport alone. */
static mcpi_main_wires *open_wires;

static void stop_if_all_ended(const mcpi_main_wires *wires) {
  if (wires->connection == NULL && wires->http == NULL) {
    mcp_loop_stop(wires->loop);
  }
}

/* --- stdio --------------------------------------------------------------- */

static void on_input_end(mcp_transport *transport) {
  mcpi_main_wires *wires = open_wires;
  mcpi_main_log_put(wires->log, MCP_LOG_INFO, "end of input: ending");
  if (wires->http == NULL) {
    mcpi_main_signals_watch();
  }
  wires->server_on_end(transport);
}

static void on_closed(mcp_connection *connection, const mcp_error *err,
                      void *userdata) {
  mcpi_main_wires *wires = userdata;
  (void)connection;
  if (err != NULL && err->code != 0) {
    mcpi_main_log_put(wires->log, MCP_LOG_ERROR, "%s", err->message);
    wires->has_failed = 1;
  }
  wires->connection = NULL;
  stop_if_all_ended(wires);
}

static mcp_transport *make_stdio(const mcpi_main_wires *wires, mcp_error *err) {
  mcp_transport *transport = mcp_transport_stdio(wires->loop, NULL, err);
  if (transport == NULL || !wires->settings->wants_trace) {
    return transport;
  }
  transport = mcp_transport_trace(wires->loop, transport, mcpi_main_log_trace,
                                  wires->log);
  if (transport == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  return transport;
}

static int open_stdio(mcpi_main_wires *wires, mcp_error *err) {
  uint32_t drain_ms = wires->settings->drain_ms;
  const mcp_connection_options options = {.size = MCP_CONNECTION_OPTIONS_INIT,
                                          .drain_ms =
                                              drain_ms > 0 ? drain_ms : 1,
                                          .on_closed = on_closed,
                                          .userdata = wires};
  mcp_transport *transport = make_stdio(wires, err);
  if (transport == NULL) {
    return err->code;
  }
  int rc = mcp_server_connect(wires->server, wires->loop, transport, &options,
                              &wires->connection, err);
  if (rc == 0) {
    wires->server_on_end = transport->on_end;
    transport->on_end = on_input_end;
    mcpi_main_log_put(wires->log, MCP_LOG_INFO, "%s %s serves on stdio",
                      wires->server->name, wires->server->version);
  }
  return rc;
}

/* --- HTTP ---------------------------------------------------------------- */

static void end_http(void *userdata) {
  mcpi_main_wires *wires = userdata;
  mcp_http_listener *http = wires->http;
  wires->http = NULL;
  mcp_http_listener_free(http);
  stop_if_all_ended(wires);
}

/* Where it listens is told whatever the log's level: with port 0 nobody knows
 * it otherwise. */
static int open_http(mcpi_main_wires *wires, mcp_error *err) {
  mcp_http_options http = wires->settings->http;
  mcp_http_listen_options listen = wires->settings->listen;
  listen.http = &http;
  if (wires->settings->wants_trace) {
    http.on_trace = mcpi_main_log_http_trace;
    http.userdata = wires->log;
  }
  wires->http =
      mcp_server_listen_http(wires->server, wires->loop, &listen, err);
  if (wires->http == NULL) {
    return err->code;
  }
  fprintf(stderr, "listening on %s\n", mcp_http_listener_url(wires->http));
  return 0;
}

/* --- all ----------------------------------------------------------------- */

int mcpi_main_wires_open(mcpi_main_wires *wires, mcp_error *err) {
  const mcpi_main_settings *settings = wires->settings;
  int rc = 0;
  open_wires = wires;
  if (settings->wants_http) {
    rc = open_http(wires, err);
  }
  if (rc == 0 && (settings->wants_stdio || !settings->wants_http)) {
    rc = open_stdio(wires, err);
  }
  return rc;
}

void mcpi_main_wires_reload(const mcpi_main_wires *wires) {
  mcp_error err;
  if (wires->http == NULL) {
    return;
  }
  if (mcp_http_listener_reload(wires->http, &err) == 0) {
    mcpi_main_log_put(wires->log, MCP_LOG_NOTICE, "read %s again",
                      wires->settings->listen.tls_cert);
  } else {
    mcpi_main_log_put(wires->log, MCP_LOG_ERROR,
                      "the certificate of before stays: %s", err.message);
  }
}

void mcpi_main_wires_drain(mcpi_main_wires *wires) {
  mcp_server_drain(wires->server, wires->settings->drain_ms);
  mcp_http_listener_drain(wires->http, end_http, wires);
}

void mcpi_main_wires_close(mcpi_main_wires *wires) {
  if (wires->http != NULL) {
    end_http(wires);
  }
  if (wires->connection != NULL) {
    mcp_connection_close(wires->connection, 0);
    mcp_loop_run(wires->loop);
  }
}
