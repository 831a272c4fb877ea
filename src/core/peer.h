/* SPDX-License-Identifier: MIT */
/* One side of a JSON-RPC conversation over an ordered transport: parses what
 * comes, answers what cannot be read, tells requests, notifications and
 * responses apart, splits batches, matches responses to our requests, and
 * knows the peer's requests that are in flight (PROTOCOL 1, 6.2). It knows no
 * MCP method but the two of its own trade, progress and cancelled. */
#ifndef MCPI_CORE_PEER_H
#define MCPI_CORE_PEER_H

#include "core/pending.h"
#include "core/transport.h"

typedef struct mcpi_peer mcpi_peer;

/* A request of the peer's that is being answered; lives inside the owner's. */
typedef struct mcpi_inflight {
  mcpi_str id_text; /* JSON text of the id, in the owner's memory */
  /* notifications/cancelled came, with a reason or none (empty; borrowed until
   * return), or the far side was replaced. It is out of the table before. */
  void (*on_cancel)(struct mcpi_inflight *inflight, mcpi_str reason);
} mcpi_inflight;

/* Every one of these may close or deinit the peer, and free what it lives in.
 */
typedef struct mcpi_peer_ops {
  /* A request or notification. The message may be kept with a reference. */
  void (*on_request)(mcpi_peer *peer, mcpi_message *message,
                     const mcpi_envelope *envelope);
  void (*on_notification)(mcpi_peer *peer, mcpi_message *message,
                          const mcpi_envelope *envelope);
  /* Something that could not be read, or answers nothing; it has been answered
   * already where that is due. For reporting. */
  void (*on_fault)(mcpi_peer *peer, const mcp_error *err);
  /* A transport that opens later is open. NULL: it is of no interest. */
  void (*on_open)(mcpi_peer *peer);
  /* The far side was replaced (mcp_transport.on_restart). All our requests
   * have been failed. */
  void (*on_restart)(mcpi_peer *peer);
  /* The far side will send no more; what is sent to it still goes out. NULL:
   * the transport then closes itself. */
  void (*on_end)(mcpi_peer *peer);
  /* The transport has ended; our requests have been failed. The last call; the
   * owner releases the transport by mcpi_peer_deinit, at once or later. */
  void (*on_closed)(mcpi_peer *peer, const mcp_error *err);
  /* More than max_unreadable messages in a row could not be read: the owner
   * closes the peer. NULL: there is no such limit. */
  void (*on_rubbish)(mcpi_peer *peer, const mcp_error *why);
  /* 1: a batch is allowed here (PROTOCOL 1.2). Must leave the peer alone. */
  int (*allows_batch)(mcpi_peer *peer);
  /* 1: answer what cannot be read with an error. A client only reports it, but
   * for a malformed request: see answers_calls. */
  int answers_faults;
  /* 1: the peer may send requests now, and waits for their answers, so that a
   * malformed one with a readable id is answered too. NULL: with answers_faults
   * alone. Must leave the peer alone. */
  int (*answers_calls)(mcpi_peer *peer);
} mcpi_peer_ops;

typedef struct mcpi_peer_limits {
  mcpi_message_limits message;
  size_t max_batch;        /* messages in one batch */
  size_t max_pending;      /* requests of ours at once */
  size_t max_inflight;     /* of the peer's */
  uint32_t max_unreadable; /* messages in a row that cannot be read */
} mcpi_peer_limits;

/* Whether the elements of a batch are being read. All elements that cannot be
 * read count as one message. */
typedef enum mcpi_batch {
  MCPI_BATCH_NONE,
  MCPI_BATCH_OPEN,
  MCPI_BATCH_COUNTED /* an element could not be read */
} mcpi_batch;

struct mcpi_peer {
  mcp_loop *loop;
  mcp_transport *transport; /* owned */
  const mcpi_peer_ops *ops;
  mcpi_peer_limits limits;
  mcpi_pending_table pending;
  mcpi_map inflight; /* id text -> mcpi_inflight */
  int is_open;       /* between start and on_close */
  int is_opening;    /* the transport has not told yet that it is open */
  int is_closing;    /* close was asked for */
  uint64_t
      message_count; /* that came through the transport and could be read */
  uint32_t unreadable_count; /* messages since the last that could be read */
  mcpi_batch batch;
  mcpi_guard *guard;
};

/* Takes the transport, on failure too. */
void mcpi_peer_init(mcpi_peer *peer, mcp_loop *loop, mcp_transport *transport,
                    const mcpi_peer_ops *ops, const mcpi_peer_limits *limits);
/* Tells the transport its callbacks and starts it. 0, what start returned, or
 * MCP_ERR_INVALID for a transport that lacks a function. The names of versions
 * are the transport's to keep until it is released. */
int mcpi_peer_start(mcpi_peer *peer, const char *const *versions,
                    size_t version_count, mcp_error *err);
/* A message that did not come through the transport, but from one who has
 * parsed it already (HTTP). */
void mcpi_peer_receive(mcpi_peer *peer, mcpi_message *message,
                       const mcpi_envelope *envelope);
/* Closes the transport; on_closed follows, perhaps before this returns. What
 * still comes is dropped, nothing can be sent any more. */
void mcpi_peer_close(mcpi_peer *peer);
/* Releases the transport and what the peer holds. Pending requests must have
 * been failed. Before on_closed the transport is closed first, and released
 * when it has ended; on_closed then does not come. */
void mcpi_peer_deinit(mcpi_peer *peer);
/* Returns the transport's session id, or NULL. Borrowed until the next call. */
const char *mcpi_peer_session_id(const mcpi_peer *peer);

/* Sends one message. 0, MCP_ERR_CLOSED, or what the transport says. */
int mcpi_peer_send(mcpi_peer *peer, const char *message, size_t len,
                   uint64_t request);
/* Answers a request with an error; data is JSON text or empty. None of the
 * texts may lie in loop->scratch, which this and the next three write to. */
int mcpi_peer_send_error(mcpi_peer *peer, mcpi_str id_text, int code,
                         mcpi_str message, mcpi_str data);

/* Sends a request: `params` is JSON text (an object) or empty; a progress token
 * is the caller's to put in. The id must have been given by mcpi_pending_add.
 */
int mcpi_peer_send_request(mcpi_peer *peer, mcpi_pending *pending,
                           mcpi_str method, mcpi_str params);
int mcpi_peer_send_notification(mcpi_peer *peer, mcpi_str method,
                                mcpi_str params);
/* Tells the peer that a request of ours is given up (or aborts its stream, when
 * the transport has one per request and `by_abort` is set). An empty reason is
 * left out. */
void mcpi_peer_send_cancel(mcpi_peer *peer, uint64_t id, mcpi_str reason,
                           int by_abort);

/* Notes a request that is being answered. 0; MCP_ERR_EXISTS: that id is in
 * flight; MCP_ERR_LIMIT: too many are; MCP_ERR_NOMEM. */
int mcpi_peer_track(mcpi_peer *peer, mcpi_inflight *inflight);
/* It is answered. Harmless when it is not in the table. */
void mcpi_peer_untrack(mcpi_peer *peer, mcpi_inflight *inflight);

#endif
