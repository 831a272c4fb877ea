/* SPDX-License-Identifier: MIT */
/* Bytes that will be written to a descriptor, in order: at once if possible,
 * otherwise from a queue. */
#ifndef MCPI_NET_OUTBOX_H
#define MCPI_NET_OUTBOX_H

#include "base/buf.h"
#include "platform/fd_write.h"

typedef struct mcpi_outbox {
  mcpi_fd_writer writer;
  mcpi_buf queue;
  size_t start; /* in the queue: the bytes before it have been written */
  size_t max;   /* the limit of waiting bytes */
  size_t keep;  /* the memory that an empty queue keeps; set by init */
} mcpi_outbox;

void mcpi_outbox_init(mcpi_outbox *outbox, const mcp_allocator *allocator,
                      size_t max);
void mcpi_outbox_deinit(mcpi_outbox *outbox);
void mcpi_outbox_clear(mcpi_outbox *outbox);

static inline size_t mcpi_outbox_waiting(const mcpi_outbox *outbox) {
  return outbox->queue.len - outbox->start;
}

/* Queues a message and its line feed, both or nothing. Returns 0, MCP_ERR_LIMIT
 * or MCP_ERR_NOMEM. */
int mcpi_outbox_queue(mcpi_outbox *outbox, const char *message, size_t len);

/* Writes a message and its line feed, and queues what cannot be written now.
 * Call it only while nothing waits. Returns the same, or MCP_ERR_IO with the
 * reason in errno: the peer is gone, or only a part of the message was written
 * and the rest is lost. */
int mcpi_outbox_write(mcpi_outbox *outbox, const char *message, size_t len);

/* Writes waiting bytes. Returns 0; MCP_ERR_BUSY: the rest must wait; MCP_ERR_IO
 * with the reason in errno. */
int mcpi_outbox_flush(mcpi_outbox *outbox);

#endif
