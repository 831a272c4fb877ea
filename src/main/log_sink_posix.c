/* SPDX-License-Identifier: MIT */
/* Lines to a descriptor whose reader may not read.
 *
 * Every process that has standard error, such as the shell, shares its flags,
 * so O_NONBLOCK must not be set there. A pipe or terminal is opened again
 * through /proc, which gives a description with its own flags. */
#include "main/log_sink.h"

#include "platform/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The handles of a loop; freed when both are closed. */
struct mcpi_log_watch {
  mcpi_log_sink *sink; /* NULL: detached */
  mcpi_uv *uv;
  uv_async_t wake; /* a thread has left something to write */
  uv_poll_t poll;
  int open_handles;
};

/* --- writing ------------------------------------------------------------- */

/* A SIGPIPE would end the process if the program has set it so. */
static ssize_t write_quietly(mcpi_log_sink *sink, const char *bytes,
                             size_t len) {
  struct iovec part = {(void *)(uintptr_t)bytes, len};
  return mcpi_fd_write(&sink->writer, &part, 1);
}

static ssize_t write_shared(mcpi_log_sink *sink, const char *bytes,
                            size_t len) {
  struct pollfd ready = {.fd = sink->fd, .events = POLLOUT};
  if (poll(&ready, 1, 0) != 1) {
    errno = EAGAIN;
    return -1;
  }
  return write_quietly(sink, bytes, len < PIPE_BUF ? len : PIPE_BUF);
}

static ssize_t write_once(mcpi_log_sink *sink, const char *bytes, size_t len) {
  switch (sink->kind) {
  case MCPI_LOG_SOCKET:
    return mcpi_sock_write_now(sink->fd, bytes, len);
  case MCPI_LOG_SHARED:
    return write_shared(sink, bytes, len);
  default:
    return write_quietly(sink, bytes, len);
  }
}

/* Returns how much was written; the rest must wait, or nobody reads it. */
static size_t log_sink_write_some(mcpi_log_sink *sink, const char *bytes,
                                  size_t len, int *is_broken) {
  size_t done = 0;
  *is_broken = 0;
  while (done < len) {
    ssize_t written = write_once(sink, bytes + done, len - done);
    if (written >= 0) {
      done += (size_t)written;
    } else if (errno != EINTR) {
      *is_broken = errno != EAGAIN;
      break;
    }
  }
  return done;
}

/* Returns 1: the line has been written, or will be: its rest waits. */
static int put_whole(mcpi_log_sink *sink, const char *line, size_t len) {
  int is_broken;
  size_t done = log_sink_write_some(sink, line, len, &is_broken);
  if (done == 0 || is_broken) {
    return 0;
  }
  mcpi_buf_put(&sink->rest, line + done, len - done);
  if (sink->rest.error != 0) {
    /* A partial line is better than waiting forever. */
    mcpi_buf_clear(&sink->rest);
  }
  return 1;
}

/* Writes what waits. Returns 1: nothing waits any longer. */
static int catch_up(mcpi_log_sink *sink) {
  int is_broken = 0;
  if (sink->rest.len > 0) {
    size_t done =
        log_sink_write_some(sink, sink->rest.data, sink->rest.len, &is_broken);
    mcpi_buf_drop(&sink->rest, is_broken ? sink->rest.len : done);
  }
  if (sink->rest.len > 0 || is_broken) {
    return 0;
  }
  mcpi_buf_recycle(&sink->rest, 0);
  if (sink->lost > 0) {
    mcpi_buf_clear(&sink->notice);
    sink->put_notice(&sink->notice, sink->lost);
    if (!put_whole(sink, sink->notice.data, sink->notice.len)) {
      return 0;
    }
    sink->lost = 0;
  }
  return sink->rest.len == 0;
}

void mcpi_log_sink_put(mcpi_log_sink *sink, const char *line, size_t len) {
  uv_mutex_lock(&sink->lock);
  if (!catch_up(sink) || !put_whole(sink, line, len)) {
    sink->lost++;
  }
  if (sink->watch != NULL && (sink->rest.len > 0 || sink->lost > 0)) {
    uv_async_send(&sink->watch->wake);
  }
  uv_mutex_unlock(&sink->lock);
}

/* --- waiting for room ---------------------------------------------------- */

static void log_sink_on_closed(uv_handle_t *handle) {
  mcpi_log_watch *watch = handle->data;
  mcpi_uv *uv = watch->uv;
  if (--watch->open_handles == 0) {
    mcpi_free(&uv->allocator, watch, sizeof(*watch));
    mcpi_uv_drop(uv);
  }
}

/* Polls again only after a line that had to wait: a pipe that nobody reads any
 * longer is always ready. */
