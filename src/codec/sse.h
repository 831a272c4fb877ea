/* SPDX-License-Identifier: MIT */
/* Server-sent events (PROTOCOL 3.2; WHATWG HTML, 9.2.6): bytes in any cut,
 * whole events out, and the way back.
 *
 * Departures: `data:` alone makes an event of its own there, with empty data;
 * in MCP it is the priming event, which is no message. Bytes are handed on as
 * they are: whether they are UTF-8 is for the JSON reader to say. */
#ifndef MCPI_CODEC_SSE_H
#define MCPI_CODEC_SSE_H

#include "base/buf.h"

/* --- reading ------------------------------------------------------------ */

typedef struct mcpi_sse_event {
  mcpi_str name; /* "message" when the stream gives none */
  mcpi_str data;
  mcpi_str id;  /* the last one of the stream; empty: none */
  int has_id;   /* it came with this event, and may be empty */
  int has_data; /* there was a data line, perhaps an empty one */
} mcpi_sse_event;

typedef struct mcpi_sse_reader {
  /* The last retry time that was told, in milliseconds; -1: none. It counts
   * from its line on, even when no event follows. */
  int64_t retry_ms;
  size_t max_event;
  mcpi_buf partial; /* the beginning of a line whose end has not come */
  mcpi_buf data;    /* this event's data lines, unless `first` is all of them */
  mcpi_buf name;
  mcpi_buf id;      /* the last event's */
  mcpi_buf next_id; /* this event's */
  mcpi_str first;   /* the event's only data line, while it is not copied */
  int first_in;     /* where that lies */
  size_t used;      /* bytes of this event's lines so far */
  int bom_len;      /* bytes of the byte order mark that have come */
  int has_id;
  int has_data;
  int has_field;
  int is_after_cr; /* an LF now belongs to the CR before it */
  int is_in_line;  /* the line has begun, in partial or skipped */
  int is_skipping; /* the line is of no interest */
  int is_lost;     /* the event was reported as lost */
  int is_out;      /* the event was handed out */
} mcpi_sse_reader;

/* What mcpi_sse_next found. */
enum {
  MCPI_SSE_MORE = 0, /* all input is used up */
  MCPI_SSE_EVENT,
  MCPI_SSE_EMPTY,    /* an event without data: no message; see its id */
  MCPI_SSE_TOO_LONG, /* once for each such event, which is lost; an id that came
                        before its loss is the last id */
  MCPI_SSE_NOMEM     /* the event is lost; reading goes on behind it */
};

/* max_event: bytes that the lines of one event may have, without their ends;
 * comments do not count. */
MCP_API void mcpi_sse_reader_init(mcpi_sse_reader *reader,
                                  const mcp_allocator *allocator,
                                  size_t max_event);
MCP_API void mcpi_sse_reader_deinit(mcpi_sse_reader *reader);

/* Takes input from *bytes up to the end of one event and moves *bytes and *len
 * past it. The event is borrowed until the next call: its data points into the
 * input when it is one line that lies there whole. The reader may be freed
 * between two calls. Call until MCPI_SSE_MORE. What has not ended when the
 * stream ends is no event. */
MCP_API int mcpi_sse_next(mcpi_sse_reader *reader, const char **bytes,
                          size_t *len, mcpi_sse_event *event);

/* A new stream begins, which goes on from the one before: the last id and the
 * retry time are kept, an event that was not whole is dropped. */
MCP_API void mcpi_sse_restart(mcpi_sse_reader *reader);

/* What to send as Last-Event-ID; empty: nothing. Borrowed until the next call
 * of mcpi_sse_next. */
MCP_API mcpi_str mcpi_sse_last_id(const mcpi_sse_reader *reader);

/* --- writing ------------------------------------------------------------ */

/* Appends an event. id.ptr NULL: none; an empty one makes the client forget
 * the last. An empty name is none. Each line of the data (CR, LF or CRLF ends
 * one) becomes a data line; the reader has LF between them.
 * 0, or MCP_ERR_INVALID with nothing appended: a line break or NUL in id or
 * name. Look at buf->error for memory. */
int mcpi_sse_put_event(mcpi_buf *buf, mcpi_str id, mcpi_str name,
                       mcpi_str data);
/* The line alone: put it in front of an event. */
void mcpi_sse_put_retry(mcpi_buf *buf, uint32_t retry_ms);
/* A line that readers ignore. 0, or MCP_ERR_INVALID: a line break in it. */
int mcpi_sse_put_comment(mcpi_buf *buf, mcpi_str text);

#endif
