/* SPDX-License-Identifier: MIT */
/* A peer at the end of a transport. */
#include "core/wire.h"

#include "core/redact.h"
#include "json/inline.h"

static mcpi_wire *wire_of(mcp_transport *transport) {
  return transport->owner;
}

static int is_open(const mcpi_wire *wire) {
  return wire->peer->state == MCPI_PEER_OPEN;
}

/* --- what the transport reports ----------------------------------------- */

static void on_parsed(mcp_transport *transport, mcpi_message *message) {
  mcpi_wire *wire = wire_of(transport);
  mcpi_peer *peer = wire->peer;
  if (!is_open(wire)) {
    return;
  }
  peer->message_count++;
  if (mcpi_json_is_array(message->root)) {
    mcpi_peer_receive_batch(peer, message);
  } else {
    mcpi_peer_receive_object(peer, message);
  }
}

static void wire_on_message(mcp_transport *transport, const char *bytes,
                            size_t len) {
  mcpi_wire *wire = wire_of(transport);
  mcpi_peer *peer = wire->peer;
  mcpi_message *message = NULL;
  mcp_error err;
  if (!is_open(wire)) {
    return;
  }
  int rc = mcpi_message_parse(&message, &peer->loop->pool, bytes, len,
                              &wire->owner.limits, &err);
  if (rc == 0) {
    on_parsed(transport, message);
    mcpi_message_unref(message);
    return;
  }
  /* If a program prints to its standard output, its own words help most to find
   * it. An answer to the other side does not quote them. */
  if (rc == MCP_ERR_PARSE && !peer->ops->answers_faults) {
    mcpi_redact_quote(&peer->loop->allocator, mcpi_str_n(bytes, len), &err);
  }
  mcpi_peer_unreadable(peer, &err);
}

/* For the peer, a line that is too long or for which there was no memory, and
 * bytes that are not a message, are the same as a line that cannot be
 * parsed. */
static void wire_on_error(mcp_transport *transport, const mcp_error *err) {
  mcpi_wire *wire = wire_of(transport);
  if (!is_open(wire)) {
    return;
  }
  if (err->code == MCP_ERR_LIMIT || err->code == MCP_ERR_PARSE ||
      err->code == MCP_ERR_NOMEM) {
    mcpi_peer_unreadable(wire->peer, err);
  } else {
    mcpi_peer_report(wire->peer, err);
  }
}

static void wire_on_open(mcp_transport *transport) {
  mcpi_wire *wire = wire_of(transport);
  if (is_open(wire) && wire->is_opening) {
    wire->is_opening = 0;
    wire->ops->on_open(wire);
  }
}

static void wire_on_restart(mcp_transport *transport) {
  mcpi_wire *wire = wire_of(transport);
  if (is_open(wire) && mcpi_peer_restart(wire->peer) &&
      wire->peer->state != MCPI_PEER_CLOSED && wire->ops->on_restart != NULL) {
    wire->ops->on_restart(wire);
  }
}

static void wire_on_request_failed(mcp_transport *transport, uint64_t request,
                                   const mcp_error *err) {
  mcpi_wire *wire = wire_of(transport);
  if (is_open(wire)) {
    mcpi_pending_fail(&wire->peer->pending, request, err);
  }
}

static void wire_on_request_refused(mcp_transport *transport, uint64_t request,
                                    const mcp_error *err) {
  mcpi_wire *wire = wire_of(transport);
  if (is_open(wire)) {
    mcpi_pending_refuse(&wire->peer->pending, request, err);
  }
}

static int wire_is_waiting(mcp_transport *transport, uint64_t request) {
  mcpi_wire *wire = wire_of(transport);
  return is_open(wire) &&
         mcpi_pending_find(&wire->peer->pending, request) != NULL;
}

static void wire_on_end(mcp_transport *transport) {
  mcpi_wire *wire = wire_of(transport);
  if (is_open(wire)) {
    wire->ops->on_end(wire);
  }
}

static void wire_on_close(mcp_transport *transport, const mcp_error *why) {
  mcpi_wire *wire = wire_of(transport);
  if (wire->is_started) {
    wire->is_started = 0;
    if (mcpi_peer_end(wire->peer, why)) {
      wire->ops->on_closed(wire, why);
    }
  }
}

/* --- life --------------------------------------------------------------- */

