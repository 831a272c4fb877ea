/* SPDX-License-Identifier: MIT */
/* Bytes that will be written to a descriptor, in order. */
#include "net/outbox.h"

#include <errno.h>
#include <mcp/error.h>

enum { KEEP_BYTES = 256 * 1024 };

void mcpi_outbox_init(mcpi_outbox *outbox, const mcp_allocator *allocator,
                      size_t max) {
  *outbox = (mcpi_outbox){.writer = {.fd = -1}, .max = max, .keep = KEEP_BYTES};
  mcpi_buf_init(&outbox->queue, allocator, SIZE_MAX);
}

void mcpi_outbox_deinit(mcpi_outbox *outbox) {
  mcpi_buf_deinit(&outbox->queue);
}

void mcpi_outbox_clear(mcpi_outbox *outbox) {
  mcpi_buf_recycle(&outbox->queue, outbox->keep);
  outbox->start = 0;
}

/* --- queueing ------------------------------------------------------------ */

/* Moves waiting bytes to the front when most of the queue has been written. */
static void compact(mcpi_outbox *outbox) {
  if (outbox->start > mcpi_outbox_waiting(outbox)) {
    mcpi_buf_drop(&outbox->queue, outbox->start);
    outbox->start = 0;
  }
}

/* Queues a message, or its end, and the line feed. */
static int queue_line(mcpi_outbox *outbox, const char *message, size_t len) {
  mcpi_buf *queue = &outbox->queue;
  compact(outbox);
  size_t before = queue->len;
  mcpi_buf_put(queue, message, len);
  mcpi_buf_putc(queue, '\n');
  int rc = queue->error;
  if (rc != 0) {
    mcpi_buf_rewind(queue, before);
  }
  return rc;
}

static int outbox_has_room(const mcpi_outbox *outbox, size_t len) {
  size_t waiting = mcpi_outbox_waiting(outbox);
  return waiting < outbox->max && len < outbox->max - waiting;
}

int mcpi_outbox_queue(mcpi_outbox *outbox, const char *message, size_t len) {
  return outbox_has_room(outbox, len) ? queue_line(outbox, message, len)
                                      : MCP_ERR_LIMIT;
}

/* --- writing ------------------------------------------------------------- */

/* struct iovec is also for reading, so its pointers are not const. */
int mcpi_outbox_write(mcpi_outbox *outbox, const char *message, size_t len) {
  static char line_feed[] = "\n";
  struct iovec parts[2] = {{(void *)(uintptr_t)message, len}, {line_feed, 1}};
  if (!outbox_has_room(outbox, len)) {
    return MCP_ERR_LIMIT;
  }
  ssize_t written = mcpi_fd_write(&outbox->writer, parts, 2);
  if (written < 0 && errno != EAGAIN) {
    return MCP_ERR_IO;
  }
  if (written == (ssize_t)len + 1) {
    return 0;
  }
  size_t done = written > 0 ? (size_t)written : 0; /* at most the message */
  int rc = queue_line(outbox, message + done, len - done);
  if (rc != 0 && written > 0) {
    errno = ENOMEM;
    return MCP_ERR_IO;
  }
  return rc;
}

static void forget_written(mcpi_outbox *outbox, size_t len) {
  outbox->start += len;
  if (mcpi_outbox_waiting(outbox) == 0) {
    mcpi_outbox_clear(outbox);
  }
}

int mcpi_outbox_flush(mcpi_outbox *outbox) {
  while (mcpi_outbox_waiting(outbox) > 0) {
    struct iovec rest = {outbox->queue.data + outbox->start,
                         mcpi_outbox_waiting(outbox)};
    ssize_t written = mcpi_fd_write(&outbox->writer, &rest, 1);
    if (written < 0) {
      return errno == EAGAIN ? MCP_ERR_BUSY : MCP_ERR_IO;
    }
    forget_written(outbox, (size_t)written);
  }
  return 0;
}
