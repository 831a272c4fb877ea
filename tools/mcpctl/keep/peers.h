/* SPDX-License-Identifier: MIT */
/* The clients of a session that stays, each a connection over the Unix
 * socket. */
#ifndef CTL_KEEP_PEERS_H
#define CTL_KEEP_PEERS_H

#include <mcp/loop.h>
#include <mcp/transport.h>

enum {
  CTL_KEEP_MAX_PEERS = 64,
  CTL_KEEP_MAX_LINE = 64 * 1024 * 1024,
  CTL_KEEP_MAX_QUEUE = 64 * 1024 * 1024,  /* for one client */
  CTL_KEEP_MAX_QUEUES = 256 * 1024 * 1024 /* for all */
};

typedef struct ctl_peers ctl_peers;

typedef struct ctl_peer {
  struct ctl_peer *next;
  ctl_peers *peers;
  uint64_t number; /* above 0, and never used again */
  mcp_transport *transport;
  int is_user;   /* it has sent a message for the server */
  int is_closed; /* ctl_peers_sweep frees it */
} ctl_peer;

struct ctl_peers {
  mcp_loop *loop;
  ctl_peer *first;
  size_t count;
  uint64_t last_number;
  /* A message, borrowed until return. `message` is NULL if it is not JSON. */
  void (*on_message)(ctl_peer *peer, const mcp_json *message, void *userdata);
  /* Called by ctl_peers_sweep before the peer is freed. */
  void (*on_gone)(ctl_peer *peer, void *userdata);
  void *userdata;
};

/* Takes a connection, on failure too. NULL: there are too many, or it could not
 * be used. */
ctl_peer *ctl_peers_add(ctl_peers *peers, int fd);
/* NULL: it has gone. */
ctl_peer *ctl_peers_find(const ctl_peers *peers, uint64_t number);
/* How many use the server. */
size_t ctl_peers_users(const ctl_peers *peers);

/* Sends a message. A client that does not read what waits for it is
 * disconnected. */
void ctl_peer_send(ctl_peer *peer, const char *text, size_t len);
/* Closes after all that was sent has been read. */
void ctl_peer_close(ctl_peer *peer);

/* Frees those that are closed. Not to be called by a callback. */
void ctl_peers_sweep(ctl_peers *peers);
/* Frees all, without on_gone. */
void ctl_peers_deinit(ctl_peers *peers);

#endif
