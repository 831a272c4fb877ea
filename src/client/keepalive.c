/* SPDX-License-Identifier: MIT */
/* The timer of the client's pings. A message from the server does not move the
 * timer: when the timer is due, the client looks how long the server has been
 * silent. */
#include "client/keepalive.h"

#include "client/close.h"
#include "client/report.h"
#include "client/send.h"

static void keepalive_wait(mcp_client *client, int64_t delay_ms) {
  int rc = mcpi_loop_start_timer(client->loop, &client->keepalive, delay_ms);
  if (rc != 0) {
    mcp_error err;
    mcp_error_set(&err, rc, "no memory for the next ping");
    mcpi_client_report(client, &err);
  }
}

/* An error is an answer too: the server is there. While the transport waits for
 * something else, the server may not have got the ping. */
static void keepalive_on_pong(mcpi_request *request, int status,
                              mcpi_message *message, const mcpi_envelope *reply,
                              const mcp_error *err) {
  mcp_client *client = request->client;
  (void)message;
  (void)reply;
  (void)err;
  mcpi_request_drop(request);
  if (status == MCP_ERR_TIMEOUT && !client->is_waiting) {
    mcp_error silent;
    mcp_error_set(&silent, MCP_ERR_CLOSED, "the server does not answer a ping");
    mcpi_client_hang_up(client, &silent);
  } else if (status != MCP_ERR_CLOSED) {
    keepalive_wait(client, client->options.ping_interval_ms);
  }
}

static void keepalive_ping(mcp_client *client) {
  static const mcpi_request_kind kind = {.on_reply = keepalive_on_pong};
  mcpi_request *request =
      mcpi_request_take(client, &mcpi_methods[MCPI_M_PING], &kind);
  if (request == NULL) {
    keepalive_wait(client, client->options.ping_interval_ms);
    return;
  }
  request->timeout_ms = client->options.request_timeout_ms;
  if (mcpi_request_start(request) != 0) {
    keepalive_wait(client, client->options.ping_interval_ms);
  }
}

static void keepalive_on_due(mcpi_timer *timer) {
  mcp_client *client = MCPI_CONTAINER(timer, mcp_client, keepalive);
  int64_t due_ms = client->heard_ms + client->options.ping_interval_ms;
  int64_t left_ms = due_ms - mcpi_loop_now(client->loop);
  mcpi_client_enter(client);
  if (left_ms > 0) {
    keepalive_wait(client, left_ms);
  } else {
    keepalive_ping(client);
  }
  mcpi_client_leave(client);
}

void mcpi_keepalive_init(mcp_client *client) {
  client->keepalive.on_due = keepalive_on_due;
}

void mcpi_keepalive_start(mcp_client *client) {
  if (client->options.ping_interval_ms != 0 && !mcpi_client_is_modern(client)) {
    keepalive_wait(client, client->options.ping_interval_ms);
  }
}

void mcpi_keepalive_stop(mcp_client *client) {
  mcpi_loop_stop_timer(client->loop, &client->keepalive);
}
