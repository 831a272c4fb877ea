/* SPDX-License-Identifier: MIT */
/* One HTTP request with its answer: what is common to all answers. */
#ifndef MCPI_ENDPOINT_EXCHANGE_H
#define MCPI_ENDPOINT_EXCHANGE_H

#include "base/buf.h"
#include "base/list.h"
#include "core/context.h"
#include "endpoint/head.h"

typedef struct mcpi_http_stream mcpi_http_stream;
typedef struct mcpi_http_sse mcpi_http_sse;

/* Every object that an HTTP server holds for a request begins with this: an
 * exchange, or a passage to an exchange on another loop (http1/relay.c). */
typedef struct mcpi_http_handle {
  int is_passage;
} mcpi_http_handle;

/* The stages of an answer.
 *
 *     UNANSWERED --------> DONE     a whole answer, or a WebSocket
 *          \                ^
 *           `--> BEGUN -----'       an answer in pieces
 *
 * Both stages also become DONE when the client is gone. */
typedef enum mcpi_http_exchange_stage {
  MCPI_EXCHANGE_UNANSWERED,
  MCPI_EXCHANGE_BEGUN, /* its pieces are being sent */
  MCPI_EXCHANGE_DONE   /* the responder must not be called any longer */
} mcpi_http_exchange_stage;

/* Lifetime: counted. References are held by the answer until it is DONE, and by
 * frames that use the exchange. The last one puts it into the endpoint's free
 * list. Everything happens on the loop's thread. */
struct mcp_http_exchange {
  mcpi_http_handle handle; /* the first member */
  mcpi_list link;
  mcp_http *http; /* a reference */
  const mcp_http_responder *responder;
  void *context;                   /* the responder's */
  const mcp_http_request *request; /* borrowed until the body has come */
  mcpi_http_head head;             /* borrowed like `request` */
  int method;                      /* MCPI_HTTP_* */
  int place;                       /* MCPI_HTTP_AT_* */
  const char *origin;              /* the answer names it (CORS); NULL: none */
  const char *principal;           /* NULL: not known */
  mcpi_buf origin_text;            /* buffers of the strings above */
  mcpi_buf principal_text;
  mcpi_buf peer_text;       /* empty if there is no trace */
  mcp_http_exchange *next;  /* in the free list */
  mcpi_http_stream *stream; /* the stream that it shows, or NULL */
  mcpi_http_sse *sse;       /* the HTTP+SSE stream that it shows, or NULL */
  mcpi_http_exchange_stage stage;
  size_t refs;
};

enum {
  MCPI_HTTP_POST,
  MCPI_HTTP_GET,
  MCPI_HTTP_DELETE,
  MCPI_HTTP_OPTIONS,
  MCPI_HTTP_HEAD,
  MCPI_HTTP_OTHER
};

enum { MCPI_HTTP_AT_ENDPOINT, MCPI_HTTP_AT_SSE, MCPI_HTTP_AT_MESSAGES };

/* Makes an exchange with one reference, which the end of the answer takes. NULL
 * when out of memory. */
mcp_http_exchange *mcpi_http_exchange_new(mcp_http *http);
/* Puts an exchange without references into the free list. */
void mcpi_http_exchange_recycle(mcp_http_exchange *exchange);

static inline void mcpi_http_exchange_unref(mcp_http_exchange *exchange) {
  if (--exchange->refs == 0) {
    mcpi_http_exchange_recycle(exchange);
  }
}

/* Frees an exchange of the free list. */
void mcpi_http_exchange_free(mcp_http_exchange *exchange,
                             const mcp_allocator *allocator);

enum {
  MCPI_HTTP_MORE = 3,
  /* Bytes that may wait for a client: see mcpi_http_is_congested and
   * _is_unread. */
  MCPI_HTTP_CONGESTED_BYTES = 1024 * 1024,
  MCPI_HTTP_UNREAD_BYTES = 16 * 1024 * 1024
};

/* Each of these functions ends the answer, and drops the exchange's
 * reference. */

/* Sends a whole answer. An empty body means that there is no body. `more`: up
 * to MCPI_HTTP_MORE headers. */
void mcpi_http_respond(mcp_http_exchange *exchange, int status,
                       const char *type, mcpi_str body,
                       const mcp_http_header *more, size_t more_count);
/* Sends a whole answer that is a message or a batch. */
void mcpi_http_respond_json(mcp_http_exchange *exchange, int status,
                            mcpi_str message, const mcp_http_header *more,
                            size_t more_count);
/* Answers with a JSON-RPC error. An empty id_text leaves the id out. */
void mcpi_http_refuse(mcp_http_exchange *exchange, int status, int rpc_code,
                      mcpi_str id_text, const char *format, ...)
    MCP_PRINTF(5, 6);
/* Answers a message without an id with MCP_RPC_UNSUPPORTED_VERSION and its
 * data.
 */
void mcpi_http_refuse_version(mcp_http_exchange *exchange,
                              const mcpi_refusal *refusal);
/* Answers {"error":TEXT}, as the mcp-core dialect refuses a request without an
 * id. */
void mcpi_http_refuse_plainly(mcp_http_exchange *exchange, int status,
                              mcpi_str text, const mcp_http_header *more,
                              size_t more_count);
void mcpi_http_end(mcp_http_exchange *exchange);
/* The same, and closes the connection if the responder can do that. */
void mcpi_http_close(mcp_http_exchange *exchange);
/* Upgrades the connection to a WebSocket. NULL: that failed. */
mcp_transport *mcpi_http_upgrade(mcp_http_exchange *exchange,
                                 size_t max_message);
/* Breaks the answer off; if the responder cannot do that, the answer ends. */
void mcpi_http_abort(mcp_http_exchange *exchange);
/* The HTTP server has broken the answer off. */
void mcpi_http_drop(mcp_http_exchange *exchange);

/* The pieces of an event stream. */
void mcpi_http_begin_events(mcp_http_exchange *exchange,
                            const mcp_http_header *more, size_t more_count);
void mcpi_http_write(mcp_http_exchange *exchange, mcpi_str bytes);
/* Returns the bytes that wait for the client. Asks the responder, which may
 * free the endpoint: the exchange has ended then, and may be gone. */
size_t mcpi_http_queued(const mcp_http_exchange *exchange);
/* The client reads more slowly than the server writes: messages that it can do
 * without are left out. */
int mcpi_http_is_congested(const mcp_http_exchange *exchange);
/* The client does not read at all. */
int mcpi_http_is_unread(const mcp_http_exchange *exchange);

#endif
