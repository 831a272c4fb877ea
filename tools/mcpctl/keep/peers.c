/* SPDX-License-Identifier: MIT */
#include "keep/peers.h"

#include <stdlib.h>
#include <unistd.h>

static void peer_on_message(mcp_transport *transport, const char *text,
                            size_t len) {
  ctl_peer *peer = transport->owner;
  if (peer->is_closed) {
    return;
  }
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  peer->peers->on_message(peer, mcp_doc_root(doc), peer->peers->userdata);
  mcp_doc_free(doc);
}

/* A line that is too long, for example. */
static void peer_on_error(mcp_transport *transport, const mcp_error *err) {
  (void)err;
  transport->close(transport);
}

static void peer_on_close(mcp_transport *transport, const mcp_error *err) {
  ctl_peer *peer = transport->owner;
  (void)err;
  peer->is_closed = 1;
}

static void peer_free(ctl_peer *peer) {
  mcp_transport_free(peer->transport);
  free(peer);
}

/* Takes the descriptor, on failure too. */
static mcp_transport *open_transport(mcp_loop *loop, int fd, ctl_peer *owner) {
  const mcp_stream_options limits = {.size = sizeof(mcp_stream_options),
                                     .max_line = CTL_KEEP_MAX_LINE,
                                     .max_queue = CTL_KEEP_MAX_QUEUE};
  mcp_transport *transport = mcp_transport_fd(loop, fd, fd, &limits, NULL);
  if (transport == NULL) {
    close(fd);
    return NULL;
  }
  transport->owner = owner;
  transport->on_message = peer_on_message;
  transport->on_error = peer_on_error;
  transport->on_close = peer_on_close;
  if (transport->start(transport, NULL) != 0) {
    mcp_transport_free(transport);
    return NULL;
  }
  return transport;
}

ctl_peer *ctl_peers_add(ctl_peers *peers, int fd) {
  ctl_peer *peer =
      peers->count < CTL_KEEP_MAX_PEERS ? calloc(1, sizeof(*peer)) : NULL;
  if (peer == NULL) {
    close(fd);
    return NULL;
  }
  peer->peers = peers;
  peer->transport = open_transport(peers->loop, fd, peer);
  if (peer->transport == NULL) {
    free(peer);
    return NULL;
  }
  peer->number = ++peers->last_number;
  peer->next = peers->first;
  peers->first = peer;
  peers->count++;
  return peer;
}

ctl_peer *ctl_peers_find(const ctl_peers *peers, uint64_t number) {
  ctl_peer *peer = peers->first;
  while (peer != NULL && peer->number != number) {
    peer = peer->next;
  }
  return peer;
}

size_t ctl_peers_users(const ctl_peers *peers) {
  size_t count = 0;
  for (const ctl_peer *peer = peers->first; peer != NULL; peer = peer->next) {
    count += peer->is_user && !peer->is_closed;
  }
  return count;
}

/* What waits for all clients, in bytes. */
static size_t queued(const ctl_peers *peers) {
  size_t sum = 0;
  for (const ctl_peer *peer = peers->first; peer != NULL; peer = peer->next) {
    mcp_transport *transport = peer->transport;
    sum += transport->queued != NULL ? transport->queued(transport) : 0;
  }
  return sum;
}

void ctl_peer_send(ctl_peer *peer, const char *text, size_t len) {
  mcp_transport *transport = peer->transport;
  if (peer->is_closed) {
    return;
  }
  if (queued(peer->peers) + len > CTL_KEEP_MAX_QUEUES ||
      transport->send(transport, text, len, NULL) != 0) {
    peer->is_closed = 1; /* closing would wait until it reads */
  }
}

void ctl_peer_close(ctl_peer *peer) {
  if (!peer->is_closed) {
    peer->transport->close(peer->transport);
  }
}

void ctl_peers_sweep(ctl_peers *peers) {
  ctl_peer **at = &peers->first;
  while (*at != NULL) {
    ctl_peer *peer = *at;
    if (!peer->is_closed) {
      at = &peer->next;
      continue;
    }
    *at = peer->next;
    peers->count--;
    peers->on_gone(peer, peers->userdata);
    peer_free(peer);
  }
}

void ctl_peers_deinit(ctl_peers *peers) {
  while (peers->first != NULL) {
    ctl_peer *peer = peers->first;
    peers->first = peer->next;
    peer_free(peer);
  }
  peers->count = 0;
}
