/* SPDX-License-Identifier: MIT */
/* What is to be written to a descriptor, in order: at once when it goes, else
 * from a queue. */
#ifndef MCPI_NET_OUTBOX_H
#define MCPI_NET_OUTBOX_H

#include "base/buf.h"
#include "net/fd_write.h"

typedef struct mcpi_outbox {
  mcpi_fd_writer writer;
  mcpi_buf queue;
  size_t start; /* in the queue: what lies before has been written */
  size_t max;   /* bytes that may wait */
  size_t keep;  /* of the queue's memory, once it is empty; set by init */
} mcpi_outbox;

void mcpi_outbox_init(mcpi_outbox *outbox, const mcp_allocator *allocator,
                      size_t max);
void mcpi_outbox_deinit(mcpi_outbox *outbox);
void mcpi_outbox_clear(mcpi_outbox *outbox);

static inline size_t mcpi_outbox_waiting(const mcpi_outbox *outbox) {
  return outbox->queue.len - outbox->start;
}

/* Queues a message and its line feed, both or nothing. 0, MCP_ERR_LIMIT or
 * MCP_ERR_NOMEM. */
int mcpi_outbox_queue(mcpi_outbox *outbox, const char *message, size_t len);

/* Writes a message and its line feed, and queues what does not go; only while
 * nothing waits. The same, or MCP_ERR_IO with the reason in errno: the far
 * side is gone, or half a message went out and its rest is lost. */
int mcpi_outbox_write(mcpi_outbox *outbox, const char *message, size_t len);

/* Writes what waits. 0; MCP_ERR_BUSY: the rest does not go now; MCP_ERR_IO with
 * the reason in errno. */
int mcpi_outbox_flush(mcpi_outbox *outbox);

#endif
