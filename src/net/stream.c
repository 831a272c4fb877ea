/* SPDX-License-Identifier: MIT */
/* Messages as lines over two descriptors. */
#include "net/stream.h"

#include "base/error.h"
#include "base/list.h"
#include "base/widen.h"
#include "codec/lines.h"
#include "net/outbox.h"
#include "platform/ends.h"
#include "platform/uv_loop.h"

#include <errno.h>
#include <string.h>

enum {
  /* Replies to the lines of one chunk are held back, and written together when
   * the chunk has been handled, ... */
  CORK_BYTES = 64 * 1024, /* ... when they have this many bytes, ... */
  CORK_NS = 1000 * 1000,  /* ... or when the first one has waited this long */
  /* While the stream closes: if a peer reads nothing for this time, the bytes
   * that still wait are dropped. */
  FLUSH_WAIT_MS = 5000,
  /* The memory that lines and outbox each keep when idle, if the stream has a
   * share: there may be a thousand idle streams. */
  SHARED_KEPT = 8 * 1024
};

/* The limit of replies that wait for a peer that does not read. */
static const size_t default_max_queue = (size_t)64 * 1024 * 1024;

typedef enum state { NEW, OPEN, INPUT_ENDED, FLUSHING, CLOSED } state;

struct mcpi_stream {
  mcpi_uv *uv;
  const mcpi_stream_events *events; /* NULL: freed, waiting for its handles */
  void *owner;
  state state;
  uint32_t open_handles;

  mcpi_end read_end;
  /* Runs each turn of the loop. Reads a descriptor that cannot be polled, since
   * it is always ready; and ends a stream whose writing has failed. */
  uv_idle_t each_turn;
  mcpi_lines lines;

  mcpi_end write_end;
  int is_blocked; /* write_end reports when writing can continue */
  uv_timer_t flush_limit;
  mcpi_timer line_limit;  /* runs while a line is incomplete */
  mcpi_timer write_limit; /* runs while bytes wait, from the last write */
  uint32_t line_ms;
  uint32_t write_ms;
  mcpi_outbox outbox;
  mcpi_share share; /* all zero: nothing is counted */
  /* The allocator of lines and outbox; the share's, if there is one. */
  mcp_allocator memory;
  int is_corked;
  uint64_t corked_ns; /* when the first byte was held back */
  int wants_shut;
  mcp_error failure; /* why writing failed; code 0: it has not */
};

/* --- the end ------------------------------------------------------------- */

static void stream_destroy(mcpi_stream *stream) {
  mcpi_uv *uv = stream->uv;
  mcpi_lines_deinit(&stream->lines);
  mcpi_outbox_deinit(&stream->outbox);
  mcpi_share_deinit(&stream->share);
  mcpi_free(&uv->allocator, stream, sizeof(*stream));
  mcpi_uv_drop(uv);
}

static void stream_drop_handle(mcpi_stream *stream) {
  if (--stream->open_handles == 0 && stream->events == NULL) {
    stream_destroy(stream);
  }
}

static void stream_on_handle_closed(uv_handle_t *handle) {
  stream_drop_handle(handle->data);
}

static void read_on_closed(mcpi_end *end) {
  stream_drop_handle(MCPI_CONTAINER(end, mcpi_stream, read_end));
}

static void write_on_closed(mcpi_end *end) {
  stream_drop_handle(MCPI_CONTAINER(end, mcpi_stream, write_end));
}

static void stream_close_handle(void *handle) {
  uv_close(handle, stream_on_handle_closed);
}

static void close_write_side(mcpi_stream *stream) {
  mcpi_loop_stop_timer(stream->uv->loop, &stream->write_limit);
  stream->is_blocked = 0;
  mcpi_end_close(&stream->write_end);
  /* reading may continue, on the same open file */
  mcpi_end_set_again(&stream->read_end);
}

static void stream_close_all(mcpi_stream *stream) {
  stream->state = CLOSED;
  mcpi_loop_stop_timer(stream->uv->loop, &stream->line_limit);
  mcpi_loop_stop_timer(stream->uv->loop, &stream->write_limit);
  mcpi_outbox_clear(&stream->outbox);
  close_write_side(stream);
  mcpi_end_close(&stream->read_end);
  stream_close_handle(&stream->each_turn);
  stream_close_handle(&stream->flush_limit);
}

