/* SPDX-License-Identifier: MIT */
/* Counts what each peer makes the server keep: calls in flight, bytes,
 * sessions. Holders form a tree:
 *
 *   the whole (a loop, or an endpoint)
 *     account      a principal, or a peer's address where no principal is known
 *       connection one transport, one legacy session, one modern HTTP request
 *
 * An unknown peer has no account: its connection is a child of the whole. What
 * a connection takes is also counted for each of its ancestors. A holder may
 * have half of what the other children leave of its parent's share, so neither
 * a connection nor an account can take everything. All of this is for one
 * thread. */
#ifndef MCPI_CORE_ACCOUNT_H
#define MCPI_CORE_ACCOUNT_H

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"

/* ---- holders ----------------------------------------------------------- */

enum {
  MCPI_HELD_CALLS,
  MCPI_HELD_BYTES, /* of messages in flight and of sessions */
  MCPI_HELD_SUBSCRIPTION_BYTES,
  MCPI_HELD_SESSIONS,
  MCPI_HELD_EVENT_BYTES,
  MCPI_HELD_CONNECTIONS, /* of a listener */
  MCPI_HELD_CHECKS,      /* of tokens, which have not ended */
  MCPI_HELD_PROOFS,      /* of DPoP, which were used */
  MCPI_HELD_TASKS,       /* whose handlers run */
  MCPI_HELD_COUNT
};

typedef struct mcpi_holder mcpi_holder;

struct mcpi_holder {
  mcpi_holder *parent; /* NULL: the whole */
  size_t used[MCPI_HELD_COUNT];
};

/* Counts for the holder and its ancestors. */
static inline void mcpi_holder_add(mcpi_holder *holder, int kind,
                                   size_t count) {
  for (; holder != NULL; holder = holder->parent) {
    holder->used[kind] += count;
  }
}

static inline void mcpi_holder_remove(mcpi_holder *holder, int kind,
                                      size_t count) {
  for (; holder != NULL; holder = holder->parent) {
    holder->used[kind] -= count;
  }
}

/* Returns the most that the holder may have, if all together may have `max`.
 * Each holder may have sixteen calls, sessions, connections, checks, proofs and
 * tasks while that many are left, and one sixteenth of the calls at each level
 * is reserved for this. */
size_t mcpi_holder_share(const mcpi_holder *holder, int kind, size_t max);
/* Whether the holder may have that many more. */
int mcpi_holder_has_room(const mcpi_holder *holder, int kind, size_t max,
                         size_t more);

/* ---- accounts ---------------------------------------------------------- */

typedef struct mcpi_account mcpi_account;

/* Lives as long as it has references. */
struct mcpi_account {
  mcpi_holder holder;
  size_t refs;
  mcpi_buf key;
  mcpi_list events; /* events of its sessions, the oldest first (store/) */
  /* Its sessions that may be ended for others, the longest idle first; and
   * while there are some, its place among accounts (endpoint/seat.c). */
  mcpi_list fresh;
  mcpi_list rank;
  mcpi_account *next; /* in the free list */
};

typedef struct mcpi_accounts {
  mcpi_holder whole;
  mcpi_map map; /* key -> mcpi_account */
  mcpi_account *idle;
  size_t idle_count;
} mcpi_accounts;

void mcpi_accounts_init(mcpi_accounts *accounts, const mcp_allocator *allocator,
                        const uint64_t seed[2]);
/* Call it after the last reference to an account is gone. */
void mcpi_accounts_deinit(mcpi_accounts *accounts);
/* Finds or makes the account of a principal. If `principal` is NULL, that of
 * the peer's address. *out is a reference; NULL: neither is known. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_accounts_find(mcpi_accounts *accounts, const char *principal,
                       const char *peer, mcpi_account **out);
/* NULL is accepted. */
void mcpi_accounts_unref(mcpi_accounts *accounts, mcpi_account *account);
/* The account's holder; NULL: the whole. */
mcpi_holder *mcpi_accounts_holder(mcpi_accounts *accounts,
                                  mcpi_account *account);

enum { MCPI_ADDRESS_KEY_SIZE = 64 };

/* Writes what identifies the machine of a peer such as "127.0.0.1:4711": an
 * IPv4 address ("127.0.0.1"), the first 64 bits of an IPv6 address
 * ("20010db800000000/64"), or the text without its port. Returns 1; 0: the peer
 * is NULL, empty, too long, or a Unix socket's, which identifies nothing. */
int mcpi_address_key(const char *peer, char key[MCPI_ADDRESS_KEY_SIZE]);

#endif
