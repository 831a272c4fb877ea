/* SPDX-License-Identifier: MIT */
/* A peer at the end of a transport: parses messages that come, sends messages,
 * and reports the state of the transport. */
#ifndef MCPI_CORE_LINK_H
#define MCPI_CORE_LINK_H

#include "core/peer.h"
#include "core/transport.h"

typedef struct mcpi_link mcpi_link;

/* Each of these functions may deinit the link and its peer, and free the
 * objects that contain them. */
typedef struct mcpi_link_ops {
  /* A transport that opens later has opened. NULL: the owner does not wait. */
  void (*on_open)(mcpi_link *link);
  /* The other side was replaced (mcp_transport.on_restart). Our requests have
   * failed, and its requests are cancelled. NULL: the owner need not know. */
  void (*on_restart)(mcpi_link *link);
  /* The transport begins (1) or ceases (0) to wait for something else than the
   * other side (mcp_transport.on_waiting). Must not end anything. NULL: the
   * owner need not know. */
  void (*on_waiting)(mcpi_link *link, int is_waiting);
  /* The other side will send no more messages, but still reads. NULL: the
   * transport then closes itself. */
  void (*on_end)(mcpi_link *link);
  /* The transport has ended, and the peer is closed. The last call. The owner
   * calls mcpi_peer_end and then mcpi_link_deinit, each at once or later. */
  void (*on_closed)(mcpi_link *link, const mcp_error *err);
} mcpi_link_ops;

struct mcpi_link {
  mcpi_peer *peer;          /* the owner's */
  mcp_transport *transport; /* owned */
  const mcpi_link_ops *ops;
  mcpi_transport_owner owner;
  int is_opening; /* the transport has not reported yet that it is open */
  int is_started; /* it was started, and has not reported its end */
  int is_closing; /* `close` was called */
};

/* Takes the transport, on failure of a later call too. The peer has been
 * initialised, and lives at least as long as the link. */
void mcpi_link_init(mcpi_link *link, mcpi_peer *peer, mcp_transport *transport,
                    const mcpi_link_ops *ops,
                    const mcpi_message_limits *limits);
/* Gives the transport its callbacks, starts it and opens the peer. Returns 0,
 * what start returned, or MCP_ERR_INVALID for a transport that lacks a
 * function. The transport may keep the pointers to the versions until it is
 * released. */
int mcpi_link_start(mcpi_link *link, const char *const *versions,
                    size_t version_count, mcp_error *err);
/* For `send` and `abort` in the mcpi_peer_ops of the owner; the results are
 * described there. */
int mcpi_link_send(mcpi_link *link, const char *message, size_t len,
                   const mcp_send_info *info);
int mcpi_link_abort(mcpi_link *link, uint64_t request);
/* Closes the transport; on_closed follows, perhaps before this returns. The
 * peer drops messages that still come, and can send none. */
void mcpi_link_close(mcpi_link *link);
/* Deinits the peer, if that has not been done, and releases the transport. Our
 * requests must have failed before. Before on_closed, it closes the transport
 * first, and releases it when it has ended; on_closed does not come then. */
void mcpi_link_deinit(mcpi_link *link);
/* Returns the transport's session id, or NULL. Borrowed until the next call. */
const char *mcpi_link_session_id(const mcpi_link *link);

#endif
