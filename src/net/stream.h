/* SPDX-License-Identifier: MIT */
/* Messages as lines over two descriptors: what stdio, child processes and byte
 * streams share (MCP, Transports: stdio).
 *
 *     read_fd -> mcpi_lines -> on_line
 *     mcpi_stream_send -> [what could not be written yet] -> write_fd
 *
 *     OPEN --on_end--> INPUT_ENDED --close--> FLUSHING --all written--> CLOSED
 *      \____________________________close______/              ^
 *       \________________ reading or writing failed __________/
 *
 * On POSIX the ends are polled, read and written directly (platform/ends.h):
 * libuv's streams abort on a descriptor that cannot be polled, raise SIGPIPE,
 * and leave O_NONBLOCK on descriptors that other processes share. */
#ifndef MCPI_NET_STREAM_H
#define MCPI_NET_STREAM_H

#include "core/quota.h"
#include <mcp/transport.h>

typedef struct mcpi_stream mcpi_stream;

/* Copies what a program gives as the member `stream` of other options; NULL:
 * the defaults. 0, or MCP_ERR_INVALID when its size is not set. */
int mcpi_stream_options_copy(mcp_stream_options *out,
                             const mcp_stream_options *given, mcp_error *err);

/* All calls may send on the stream, close it, or free it. */
typedef struct mcpi_stream_events {
  /* Borrowed until return. */
  void (*on_line)(void *owner, const char *line, size_t len);
  /* A line was lost; reading continues. */
  void (*on_error)(void *owner, const mcp_error *err);
  /* The input has ended; sending continues. */
  void (*on_end)(void *owner);
  /* Both descriptors are closed; the last call. err: NULL after
   * mcpi_stream_close. */
  void (*on_close)(void *owner, const mcp_error *err);
} mcpi_stream_events;

typedef struct mcpi_stream_spec {
  int read_fd;
  int write_fd; /* different from read_fd, or a duplicate */
  int is_socket;
  mcp_stream_options options;
  /* Lines and answers that wait count for the client of this share (copied),
   * and an idle stream keeps little memory for them. NULL: they do not
   * count. */
  const mcpi_share *like;
  /* Limits the time of a line that has begun, and the time that a peer may read
   * nothing while bytes wait for it, in milliseconds; 0: no limit. */
  uint32_t line_ms;
  uint32_t write_ms;
  const mcpi_stream_events *events; /* borrowed until mcpi_stream_free */
  void *owner;
} mcpi_stream_spec;

/* Takes the descriptors. On failure they still belong to the caller. NULL on
 * failure: MCP_ERR_INVALID (the loop does not run on libuv), MCP_ERR_IO,
 * MCP_ERR_NOMEM. */
mcpi_stream *mcpi_stream_new(mcp_loop *loop, const mcpi_stream_spec *spec,
                             mcp_error *err);
/* Begins to read. Returns 0, or MCP_ERR_IO: then on_close does not come. */
int mcpi_stream_start(mcpi_stream *stream, mcp_error *err);
/* As mcp_transport.send. */
int mcpi_stream_send(mcpi_stream *stream, const char *message, size_t len);
/* Returns the bytes that wait to be written. */
size_t mcpi_stream_queued(const mcpi_stream *stream);
/* Stops reading, writes waiting bytes, and then calls on_close, perhaps before
 * it returns. */
void mcpi_stream_close(mcpi_stream *stream);
/* Writes waiting bytes and closes write_fd; reading continues. */
void mcpi_stream_shut(mcpi_stream *stream);
/* Closes everything at once, and makes no further calls. NULL is accepted. */
void mcpi_stream_free(mcpi_stream *stream);

#endif