static void stream_finish(mcpi_stream *stream, const mcp_error *err) {
  stream_close_all(stream);
  stream->events->on_close(stream->owner, err);
}

static int stream_is_live(const mcpi_stream *stream) {
  return stream->state != NEW && stream->state != CLOSED;
}

void mcpi_stream_free(mcpi_stream *stream) {
  if (stream == NULL) {
    return;
  }
  if (stream_is_live(stream)) {
    stream_close_all(stream);
  } else if (stream->state == NEW) {
    mcpi_end_close(&stream->write_end);
    mcpi_end_close(&stream->read_end);
  }
  stream->events = NULL;
  if (stream->open_handles == 0) {
    stream_destroy(stream);
  }
}

/* --- patience ------------------------------------------------------------ */

static void on_line_limit(mcpi_timer *timer) {
  mcpi_stream *stream = MCPI_CONTAINER(timer, mcpi_stream, line_limit);
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_TIMEOUT,
                "a line did not end within %lu ms (line_ms)",
                (unsigned long)stream->line_ms);
  stream_finish(stream, &err);
}

static void on_write_limit(mcpi_timer *timer) {
  mcpi_stream *stream = MCPI_CONTAINER(timer, mcpi_stream, write_limit);
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_TIMEOUT,
                "the peer read nothing of %zu bytes for %lu ms (write_ms)",
                mcpi_stream_queued(stream), (unsigned long)stream->write_ms);
  stream_finish(stream, &err);
}

/* Without memory for a timer there is no limit. */
static void run_limit(mcpi_stream *stream, mcpi_timer *timer, uint32_t ms) {
  if (ms != 0) {
    mcpi_loop_start_timer(stream->uv->loop, timer, ms);
  }
}

/* If a line has ended in the chunk, a partial line belongs to a newer one. */
static void watch_half_line(mcpi_stream *stream, mcpi_str chunk) {
  if (!mcpi_lines_has_half(&stream->lines)) {
    mcpi_loop_stop_timer(stream->uv->loop, &stream->line_limit);
  } else if (!mcpi_timer_is_running(&stream->line_limit) ||
             memchr(chunk.ptr, '\n', chunk.len) != NULL) {
    run_limit(stream, &stream->line_limit, stream->line_ms);
  }
}

/* --- writing ------------------------------------------------------------- */

size_t mcpi_stream_queued(const mcpi_stream *stream) {
  return mcpi_outbox_waiting(&stream->outbox) +
         mcpi_end_unwritten(&stream->write_end);
}

static void stream_on_turn(uv_idle_t *idle);

/* The stream still reads the bytes that the peer sent before it left. It
 * reports the end in a later turn, because a sender does not expect that inside
 * its call. */
static int fail_writing(mcpi_stream *stream) {
  mcpi_io_error(&stream->failure, errno, "cannot write");
  mcpi_outbox_clear(&stream->outbox);
  close_write_side(stream);
  uv_idle_start(&stream->each_turn, stream_on_turn);
  return MCP_ERR_CLOSED;
}

/* A file is not read meanwhile: nobody waits for that, so it costs no memory. A
 * peer is read: it may write all its requests before it reads. */
static void wait_until_writable(mcpi_stream *stream) {
  stream->is_blocked = 1;
  mcpi_end_watch(&stream->write_end);
  run_limit(stream, &stream->write_limit, stream->write_ms);
  if (!stream->read_end.is_polled) {
    uv_idle_stop(&stream->each_turn);
  }
}

static void stream_stop_waiting(mcpi_stream *stream) {
  stream->is_blocked = 0;
  mcpi_end_unwatch(&stream->write_end);
  mcpi_loop_stop_timer(stream->uv->loop, &stream->write_limit);
  if (stream->state == OPEN && !stream->read_end.is_polled) {
    uv_idle_start(&stream->each_turn, stream_on_turn);
  }
}

/* As mcpi_outbox_flush, and also looks at bytes that have left the queue and
 * were to be written in the background: no later write may come that would find
 * their error. */
static int flush_outbox(mcpi_stream *stream) {
  int rc = mcpi_outbox_flush(&stream->outbox);
  int error = mcpi_end_write_error(&stream->write_end);
  if (rc == 0 && error != 0) {
    errno = error;
    return MCP_ERR_IO;
  }
  if (rc == 0 && mcpi_end_unwritten(&stream->write_end) > 0) {
    return MCP_ERR_BUSY;
  }
  return rc;
}

