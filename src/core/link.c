/* SPDX-License-Identifier: MIT */
/* A peer at the end of a transport. */
#include "core/link.h"

#include "core/redact.h"
#include "json/inline.h"

static mcpi_link *link_of(mcp_transport *transport) {
  return transport->owner;
}

static int is_open(const mcpi_link *link) {
  return link->peer->state == MCPI_PEER_OPEN;
}

/* --- what the transport reports ----------------------------------------- */

static void on_parsed(mcp_transport *transport, mcpi_message *message) {
  mcpi_link *link = link_of(transport);
  mcpi_peer *peer = link->peer;
  if (!is_open(link)) {
    return;
  }
  peer->message_count++;
  if (mcpi_json_is_array(message->root)) {
    mcpi_peer_receive_batch(peer, message);
  } else {
    mcpi_peer_receive_object(peer, message);
  }
}

static void receive(mcp_transport *transport, mcpi_message *message) {
  if (message != NULL) {
    on_parsed(transport, message);
    mcpi_message_unref(message);
  }
}

/* Returns NULL for a message that could not be read, which has been reported.
 * A function of its own, so that the error is not on the stack while a message
 * is handled. */
static mcpi_message *link_parse(mcpi_link *link, const char *bytes,
                                size_t len) {
  mcpi_peer *peer = link->peer;
  mcpi_message *message = NULL;
  mcp_error err;
  int rc = mcpi_message_parse(&message, &peer->loop->pool, bytes, len,
                              &link->owner.limits, &err);
  if (rc == 0) {
    return message;
  }
  /* If a program prints to its standard output, its own words help most to find
   * it. An answer to the other side does not quote them. */
  if (rc == MCP_ERR_PARSE && !peer->ops->answers_faults) {
    mcpi_redact_quote(&peer->loop->allocator, mcpi_str_n(bytes, len), &err);
  }
  mcpi_peer_unreadable(peer, &err);
  return NULL;
}

static void link_on_message(mcp_transport *transport, const char *bytes,
                            size_t len) {
  mcpi_link *link = link_of(transport);
  if (is_open(link)) {
    receive(transport, link_parse(link, bytes, len));
  }
}

/* Likewise. Nothing is quoted, because parsing has changed the bytes. */
static mcpi_message *link_parse_lent(mcpi_link *link, mcp_lent_message *lent) {
  mcpi_message *message = NULL;
  mcp_error err;
  if (mcpi_message_parse_lent(&message, &link->peer->loop->pool, lent,
                              &link->owner.limits, &err) != 0) {
    mcpi_peer_unreadable(link->peer, &err);
  }
  return message;
}

static void link_on_lent(mcp_transport *transport, mcp_lent_message *lent) {
  mcpi_link *link = link_of(transport);
  if (is_open(link)) {
    receive(transport, link_parse_lent(link, lent));
  } else {
    lent->done(lent);
  }
}

/* For the peer, a line that is too long or for which there was no memory, and
 * bytes that are not a message, are the same as a line that cannot be
 * parsed. */
static void link_on_error(mcp_transport *transport, const mcp_error *err) {
  mcpi_link *link = link_of(transport);
  if (!is_open(link)) {
    return;
  }
  if (err->code == MCP_ERR_LIMIT || err->code == MCP_ERR_PARSE ||
      err->code == MCP_ERR_NOMEM) {
    mcpi_peer_unreadable(link->peer, err);
  } else {
    mcpi_peer_report(link->peer, err);
  }
}

static void link_on_open(mcp_transport *transport) {
  mcpi_link *link = link_of(transport);
  if (is_open(link) && link->is_opening) {
    link->is_opening = 0;
    link->ops->on_open(link);
  }
}

static void link_on_restart(mcp_transport *transport) {
  mcpi_link *link = link_of(transport);
  if (is_open(link) && mcpi_peer_restart(link->peer) &&
      link->peer->state != MCPI_PEER_CLOSED && link->ops->on_restart != NULL) {
    link->ops->on_restart(link);
  }
}

static void link_on_request_failed(mcp_transport *transport, uint64_t request,
                                   const mcp_error *err) {
  mcpi_link *link = link_of(transport);
  if (is_open(link)) {
    mcpi_pending_fail(&link->peer->pending, request, err);
  }
}

static void link_on_request_refused(mcp_transport *transport, uint64_t request,
                                    const mcp_error *err) {
  mcpi_link *link = link_of(transport);
  if (is_open(link)) {
    mcpi_pending_fail_resendable(&link->peer->pending, request, err);
  }
}