void mcpi_wire_init(mcpi_wire *wire, mcpi_peer *peer, mcp_transport *transport,
                    const mcpi_wire_ops *ops,
                    const mcpi_message_limits *limits) {
  *wire = (mcpi_wire){.peer = peer,
                      .transport = transport,
                      .ops = ops,
                      .owner = {.limits = *limits, .on_parsed = on_parsed}};
}

int mcpi_wire_start(mcpi_wire *wire, const char *const *versions,
                    size_t version_count, mcp_error *err) {
  mcp_transport *transport = wire->transport;
  int rc = mcpi_transport_check(transport, err);
  if (rc != 0) {
    return rc;
  }
  transport->owner = wire;
  transport->on_message = wire_on_message;
  transport->on_error = wire_on_error;
  transport->on_close = wire_on_close;
  transport->on_restart = wire_on_restart;
  transport->on_open = wire->ops->on_open != NULL ? wire_on_open : NULL;
  transport->on_end = wire->ops->on_end != NULL ? wire_on_end : NULL;
  transport->on_request_failed = wire_on_request_failed;
  transport->on_request_refused = wire_on_request_refused;
  transport->is_waiting = wire_is_waiting;
  mcpi_transport_set_owner(transport, &wire->owner);
  if (transport->set_supported_versions != NULL && version_count > 0) {
    transport->set_supported_versions(transport, versions, version_count);
  }
  /* before start, which may already deliver messages */
  mcpi_peer_open(wire->peer);
  wire->is_started = 1;
  wire->is_opening = (transport->flags & MCP_TRANSPORT_OPENS_LATER) != 0;
  rc = transport->start(transport, err);
  if (rc != 0) {
    wire->is_started = 0;
    wire->peer->state = MCPI_PEER_CLOSED;
  }
  return rc;
}

int mcpi_wire_send(mcpi_wire *wire, const char *message, size_t len,
                   const mcp_send_info *info) {
  return wire->transport->send(wire->transport, message, len, info);
}

int mcpi_wire_abort(mcpi_wire *wire, uint64_t request) {
  mcp_transport *transport = wire->transport;
  if (transport->abort == NULL ||
      (transport->flags & MCP_TRANSPORT_PER_REQUEST_STREAM) == 0) {
    return 0;
  }
  transport->abort(transport, request);
  return 1;
}

void mcpi_wire_close(mcpi_wire *wire) {
  if (is_open(wire)) {
    wire->peer->state = MCPI_PEER_CLOSING;
    wire->is_closing = 1;
    wire->transport->close(wire->transport);
  }
}

const char *mcpi_wire_session_id(const mcpi_wire *wire) {
  mcp_transport *transport = wire->transport;
  return transport != NULL && transport->session_id != NULL
             ? transport->session_id(transport)
             : NULL;
}

/* --- the end ------------------------------------------------------------ */

static void ignore_message(mcp_transport *transport, const char *bytes,
                           size_t len) {
  (void)transport;
  (void)bytes;
  (void)len;
}

static void ignore_error(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
}

static void ignore_restart(mcp_transport *transport) {
  (void)transport;
}

static void ignore_failure(mcp_transport *transport, uint64_t request,
                           const mcp_error *err) {
  (void)transport;
  (void)request;
  (void)err;
}

static int waits_no_more(mcp_transport *transport, uint64_t request) {
  (void)transport;
  (void)request;
  return 0;
}

static void release_ended(mcp_transport *transport, const mcp_error *err) {
  (void)err;
  mcp_transport_free(transport);
}

/* A transport that was started may be released only when it has ended, and by
 * then the peer is gone. */
static void abandon(mcp_transport *transport, int is_closing) {
  transport->owner = NULL;
  transport->on_message = ignore_message;
  transport->on_error = ignore_error;
  transport->on_close = release_ended;
  transport->on_restart = ignore_restart;
  transport->on_open = NULL;
  transport->on_end = NULL;
  transport->on_request_failed = ignore_failure;
  transport->on_request_refused = ignore_failure;
  transport->is_waiting = waits_no_more;
  mcpi_transport_set_owner(transport, NULL);
  if (!is_closing) {
    transport->close(transport);
  }
}

void mcpi_wire_deinit(mcpi_wire *wire) {
  mcp_transport *transport = wire->transport;
  mcpi_peer_deinit(wire->peer);
  wire->transport = NULL;
  if (wire->is_started) {
    wire->is_started = 0;
    abandon(transport, wire->is_closing);
  } else {
    mcp_transport_free(transport);
  }
}
