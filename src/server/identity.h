/* SPDX-License-Identifier: MIT */
/* An identity says for which principal and peer a caller calls, and counts what
 * the server keeps for them. Each connection and each session has its own
 * identity. HTTP requests with the same principal and the same peer share one,
 * so that most of them need not parse the peer's address and find the account.
 *
 * Lifetime: counted, on the loop's thread. A deferred call holds a reference,
 * and may outlive its caller. A shard keeps a few shared identities that nobody
 * holds. */
#ifndef MCPI_SERVER_IDENTITY_H
#define MCPI_SERVER_IDENTITY_H

#include "base/list.h"
#include "base/map.h"
#include "codec/message.h"
#include "core/account.h"

typedef struct mcpi_shard mcpi_shard;
typedef struct mcpi_identity mcpi_identity;

struct mcpi_identity {
  mcpi_list link; /* in the shard's idle identities, while nobody holds it */
  size_t refs;
  mcpi_holder own; /* a child of the account's holder, or of the whole */
  /* Counts what is kept: `own`, or its parent if the identity is shared. */
  mcpi_holder *holder;
  mcpi_account *account; /* a reference; NULL: not known */
  int is_shared;
  mcpi_buf text;         /* the key in `shared`; the next two point into it */
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

/* Makes an identity. The strings are copied; NULL: not known. Returns a
 * reference, or NULL when out of memory. */
mcpi_identity *mcpi_identity_new(mcpi_shard *shard, const char *principal,
                                 const char *peer);
/* Returns a reference to the identity that callers with these strings share,
 * and makes it if there is none yet. NULL when out of memory. */
mcpi_identity *mcpi_identity_share(mcpi_shard *shard, const char *principal,
                                   const char *peer);
/* NULL is accepted. */
void mcpi_identity_unref(mcpi_shard *shard, mcpi_identity *identity);

/* --- bytes that peers make us keep ---
 *
 * The messages that calls and sessions keep count for the identity's holder
 * (core/account.h). A message counts with the size of its block, which holds
 * its text and its values. */

/* Takes a reference to the message. The first keeper of a message also counts
 * its bytes. All keepers of a message have the same identity. */
void mcpi_keep(mcpi_identity *who, mcpi_message *message);
/* Drops the reference. The last keeper also stops counting the bytes. */
void mcpi_unkeep(mcpi_identity *who, mcpi_message *message);
/* The same for bytes that are not in a message. */
static inline void mcpi_keep_bytes(mcpi_identity *who, size_t bytes) {
  mcpi_holder_add(who->holder, MCPI_HELD_BYTES, bytes);
}
static inline void mcpi_unkeep_bytes(mcpi_identity *who, size_t bytes) {
  mcpi_holder_remove(who->holder, MCPI_HELD_BYTES, bytes);
}

#endif
