/* SPDX-License-Identifier: MIT */
/* One side of a JSON-RPC conversation: distinguishes requests, notifications
 * and responses, reads batches, matches responses to our requests, and knows
 * the other side's requests in flight (MCP, Base Protocol; MCP, Cancellation).
 * The only MCP methods that it knows are its own: progress and cancelled.
 *
 * A peer has no transport. Its owner passes it each parsed message and sends
 * what it writes: over a transport (core/link.h), or as the answer to an HTTP
 * request. */
#ifndef MCPI_CORE_PEER_H
#define MCPI_CORE_PEER_H

#include "core/pending.h"
#include <mcp/transport.h>

typedef struct mcpi_peer mcpi_peer;

/* A request of the other side that is being answered; part of an object of the
 * owner. */
typedef struct mcpi_inflight {
  mcpi_str id_text; /* JSON text of the id, in the owner's memory */
  /* notifications/cancelled came, with a reason or without (empty; borrowed
   * until return), or the other side was replaced. The request is no longer in
   * the table. */
  void (*on_cancel)(struct mcpi_inflight *inflight, mcpi_str reason);
} mcpi_inflight;

/* Each of these functions except `send` and `abort` may close or deinit the
 * peer, and free the object that contains it. */
typedef struct mcpi_peer_ops {
  /* Sends one message to the other side. Returns 0; MCP_ERR_CLOSED;
   * MCP_ERR_LIMIT: too much waits; MCP_ERR_NOMEM. */
  int (*send)(mcpi_peer *peer, const char *message, size_t len,
              const mcp_send_info *info);
  /* Ends the stream of one of our requests, if requests have streams. Returns
   * 1; 0: they have none, so the other side must get a notification. NULL: the
   * same as 0. */
  int (*abort)(mcpi_peer *peer, uint64_t request);
  /* Closes the way to the other side. NULL: there is nothing to close. */
  void (*close)(mcpi_peer *peer);
  /* A request or notification came. The owner may keep the message with a
   * reference. */
  void (*on_request)(mcpi_peer *peer, mcpi_message *message,
                     const mcpi_envelope *envelope);
  void (*on_notification)(mcpi_peer *peer, mcpi_message *message,
                          const mcpi_envelope *envelope);
  /* A message could not be read, or is a response to no request. The peer has
   * answered it already if it must. For reports. */
  void (*on_fault)(mcpi_peer *peer, const mcp_error *err);
  /* More than max_unreadable messages in a row could not be read: the owner
   * closes the peer. NULL: there is no such limit. */
  void (*on_rubbish)(mcpi_peer *peer, const mcp_error *why);
  /* Returns 1 if a batch is allowed here (MCP 2025-03-26, Base Protocol:
   * Batching). Must not change the peer. */
  int (*allows_batch)(mcpi_peer *peer);
  /* 1: the peer answers unreadable messages with an error. A client only
   * reports them, except a malformed request: see answers_calls. */
  int answers_faults;
  /* Returns 1 if the other side may send requests now, and waits for their
   * answers, so that a malformed request with a readable id is answered too.
   * NULL: decided by answers_faults alone. Must not change the peer. */
  int (*answers_calls)(mcpi_peer *peer);
} mcpi_peer_ops;

typedef struct mcpi_peer_limits {
  size_t max_batch;        /* messages in one batch */
  size_t max_pending;      /* our requests at once */
  size_t max_inflight;     /* the other side's requests at once */
  uint32_t max_unreadable; /* unreadable messages in a row */
} mcpi_peer_limits;

/* CLOSED -> OPEN -> CLOSING -> CLOSED, and OPEN -> CLOSED. */
typedef enum mcpi_peer_state {
  MCPI_PEER_CLOSED, /* no message comes or is sent */
  MCPI_PEER_OPEN,
  MCPI_PEER_CLOSING /* the same, but our requests have not failed yet */
} mcpi_peer_state;

/* Whether the elements of a batch are being read. All elements that cannot be
 * read count as one message. */
typedef enum mcpi_batch {
  MCPI_BATCH_NONE,
  MCPI_BATCH_OPEN,
  MCPI_BATCH_COUNTED /* an element could not be read */
} mcpi_batch;

