/* SPDX-License-Identifier: MIT */
/* Finds seats among the sessions of an endpoint. If none is free, it ends a
 * session that never had a second request: a client that begins sessions and
 * never uses them must not keep others out, whether it intends that or not. */
#include "endpoint/evict.h"

#include "base/error.h"
#include "endpoint/endpoint.h"
#include "endpoint/session_life.h"

/* --- which session ends for another --------------------------------------- */

enum { MAX_LOOKS = 16 };

/* The first session has been idle the longest. Few are in use: those whose
 * `initialize` has not been answered yet. */
static mcpi_endpoint_session *first_unused(const mcpi_list *offers) {
  const mcpi_list *link = offers->next;
  for (int i = 0; i < MAX_LOOKS && link != offers; i++, link = link->next) {
    mcpi_endpoint_session *session =
        MCPI_CONTAINER(link, mcpi_endpoint_session, offer);
    if (!mcpi_endpoint_session_is_in_use(session)) {
      return session;
    }
  }
  return NULL;
}

/* Finds the session to end: of a client with the most sessions, if those are
 * more than this client has; otherwise of this client. A session of an unknown
 * client counts as its client's only one. */
static mcpi_endpoint_session *find_victim(const mcp_http *http,
                                          const mcpi_account *account) {
  const mcpi_endpoint_ranks *ranks = &http->ranks;
  mcpi_endpoint_session *session = NULL;
  size_t own = mcpi_endpoint_rank_of(account);
  for (size_t i = MCPI_ENDPOINT_RANKS - 1; session == NULL && i > own; i--) {
    const mcpi_list *most = ranks->accounts[i].next;
    if (most != &ranks->accounts[i]) {
      session = first_unused(&MCPI_CONTAINER(most, mcpi_account, rank)->fresh);
    }
  }
  if (session == NULL && account != NULL) {
    session = first_unused(&account->fresh);
  }
  return session == NULL && own == 0 ? first_unused(&ranks->unknown) : session;
}

/* --- seats ---------------------------------------------------------------- */

static int evict(mcp_http *http, const mcpi_account *account) {
  mcpi_endpoint_session *victim = find_victim(http, account);
  if (victim == NULL) {
    return 0;
  }
  mcpi_shard_evicted(http->shard, MCPI_LIMIT_SESSIONS,
                     victim->caller.identity->peer,
                     "max_sessions: a session that had no request after "
                     "initialize was ended, to make room for another");
  /* The program may have ended the session when it got the report. */
  victim = find_victim(http, account);
  if (victim != NULL) {
    mcpi_endpoint_session_end(victim);
  }
  return 1;
}

static int seat_refuse(const mcp_http_exchange *exchange,
                       const mcpi_account *account, mcp_error *err) {
  mcp_http *http = exchange->http;
  size_t all = http->accounts.whole.used[MCPI_HELD_SESSIONS];
  unsigned long max = http->options.max_sessions;
  if (all >= max) {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "too many sessions: all %lu are in use (max_sessions): end "
                  "one with DELETE, or try again later",
                  max);
  } else { /* only a client with an account has a share */
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "too many sessions: this client has %zu, and its share of "
                  "the %lu is %zu (max_sessions): end one with DELETE, or try "
                  "again later",
                  account->holder.used[MCPI_HELD_SESSIONS], max,
                  mcpi_holder_share(&account->holder, MCPI_HELD_SESSIONS, max));
  }
  mcpi_shard_refused(http->shard, MCPI_LIMIT_SESSIONS, exchange->request->peer,
                     err->message);
  return MCP_ERR_LIMIT;
}

static int seat_has_room(mcp_http *http, mcpi_account *account) {
  return mcpi_holder_has_room(mcpi_accounts_holder(&http->accounts, account),
                              MCPI_HELD_SESSIONS, http->options.max_sessions,
                              1);
}

int mcpi_endpoint_find_seat(mcp_http_exchange *exchange,
                            mcpi_endpoint_seat *seat, mcp_error *err) {
  mcp_http *http = exchange->http;
  mcpi_account *account;
  if (mcpi_accounts_find(&http->accounts, exchange->principal,
                         exchange->request->peer, &account) != 0) {
    return mcpi_no_memory(err);
  }
  int rc = 0;
  if (!seat_has_room(http, account) && !evict(http, account)) {
    rc = seat_refuse(exchange, account, err);
  }
  if (rc == 0 && !mcpi_endpoint_is_serving(http)) { /* on_report ended it */
    rc = mcp_error_set(err, MCP_ERR_CLOSED, "the server is shutting down");
  }
  if (rc != 0) {
    mcpi_accounts_unref(&http->accounts, account);
    return rc;
  }
  mcpi_endpoint_seat_take(http, account, seat);
  return 0;
}
