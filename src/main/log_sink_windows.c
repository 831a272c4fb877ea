/* SPDX-License-Identifier: MIT */
/* Lines to a descriptor. On Windows a write to a pipe or a console waits until
 * its reader takes the bytes: a handle cannot be asked for room without
 * changing it for everyone who shares it. */
#include "main/log_sink.h"

#include "platform/descriptors.h"

enum { STANDARD_ERROR = 2 };

/* Returns 1: all of it was written. */
static int log_sink_write(mcpi_log_sink *sink, const char *bytes, size_t len) {
  while (len > 0) {
    struct iovec part = {(void *)(uintptr_t)bytes, len};
    ssize_t written = mcpi_fd_write(&sink->writer, &part, 1);
    if (written <= 0) {
      return 0;
    }
    bytes += written;
    len -= (size_t)written;
  }
  return 1;
}

static int log_sink_catch_up(mcpi_log_sink *sink) {
  if (sink->lost == 0) {
    return 1;
  }
  mcpi_buf_clear(&sink->notice);
  sink->put_notice(&sink->notice, sink->lost);
  if (!log_sink_write(sink, sink->notice.data, sink->notice.len)) {
    return 0;
  }
  sink->lost = 0;
  return 1;
}

void mcpi_log_sink_put(mcpi_log_sink *sink, const char *line, size_t len) {
  uv_mutex_lock(&sink->lock);
  if (!log_sink_catch_up(sink) || !log_sink_write(sink, line, len)) {
    sink->lost++;
  }
  uv_mutex_unlock(&sink->lock);
}

void mcpi_log_sink_attach(mcpi_log_sink *sink, mcpi_uv *uv) {
  (void)sink;
  (void)uv;
}

void mcpi_log_sink_detach(mcpi_log_sink *sink) {
  (void)sink;
}

int mcpi_log_sink_init(mcpi_log_sink *sink, int fd,
                       void (*put_notice)(mcpi_buf *out, uint64_t lost)) {
  *sink = (mcpi_log_sink){.fd = fd,
                          .owns_fd = fd != STANDARD_ERROR,
                          .kind = MCPI_LOG_FILE,
                          .put_notice = put_notice};
  if (uv_mutex_init(&sink->lock) != 0) {
    if (sink->owns_fd) {
      mcpi_fd_close(fd);
    }
    return MCP_ERR_NOMEM;
  }
  mcpi_buf_init(&sink->rest, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&sink->notice, mcp_allocator_default(), SIZE_MAX);
  mcpi_fd_writer_init(&sink->writer, fd);
  return 0;
}

void mcpi_log_sink_deinit(mcpi_log_sink *sink) {
  uv_mutex_lock(&sink->lock);
  log_sink_catch_up(sink);
  uv_mutex_unlock(&sink->lock);
  mcpi_buf_deinit(&sink->rest);
  mcpi_buf_deinit(&sink->notice);
  uv_mutex_destroy(&sink->lock);
  if (sink->owns_fd) {
    mcpi_fd_close(sink->fd);
  }
}
