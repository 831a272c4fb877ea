/* SPDX-License-Identifier: MIT */
/* HTTP+SSE as a transport, for a client (PROTOCOL 3.3), and who does what:
 *
 *   sse.c          the transport: sending, closing
 *   sse_stream.c   the GET, whose answer brings the endpoint and the messages
 *   sse_post.c     the POSTs that take messages there, one behind the other
 *   fallback.c     Streamable HTTP that turns out to be this
 *
 * libcurl's callbacks only take notes; the turn works off what they noted. Whatever
 * is told may end and free the transport: so the turn holds a guard. */
#ifndef MCPI_WEB_SSE_H
#define MCPI_WEB_SSE_H

#include "base/list.h"
#include "codec/sse.h"
#include "core/guard.h"
#include "web/multi.h"
#include "web/options.h"

/* One HTTP request. */
typedef struct mcpi_sse_trip {
  CURL *easy; /* NULL: none is under way */
  struct curl_slist *headers;
  char trouble[CURL_ERROR_SIZE];
  CURLcode result;
  int is_done;
} mcpi_sse_trip;

/* A message that waits for its turn, or is being posted. */
typedef struct mcpi_sse_letter {
  mcpi_list link;
  uint64_t request; /* its number, when it is one; else 0 */
  size_t len;
  char bytes[];
} mcpi_sse_letter;

typedef struct mcpi_sse {
  mcp_transport base;
  mcp_loop *loop;
  mcpi_uv *uv;
  mcpi_web_options own; /* unless somebody lends them */
  const mcpi_web_options *options;
  mcpi_multi *multi; /* NULL before start */
  uv_timer_t timer;  /* the endpoint's deadline; then that of closing */
  mcpi_guard *guard;

  mcpi_sse_trip stream;
  char *location; /* where to, after a redirect; NULL: the URL */
  int hops;
  mcpi_buf in; /* what has come and was not read */
  int error;   /* why no more was taken: MCP_ERR_LIMIT or MCP_ERR_NOMEM */
  mcpi_sse_reader reader;
  char *endpoint; /* owned; NULL: not told yet */

  mcpi_sse_trip post;
  mcpi_list letters; /* the first is on its way, if there is an endpoint */
  size_t queued;     /* bytes of them */
  char version[16];  /* that was agreed on */

  int is_closing;
  int is_ended;
} mcpi_sse;

/* --- sse.c --- */

/* One with options that are borrowed until it is released. NULL when out of
 * memory. */
mcp_transport *mcpi_sse_new(mcp_loop *loop, mcpi_uv *uv,
                            const mcpi_web_options *options);
/* Whether the server has told its endpoint: it speaks HTTP+SSE. */
int mcpi_sse_is_open(const mcp_transport *transport);
/* It is over, for that reason; NULL: none. */
void mcpi_sse_end(mcpi_sse *sse, const mcp_error *err);
/* An easy handle with all that both kinds of request have in common. 0 or
 * MCP_ERR_NOMEM. */
int mcpi_sse_trip_begin(mcpi_sse *sse, mcpi_sse_trip *trip, const char *url,
                        const struct curl_slist *headers);
/* What has to come behind it: 0 or MCP_ERR_NOMEM. */
int mcpi_sse_trip_start(mcpi_sse *sse, mcpi_sse_trip *trip);
void mcpi_sse_trip_stop(mcpi_sse *sse, mcpi_sse_trip *trip);
/* Why one failed, that had the given status; 0: none. */
void mcpi_sse_trip_error(const mcpi_sse *sse, const mcpi_sse_trip *trip,
                         mcp_error *err);

/* --- sse_stream.c --- */

/* 0 or MCP_ERR_NOMEM. */
int mcpi_sse_stream_begin(mcpi_sse *sse);
/* Reads what has come. */
void mcpi_sse_stream_read(mcpi_sse *sse);
/* It is done. */
void mcpi_sse_stream_judge(mcpi_sse *sse);

/* --- sse_post.c --- */

/* Posts the first letter. 0 or MCP_ERR_NOMEM. */
int mcpi_sse_post_begin(mcpi_sse *sse);
/* The same; those that there is no memory for fail. */
void mcpi_sse_post_next(mcpi_sse *sse);
/* It is done. */
void mcpi_sse_post_judge(mcpi_sse *sse);
void mcpi_sse_letter_drop(mcpi_sse *sse, mcpi_sse_letter *letter);

#endif
