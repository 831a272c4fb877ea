/* SPDX-License-Identifier: MIT */
/* Bytes that peers make us keep. */
#include "server/server.h"

/* The calls of a batch share one message. */
void mcpi_keep(mcpi_identity *who, mcpi_message *message) {
  mcpi_message_ref(message);
  if (message->keepers++ == 0) {
    mcpi_keep_bytes(who, message->block->cap);
  }
}

void mcpi_unkeep(mcpi_identity *who, mcpi_message *message) {
  if (--message->keepers == 0) {
    mcpi_unkeep_bytes(who, message->block->cap);
  }
  mcpi_message_unref(message);
}

const char mcpi_too_many_bytes[] =
    "the requests in flight take too many bytes: try again later";

int mcpi_keeps_too_much(const mcp_connection *connection) {
  mcpi_part *part = connection->part;
  const mcpi_identity *who = connection->identity;
  size_t max = part->server->options.max_kept_bytes;
  if (mcpi_holder_has_room(&who->holder, MCPI_HELD_BYTES, max, 0)) {
    return 0;
  }
  mcpi_part_refused(part, MCPI_HELD_BYTES, who->peer,
                    "refused: all requests and sessions keep %zu of %zu bytes "
                    "(max_kept_bytes), this connection %zu",
                    part->accounts.whole.used[MCPI_HELD_BYTES], max,
                    who->holder.used[MCPI_HELD_BYTES]);
  return 1;
}

/* --- subscriptions ------------------------------------------------------ */

size_t mcpi_subscription_bytes(mcpi_str uri) {
  enum { BESIDE_URI = 64 };
  return uri.len + BESIDE_URI;
}

int mcpi_subscription_room(mcp_call *call, size_t count, size_t bytes) {
  const mcp_connection *connection = call->connection;
  size_t taken = connection->subscription_count;
  const mcp_server_options *options = &call->part->server->options;
  uint32_t max = options->max_subscriptions;
  const mcpi_holder *holder = &connection->identity->holder;
  if (taken >= max || count > max - taken) {
    mcpi_call_fail(call, MCP_ERR_LIMIT, MCP_RPC_INTERNAL_ERROR,
                   "more than %lu subscriptions on this connection",
                   (unsigned long)max);
  } else if (!mcpi_holder_has_room(holder, MCPI_HELD_SUBSCRIPTION_BYTES,
                                   options->max_kept_bytes, bytes)) {
    mcpi_call_fail(call, MCP_ERR_LIMIT, MCP_RPC_INTERNAL_ERROR,
                   "the subscriptions of all clients take too many "
                   "bytes: try again later");
  } else {
    return 0;
  }
  mcpi_part_refused(call->part, MCPI_HELD_SUBSCRIPTION_BYTES, call->peer,
                    "refused: %s", call->error.message);
  return MCP_ERR_LIMIT;
}

void mcpi_subscriptions_add(mcp_connection *connection, size_t count,
                            size_t bytes) {
  connection->subscription_count += count;
  mcpi_holder_add(&connection->identity->holder, MCPI_HELD_SUBSCRIPTION_BYTES,
                  bytes);
}

void mcpi_subscriptions_remove(mcp_connection *connection, size_t count,
                               size_t bytes) {
  connection->subscription_count -= count;
  mcpi_holder_remove(&connection->identity->holder,
                     MCPI_HELD_SUBSCRIPTION_BYTES, bytes);
}
