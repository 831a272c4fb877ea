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
  mcpi_buf_trim(&outbox->queue, outbox->keep);
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

static int queue_parts(mcpi_outbox *outbox, const struct iovec *parts,
                       int count) {
  mcpi_buf *queue = &outbox->queue;
  compact(outbox);
  size_t before = queue->len;
  for (int i = 0; i < count; i++) {
    mcpi_buf_put(queue, parts[i].iov_base, parts[i].iov_len);
  }
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

/* struct iovec is also for reading, so its pointer is not const. */
static void make_parts(struct iovec parts[2], const char *message, size_t len) {
  static char line_feed[] = "\n";
  parts[0] = (struct iovec){(void *)(uintptr_t)message, len};
  parts[1] = (struct iovec){line_feed, 1};
}

int mcpi_outbox_queue(mcpi_outbox *outbox, const char *message, size_t len) {
  struct iovec parts[2];
  make_parts(parts, message, len);
  return outbox_has_room(outbox, len) ? queue_parts(outbox, parts, 2)
                                      : MCP_ERR_LIMIT;
}

/* --- writing ------------------------------------------------------------- */

/* Skips what has been written. */
static void outbox_advance(struct iovec parts[2], size_t written) {
  for (int i = 0; i < 2; i++) {
    size_t step = written < parts[i].iov_len ? written : parts[i].iov_len;
    parts[i].iov_base = (char *)parts[i].iov_base + step;
    parts[i].iov_len -= step;
    written -= step;
  }
}

int mcpi_outbox_write(mcpi_outbox *outbox, const char *message, size_t len) {
  struct iovec parts[2];
  make_parts(parts, message, len);
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
  outbox_advance(parts, written > 0 ? (size_t)written : 0);
  int rc = queue_parts(outbox, parts, 2);
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
