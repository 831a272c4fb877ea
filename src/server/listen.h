/* SPDX-License-Identifier: MIT */
/* subscriptions/listen (MCP 2026-07-28, Subscriptions): streams of the modern
 * era. */
#ifndef MCPI_SERVER_LISTEN_H
#define MCPI_SERVER_LISTEN_H

#include "auth/resource/expiry.h"
#include "server/call.h"
#include "server/wishes.h"

struct mcpi_listen {
  mcpi_list link; /* in the shard's listens */
  mcp_call *call; /* held until it has ended */
  mcpi_wishes wishes;
  mcpi_grant_expiry expiry; /* of the token of its call */
  mcpi_listen *next_ended;
};

/* Appends "_meta":{"io.modelcontextprotocol/subscriptionId":ID}, with the
 * members of `meta`, an object or NULL. */
void mcpi_listen_put_meta(const mcpi_listen *listen, const mcp_json *meta,
                          mcpi_buf *out);

/* Ends a listen: with its result (and on ordered streams the cancellation that
 * the specification also requires), or silently. */
void mcpi_listen_end(mcpi_listen *listen, int with_result);
void mcpi_listens_free_ended(mcpi_shard *shard);

#endif
