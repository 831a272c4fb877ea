/* SPDX-License-Identifier: MIT */
/* Requests that become WebSockets (RFC 6455). From then on each is a connection
 * of the server, like standard input and output, and no longer an exchange. The
 * request passes the same checks as any other. */
#include "endpoint/upgrade.h"

#include "codec/http_value.h"
#include "core/transport.h"
#include "endpoint/channel.h"
#include "endpoint/endpoint.h"

/* --- which -------------------------------------------------------------- */

static int asks_for_websocket(const mcp_http_request *request) {
  for (size_t i = 0; i < request->header_count; i++) {
    const mcp_http_header *header = &request->headers[i];
    if (mcpi_header_eq_nocase(mcpi_str_z(header->name), MCPI_STR("Upgrade")) &&
        mcpi_header_lists(mcpi_str_z(header->value), MCPI_STR("websocket"))) {
      return 1;
    }
  }
  return 0;
}

int mcpi_endpoint_is_upgrade(const mcp_http *http,
                             const mcp_http_request *request) {
  return (http->options.wires & MCP_HTTP_WEBSOCKET) != 0 &&
         strcmp(request->method, "GET") == 0 && asks_for_websocket(request);
}

/* --- the program's trace ------------------------------------------------ */

static void ws_endpoint_on_trace(mcp_transport *transport,
                                 const mcp_traced_message *message,
                                 void *userdata) {
  const mcpi_endpoint_channel *channel = userdata;
  const mcp_http *http = channel->http;
  const mcpi_caller *caller = channel->caller;
  mcp_traced_message traced = *message;
  (void)transport;
  traced.peer = caller != NULL ? caller->identity->peer : NULL;
  http->options.on_trace(mcpi_server_handle(http->server), &traced,
                         http->options.userdata);
}

/* --- upgrading ---------------------------------------------------------- */

static void channel_free(mcpi_endpoint_channel *channel) {
  mcpi_endpoint_channel_free(channel, channel, sizeof(*channel));
}

static void ws_endpoint_on_closed(mcp_connection *connection,
                                  const mcp_error *err, void *userdata) {
  (void)connection;
  (void)err;
  channel_free(userdata);
}

/* Takes the transport. Returns NULL without memory. */
static mcp_transport *ws_endpoint_wire_of(mcpi_endpoint_channel *channel,
                                          const mcp_connection_options *options,
                                          mcp_transport *transport) {
  const mcp_http *http = channel->http;
  mcpi_share like;
  if (mcpi_share_init(&like, http->waiting, options->principal,
                      options->peer) != 0) {
    mcp_transport_free(transport);
    return NULL;
  }
  transport = mcpi_server_wire(
      http->shard->loop, transport,
      http->options.on_trace != NULL ? ws_endpoint_on_trace : NULL, channel,
      http->options.dialect, &like, NULL);
  mcpi_share_deinit(&like);
  return transport;
}

/* The answer has been sent: without memory the connection breaks off. */
static void ws_endpoint_connect(mcpi_endpoint_channel *channel,
                                const mcp_http_exchange *exchange,
                                mcp_transport *transport) {
  mcp_connection_options options = mcpi_endpoint_sender(exchange);
  options.on_closed = ws_endpoint_on_closed;
  options.userdata = channel;
  transport = ws_endpoint_wire_of(channel, &options, transport);
  if (transport == NULL ||
      mcpi_endpoint_channel_connect(channel, transport, &options,
                                    mcpi_endpoint_grant_of(exchange), 1) != 0) {
    channel_free(channel);
  } else if (channel->caller != NULL) {
    mcpi_endpoint_channel_await(channel);
  }
}

static void ws_endpoint_refuse(mcp_http_exchange *exchange, mcpi_str why) {
  mcpi_endpoint_respond(exchange, 503, "text/plain; charset=utf-8", why, NULL,
                        0);
}

void mcpi_endpoint_on_upgrade(mcp_http_exchange *exchange) {
  mcp_http *http = exchange->http;
  if (!mcpi_endpoint_is_serving(http)) {
    ws_endpoint_refuse(exchange, MCPI_STR("the server is shutting down\n"));
    return;
  }
  mcpi_endpoint_channel *channel =
      mcpi_calloc(&http->server->allocator, 1, sizeof(*channel));
  if (channel == NULL) {
    ws_endpoint_refuse(exchange, MCPI_STR("out of memory\n"));
    return;
  }
  mcpi_endpoint_channel_init(channel, http);
  ws_endpoint_connect(
      channel, exchange,
      mcpi_endpoint_upgrade(exchange, http->server->limits.max_message));
}
