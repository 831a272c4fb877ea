/* SPDX-License-Identifier: MIT */
/* The transports of a program that mcp_main runs: standard input and output,
 * addresses, or both. */
#ifndef MCPI_MAIN_TRANSPORTS_H
#define MCPI_MAIN_TRANSPORTS_H

#include "main/log.h"
#include "main/options.h"
#include <mcp/http.h>
#include <mcp/socket.h>

typedef struct mcpi_main_transports mcpi_main_transports;

/* One address: both are NULL once it has ended. */
typedef struct mcpi_main_listener {
  mcpi_main_transports *transports;
  mcp_http_listener *http;
  mcp_socket_listener *socket;
} mcpi_main_listener;

struct mcpi_main_transports {
  mcp_server *server;
  mcp_loop *loop;
  const mcpi_main_settings *settings;
  mcpi_main_log *log;
  mcp_connection *connection; /* of stdio; NULL: not served, or ended */
  void (*server_on_end)(mcp_transport *transport); /* at the end of input */
  mcpi_main_listener listeners[MCPI_MAIN_ADDRESSES_MAX];
  size_t open_count;  /* the number of open ones */
  int has_failed;     /* one ended with an error, which is in the log */
  int64_t drained_ms; /* when the time to drain is over, by the loop's clock */
};

/* Opens the transports that the settings name; stdio if they name none. Stops
 * the loop when all have ended. Only one at a time in a process, as there is
 * one standard input. Returns 0 or an MCP_ERR_* with err. */
int mcpi_main_transports_open(mcpi_main_transports *transports, mcp_error *err);
/* Reads the certificate and its key again, and logs how that went. */
void mcpi_main_transports_reload(const mcpi_main_transports *transports);
/* Takes no new work; they end when their calls are answered, or their time is
 * over. */
void mcpi_main_transports_drain(mcpi_main_transports *transports);
/* Ends those that are left. */
void mcpi_main_transports_close(mcpi_main_transports *transports);

#endif