static void log_sink_on_writable(uv_poll_t *poll, int status, int events) {
  mcpi_log_sink *sink = ((mcpi_log_watch *)poll->data)->sink;
  (void)events;
  uv_mutex_lock(&sink->lock);
  if (status != 0 || catch_up(sink) || sink->rest.len == 0) {
    uv_poll_stop(poll);
  }
  uv_mutex_unlock(&sink->lock);
}

static void log_sink_on_wake(uv_async_t *wake) {
  mcpi_log_watch *watch = wake->data;
  if (watch->sink != NULL) {
    uv_poll_start(&watch->poll, UV_WRITABLE, log_sink_on_writable);
  }
}

static mcpi_log_watch *watch_new(mcpi_uv *uv, int fd) {
  mcpi_log_watch *watch = mcpi_calloc(&uv->allocator, 1, sizeof(*watch));
  if (watch == NULL) {
    return NULL;
  }
  if (uv_poll_init(uv->uv, &watch->poll, fd) != 0) {
    mcpi_free(&uv->allocator, watch, sizeof(*watch));
    return NULL;
  }
  watch->uv = uv;
  watch->poll.data = watch;
  watch->wake.data = watch;
  watch->open_handles = 1;
  mcpi_uv_hold(uv);
  uv_unref((uv_handle_t *)&watch->poll);
  if (uv_async_init(uv->uv, &watch->wake, log_sink_on_wake) != 0) {
    uv_close((uv_handle_t *)&watch->poll, log_sink_on_closed);
    return NULL;
  }
  watch->open_handles = 2;
  uv_unref((uv_handle_t *)&watch->wake);
  return watch;
}

void mcpi_log_sink_attach(mcpi_log_sink *sink, mcpi_uv *uv) {
  /* libuv sets O_NONBLOCK on descriptors that it polls */
  if (sink->kind != MCPI_LOG_OWN || sink->watch != NULL) {
    return;
  }
  mcpi_log_watch *watch = watch_new(uv, sink->fd);
  if (watch != NULL) {
    watch->sink = sink;
    uv_mutex_lock(&sink->lock);
    sink->watch = watch;
    uv_mutex_unlock(&sink->lock);
  }
}

void mcpi_log_sink_detach(mcpi_log_sink *sink) {
  uv_mutex_lock(&sink->lock);
  mcpi_log_watch *watch = sink->watch;
  sink->watch = NULL;
  uv_mutex_unlock(&sink->lock);
  if (watch != NULL) {
    watch->sink = NULL;
    uv_close((uv_handle_t *)&watch->poll, log_sink_on_closed);
    uv_close((uv_handle_t *)&watch->wake, log_sink_on_closed);
  }
}

/* --- life ---------------------------------------------------------------- */

/* Opens the same pipe or terminal with its own flags; -1: that is not
 * possible. */
static int open_again(int fd) {
  char path[32];
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static void use_own_flags(mcpi_log_sink *sink) {
  int own = open_again(sink->fd);
  if (own < 0) {
    sink->kind = MCPI_LOG_SHARED;
    return;
  }
  if (sink->owns_fd) {
    close(sink->fd);
  }
  sink->fd = own;
  sink->owns_fd = 1;
  sink->kind = MCPI_LOG_OWN;
}

int mcpi_log_sink_init(mcpi_log_sink *sink, int fd,
                       void (*put_notice)(mcpi_buf *out, uint64_t lost)) {
  struct stat status;
  *sink = (mcpi_log_sink){
      .fd = fd, .owns_fd = fd != STDERR_FILENO, .put_notice = put_notice};
  if (uv_mutex_init(&sink->lock) != 0) {
    if (sink->owns_fd) {
      close(fd);
    }
    return MCP_ERR_NOMEM;
  }
  mcpi_buf_init(&sink->rest, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&sink->notice, mcp_allocator_default(), SIZE_MAX);
  if (fstat(fd, &status) != 0 || S_ISREG(status.st_mode)) {
    sink->kind = MCPI_LOG_FILE;
  } else if (S_ISSOCK(status.st_mode)) {
    sink->kind = MCPI_LOG_SOCKET;
  } else {
    use_own_flags(sink);
  }
  mcpi_fd_writer_init(&sink->writer, sink->fd);
  return 0;
}

void mcpi_log_sink_deinit(mcpi_log_sink *sink) {
  mcpi_log_sink_detach(sink);
  uv_mutex_lock(&sink->lock);
  catch_up(sink);
  uv_mutex_unlock(&sink->lock);
  mcpi_buf_deinit(&sink->rest);
  mcpi_buf_deinit(&sink->notice);
  uv_mutex_destroy(&sink->lock);
  if (sink->owns_fd) {
    close(sink->fd);
  }
}
