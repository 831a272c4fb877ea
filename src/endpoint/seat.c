/* SPDX-License-Identifier: MIT */
/* Seats among the sessions of an endpoint: how many each client has, and which
 * sessions may end for another. evict.c chooses the one that ends. */
#include "endpoint/seat.h"

#include "endpoint/endpoint.h"
#include "endpoint/session.h"

/* --- which sessions may end for another ----------------------------------- */

static size_t count_of(const mcpi_account *account) {
  return account != NULL ? account->holder.used[MCPI_HELD_SESSIONS] : 0;
}

size_t mcpi_endpoint_rank_of(const mcpi_account *account) {
  size_t rank = 0;
  for (size_t count = count_of(account); count > 0; count /= 2) {
    rank++;
  }
  return rank < MCPI_ENDPOINT_RANKS ? rank : MCPI_ENDPOINT_RANKS - 1;
}

/* Updates the rank after a change of the account's sessions. */
static void set_rank(mcp_http *http, mcpi_account *account) {
  if (account != NULL) {
    mcpi_list_remove(&account->rank);
    if (!mcpi_list_is_empty(&account->fresh)) {
      mcpi_list_append(&http->ranks.accounts[mcpi_endpoint_rank_of(account)],
                       &account->rank);
    }
  }
}

void mcpi_endpoint_ranks_init(mcpi_endpoint_ranks *ranks) {
  for (size_t i = 0; i < MCPI_ENDPOINT_RANKS; i++) {
    mcpi_list_init(&ranks->accounts[i]);
  }
  mcpi_list_init(&ranks->unknown);
}

void mcpi_endpoint_seat_offer(mcpi_endpoint_session *session) {
  mcp_http *http = session->channel.http;
  mcpi_account *account = session->seat.account;
  mcpi_list_append(account != NULL ? &account->fresh : &http->ranks.unknown,
                   &session->offer);
  set_rank(http, account);
}

void mcpi_endpoint_seat_withdraw(mcpi_endpoint_session *session) {
  if (!mcpi_list_is_empty(&session->offer)) {
    mcpi_list_remove(&session->offer);
    set_rank(session->channel.http, session->seat.account);
  }
}

/* --- seats ---------------------------------------------------------------- */

void mcpi_endpoint_seat_take(mcp_http *http, mcpi_account *account,
                             mcpi_endpoint_seat *seat) {
  mcpi_holder_add(mcpi_accounts_holder(&http->accounts, account),
                  MCPI_HELD_SESSIONS, 1);
  set_rank(http, account);
  *seat = (mcpi_endpoint_seat){.is_taken = 1, .account = account};
}

void mcpi_endpoint_seat_give(mcp_http *http, mcpi_endpoint_seat *seat) {
  if (seat->is_taken) {
    mcpi_holder_remove(mcpi_accounts_holder(&http->accounts, seat->account),
                       MCPI_HELD_SESSIONS, 1);
    set_rank(http, seat->account);
    mcpi_accounts_unref(&http->accounts, seat->account);
    *seat = (mcpi_endpoint_seat){0};
  }
}
