/* SPDX-License-Identifier: MIT */
/* Bytes that peers make us keep. */
#include "server/server.h"

void mcpi_keep_bytes(mcp_connection *connection, size_t bytes) {
  connection->part->kept_bytes += bytes;
  connection->kept_bytes += bytes;
}

void mcpi_unkeep_bytes(mcpi_part *part, mcp_connection *connection,
                       size_t bytes) {
  part->kept_bytes -= bytes;
  if (connection != NULL) {
    connection->kept_bytes -= bytes;
  }
}

/* The calls of a batch share one message. */
void mcpi_keep(mcp_connection *connection, mcpi_message *message) {
  mcpi_message_ref(message);
  if (message->keepers++ == 0) {
    mcpi_keep_bytes(connection, message->block->cap);
  }
}

void mcpi_unkeep(mcpi_part *part, mcp_connection *connection,
                 mcpi_message *message) {
  if (--message->keepers == 0) {
    mcpi_unkeep_bytes(part, connection, message->block->cap);
  }
  mcpi_message_unref(message);
}

const char mcpi_too_many_bytes[] =
    "the requests in flight take too many bytes: try again later";

int mcpi_keeps_too_much(const mcp_connection *connection) {
  const mcpi_part *part = connection->part;
  size_t max = part->server->options.max_kept_bytes;
  return part->kept_bytes > max ||
         connection->kept_bytes > max - part->kept_bytes;
}

/* --- subscriptions ------------------------------------------------------ */

size_t mcpi_subscription_bytes(mcpi_str uri) {
  enum { BESIDE_URI = 64 };
  return uri.len + BESIDE_URI;
}

static int has_room(const mcp_connection *connection, size_t bytes) {
  size_t max = connection->part->server->options.max_kept_bytes;
  size_t all = connection->part->subscription_bytes;
  return bytes <= max && all <= max - bytes &&
         connection->subscription_bytes + bytes <= max - bytes - all;
}

int mcpi_subscription_room(mcp_call *call, size_t count, size_t bytes) {
  const mcp_connection *connection = call->connection;
  size_t taken = connection->subscription_count;
  uint32_t max = call->part->server->options.max_subscriptions;
  if (taken >= max || count > max - taken) {
    return mcpi_call_fail(call, MCP_ERR_LIMIT, MCP_RPC_INTERNAL_ERROR,
                          "more than %lu subscriptions on this connection",
                          (unsigned long)max);
  }
  if (!has_room(connection, bytes)) {
    return mcpi_call_fail(call, MCP_ERR_LIMIT, MCP_RPC_INTERNAL_ERROR,
                          "the subscriptions of all clients take too many "
                          "bytes: try again later");
  }
  return 0;
}

void mcpi_subscriptions_add(mcp_connection *connection, size_t count,
                            size_t bytes) {
  connection->subscription_count += count;
  connection->subscription_bytes += bytes;
  connection->part->subscription_bytes += bytes;
}

void mcpi_subscriptions_remove(mcp_connection *connection, size_t count,
                               size_t bytes) {
  connection->subscription_count -= count;
  connection->subscription_bytes -= bytes;
  connection->part->subscription_bytes -= bytes;
}
