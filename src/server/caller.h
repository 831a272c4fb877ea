/* SPDX-License-Identifier: MIT */
/* A caller is the one who calls: its identity, its session if it has one, its
 * calls in flight, its subscriptions, and the conversation that its requests
 * belong to. How bytes travel is not its concern. Three things have a caller:
 *
 *   mcp_connection         an ordered transport (connection.h)
 *   mcpi_endpoint_session  a session of the legacy era over HTTP
 *   mcpi_endpoint_stream   one HTTP request without a session, of either era
 *
 *   open -> draining -> closing -> closed
 *
 * draining: it may begin no request; those in flight go on. closing: what is
 * left is cancelled, and ops->close runs. closed: nothing reaches it.
 *
 * Lifetime: a caller is a part of its owner's memory. From mcpi_caller_init to
 * mcpi_caller_closed the owner holds it. mcpi_caller_closed puts it on the
 * shard's list of closed callers; when the shard's outermost frame leaves, the
 * sweep detaches what is left of it and calls ops->free. So no callback of the
 * program can free a caller that a function further up the stack still uses. */
#ifndef MCPI_SERVER_CALLER_H
#define MCPI_SERVER_CALLER_H

#include "auth/resource/grant.h"
#include "base/kept_error.h"
#include "core/context.h"
#include "core/peer.h"
#include "core/reports.h"
#include "server/identity.h"
#include <mcp/call.h>

typedef struct mcpi_caller mcpi_caller;
typedef struct mcpi_sink mcpi_sink;

typedef struct mcpi_caller_ops {
  /* Sends a message that no call's sink sends: a question, a notification, an
   * answer to what could not be read. 0, MCP_ERR_CLOSED, MCP_ERR_LIMIT,
   * MCP_ERR_NOMEM. */
  int (*send)(mcpi_caller *caller, const char *message, size_t len,
              const mcp_send_info *info);
  /* Closes the way to the caller; mcpi_caller_closed follows, perhaps before
   * this returns. May come twice. */
  void (*close)(mcpi_caller *caller);
  /* The last call: frees the owner, or drops a reference to it. */
  void (*free)(mcpi_caller *caller);
  /* The id of its session over HTTP. NULL: it never has one. */
  const char *(*session_id)(mcpi_caller *caller);
  /* initialize has agreed on this revision. NULL: the owner need not know. */
  void (*agreed)(mcpi_caller *caller, const char *revision);
  /* The caller has ended, for this reason (code 0: without one), borrowed until
   * return. NULL: the owner does not need to know. */
  void (*ended)(mcpi_caller *caller, const mcp_error *reason);
} mcpi_caller_ops;

/* What a caller may do. It depends on how the caller's messages arrive. */
typedef struct mcpi_caller_rules {
  size_t max_shard_calls; /* calls of all the shard's callers at once ... */
  int shard_calls_limit;  /* ... and the MCPI_LIMIT_* that says so */
  int is_ordered;         /* its messages come over one ordered transport */
  /* It comes with one POST, and shares its identity with other requests of its
   * peer. */
  int is_single;
  int tracks_ids; /* a message of its own may name another by its id */
  /* Legacy, in one POST: the program does not see its session. */
  int is_stateless;
  int is_obliging; /* initialize accepts any version of the legacy era */
  /* Lists leave out what the token of a request does not permit. */
  int hides_forbidden;
  /* Each call must have a grant. A call without one may use everything, so a
   * call is refused if its endpoint has forgotten to lend the grant. */
  int demands_token;
  /* What the token permits with which it began, for all its messages: borrowed
   * until it has ended. NULL: it began without, or each message brings its
   * own. */
  mcpi_grant *grant;
} mcpi_caller_rules;

struct mcpi_caller {
  mcpi_list link;        /* in the shard's list */
  mcpi_list closed_link; /* in the shard's list of closed callers */
  mcpi_shard *shard;
  const mcpi_caller_ops *ops;
  mcpi_caller_rules rules;
  mcpi_peer peer;
  mcpi_sink *sink; /* answers the requests that the peer passes up */
  /* What the token permits that came with the message that is being received,
   * borrowed until the message is dispatched; NULL: it needs no token. */
  mcpi_grant *grant;
  mcpi_identity *identity;
  mcp_session *session; /* NULL before initialize */
  mcpi_list calls;      /* not yet released */
  size_t call_count;
  size_t open_count; /* the number of them that will be answered */
  /* The number of listens, and of URIs that they and the session name. */
  size_t subscription_count;
  mcpi_timer drain_timer;
  int is_draining;
  int has_modern;         /* it has had a request of the modern era */
  mcpi_kept_error reason; /* why it ends */
  mcpi_reports reports;
};

/* Makes an open caller. The owner's memory was zero. `peer` is the client's
 * address as text, or NULL; caller->peer is the JSON-RPC side (core/peer.h).
 * Returns 0 or MCP_ERR_NOMEM: then there is nothing to undo, and no callback
 * comes. */
int mcpi_caller_init(mcpi_caller *caller, mcpi_shard *shard,
                     const mcpi_caller_ops *ops, const mcpi_caller_rules *rules,
                     const char *principal, const char *peer);
/* Undoes mcpi_caller_init for a caller that nobody has seen. Runs no callback,
 * and does not call ops->free. */
void mcpi_caller_deinit(mcpi_caller *caller);
/* Drains the caller for at most drain_ms (UINT32_MAX: without a limit), and
 * then closes it. A later call can only shorten the wait. */
void mcpi_caller_close(mcpi_caller *caller, uint32_t drain_ms);
/* Sets the reason for which the caller will end. */
void mcpi_caller_set_reason(mcpi_caller *caller, int code, const char *format,
                            ...) MCP_PRINTF(3, 4);
/* No message reaches the caller any longer. When the outermost frame leaves,
 * the rest is cancelled and the caller is freed. `why`: NULL or code 0: no
 * reason. */
void mcpi_caller_closed(mcpi_caller *caller, const mcp_error *why);
/* Whether the client has sent more than the beginning of a handshake. */
int mcpi_caller_has_begun(const mcpi_caller *caller);
/* One call fewer waits for its answer: the last one ends the draining. */
void mcpi_caller_call_ended(mcpi_caller *caller);
/* Frees a closed caller, for the shard's sweep. */
void mcpi_caller_free(mcpi_caller *caller);

/* Reports something about one caller, as often as the caller's own limit
 * allows. The message begins with its peer. */
void mcpi_caller_report(mcpi_caller *caller, int code, const char *format, ...)
    MCP_PRINTF(3, 4);
/* The same, for reports that this limit does not count. */
void mcpi_caller_report_last(const mcpi_caller *caller, const mcp_error *err);

/* Sends a notification; params is JSON text or empty. 0, MCP_ERR_GONE or
 * MCP_ERR_NOMEM. */
int mcpi_caller_notify(mcpi_caller *caller, const char *method,
                       mcpi_str params);
/* Sends a request of ours and starts its clock; pending->on_done is set. 0,
 * MCP_ERR_GONE, MCP_ERR_LIMIT or MCP_ERR_NOMEM: then on_done does not run. */
int mcpi_caller_ask(mcpi_caller *caller, mcpi_pending *pending, mcpi_str method,
                    mcpi_str params);
/* The same with the given time limit. */
int mcpi_caller_ask_within(mcpi_caller *caller, mcpi_pending *pending,
                           uint32_t timeout_ms, mcpi_str method,
                           mcpi_str params);
/* Closes the caller because a message could not be sent: a client that misses a
 * message could wait indefinitely. */
void mcpi_caller_give_up(mcpi_caller *caller, int code);

#endif