static int link_is_waiting(mcp_transport *transport, uint64_t request) {
  mcpi_link *link = link_of(transport);
  return is_open(link) &&
         mcpi_pending_find(&link->peer->pending, request) != NULL;
}

static void link_on_waiting(mcp_transport *transport, int32_t is_waiting) {
  mcpi_link *link = link_of(transport);
  if (is_open(link)) {
    link->ops->on_waiting(link, is_waiting);
  }
}

static void link_on_end(mcp_transport *transport) {
  mcpi_link *link = link_of(transport);
  if (is_open(link)) {
    link->ops->on_end(link);
  }
}

static void link_on_close(mcp_transport *transport, const mcp_error *why) {
  mcpi_link *link = link_of(transport);
  if (link->is_started) {
    link->is_started = 0;
    link->peer->state = MCPI_PEER_CLOSED;
    link->ops->on_closed(link, why);
  }
}

/* --- life --------------------------------------------------------------- */

void mcpi_link_init(mcpi_link *link, mcpi_peer *peer, mcp_transport *transport,
                    const mcpi_link_ops *ops,
                    const mcpi_message_limits *limits) {
  *link = (mcpi_link){.peer = peer,
                      .transport = transport,
                      .ops = ops,
                      .owner = {.limits = *limits, .on_parsed = on_parsed}};
}

int mcpi_link_start(mcpi_link *link, const char *const *versions,
                    size_t version_count, mcp_error *err) {
  mcp_transport *transport = link->transport;
  int rc = mcpi_transport_check(transport, err);
  if (rc != 0) {
    return rc;
  }
  transport->owner = link;
  transport->on_message = link_on_message;
  transport->on_error = link_on_error;
  transport->on_close = link_on_close;
  transport->on_restart = link_on_restart;
  transport->on_open = link->ops->on_open != NULL ? link_on_open : NULL;
  transport->on_end = link->ops->on_end != NULL ? link_on_end : NULL;
  transport->on_request_failed = link_on_request_failed;
  transport->on_request_refused = link_on_request_refused;
  transport->is_waiting = link_is_waiting;
  mcpi_transport_set_on_waiting(
      transport, link->ops->on_waiting != NULL ? link_on_waiting : NULL);
  mcpi_transport_set_on_lent(transport, link_on_lent);
  mcpi_transport_set_owner(transport, &link->owner);
  if (transport->set_supported_versions != NULL && version_count > 0) {
    transport->set_supported_versions(transport, versions, version_count);
  }
  /* before start, which may already deliver messages */
  mcpi_peer_open(link->peer);
  link->is_started = 1;
  link->is_opening = (transport->flags & MCP_TRANSPORT_OPENS_LATER) != 0;
  rc = transport->start(transport, err);
  if (rc != 0) {
    link->is_started = 0;
    link->peer->state = MCPI_PEER_CLOSED;
  }
  return rc;
}

int mcpi_link_send(mcpi_link *link, const char *message, size_t len,
                   const mcp_send_info *info) {
  return link->transport->send(link->transport, message, len, info);
}

int mcpi_link_abort(mcpi_link *link, uint64_t request) {
  mcp_transport *transport = link->transport;
  if (transport->abort == NULL ||
      (transport->flags & MCP_TRANSPORT_PER_REQUEST_STREAM) == 0) {
    return 0;
  }
  transport->abort(transport, request);
  return 1;
}

void mcpi_link_close(mcpi_link *link) {
  if (is_open(link)) {
    link->peer->state = MCPI_PEER_CLOSING;
    link->is_closing = 1;
    link->transport->close(link->transport);
  }
}

const char *mcpi_link_session_id(const mcpi_link *link) {
  mcp_transport *transport = link->transport;
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

static void ignore_lent(mcp_transport *transport, mcp_lent_message *lent) {
  (void)transport;
  lent->done(lent);
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
  mcpi_transport_set_on_waiting(transport, NULL);
  mcpi_transport_set_on_lent(transport, ignore_lent);
  mcpi_transport_set_owner(transport, NULL);
  if (!is_closing) {
    transport->close(transport);
  }
}

void mcpi_link_deinit(mcpi_link *link) {
  mcp_transport *transport = link->transport;
  mcpi_peer_deinit(link->peer);
  link->transport = NULL;
  if (link->is_started) {
    link->is_started = 0;
    abandon(transport, link->is_closing);
  } else {
    mcp_transport_free(transport);
  }
}
