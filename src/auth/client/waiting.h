/* SPDX-License-Identifier: MIT */
/* Requests that wait for a server's token, in order. */
#ifndef MCPI_AUTH_CLIENT_WAITING_H
#define MCPI_AUTH_CLIENT_WAITING_H

#include "auth/client/auth.h"

typedef struct mcpi_waiting {
  mcpi_list waiting;                /* for the token */
  mcpi_list ready;                  /* there is one: each waits for its turn */
  const mcpi_auth_request *current; /* whose turn it is; NULL: nobody's */
} mcpi_waiting;

void mcpi_waiting_init(mcpi_waiting *waiting);
/* Whether others go first: those that waited, and are being woken now. */
int mcpi_waiting_is_behind(const mcpi_waiting *waiting,
                           const mcpi_auth_request *request);
/* Adds a request that waits for the token. */
void mcpi_waiting_add(mcpi_waiting *waiting, mcpi_auth_request *request);
/* Adds one that is behind others. */
void mcpi_waiting_add_ready(mcpi_waiting *waiting, mcpi_auth_request *request);
/* Calls on_ready of all that wait for the token. Those that begin to wait for
 * it meanwhile are not called. */
void mcpi_waiting_wake(mcpi_waiting *waiting);
/* Calls on_ready of all that wait for the token with this error. The list's
 * memory must outlive the call. */
void mcpi_waiting_fail(mcpi_waiting *waiting, const mcp_error *err);
/* The same for those whose turn has not come yet, too. */
void mcpi_waiting_fail_all(mcpi_waiting *waiting, const mcp_error *err);

#endif