struct mcpi_peer {
  mcp_loop *loop;
  const mcpi_peer_ops *ops;
  mcpi_peer_limits limits;
  mcpi_pending_table pending;
  mcpi_map inflight; /* id text -> mcpi_inflight */
  mcpi_peer_state state;
  /* Messages that came over a transport and could be read. */
  uint64_t message_count;
  uint32_t unreadable_count; /* messages since the last readable one */
  mcpi_batch batch;
  mcpi_guard *guard;
};

/* Makes a closed peer. `ops` and `loop` are borrowed until deinit. */
void mcpi_peer_init(mcpi_peer *peer, mcp_loop *loop, const mcpi_peer_ops *ops,
                    const mcpi_peer_limits *limits);
/* From now on the peer sends and receives. */
static inline void mcpi_peer_open(mcpi_peer *peer) {
  peer->state = MCPI_PEER_OPEN;
}

/* Fails our requests, with the reason if there is one. Returns 1; 0: a
 * completion has freed the peer. */
int mcpi_peer_end(mcpi_peer *peer, const mcp_error *why);
/* Frees what the peer holds. Our requests must have failed before. */
void mcpi_peer_deinit(mcpi_peer *peer);

/* Each of these does nothing unless the peer is open. */

/* Receives one message, whose envelope has been read. */
void mcpi_peer_receive(mcpi_peer *peer, mcpi_message *message,
                       const mcpi_envelope *envelope);
/* The same for a message whose envelope has not been read. */
void mcpi_peer_receive_object(mcpi_peer *peer, mcpi_message *message);
/* Receives an array of messages. Returns how many of them were requests for
 * which there was no memory; they will not be answered. */
size_t mcpi_peer_receive_batch(mcpi_peer *peer, mcpi_message *message);
/* Receives bytes that are not a message, or for which there was no memory. */
void mcpi_peer_unreadable(mcpi_peer *peer, const mcp_error *err);
/* Reports something that concerns no message. */
void mcpi_peer_report(mcpi_peer *peer, const mcp_error *err);
/* The far side was replaced by another, which knows nothing of either side's
 * requests: ours fail, theirs are cancelled. 1; 0: a callback has freed the
 * peer. */
int mcpi_peer_restart(mcpi_peer *peer);

/* Sends one message. `known` is what the caller knows about it; its size need
 * not be set, and NULL means nothing is known. Returns 0, MCP_ERR_CLOSED, or
 * what ops->send returns. */
int mcpi_peer_send(mcpi_peer *peer, const char *message, size_t len,
                   const mcp_send_info *known);
/* Answers a request with an error; data is JSON text or empty. None of the
 * texts may be in loop->scratch, which this and the next three functions
 * overwrite. */
int mcpi_peer_send_error(mcpi_peer *peer, mcpi_str id_text, int code,
                         mcpi_str message, mcpi_str data);

/* Sends a request: `method` is NUL-terminated; `params` is JSON text (an
 * object) or empty; the caller adds a progress token. mcpi_pending_add must
 * have given the id. `known` is as above; the peer itself sets the request's
 * number, id, kind and method. */
int mcpi_peer_send_request(mcpi_peer *peer, mcpi_pending *pending,
                           mcpi_str method, mcpi_str params,
                           const mcp_send_info *known);
int mcpi_peer_send_notification(mcpi_peer *peer, mcpi_str method,
                                mcpi_str params, const mcp_send_info *known);
/* Cancels one of our requests: ends its stream, if it has one and `by_abort` is
 * set, or sends notifications/cancelled. An empty reason is left out. */
void mcpi_peer_send_cancel(mcpi_peer *peer, uint64_t id, mcpi_str reason,
                           int by_abort);

/* Notes a request that is being answered. Returns 0; MCP_ERR_EXISTS: that id is
 * in flight; MCP_ERR_LIMIT: too many are; MCP_ERR_NOMEM. */
int mcpi_peer_track(mcpi_peer *peer, mcpi_inflight *inflight);
/* The request has been answered. Does nothing if it is not in the table. */
void mcpi_peer_untrack(mcpi_peer *peer, mcpi_inflight *inflight);

#endif
