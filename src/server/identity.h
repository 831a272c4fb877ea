/* SPDX-License-Identifier: MIT */
/* The principal and the peer on whose behalf a caller calls, and where what
 * they take is counted. A connection and a session have an identity of their
 * own. HTTP requests of one peer share one, so that a request need not read the
 * peer's address and look for its account.
 *
 * Lifetime: counted, on the loop's thread: a deferred call may outlive its
 * caller. A shard keeps a few shared identities that nobody holds. */
#ifndef MCPI_SERVER_IDENTITY_H
#define MCPI_SERVER_IDENTITY_H

#include "base/list.h"
#include "base/map.h"
#include "codec/message.h"
#include "core/account.h"

typedef struct mcpi_shard mcpi_shard;
typedef struct mcpi_identity mcpi_identity;

struct mcpi_identity {
  mcpi_list link; /* while nobody holds it: in the shard's idle identities */
  size_t refs;
  mcpi_holder own;
  mcpi_holder *holder;   /* its own, whose parent is the account's; of a shared
                            identity the account's */
  mcpi_account *account; /* a reference; NULL: not known */
  int is_shared;
  mcpi_buf text;         /* holds the next two, a NUL behind each */
  const char *principal; /* or NULL */
  const char *peer;      /* or NULL */
};

/* The identities of a shard. */
typedef struct mcpi_identities {
  mcpi_map shared; /* text -> identity */
  mcpi_list idle;  /* shared ones that nobody holds, the longest idle first */
  size_t idle_count;
  mcpi_buf key;
} mcpi_identities;

void mcpi_identities_init(mcpi_shard *shard);
void mcpi_identities_deinit(mcpi_shard *shard);

/* Each returns a reference, with copies of the strings (NULL: not known). NULL
 * when out of memory. */
mcpi_identity *mcpi_identity_new(mcpi_shard *shard, const char *principal,
                                 const char *peer);
mcpi_identity *mcpi_identity_share(mcpi_shard *shard, const char *principal,
                                   const char *peer);
/* NULL is accepted. */
void mcpi_identity_unref(mcpi_shard *shard, mcpi_identity *identity);

/* --- bytes that peers make us keep ---
 *
 * What calls and sessions keep of their peers' messages is counted for whoever
 * holds it (core/account.h), in whole blocks, values and all. */

/* Takes a reference, and counts the bytes with the first. */
void mcpi_keep(mcpi_identity *who, mcpi_message *message);
/* Drops the reference. */
void mcpi_unkeep(mcpi_identity *who, mcpi_message *message);
/* The same for bytes that are not in a message. */
static inline void mcpi_keep_bytes(mcpi_identity *who, size_t bytes) {
  mcpi_holder_add(who->holder, MCPI_HELD_BYTES, bytes);
}
static inline void mcpi_unkeep_bytes(mcpi_identity *who, size_t bytes) {
  mcpi_holder_remove(who->holder, MCPI_HELD_BYTES, bytes);
}

#endif
