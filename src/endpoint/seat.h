/* SPDX-License-Identifier: MIT */
/* Seats among the sessions of an endpoint (max_sessions): how many each client
 * has, and which sessions may end for another. */
#ifndef MCPI_ENDPOINT_SEAT_H
#define MCPI_ENDPOINT_SEAT_H

#include "core/account.h"
#include <mcp/http.h>

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

/* Takes a seat that is free. The reference to the account is taken. */
void mcpi_endpoint_seat_take(mcp_http *http, mcpi_account *account,
                             mcpi_endpoint_seat *seat);
/* Gives the seat back, if it was taken. */
void mcpi_endpoint_seat_give(mcp_http *http, mcpi_endpoint_seat *seat);
void mcpi_endpoint_ranks_init(mcpi_endpoint_ranks *ranks);
/* A session that was just opened may be ended for another one, until it has had
 * a second request or has ended. */
void mcpi_endpoint_seat_offer(mcpi_endpoint_session *session);
void mcpi_endpoint_seat_withdraw(mcpi_endpoint_session *session);
/* Returns a client's place in `accounts`: 0 for no session, 1 for one, 2 for
 * two or three, 3 for four to seven ... NULL: 0. */
size_t mcpi_endpoint_rank_of(const mcpi_account *account);

#endif
