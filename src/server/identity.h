/* SPDX-License-Identifier: MIT */
/* The principal and the peer on whose behalf a caller calls, and what is
 * counted for them. Counted, on the loop's thread: a deferred call may outlive
 * its caller. The last reference gives it back to the part's free list. */
#ifndef MCPI_SERVER_IDENTITY_H
#define MCPI_SERVER_IDENTITY_H

#include "codec/message.h"
#include "core/account.h"

typedef struct mcpi_part mcpi_part;
typedef struct mcpi_identity mcpi_identity;

struct mcpi_identity {
  mcpi_identity *next; /* in the part's free list */
  size_t refs;
  mcpi_holder holder;    /* the caller's */
  mcpi_account *account; /* a reference: the holder's parent; NULL: not known */
  mcpi_buf text;         /* holds the next two */
  const char *principal; /* or NULL */
  const char *peer;      /* or NULL */
};

/* With one reference, and copies of the strings (NULL: not known). NULL when
 * out of memory. */
mcpi_identity *mcpi_identity_new(mcpi_part *part, const char *principal,
                                 const char *peer);
/* NULL is accepted. */
void mcpi_identity_unref(mcpi_part *part, mcpi_identity *identity);
/* Frees the free list of a part that is freed. */
void mcpi_identities_free_idle(mcpi_part *part);

/* --- kept.c: bytes that peers make us keep ---
 *
 * What calls and sessions keep of their peers' messages is counted for whoever
 * holds it (core/account.h), in whole blocks, values and all. */

/* Takes a reference, and counts the bytes with the first. */
void mcpi_keep(mcpi_identity *who, mcpi_message *message);
/* Gives it back. */
void mcpi_unkeep(mcpi_identity *who, mcpi_message *message);
/* The same for what is not in a message. */
static inline void mcpi_keep_bytes(mcpi_identity *who, size_t bytes) {
  mcpi_holder_add(&who->holder, MCPI_HELD_BYTES, bytes);
}
static inline void mcpi_unkeep_bytes(mcpi_identity *who, size_t bytes) {
  mcpi_holder_remove(&who->holder, MCPI_HELD_BYTES, bytes);
}

#endif