static void stream_flush(mcpi_stream *stream) {
  if (stream->is_blocked || stream->write_end.is_closed) {
    return;
  }
  int rc = flush_outbox(stream);
  if (rc == MCP_ERR_BUSY && stream->write_end.is_polled) {
    wait_until_writable(stream);
  } else if (rc != 0) {
    fail_writing(stream);
  }
}

static void on_flush_limit(uv_timer_t *timer) {
  mcpi_stream *stream = timer->data;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_TIMEOUT,
                "the peer did not read the last %zu bytes",
                mcpi_stream_queued(stream));
  mcpi_uv_enter(stream->uv);
  stream_finish(stream, &err);
  mcpi_uv_leave(stream->uv);
}

/* Continues with a requested end. */
static void advance_end(mcpi_stream *stream) {
  if (stream->failure.code != 0) {
    return; /* each_turn ends it */
  }
  int is_empty = mcpi_stream_queued(stream) == 0;
  if (is_empty && stream->wants_shut) {
    close_write_side(stream);
  }
  if (stream->state != FLUSHING) {
    return;
  }
  if (is_empty) {
    stream_finish(stream, NULL);
  } else { /* the peer reads: the limit counts from here */
    uv_update_time(stream->uv->uv);
    uv_timer_start(&stream->flush_limit, on_flush_limit, FLUSH_WAIT_MS, 0);
  }
}

static void stream_on_writable(mcpi_end *end, int failed) {
  mcpi_stream *stream = MCPI_CONTAINER(end, mcpi_stream, write_end);
  (void)failed; /* the write shows what is wrong */
  mcpi_uv_enter(stream->uv);
  stream_stop_waiting(stream);
  stream_flush(stream);
  advance_end(stream);
  mcpi_uv_leave(stream->uv);
}

static int stream_is_cork_due(const mcpi_stream *stream) {
  return mcpi_stream_queued(stream) >= CORK_BYTES ||
         uv_hrtime() - stream->corked_ns >= CORK_NS;
}

static void flush_cork_if_due(mcpi_stream *stream) {
  if (mcpi_stream_queued(stream) > 0 && stream_is_cork_due(stream)) {
    stream_flush(stream);
  }
}

static int hold_back(mcpi_stream *stream, const char *message, size_t len) {
  int is_first = mcpi_stream_queued(stream) == 0;
  int rc = mcpi_outbox_queue(&stream->outbox, message, len);
  if (is_first) {
    stream->corked_ns = uv_hrtime();
  } else if (rc == 0) {
    flush_cork_if_due(stream);
  }
  return rc;
}

static int write_now(mcpi_stream *stream, const char *message, size_t len) {
  int rc = mcpi_outbox_write(&stream->outbox, message, len);
  if (rc == MCP_ERR_IO) {
    return fail_writing(stream);
  }
  if (mcpi_stream_queued(stream) > 0) {
    stream_flush(stream);
  }
  return rc;
}

int mcpi_stream_send(mcpi_stream *stream, const char *message, size_t len) {
  if ((stream->state != OPEN && stream->state != INPUT_ENDED) ||
      stream->write_end.is_closed || stream->wants_shut) {
    return MCP_ERR_CLOSED;
  }
  /* Bytes that wait must go first. */
  if (stream->is_corked || mcpi_stream_queued(stream) > 0) {
    return hold_back(stream, message, len);
  }
  return write_now(stream, message, len);
}

/* --- reading ------------------------------------------------------------- */

static int is_reading(const mcpi_stream *stream) {
  return stream->state == OPEN;
}

static void stop_reading(mcpi_stream *stream) {
  if (stream->read_end.is_polled) {
    mcpi_end_unwatch(&stream->read_end);
  }
  /* after a failure each_turn still has to end the stream */
  if (stream->failure.code == 0) {
    uv_idle_stop(&stream->each_turn);
  }
  mcpi_loop_stop_timer(stream->uv->loop, &stream->line_limit);
}

static void tell_lost_line(mcpi_stream *stream, int what) {
  mcp_error err;
  if (what == MCPI_LINES_TOO_LONG) {
    mcp_error_set(&err, MCP_ERR_LIMIT, "a line is longer than %zu bytes",
                  stream->lines.max_line);
  } else {
    mcp_error_set(&err, MCP_ERR_NOMEM, "out of memory for a line");
  }
  stream->events->on_error(stream->owner, &err);
}

