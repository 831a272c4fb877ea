/* SPDX-License-Identifier: MIT */
/* Server-sent events (WHATWG HTML, 9.2): reading them from input in any pieces,
 * and writing them.
 *
 * Departures: in HTML, `data:` alone makes an event with empty data; in MCP it
 * is the priming event, which is not a message. Invalid UTF-8 is not replaced:
 * the JSON reader refuses it. */
#ifndef MCPI_CODEC_SSE_H
#define MCPI_CODEC_SSE_H

#include "base/buf.h"

/* --- reading ------------------------------------------------------------ */

typedef struct mcpi_sse_event {
  mcpi_str name; /* "message" when the stream gives none */
  mcpi_str data;
  mcpi_str id;  /* the last id of the stream; empty: there is none */
  int has_id;   /* the id came with this event, and may be empty */
  int has_data; /* there was a data line, perhaps an empty one */
} mcpi_sse_event;

enum {
  MCPI_SSE_LINE_NONE = 0, /* nothing of it */
  MCPI_SSE_LINE_TAKEN,    /* its beginning, which is in `partial` */
  MCPI_SSE_LINE_SKIPPED   /* its beginning, and the rest is skipped */
};

/* open --> out --> open       the blank line comes; the next call
 *   |                         the event is too long, or memory runs out
 *   +----> lost ------> open  the blank line comes */
enum { MCPI_SSE_STATE_OPEN = 0, MCPI_SSE_STATE_OUT, MCPI_SSE_STATE_LOST };

typedef struct mcpi_sse_reader {
  /* The last retry time of the stream, in milliseconds; -1: there is none. Set
   * at its line, even when no event follows. */
  int64_t retry_ms;
  size_t max_event;
  mcpi_buf partial; /* the beginning of a cut line */
  mcpi_buf data;    /* this event's data lines, unless `first` is all of them */
  mcpi_buf name;
  mcpi_buf id;      /* the last event's */
  mcpi_buf next_id; /* this event's */
  mcpi_str first;   /* the event's only data line, while it is not copied */
  int first_in;     /* where that is */
  size_t used;      /* bytes of this event's lines so far */
  int bom_len;      /* bytes of the byte order mark that have come */
  int has_id;
  int has_data;
  int has_field;
  int is_after_cr; /* an LF now belongs to the CR before it */
  int line;        /* MCPI_SSE_LINE_*: what has been read of the current line */
  int state;       /* MCPI_SSE_STATE_*: of the event */
} mcpi_sse_reader;

/* What mcpi_sse_next found. */
enum {
  MCPI_SSE_MORE = 0, /* all input is used up */
  MCPI_SSE_EVENT,
  MCPI_SSE_EMPTY,    /* an event without data, which is not a message */
  MCPI_SSE_TOO_LONG, /* once for each such event, which is lost; an id that came
                        before its loss is the last id */
  MCPI_SSE_NOMEM     /* the event is lost; reading continues after it */
};

/* max_event: bytes that the lines of one event may have, without line ends and
 * comments. */
MCP_API void mcpi_sse_reader_init(mcpi_sse_reader *reader,
                                  const mcp_allocator *allocator,
                                  size_t max_event);
MCP_API void mcpi_sse_reader_deinit(mcpi_sse_reader *reader);

/* Takes input up to the end of one event, and moves *bytes and *len past it.
 * The event is borrowed until the next call: its data points into the input if
 * it is one line that is whole there. The reader may be freed between two
 * calls. Call until MCPI_SSE_MORE. An event that has not ended when the stream
 * ends is dropped. */
MCP_API int mcpi_sse_next(mcpi_sse_reader *reader, const char **bytes,
                          size_t *len, mcpi_sse_event *event);

/* Begins a new stream that continues the last one. Keeps the last id and the
 * retry time, and drops an event that was not whole. */
MCP_API void mcpi_sse_restart(mcpi_sse_reader *reader);

/* Returns what to send as Last-Event-ID; empty: do not send it. Borrowed until
 * the next call of mcpi_sse_next. */
MCP_API mcpi_str mcpi_sse_last_id(const mcpi_sse_reader *reader);

/* --- writing ------------------------------------------------------------ */

/* Appends an event. With a NULL id.ptr the event has no id; an empty id makes
 * the client forget the last one. With an empty name it has no name. Each line
 * of the data (which ends with CR, LF or CRLF) becomes a data line, so readers
 * see LF between them. 0, or MCP_ERR_INVALID, with nothing appended: a line
 * break or NUL in id or name. Running out of memory is in buf->error. */
int mcpi_sse_put_event(mcpi_buf *buf, mcpi_str id, mcpi_str name,
                       mcpi_str data);
/* Appends a retry line, which belongs before an event. */
void mcpi_sse_put_retry(mcpi_buf *buf, uint32_t retry_ms);
/* Appends a line that readers ignore. 0, or MCP_ERR_INVALID: a line break in
 * it. */
int mcpi_sse_put_comment(mcpi_buf *buf, mcpi_str text);

#endif
