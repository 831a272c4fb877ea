/* SPDX-License-Identifier: MIT */
/* Requests that become WebSockets (RFC 6455): from then on each is a connection
 * of the server's as standard input and output would be, and no exchange. Who
 * may ask has been found out as for any other request. */
#include "http/http.h"

#include "codec/http_value.h"
#include "dialect/filter.h"

typedef struct mcpi_http_socket {
  mcpi_list link; /* in http->sockets */
  mcp_http *http; /* a reference */
  mcp_connection *connection;
} socket;

/* --- which -------------------------------------------------------------- */

static int asks_for_websocket(const mcp_http_request *request) {
  for (size_t i = 0; i < request->header_count; i++) {
    const mcp_http_header *header = &request->headers[i];
    if (mcpi_http_eq_nocase(mcpi_str_z(header->name), MCPI_STR("Upgrade")) &&
        mcpi_http_lists(mcpi_str_z(header->value), MCPI_STR("websocket"))) {
      return 1;
    }
  }
  return 0;
}

int mcpi_http_is_upgrade(const mcp_http *http,
                         const mcp_http_request *request) {
  return (http->options.wires & MCP_HTTP_WEBSOCKET) != 0 &&
         strcmp(request->method, "GET") == 0 && asks_for_websocket(request);
}

/* --- life --------------------------------------------------------------- */

static socket *socket_new(mcp_http *http) {
  socket *self = mcpi_calloc(&http->server->allocator, 1, sizeof(*self));
  if (self != NULL) {
    self->http = http;
    mcpi_http_ref(http);
    mcpi_list_append(&http->sockets, &self->link);
  }
  return self;
}

static void socket_free(socket *self) {
  mcp_http *http = self->http;
  mcpi_list_remove(&self->link);
  mcpi_free(&http->server->allocator, self, sizeof(*self));
  mcpi_http_unref(http);
}

static void on_closed(mcp_connection *connection, const mcp_error *err,
                      void *userdata) {
  (void)connection;
  (void)err;
  socket_free(userdata);
}

void mcpi_http_end_sockets(mcp_http *http) {
  mcpi_list *link = http->sockets.next;
  for (; link != &http->sockets; link = link->next) {
    mcp_connection_close(MCPI_CONTAINER(link, socket, link)->connection, 0);
  }
}

/* --- the program's trace ------------------------------------------------ */

static void on_trace(int is_sent, const char *text, size_t len,
                     void *userdata) {
  const socket *self = userdata;
  const mcp_http_options *options = &self->http->options;
  const mcp_connection *connection = self->connection;
  options->on_trace(is_sent,
                    connection != NULL ? connection->options.peer : NULL, NULL,
                    text, len, options->userdata);
}

/* --- upgrading ---------------------------------------------------------- */

/* The answer has been given: without memory the connection breaks off. */
static void connect(socket *self, mcp_http_exchange *exchange,
                    mcp_transport *transport) {
  const mcp_connection_options options = {.size = MCP_CONNECTION_OPTIONS_INIT,
                                          .principal = exchange->principal,
                                          .peer = exchange->request->peer,
                                          .on_closed = on_closed,
                                          .userdata = self};
  const mcp_http *http = self->http;
  transport = mcpi_server_wire(http->part->loop, transport,
                               http->options.on_trace != NULL ? on_trace : NULL,
                               self, http->options.dialect);
  if (transport == NULL ||
      mcpi_connection_new(self->http->part, transport, &options,
                          &self->connection, NULL) != 0) {
    socket_free(self);
  }
}

static void refuse(mcp_http_exchange *exchange, mcpi_str why) {
  mcpi_http_respond(exchange, 503, "text/plain; charset=utf-8", why, NULL, 0);
}

void mcpi_http_on_upgrade(mcp_http_exchange *exchange) {
  mcp_http *http = exchange->http;
  if (!mcpi_http_is_serving(http)) {
    refuse(exchange, MCPI_STR("the server is shutting down\n"));
    return;
  }
  socket *self = socket_new(http);
  if (self == NULL) {
    refuse(exchange, MCPI_STR("out of memory\n"));
    return;
  }
  connect(self, exchange,
          mcpi_http_upgrade(exchange, http->server->options.max_message));
}