static void stream_deliver(mcpi_stream *stream, int what, mcpi_str line) {
  if (what == MCPI_LINES_LINE) {
    stream->events->on_line(stream->owner, line.ptr, line.len);
  } else {
    tell_lost_line(stream, what);
  }
}

/* Replies to requests that came together are sent together: pipelined requests
 * cost one write. */
static void cork(mcpi_stream *stream) {
  stream->is_corked = 1;
}

static void uncork(mcpi_stream *stream) {
  stream->is_corked = 0;
  if (stream_is_live(stream)) {
    stream_flush(stream);
  }
}

static void take_lines(mcpi_stream *stream, const char *bytes, size_t len) {
  const mcpi_str chunk = mcpi_str_n(bytes, len);
  mcpi_str line;
  int what;
  cork(stream);
  while (is_reading(stream) &&
         (what = mcpi_lines_next(&stream->lines, &bytes, &len, &line)) !=
             MCPI_LINES_MORE) {
    flush_cork_if_due(stream);
    stream_deliver(stream, what, line);
  }
  uncork(stream);
  if (is_reading(stream)) {
    watch_half_line(stream, chunk);
  }
}

static void take_last_line(mcpi_stream *stream) {
  mcpi_str line;
  int what = mcpi_lines_finish(&stream->lines, &line);
  if (what != MCPI_LINES_MORE) {
    cork(stream);
    stream_deliver(stream, what, line);
    uncork(stream);
  }
}

static void stream_end_input(mcpi_stream *stream) {
  stop_reading(stream);
  take_last_line(stream);
  if (is_reading(stream)) {
    stream->state = INPUT_ENDED;
    stream->events->on_end(stream->owner);
  }
}

static void fail_reading(mcpi_stream *stream, int error) {
  mcp_error err;
  mcpi_io_error(&err, error, "cannot read");
  stream_finish(stream, &err);
}

/* A terminal that hangs up, or a pseudo terminal whose other end closes, reads
 * as EIO. */
static int is_end_of_input(ssize_t got) {
  return got == 0 || (got < 0 && (errno == EIO || errno == ECONNRESET));
}

/* Reads one chunk: other descriptors get their turn before the next. Returns 0:
 * there is nothing to read. */
static int read_chunk(mcpi_stream *stream) {
  char *buffer = mcpi_uv_read_buffer(stream->uv);
  if (buffer == NULL) {
    fail_reading(stream, ENOMEM);
    return 1;
  }
  ssize_t got = mcpi_end_read(&stream->read_end, buffer, MCPI_READ_SIZE);
  if (got > 0) {
    take_lines(stream, buffer, (size_t)got);
  } else if (is_end_of_input(got)) {
    stream_end_input(stream);
  } else if (errno == EAGAIN || errno == EINTR) {
    return 0;
  } else {
    fail_reading(stream, errno);
  }
  return 1;
}

/* The read finds an error, but perhaps not this read: earlier bytes come first.
 * libuv then stops polling. */
static void on_readable(mcpi_end *end, int failed) {
  mcpi_stream *stream = MCPI_CONTAINER(end, mcpi_stream, read_end);
  mcpi_uv_enter(stream->uv);
  if (failed) {
    mcpi_end_watch(end);
  }
  read_chunk(stream);
  mcpi_uv_leave(stream->uv);
}

static void stream_on_turn(uv_idle_t *idle) {
  mcpi_stream *stream = idle->data;
  mcpi_uv_enter(stream->uv);
  int got = is_reading(stream) && read_chunk(stream);
  if (!got && stream_is_live(stream) && stream->failure.code != 0) {
    stream_finish(stream, &stream->failure);
  }
  mcpi_uv_leave(stream->uv);
}

/* --- the beginning ------------------------------------------------------- */

/* Called before anything is changed: both may be descriptors of one open
 * file. */
