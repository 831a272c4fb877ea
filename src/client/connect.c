/* SPDX-License-Identifier: MIT */
/* mcp_client_connect: opens a transport, and begins the handshake. */
#include "base/error.h"
#include "client/close.h"
#include "client/dispatch.h"
#include "client/handshake.h"
#include "client/question.h"

/* Opens the transport, which belongs to the link from here on. */
static int connect_start(mcp_client *client, mcp_transport *transport,
                         mcp_error *err) {
  const mcp_client_options *options = &client->options;
  const mcpi_message_limits message = {options->max_message, options->max_depth,
                                       options->max_values};
  const mcpi_peer_limits limits = {
      .max_batch = options->max_batch,
      .max_pending = options->max_pending,
      .max_inflight = MCPI_CLIENT_MAX_QUESTIONS,
  };
  size_t count;
  const char *const *versions = mcpi_handshake_versions(client, &count);
  mcpi_peer_init(&client->peer, client->loop, &mcpi_client_peer_ops, &limits);
  mcpi_link_init(&client->link, &client->peer, transport, &mcpi_client_link_ops,
                 &message);
  int rc = mcpi_link_start(&client->link, versions, count, err);
  if (rc != 0) {
    mcpi_link_deinit(&client->link);
    client->state = MCPI_CLIENT_IDLE;
  }
  return rc;
}

static void connect_on_late(mcpi_request *connect) {
  mcp_error err;
  mcp_error_set(
      &err, MCP_ERR_TIMEOUT,
      "the connection did not open within %lu ms (connect_timeout_ms)",
      (unsigned long)connect->client->options.connect_timeout_ms);
  mcpi_client_hang_up(connect->client, &err);
}

/* The client sends nothing before the transport is open. An error of the
 * transport says more than silence, and the adapter of the mcp-core dialect,
 * which answers some requests itself, must not answer when there is no
 * server. */
static void connect_await_open(mcp_client *client) {
  mcpi_request *connect = client->handshake.connect;
  uint32_t limit_ms = client->options.connect_timeout_ms;
  connect->on_due = connect_on_late;
  if (limit_ms != UINT32_MAX &&
      mcpi_loop_start_timer(client->loop, &connect->timer, limit_ms) != 0) {
    mcp_error err;
    mcpi_no_memory(&err);
    mcpi_client_hang_up(client, &err);
    return;
  }
  mcpi_handshake_limit_opening(client); /* the transport may wait already */
}

/* The transport has been started. It may have ended meanwhile. */
static void connect_go_on(mcp_client *client) {
  if (client->state != MCPI_CLIENT_CONNECTING ||
      client->handshake.step != NULL) {
    return;
  }
  if (client->link.is_opening) {
    connect_await_open(client);
  } else {
    mcpi_handshake_begin(client);
  }
}

static int check_connect(const mcp_client *client,
                         const mcp_transport *transport, mcp_error *err) {
  if (client == NULL) {
    return mcpi_error_null(err, "client");
  }
  if (transport == NULL || transport->size < sizeof(transport->size)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         transport == NULL
                             ? "the transport is NULL"
                             : "the transport has no size: set its member size "
                               "to sizeof(mcp_transport)");
  }
  if (mcpi_client_is_ending(client)) {
    return mcp_error_set(err, MCP_ERR_BUSY,
                         "the last connection is still closing: wait for "
                         "on_closed, or call mcp_sync_close");
  }
  if (client->is_freed || client->state != MCPI_CLIENT_IDLE) {
    return mcp_error_set(err, MCP_ERR_BUSY, "connected already");
  }
  return 0;
}

static int take_connect(mcp_client *client, mcp_done_cb on_done, void *userdata,
                        mcpi_request **out, mcp_error *err) {
  static const mcpi_request_kind kind = {.on_reply = NULL};
  mcpi_request *connect = mcpi_request_take(client, NULL, &kind);
  if (connect == NULL) {
    return mcpi_no_memory(err);
  }
  connect->state = MCPI_REQUEST_PARKED;
  connect->on_done = on_done;
  connect->userdata = userdata;
  *out = connect;
  return 0;
}

static void client_on_trace(mcp_transport *transport,
                            const mcp_traced_message *message, void *userdata) {
  mcp_client *client = userdata;
  (void)transport;
  client->options.on_trace(client, message, client->options.userdata);
}

static int connect_trace(mcp_client *client, mcp_transport **transport,
                         mcp_error *err) {
  if (client->options.on_trace == NULL) {
    return 0;
  }
  mcp_error unwanted = {0};
  err = err != NULL ? err : &unwanted;
  *transport = mcp_transport_trace(client->loop, *transport, client_on_trace,
                                   client, err);
  return *transport != NULL ? 0 : err->code;
}

int mcp_client_connect(mcp_client *client, mcp_transport *transport,
                       mcp_done_cb on_done, void *userdata, mcp_error *err) {
  mcpi_request *connect = NULL;
  int rc = check_connect(client, transport, err);
  if (rc == 0) {
    rc = connect_trace(client, &transport, err);
  }
  if (rc == 0) {
    rc = take_connect(client, on_done, userdata, &connect, err);
  }
  if (rc != 0) {
    mcp_transport_free(transport);
    return rc;
  }
  mcpi_client_enter(client);
  client->revision = NULL;
  client->is_waiting = 0;
  mcpi_handshake_reset(client, connect);
  rc = connect_start(client, transport, err);
  if (rc != 0) {
    mcpi_request_drop(connect);
  } else {
    connect_go_on(client);
  }
  mcpi_client_return(client);
  return rc;
}
