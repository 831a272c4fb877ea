/* SPDX-License-Identifier: MIT */
/* HTTP+SSE as a transport, for a client (MCP 2024-11-05, Transports: HTTP with
 * SSE), and who does what:
 *
 *   sse.c          the transport: sending, closing
 *   sse_stream.c   the GET, whose answer brings the endpoint and the messages
 *   sse_post.c     the POSTs that take messages there, in their order
 *   sse_error.c    why a request failed
 *   fallback.c     Streamable HTTP that turns out to be this
 *
 * Each callback of the owner may end the transport, and free it: see
 * curl_transport.h. */
#ifndef MCPI_HTTP_CLIENT_SSE_H
#define MCPI_HTTP_CLIENT_SSE_H

#include "codec/sse.h"
#include "http_client/curl_transport.h"

/* A message that waits for its turn, or is being posted. */
typedef struct mcpi_sse_letter {
  mcpi_list link; /* in sse->waiting or sse->posted, as they were sent */
  mcpi_transfer transfer;
  mcpi_authorization authorization;
  uint64_t request; /* the request's number; 0: it is not a request */
  uint64_t cancels; /* mcp_send_info.cancels */
  int may_repeat;   /* libcurl may send it twice */
  size_t len;
  char bytes[];
} mcpi_sse_letter;

typedef struct mcpi_sse {
  mcpi_curl curl;

  mcpi_transfer stream;
  mcpi_authorization authorization; /* of the stream's GET */
  int64_t endpoint_due_ms;          /* for the endpoint; INT64_MAX: no limit */
  char *location;                   /* the redirect's target; NULL: the URL */
  int hops;
  mcpi_buf in; /* bytes that have come and are not read yet */
  mcpi_sse_reader reader;
  char *endpoint; /* owned; NULL: the server has not named it yet */

  mcpi_list waiting;
  size_t note_count; /* the number of waiting messages that are not requests */
  mcpi_list posted;
  char version[16]; /* the agreed version */
} mcpi_sse;

/* --- sse.c --- */

/* Makes one with options that are borrowed until it is released. NULL when out
 * of memory. */
mcp_transport *mcpi_sse_new(mcp_loop *loop, const mcpi_curl_options *options);
/* Whether the server has named its endpoint: it speaks HTTP+SSE. */
int mcpi_sse_is_open(const mcp_transport *transport);

/* --- sse_error.c --- */

/* Writes why a request failed: its status, or libcurl's message. */
void mcpi_sse_error(const mcpi_sse *sse, const mcpi_transfer *transfer,
                    mcp_error *err);

/* --- sse_stream.c --- */

/* Sends the GET, or lets it wait for authorization. 0 or MCP_ERR_NOMEM. */
int mcpi_sse_stream_begin(mcpi_sse *sse);
/* Reads the bytes that have come. */
void mcpi_sse_stream_judge(mcpi_sse *sse);
/* The GET need not wait for authorization any longer. err NULL: it is sent;
 * otherwise the transport ends with err. */
void mcpi_sse_stream_authorized(mcpi_sse *sse, const mcp_error *err);

/* --- sse_post.c --- */

/* Posts the message, or lets it wait. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_sse_post(mcpi_sse *sse, const char *message, size_t len,
                  const mcp_send_info *info);
/* Posts the messages whose turn it is. */
void mcpi_sse_post_next(mcpi_sse *sse);
/* While the transport closes: whether a message waits that the server has not
 * got. */
int mcpi_sse_has_post(const mcpi_sse *sse);
/* The POST has ended. */
void mcpi_sse_post_judge(mcpi_sse *sse, mcpi_sse_letter *letter);
/* The POST need not wait for authorization any longer. err NULL: it is sent;
 * otherwise it fails with err. */
void mcpi_sse_post_authorized(mcpi_sse *sse, mcpi_sse_letter *letter,
                              const mcp_error *err);
void mcpi_sse_post_drop_all(mcpi_sse *sse);

#endif
