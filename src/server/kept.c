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
