/* SPDX-License-Identifier: MIT */
/* One side of a JSON-RPC conversation: tells requests, notifications and
 * responses apart, reads batches, matches responses to our requests, and knows
 * the far side's requests that are in flight (PROTOCOL 1, 6.2). It knows no MCP
 * method but the two of its own trade, progress and cancelled.
 *
 * A peer has no transport. Its owner gives it each message that has been parsed
 * and sends what it writes: over a transport (core/wire.h), or as the answer to
 * an HTTP request. */
#ifndef MCPI_CORE_PEER_H
#define MCPI_CORE_PEER_H

#include "core/pending.h"
#include <mcp/transport.h>

typedef struct mcpi_peer mcpi_peer;

/* A request of the far side that is being answered; lives inside the owner's.
 * */
typedef struct mcpi_inflight {
  mcpi_str id_text; /* JSON text of the id, in the owner's memory */
  /* notifications/cancelled came, with a reason or without (empty; borrowed
   * until return), or the far side was replaced. It is out of the table
   * before. */
  void (*on_cancel)(struct mcpi_inflight *inflight, mcpi_str reason);
} mcpi_inflight;

/* Every one of these but `send` and `abort` may close or deinit the peer, and
 * free what it lives in. */
typedef struct mcpi_peer_ops {
  /* Sends one message to the far side. 0; MCP_ERR_CLOSED; MCP_ERR_LIMIT: too
   * much waits; MCP_ERR_NOMEM. */
  int (*send)(mcpi_peer *peer, const char *message, size_t len,
              const mcp_send_info *info);
  /* Ends the stream of one request of ours, where each has one. 1; 0: requests
   * have no streams, so the far side must be sent a notification. NULL: the
   * same as 0. */
  int (*abort)(mcpi_peer *peer, uint64_t request);
  /* Closes what leads to the far side. NULL: there is nothing to close. */
  void (*close)(mcpi_peer *peer);
  /* A request or notification came. The message may be kept with a
   * reference. */
  void (*on_request)(mcpi_peer *peer, mcpi_message *message,
                     const mcpi_envelope *envelope);
  void (*on_notification)(mcpi_peer *peer, mcpi_message *message,
                          const mcpi_envelope *envelope);
  /* Something came that could not be read, or that answers no request. The peer
   * has answered it already where it must. For reports. */
  void (*on_fault)(mcpi_peer *peer, const mcp_error *err);
  /* More than max_unreadable messages in a row could not be read: the owner
   * closes the peer. NULL: there is no such limit. */
  void (*on_rubbish)(mcpi_peer *peer, const mcp_error *why);
  /* 1: a batch is allowed here (PROTOCOL 1.2). Must leave the peer alone. */
  int (*allows_batch)(mcpi_peer *peer);
  /* 1: the peer answers what it cannot read with an error. A client only
   * reports it, but for a malformed request: see answers_calls. */
  int answers_faults;
  /* 1: the far side may send requests now, and waits for their answers, so that
   * a malformed one with a readable id is answered too. NULL: with
   * answers_faults alone. Must leave the peer alone. */
  int (*answers_calls)(mcpi_peer *peer);
} mcpi_peer_ops;

typedef struct mcpi_peer_limits {
  size_t max_batch;        /* messages in one batch */
  size_t max_pending;      /* requests of ours at once */
  size_t max_inflight;     /* of the far side's */
  uint32_t max_unreadable; /* messages in a row that cannot be read */
} mcpi_peer_limits;

/* CLOSED -> OPEN -> CLOSING -> CLOSED, and OPEN -> CLOSED. */
typedef enum mcpi_peer_state {
  MCPI_PEER_CLOSED, /* nothing comes or goes */
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
  uint64_t message_count;    /* that came over a wire and could be read */
  uint32_t unreadable_count; /* messages since the last that could be read */
  mcpi_batch batch;
  mcpi_guard *guard;
};

/* Makes a closed peer. `ops` and `loop` are borrowed until deinit. */
void mcpi_peer_init(mcpi_peer *peer, mcp_loop *loop, const mcpi_peer_ops *ops,
                    const mcpi_peer_limits *limits);
/* From now on it sends and receives. */
static inline void mcpi_peer_open(mcpi_peer *peer) {
  peer->state = MCPI_PEER_OPEN;
}

/* Fails our requests, with the reason where there is one. 1; 0: a completion
 * has freed the peer. */
int mcpi_peer_end(mcpi_peer *peer, const mcp_error *why);
/* Frees what the peer holds. Our requests must have been failed. */
void mcpi_peer_deinit(mcpi_peer *peer);

/* Each of these does nothing unless the peer is open. */

/* One message came, whose envelope has been read. */
void mcpi_peer_receive(mcpi_peer *peer, mcpi_message *message,
                       const mcpi_envelope *envelope);
/* The same for a message whose envelope has not been read. */
void mcpi_peer_receive_object(mcpi_peer *peer, mcpi_message *message);
/* An array of messages came. Returns how many of them were requests that there
 * was no memory to read, and so will not be answered. */
size_t mcpi_peer_receive_batch(mcpi_peer *peer, mcpi_message *message);
/* Bytes came that are not a message, or that there was no memory for. */
void mcpi_peer_unreadable(mcpi_peer *peer, const mcp_error *err);
/* Reports what concerns no message. */
void mcpi_peer_report(mcpi_peer *peer, const mcp_error *err);
/* The far side was replaced by another, which knows nothing of either side's
 * requests: ours fail, theirs are cancelled. 1; 0: a callback has freed the
 * peer. */
int mcpi_peer_restart(mcpi_peer *peer);

/* Sends one message. `known` is what the caller knows about it; its size need
 * not be set, and NULL stands for nothing. 0, MCP_ERR_CLOSED, or what ops->send
 * says. */
int mcpi_peer_send(mcpi_peer *peer, const char *message, size_t len,
                   const mcp_send_info *known);
/* Answers a request with an error; data is JSON text or empty. None of the
 * texts may lie in loop->scratch, which this and the next three write to. */
int mcpi_peer_send_error(mcpi_peer *peer, mcpi_str id_text, int code,
                         mcpi_str message, mcpi_str data);

/* Sends a request: `method` is NUL-terminated; `params` is JSON text (an
 * object) or empty; a progress token is the caller's to put in. The id must
 * have been given by mcpi_pending_add. `known` is as above; the peer itself
 * sets the request's number, id, kind and method. */
int mcpi_peer_send_request(mcpi_peer *peer, mcpi_pending *pending,
                           mcpi_str method, mcpi_str params,
                           const mcp_send_info *known);
int mcpi_peer_send_notification(mcpi_peer *peer, mcpi_str method,
                                mcpi_str params, const mcp_send_info *known);
/* Cancels a request of ours: ends its stream, where it has one and `by_abort`
 * is set, or sends notifications/cancelled. An empty reason is left out. */
void mcpi_peer_send_cancel(mcpi_peer *peer, uint64_t id, mcpi_str reason,
                           int by_abort);

/* Notes a request that is being answered. 0; MCP_ERR_EXISTS: that id is in
 * flight; MCP_ERR_LIMIT: too many are; MCP_ERR_NOMEM. */
int mcpi_peer_track(mcpi_peer *peer, mcpi_inflight *inflight);
/* It is answered. Harmless when it is not in the table. */
void mcpi_peer_untrack(mcpi_peer *peer, mcpi_inflight *inflight);

#endif
