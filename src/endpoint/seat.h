/* SPDX-License-Identifier: MIT */
/* Seats among the sessions of an endpoint (max_sessions): which client may
 * begin a session, and which session ends for another. */
#ifndef MCPI_ENDPOINT_SEAT_H
#define MCPI_ENDPOINT_SEAT_H

#include "core/account.h"
#include "endpoint/exchange.h"

typedef struct mcpi_endpoint_session mcpi_endpoint_session;

/* Clients by the number of their sessions, rounded down to a power of two: the
 * client that must make room is found without a search. */
enum { MCPI_ENDPOINT_RANKS = 33 };

typedef struct mcpi_endpoint_ranks {
  mcpi_list accounts[MCPI_ENDPOINT_RANKS]; /* mcpi_account, of 0, 1, 2, 4 ... */
  mcpi_list unknown; /* fresh sessions whose client is not known */
} mcpi_endpoint_ranks;

/* The seat that a session, or a stream of HTTP+SSE, has among max_sessions. */
typedef struct mcpi_endpoint_seat {
  int is_taken;
  mcpi_account *account; /* a reference; NULL: its client is not known */
} mcpi_endpoint_seat;

/* Takes a seat for the sender of a request. If there is none, it takes the
 * seat of a session that never had a second request. Returns 0; MCP_ERR_LIMIT,
 * MCP_ERR_CLOSED (the server is shutting down) or MCP_ERR_NOMEM, with err. */
int mcpi_endpoint_seat_take(mcp_http_exchange *exchange,
                            mcpi_endpoint_seat *seat, mcp_error *err);
void mcpi_endpoint_ranks_init(mcpi_endpoint_ranks *ranks);
/* A session that was just opened may be ended for another one, until it has had
 * a second request or has ended. */
void mcpi_endpoint_seat_offer(mcpi_endpoint_session *session);
void mcpi_endpoint_seat_withdraw(mcpi_endpoint_session *session);
/* Gives the seat back, if it was taken. */
void mcpi_endpoint_seat_give(mcp_http *http, mcpi_endpoint_seat *seat);

#endif