static int stream_init_ends(mcpi_stream *stream, const mcpi_stream_spec *spec,
                            mcp_error *err) {
  int error = mcpi_end_init(&stream->read_end, stream->uv, spec->read_fd,
                            spec->is_socket, MCPI_END_READ);
  if (error == 0) {
    error = mcpi_end_init(&stream->write_end, stream->uv, spec->write_fd,
                          spec->is_socket, MCPI_END_WRITE);
  }
  stream->read_end.on_ready = on_readable;
  stream->read_end.on_closed = read_on_closed;
  stream->write_end.on_ready = stream_on_writable;
  stream->write_end.on_closed = write_on_closed;
  return error == 0 ? 0 : mcpi_io_error(err, error, "cannot use a descriptor");
}

int mcpi_stream_options_copy(mcp_stream_options *out,
                             const mcp_stream_options *given, mcp_error *err) {
  mcp_error why;
  *out = (mcp_stream_options){.size = sizeof(*out)};
  if (given != NULL &&
      mcpi_widen(out, sizeof(*out), given, "mcp_stream_options", &why) != 0) {
    return mcp_error_set(err, why.code, "stream: %s", why.message);
  }
  return 0;
}

static void stream_init(mcpi_stream *stream, mcpi_uv *uv,
                        const mcpi_stream_spec *spec) {
  const mcp_stream_options *options = &spec->options;
  stream->uv = uv;
  stream->events = spec->events;
  stream->owner = spec->owner;
  stream->line_ms = spec->line_ms;
  stream->write_ms = spec->write_ms;
  stream->line_limit.on_due = on_line_limit;
  stream->write_limit.on_due = on_write_limit;
  stream->memory =
      spec->like != NULL ? mcpi_share_allocator(&stream->share) : uv->allocator;
  mcpi_lines_init(&stream->lines, &stream->memory,
                  options->max_line > 0 ? options->max_line
                                        : MCP_LINE_MAX_DEFAULT);
  mcpi_outbox_init(&stream->outbox, &stream->memory,
                   options->max_queue > 0 ? options->max_queue
                                          : default_max_queue);
  if (spec->like != NULL) {
    stream->lines.keep = SHARED_KEPT;
    stream->outbox.keep = SHARED_KEPT;
  }
}

mcpi_stream *mcpi_stream_new(mcp_loop *loop, const mcpi_stream_spec *spec,
                             mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  mcpi_stream *stream = mcpi_calloc(&uv->allocator, 1, sizeof(*stream));
  if (stream == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  stream_init(stream, uv, spec);
  if (stream_init_ends(stream, spec, err) != 0) {
    mcpi_free(&uv->allocator, stream, sizeof(*stream));
    return NULL;
  }
  if (spec->like != NULL) {
    mcpi_share_init_like(&stream->share, spec->like);
  }
  mcpi_uv_hold(uv);
  return stream;
}

static void stream_init_handles(mcpi_stream *stream) {
  uv_idle_init(stream->uv->uv, &stream->each_turn);
  uv_timer_init(stream->uv->uv, &stream->flush_limit);
  stream->each_turn.data = stream;
  stream->flush_limit.data = stream;
  stream->open_handles += 2;
}

/* Returns 0 or an errno value. */
static int stream_open_end(mcpi_stream *stream, mcpi_end *end) {
  int error = mcpi_end_open(end);
  stream->open_handles += end->is_open ? 1 : 0;
  return error;
}

int mcpi_stream_start(mcpi_stream *stream, mcp_error *err) {
  stream_init_handles(stream);
  int error = stream_open_end(stream, &stream->read_end);
  if (error == 0) {
    error = stream_open_end(stream, &stream->write_end);
  }
  if (error != 0) {
    stream_close_all(stream);
    return mcpi_io_error(err, error, "cannot poll a descriptor");
  }
  mcpi_end_init_writer(&stream->write_end, &stream->outbox.writer);
  stream->state = OPEN;
  if (stream->read_end.is_polled) {
    mcpi_end_watch(&stream->read_end);
  } else {
    uv_idle_start(&stream->each_turn, stream_on_turn);
  }
  return 0;
}

void mcpi_stream_close(mcpi_stream *stream) {
  if (stream->state != OPEN && stream->state != INPUT_ENDED) {
    return;
  }
  stream->state = FLUSHING;
  stop_reading(stream);
  stream_flush(stream);
  advance_end(stream);
}

void mcpi_stream_shut(mcpi_stream *stream) {
  stream->wants_shut = 1;
  if (stream_is_live(stream)) {
    stream_flush(stream);
    advance_end(stream);
  }
}
