/* SPDX-License-Identifier: MIT */
/* Sessions of the legacy era over HTTP (MCP 2025-11-25, Transports: Session
 * Management). */
#ifndef MCPI_ENDPOINT_SESSION_H
#define MCPI_ENDPOINT_SESSION_H

#include "endpoint/channel.h"
#include "endpoint/seat.h"
#include "endpoint/session_id.h"
#include "endpoint/stream.h"

/* Where a session is.
 *
 *     NEW -> FRESH -> USED -> ENDED
 *       \       \_____________^
 *        \____________________^     it could not begin
 *
 * FRESH sessions are in http->fresh, and may be ended to make room for others;
 * USED ones are in http->recent. */
typedef enum mcpi_endpoint_session_stage {
  MCPI_ENDPOINT_SESSION_NEW,   /* it has no caller yet */
  MCPI_ENDPOINT_SESSION_FRESH, /* it had no request after initialize */
  MCPI_ENDPOINT_SESSION_USED,
  MCPI_ENDPOINT_SESSION_ENDED /* its caller has ended, and its streams */
} mcpi_endpoint_session_stage;

/* Lifetime: counted. References are held by the endpoint until the session has
 * ended, by the caller from mcpi_caller_init to its `free`, by each stream
 * until that has ended, and by frames that use it. The last one frees the
 * memory. All on the loop's thread. */
struct mcpi_endpoint_session {
  char id[MCPI_ENDPOINT_SESSION_ID_LEN + 1];
  mcpi_list link;  /* in http->recent, or fresh */
  mcpi_list offer; /* among those of its client, while it is fresh */
  mcpi_endpoint_channel channel;
  mcpi_caller caller;               /* holds a reference to the session */
  mcpi_endpoint_stream *standalone; /* for what goes out unasked */
  mcpi_list streams;                /* of its POSTs, not ended */
  /* While a call sends a request of ours: the call's stream. Otherwise NULL. */
  mcpi_endpoint_stream *current;
  mcpi_endpoint_seat seat;
  mcpi_endpoint_session_stage stage;
  int64_t used_ms;
  uint64_t next_stream;
  uint64_t primings; /* events without data so far, of all streams */
  size_t refs;
};

/* Whether it has begun and has not ended. */
static inline int
mcpi_endpoint_session_is_open(const mcpi_endpoint_session *session) {
  return session->stage == MCPI_ENDPOINT_SESSION_FRESH ||
         session->stage == MCPI_ENDPOINT_SESSION_USED;
}

/* Whether an exchange shows one of its streams. */
int mcpi_endpoint_session_is_in_use(const mcpi_endpoint_session *session);
/* An exchange has ended that showed one of its streams: the session is idle
 * from now on. */
void mcpi_endpoint_session_left(mcpi_endpoint_session *session);
/* The session was used now. */
void mcpi_endpoint_session_touch(mcpi_endpoint_session *session);
/* Returns when the session ends if it is not used. */
int64_t mcpi_endpoint_session_due(const mcpi_endpoint_session *session);
/* Finds the session that the request names and its principal may use. Returns
 * 0, or the status that refuses the request, and why in err. */
int mcpi_endpoint_session_find(const mcp_http_exchange *exchange,
                               mcpi_endpoint_session **out, mcp_error *err);
void mcpi_endpoint_session_unref(mcpi_endpoint_session *session);

#endif
