/* SPDX-License-Identifier: MIT */
/* What the peer and its link report to the client. */
#include "client/dispatch.h"

#include "client/close.h"
#include "client/elicit.h"
#include "client/handshake.h"
#include "client/keepalive.h"
#include "client/legacy_requests.h"
#include "client/notify.h"
#include "client/question_tasks.h"
#include "client/report.h"
#include "client/request.h"

static mcp_client *client_of_peer(mcpi_peer *peer) {
  return MCPI_CONTAINER(peer, mcp_client, peer);
}

static mcp_client *client_of_link(mcpi_link *link) {
  return MCPI_CONTAINER(link, mcp_client, link);
}

static void dispatch_enter(mcp_client *client) {
  mcpi_client_enter(client);
  client->heard_ms = mcpi_loop_now(client->loop);
}

static int is_going(const mcp_client *client) {
  return client->is_freed || client->state == MCPI_CLIENT_CLOSING;
}

/* A modern server must not send requests, and must not get responses. */
static void client_on_request(mcpi_peer *peer, mcpi_message *message,
                              const mcpi_envelope *envelope) {
  mcp_client *client = client_of_peer(peer);
  dispatch_enter(client);
  mcp_error err;
  if (is_going(client)) {
    /* There is no server to answer. */
  } else if (mcpi_client_is_modern(client)) {
    mcp_error_set(&err, MCP_ERR_PROTOCOL,
                  "a modern server sent a request: dropped");
    mcpi_client_report(client, &err);
  } else {
    mcpi_legacy_request_receive(client, message, envelope);
  }
  mcpi_client_leave(client);
}

static void client_on_notification(mcpi_peer *peer, mcpi_message *message,
                                   const mcpi_envelope *envelope) {
  mcp_client *client = client_of_peer(peer);
  dispatch_enter(client);
  if (!is_going(client)) {
    mcpi_client_notified(client, message, envelope);
  }
  mcpi_client_leave(client);
}

static void client_on_fault(mcpi_peer *peer, const mcp_error *err) {
  mcp_client *client = client_of_peer(peer);
  dispatch_enter(client);
  mcpi_client_report(client, err);
  if (err->code == MCP_ERR_REMOTE && !is_going(client)) {
    mcpi_handshake_misread(client, err);
  }
  mcpi_client_leave(client);
}

static void client_on_open(mcpi_link *link) {
  mcp_client *client = client_of_link(link);
  dispatch_enter(client);
  if (!is_going(client)) {
    mcpi_handshake_begin(client);
  }
  mcpi_client_leave(client);
}

static void client_on_restart(mcpi_link *link) {
  mcp_client *client = client_of_link(link);
  dispatch_enter(client);
  mcpi_question_tasks_forget(client);
  mcpi_elicit_forget_all(client);
  mcpi_outputs_forget(&client->outputs);
  mcpi_task_tools_forget(&client->task_tools);
  mcpi_cache_clear(&client->cache);
  if (!is_going(client)) {
    mcpi_handshake_restart(client);
  }
  mcpi_client_leave(client);
}

static void client_on_waiting(mcpi_link *link, int is_waiting) {
  mcpi_handshake_set_waiting(client_of_link(link), is_waiting);
}

static void note_end(mcp_client *client, const mcp_error *err) {
  if (client->state == MCPI_CLIENT_CLOSING) {
    return; /* the reason is known */
  }
  if (err != NULL && err->code != 0) {
    client->closed_err = *err;
  } else {
    mcp_error_set(&client->closed_err, MCP_ERR_CLOSED,
                  "the server closed the connection");
  }
}

static void client_on_closed(mcpi_link *link, const mcp_error *err) {
  mcp_client *client = client_of_link(link);
  if (!mcpi_peer_end(link->peer, err)) {
    return; /* a completion has freed the client */
  }
  dispatch_enter(client);
  note_end(client, err);
  mcp_error closed = client->closed_err;
  if (closed.code != MCP_ERR_REFUSED) { /* which keeps its code */
    closed.code = MCP_ERR_CLOSED;
  }
  mcpi_keepalive_stop(client);
  mcpi_client_fail_all(client, &closed);
  mcpi_client_forget_server(client);
  mcpi_elicit_forget_all(client);
  mcpi_link_deinit(link);
  client->state = MCPI_CLIENT_IDLE;
  client->is_close_due = 1;
  mcpi_client_leave(client);
}

static int client_allows_batch(mcpi_peer *peer) {
  const mcp_client *client = client_of_peer(peer);
  return client->revision != NULL &&
         mcpi_revision_has(client->revision, MCPI_HAS_BATCH);
}

/* A malformed request is answered when on_request would answer a valid one. */
static int answers_calls(mcpi_peer *peer) {
  const mcp_client *client = client_of_peer(peer);
  return !is_going(client) && !mcpi_client_is_modern(client);
}

static int client_send(mcpi_peer *peer, const char *message, size_t len,
                       const mcp_send_info *info) {
  return mcpi_link_send(&client_of_peer(peer)->link, message, len, info);
}

static int client_abort(mcpi_peer *peer, uint64_t request) {
  return mcpi_link_abort(&client_of_peer(peer)->link, request);
}

static void client_close_wire(mcpi_peer *peer) {
  mcpi_link_close(&client_of_peer(peer)->link);
}

const mcpi_peer_ops mcpi_client_peer_ops = {
    .send = client_send,
    .abort = client_abort,
    .close = client_close_wire,
    .on_request = client_on_request,
    .on_notification = client_on_notification,
    .on_fault = client_on_fault,
    .allows_batch = client_allows_batch,
    .answers_faults = 0,
    .answers_calls = answers_calls,
};

const mcpi_link_ops mcpi_client_link_ops = {
    .on_open = client_on_open,
    .on_restart = client_on_restart,
    .on_waiting = client_on_waiting,
    .on_closed = client_on_closed,
};
