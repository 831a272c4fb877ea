/* SPDX-License-Identifier: MIT */
/* Several loops serve one address, with sessions (MCP 2025-11-25, Transports:
 * Session Management). A session lives on the loop where it began, its home,
 * which its id names. The relay of a loop is between its HTTP server and its
 * endpoint:
 *
 *     connection's loop                       home
 *     http1 -> on_head, on_body  -- parcel ->  mcp_http_begin, mcp_http_body
 *     http1 <- its responder    <- parcels --  the relay's responder
 *     http1 -> on_gone           -- letter ->  mcp_http_gone
 *
 * A request without a session, or with a session of this loop, goes directly to
 * the endpoint. The others are passages:
 *
 * - A passage is held by the connection, until it has been answered or is gone;
 *   by the exchange at home, until its answer has ended; and by each letter.
 *   The last holder frees it, on any thread. The connection's loop uses some of
 *   its members, and the home uses the others.
 * - Every letter arrives, and letters arrive in their order (inbox.h). If there
 *   is no memory, or a loop is too slow, nothing is sent: a request gets 503 at
 *   once. If a part of an answer cannot be sent, a letter that is part of the
 *   passage breaks off the connection, and the home learns that the client has
 *   gone.
 * - Neither end checks whether the other still exists. Letters to a connection
 *   that is gone or answered are dropped. So is on_gone after the answer has
 *   ended. A request that finds its home closed is broken off.
 * - So the relays of an address may close in any order, each while the others
 *   continue. All must be closed, and their threads ended, before one is
 *   freed. */
#ifndef MCPI_HTTP1_RELAY_H
#define MCPI_HTTP1_RELAY_H

#include "endpoint/session_id.h"
#include "http1/http1.h"
#include "platform/inbox.h"

typedef struct mcpi_http1_relay mcpi_http1_relay;

/* The relays of one address. Complete before one of them serves, and unchanged
 * from then on. */
typedef struct mcpi_http1_homes {
  const mcp_allocator *allocator; /* used in all their threads */
  size_t count;
  mcp_http
      *first; /* the endpoint of the first relay; NULL: there is none yet */
  mcpi_http1_relay *relays[MCPI_HTTP1_MAX_HOMES];
} mcpi_http1_homes;

/* Owned. Takes the next place in `homes`, which are borrowed until the loop is
 * freed. The endpoint is borrowed until the relay is closed. A relay keeps its
 * loop running. Letters to this loop may have at most `max_bytes`. NULL when
 * out of memory. */
mcpi_http1_relay *mcpi_http1_relay_new(mcp_loop *loop, mcp_http *http,
                                       size_t max_bytes,
                                       mcpi_http1_homes *homes);
/* For mcpi_http1_new. */
mcpi_http1_app mcpi_http1_relay_app(mcpi_http1_relay *relay);
/* Opens the letter in the relay's thread. May be called on any thread. It
 * cannot fail, and letters of one thread are opened in their order. */
void mcpi_http1_relay_put(mcpi_http1_relay *relay, mcpi_letter *letter,
                          void (*on_open)(mcpi_letter *letter));
/* Call it between mcpi_http1_free and mcp_http_free: breaks off what still
 * comes for the endpoint. NULL is accepted, here and below. */
void mcpi_http1_relay_close(mcpi_http1_relay *relay);
/* Call it when all relays are closed and no thread runs their loops any longer,
 * before the first is freed: disposes of letters that were not opened. */
void mcpi_http1_homes_settle(mcpi_http1_homes *homes);
/* Call it before its loop is freed, which frees the memory. */
void mcpi_http1_relay_free(mcpi_http1_relay *relay);

#endif
