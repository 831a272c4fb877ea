/* SPDX-License-Identifier: MIT */
/* Lines to a descriptor whose reader may not read: writing never waits. Lines
 * that cannot be written are left out completely and counted; the count is
 * written as soon as there is room. Any thread may write. */
#ifndef MCPI_MAIN_LOG_SINK_H
#define MCPI_MAIN_LOG_SINK_H

#include "base/buf.h"
#include "platform/fd_write.h"
#include "platform/uv_loop.h"
#include <uv.h>

typedef enum mcpi_log_sink_kind {
  MCPI_LOG_FILE,   /* takes everything at once */
  MCPI_LOG_OWN,    /* O_NONBLOCK, on our own open file description */
  MCPI_LOG_SOCKET, /* each write has a flag that it must not wait */
  MCPI_LOG_SHARED  /* others share its flags: it is polled before each write */
} mcpi_log_sink_kind;

typedef struct mcpi_log_watch mcpi_log_watch;

typedef struct mcpi_log_sink {
  int fd;
  int owns_fd;
  mcpi_log_sink_kind kind;
  mcpi_fd_writer writer;
  uv_mutex_t lock;
  mcpi_buf rest;   /* the rest of a line that has been written in part */
  mcpi_buf notice; /* for assembling a notice */
  uint64_t lost;   /* lines lost since the last notice */
  /* Appends the line that reports lost lines. */
  void (*put_notice)(mcpi_buf *out, uint64_t lost);
  mcpi_log_watch *watch; /* NULL: not attached */
} mcpi_log_sink;

/* The descriptor is taken, on failure too, unless it is standard error. Returns
 * 0 or MCP_ERR_NOMEM. */
int mcpi_log_sink_init(mcpi_log_sink *sink, int fd,
                       void (*put_notice)(mcpi_buf *out, uint64_t lost));
/* Writes what it can without waiting. */
void mcpi_log_sink_deinit(mcpi_log_sink *sink);

/* With a loop, waiting lines are written when there is room again, and not only
 * with the next line. On the loop's thread. Without memory, or if the
 * descriptor cannot be polled, nothing changes. */
void mcpi_log_sink_attach(mcpi_log_sink *sink, mcpi_uv *uv);
void mcpi_log_sink_detach(mcpi_log_sink *sink);

/* Writes a line, with its line feed. */
void mcpi_log_sink_put(mcpi_log_sink *sink, const char *line, size_t len);

#endif
