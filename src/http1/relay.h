/* SPDX-License-Identifier: MIT */
/* Several loops that serve one address, with sessions (PROTOCOL 3.4): a session
 * lives on the loop on which it began, its home, which its id names. The relay
 * of a loop stands between its HTTP server and its endpoint:
 *
 *     connection's loop                       home
 *     http1 -> on_head, on_body  -- parcel ->  mcp_http_begin, mcp_http_body
 *     http1 <- its responder    <- parcels --  the relay's responder
 *     http1 -> on_gone           -- letter ->  mcp_http_gone
 *
 * A request without session, or of one that is at home here, goes straight to
 * the endpoint. The others are passages:
 *
 * - A passage is counted: by the connection, until it has been answered or is
 *   gone; by the exchange at home, until its answer has ended; and by each
 *   letter. Who lets go last frees it, on whichever thread. Of its members the
 *   connection's loop uses some and the home others.
 * - Letters arrive in their order, and arrive (inbox.h). What there is no
 *   memory for, or what is too much for a loop that does not keep up, is not
 *   sent: a request is answered with 503 at once; for a part of an answer the
 *   connection is broken off, by a letter that is part of the passage, and the
 *   home learns that the client has gone.
 * - Neither end asks whether the other is still there. Letters to a connection
 *   that is gone or answered are dropped, and so is on_gone where the answer
 *   has ended; a request that finds its home closed is broken off.
 * - So the relays of an address may close in any order, each while the others
 *   go on; but all must have, and their threads have ended, before one is
 *   freed. */
#ifndef MCPI_HTTP1_RELAY_H
#define MCPI_HTTP1_RELAY_H

#include "endpoint/session.h"
#include "http1/http1.h"
#include "platform/inbox.h"

typedef struct mcpi_http_relay mcpi_http_relay;

/* The relays of one address. Complete before any of them serves, and not
 * changed from then on. */
typedef struct mcpi_http_homes {
  const mcp_allocator *allocator; /* used in all their threads */
  size_t count;
  mcpi_http_relay *relays[MCPI_HTTP_MAX_HOMES];
} mcpi_http_homes;

/* Owned; the next of the homes, which are borrowed until the loop is freed. The
 * endpoint is, until the relay is closed. While there is a relay its loop has
 * something to wait for. `max_bytes` may lie in letters to this loop. NULL when
 * out of memory. */
mcpi_http_relay *mcpi_http_relay_new(mcp_loop *loop, mcp_http *http,
                                     size_t max_bytes, mcpi_http_homes *homes);
/* For mcpi_http1_new. */
mcpi_http_app mcpi_http_relay_app(mcpi_http_relay *relay);
/* Has the letter opened in the relay's thread, from any thread. It cannot fail,
 * and letters of one thread are opened in their order. */
void mcpi_http_relay_put(mcpi_http_relay *relay, mcpi_letter *letter,
                         void (*on_open)(mcpi_letter *letter));
/* Between mcpi_http1_free and mcp_http_free: what still comes for the endpoint
 * is broken off. NULL is accepted, here and below. */
void mcpi_http_relay_close(mcpi_http_relay *relay);
/* All are closed, and no thread runs their loops any more: disposes of letters
 * that nobody has opened. Comes before the first is freed. */
void mcpi_http_homes_settle(mcpi_http_homes *homes);
/* Before its loop is freed, which frees the memory. */
void mcpi_http_relay_free(mcpi_http_relay *relay);

#endif
