/* SPDX-License-Identifier: MIT */
/* Places among the sessions of an endpoint: who may begin one, and which other
 * ends for it. A client that begins sessions and never uses them must not keep
 * others out, whether it means to or not. */
#include "http/http.h"

static size_t count_of(const mcpi_account *account) {
  return account != NULL ? account->holder.used[MCPI_HELD_SESSIONS] : 0;
}

/* Whether a session of `other` ends rather than one of `account` is refused: it is
 * the same client's, or that of one that has more of them. A session whose client
 * is not known is the only one of its client. */
static int goes_before(const mcpi_account *other, const mcpi_account *account) {
  size_t theirs = other != NULL ? count_of(other) : 1;
  return (account != NULL && other == account) || theirs > count_of(account);
}

/* The one that is idle for the longest is first in the list. */
static mcpi_http_session *find_victim(const mcp_http *http,
                                      const mcpi_account *account) {
  for (const mcpi_list *link = http->fresh.next; link != &http->fresh;
       link = link->next) {
    mcpi_http_session *session = MCPI_CONTAINER(link, mcpi_http_session, link);
    if (goes_before(session->place.account, account) &&
        !mcpi_http_session_is_in_use(session)) {
      return session;
    }
  }
  return NULL;
}

static int evict(mcp_http *http, const mcpi_account *account) {
  mcpi_http_session *victim = find_victim(http, account);
  if (victim == NULL) {
    return 0;
  }
  mcpi_part_evicted(http->part, MCPI_HELD_SESSIONS,
                    victim->channel.connection->options.peer,
                    "max_sessions: a session that had no request after "
                    "initialize was ended, to make room for another");
  /* What is told may have ended it. */
  victim = find_victim(http, account);
  if (victim != NULL) {
    mcpi_http_session_end(victim);
  }
  return 1;
}

static int refuse(const mcp_http_exchange *exchange,
                  const mcpi_account *account, mcp_error *err) {
  mcp_http *http = exchange->http;
  size_t all = http->accounts.whole.used[MCPI_HELD_SESSIONS];
  unsigned long max = http->options.max_sessions;
  if (all >= max) {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "too many sessions: all %lu are in use (max_sessions): end "
                  "one with DELETE, or try again later",
                  max);
  } else {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "too many sessions: this client has %zu, its share of %lu "
                  "(max_sessions): end one with DELETE, or try again later",
                  count_of(account), max);
  }
  mcpi_part_refused(http->part, MCPI_HELD_SESSIONS, exchange->request->peer,
                    "refused: %s", err->message);
  return MCP_ERR_LIMIT;
}

static int has_room(mcp_http *http, mcpi_account *account) {
  return mcpi_holder_has_room(mcpi_accounts_holder(&http->accounts, account),
                              MCPI_HELD_SESSIONS, http->options.max_sessions,
                              1);
}

int mcpi_http_place_take(mcp_http_exchange *exchange, mcpi_http_place *place,
                         mcp_error *err) {
  mcp_http *http = exchange->http;
  mcpi_account *account;
  if (mcpi_accounts_find(&http->accounts, exchange->principal,
                         exchange->request->peer, &account) != 0) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  int rc = has_room(http, account) || evict(http, account)
               ? 0
               : refuse(exchange, account, err);
  if (rc == 0 && !mcpi_http_is_serving(http)) { /* whoever was told ended it */
    rc = mcp_error_set(err, MCP_ERR_CLOSED, "the server is shutting down");
  }
  if (rc != 0) {
    mcpi_accounts_unref(&http->accounts, account);
    return rc;
  }
  mcpi_holder_add(mcpi_accounts_holder(&http->accounts, account),
                  MCPI_HELD_SESSIONS, 1);
  *place = (mcpi_http_place){.is_taken = 1, .account = account};
  return 0;
}

void mcpi_http_place_give(mcp_http *http, mcpi_http_place *place) {
  if (place->is_taken) {
    mcpi_holder_remove(mcpi_accounts_holder(&http->accounts, place->account),
                       MCPI_HELD_SESSIONS, 1);
    mcpi_accounts_unref(&http->accounts, place->account);
    *place = (mcpi_http_place){0};
  }
}
