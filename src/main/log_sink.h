/* SPDX-License-Identifier: MIT */
/* Lines to a descriptor whose far end may not read: writing never waits. Lines
 * that cannot be written are left out whole and counted; the count is written
 * as soon as there is room. Any thread may write. */
#ifndef MCPI_MAIN_LOG_SINK_H
#define MCPI_MAIN_LOG_SINK_H

#include "base/buf.h"
#include "net/fd_write.h"
#include "platform/uv_loop.h"
#include <uv.h>

typedef enum mcpi_log_sink_kind {
  MCPI_LOG_FILE,   /* takes everything at once */
  MCPI_LOG_OWN,    /* O_NONBLOCK, on an open file description of our own */
  MCPI_LOG_SOCKET, /* each write says that it does not wait */
  MCPI_LOG_SHARED  /* others share its flags: it is polled before each write */
} mcpi_log_sink_kind;

typedef struct mcpi_log_watch mcpi_log_watch;

typedef struct mcpi_log_sink {
  int fd;
  int owns_fd;
  mcpi_log_sink_kind kind;
  mcpi_fd_writer writer;
  uv_mutex_t lock;
  mcpi_buf rest;   /* of a line that has been written in part */
  mcpi_buf notice; /* while it is put together */
  uint64_t lost;   /* lines, since the last notice */
  /* Appends the line that says so. */
  void (*put_notice)(mcpi_buf *out, uint64_t lost);
  mcpi_log_watch *watch; /* NULL: not attached */
} mcpi_log_sink;

/* The descriptor is taken, on failure too, unless it is standard error. 0 or
 * MCP_ERR_NOMEM. */
int mcpi_log_sink_init(mcpi_log_sink *sink, int fd,
                       void (*put_notice)(mcpi_buf *out, uint64_t lost));
/* Writes what still goes without waiting. */
void mcpi_log_sink_deinit(mcpi_log_sink *sink);

/* With a loop, lines that wait are written when there is room again, and not
 * only with the next line. On the loop's thread. Without memory or where the
 * descriptor cannot be polled it stays as it is. */
void mcpi_log_sink_attach(mcpi_log_sink *sink, mcpi_uv *uv);
void mcpi_log_sink_detach(mcpi_log_sink *sink);

/* Writes a line, with its line feed. */
void mcpi_log_sink_put(mcpi_log_sink *sink, const char *line, size_t len);

#endif
