/* SPDX-License-Identifier: MIT */
/* The taking of one record from a token store.
 *
 *     FREE --start--> WAITING --> HELD --give--> FREE
 *                        |                        ^
 *                        '-- an error, or cancel -' */
#ifndef MCPI_AUTH_CLIENT_TAKING_H
#define MCPI_AUTH_CLIENT_TAKING_H

#include "auth/client/record.h"
#include "base/str.h"
#include <mcp/auth.h>

typedef enum mcpi_taking_state {
  MCPI_TAKING_FREE,
  MCPI_TAKING_WAITING,
  MCPI_TAKING_HELD
} mcpi_taking_state;

/* It is part of its owner's structure. */
typedef struct mcpi_taking mcpi_taking;
struct mcpi_taking {
  const mcp_auth_store *store;
  const char *key; /* borrowed from its owner */
  mcpi_taking_state state;
  /* The record has been taken, and is HELD; `text` is borrowed until the
   * function returns or the record is given back, and its ptr is NULL if there
   * is no record yet. Or err is not NULL, and it is FREE. */
  void (*on_taken)(mcpi_taking *taking, const mcp_error *err, mcpi_str text);
};

enum {
  /* The steps for which a record is held, at most, each with the limit
   * fetch_timeout_ms: three places of the authorization server's metadata, the
   * program's client id, and a token, also with a nonce. */
  MCPI_TAKING_STEPS = 6,
  /* How long a store may take to read a free record. In that of the keyring,
   * the user has a minute to unlock it; then the store says what to do. */
  MCPI_TAKING_STORE_MS = 75000
};

/* Returns how long to wait for a record that someone else may hold while a
 * token is renewed or revoked. */
static inline int64_t mcpi_taking_limit_ms(const mcp_auth_options *options) {
  return MCPI_TAKING_STORE_MS +
         (int64_t)options->fetch_timeout_ms * MCPI_TAKING_STEPS;
}

/* FREE -> WAITING. on_taken is called once, inside this function or later; also
 * if the store refuses at once. */
void mcpi_taking_start(mcpi_taking *taking);
/* HELD -> FREE. text.ptr NULL: the record stays as it is; len 0: it is removed.
 * Returns 0 or an MCP_ERR_* with err. */
int mcpi_taking_give(mcpi_taking *taking, mcpi_str text, mcp_error *err);
/* HELD -> FREE: writes the record, or removes it if it is empty. Returns 0, or
 * an MCP_ERR_* with err: the old record stays. */
int mcpi_taking_give_record(mcpi_taking *taking, const mcpi_auth_record *record,
                            const mcp_allocator *allocator, mcp_error *err);
/* Any state -> FREE. A record that is HELD stays as it is. */
void mcpi_taking_cancel(mcpi_taking *taking);
/* WAITING -> FREE, because mcpi_taking_limit_ms are over. Returns
 * MCP_ERR_TIMEOUT with err. */
int mcpi_taking_time_out(mcpi_taking *taking, mcp_error *err);

#endif
