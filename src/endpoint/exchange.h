/* SPDX-License-Identifier: MIT */
/* One HTTP request with its answer: what is common to all answers. */
#ifndef MCPI_ENDPOINT_EXCHANGE_H
#define MCPI_ENDPOINT_EXCHANGE_H

#include "auth/resource/expiry.h"
#include "auth/resource/verifier.h"
#include "base/buf.h"
#include "base/list.h"
#include "core/context.h"
#include "endpoint/head.h"

typedef struct mcpi_endpoint_stream mcpi_endpoint_stream;
typedef struct mcpi_endpoint_sse mcpi_endpoint_sse;
typedef struct mcpi_endpoint_kept mcpi_endpoint_kept; /* kept.h */

/* Every object that an HTTP server holds for a request begins with this: an
 * exchange, or a passage to an exchange on another loop (http1/relay.c). */
typedef struct mcpi_endpoint_handle {
  int is_passage;
} mcpi_endpoint_handle;

/* The stages of an answer.
 *
 *          .--> CHECKING         its token is being checked
 *          |       |   \
 *          |       |    `----.   it is refused
 *          |       v         v
 *     UNANSWERED --------> DONE     a whole answer, or a WebSocket
 *          \                ^
 *           `--> BEGUN -----'       an answer in pieces
 *
 * Each stage also becomes DONE when the client is gone. CHECKING becomes
 * UNANSWERED again when the token is accepted; its body may have come before
 * that (kept.h). */
typedef enum mcpi_endpoint_exchange_stage {
  MCPI_EXCHANGE_UNANSWERED,
  MCPI_EXCHANGE_CHECKING,
  MCPI_EXCHANGE_BEGUN, /* its pieces are being sent */
  MCPI_EXCHANGE_DONE   /* the responder must not be called any longer */
} mcpi_endpoint_exchange_stage;

/* What an exchange has in addition if its endpoint demands tokens (protect.c).
 * Freed with the exchange. */
typedef struct mcpi_endpoint_pass {
  mcp_http_exchange *exchange;
  mcpi_token_wait wait; /* while the exchange is CHECKING */
  /* Goes on after a check that has waited. */
  void (*on_admitted)(mcp_http_exchange *exchange);
  mcpi_endpoint_kept *kept; /* owned: what came meanwhile; NULL: nothing */
  mcpi_grant *grant;        /* a reference; NULL: no token was accepted */
  mcpi_grant_expiry expiry; /* of a GET that shows a stream: replay.c */
  mcpi_buf resource;        /* the server's URL, made of Host; or empty */
  mcpi_buf nonce;           /* of the answer's DPoP-Nonce, with NUL; or empty */
} mcpi_endpoint_pass;

/* Lifetime: counted. References are held by the answer until it is DONE, and by
 * frames that use the exchange. The last one puts it into the endpoint's free
 * list. Everything happens on the loop's thread. */
struct mcp_http_exchange {
  mcpi_endpoint_handle handle; /* the first member */
  mcpi_list link;
  mcp_http *http; /* a reference */
  const mcp_http_responder *responder;
  void *responder_exchange; /* the HTTP server's own exchange */
  /* Borrowed until the body has come; then NULL, or in `kept`. */
  const mcp_http_request *request;
  mcpi_endpoint_head head; /* borrowed like `request` */
  int method;              /* MCPI_ENDPOINT_* */
  int path;                /* MCPI_ENDPOINT_AT_* */
  const char *origin;      /* the answer names it (CORS); NULL: none */
  const char *principal;   /* NULL: not known */
  mcpi_buf origin_text;    /* buffers of the strings above */
  mcpi_buf principal_text;
  mcpi_buf peer_text;           /* empty if there is no trace */
  mcp_http_exchange *next;      /* in the free list */
  mcpi_endpoint_stream *stream; /* the stream that it shows, or NULL */
  mcpi_endpoint_sse *sse;       /* the HTTP+SSE stream that it shows, or NULL */
  /* Releases the one that it shows, once the exchange is DONE. NULL: it shows
   * neither. */
  void (*on_done)(mcp_http_exchange *exchange);
  mcpi_endpoint_exchange_stage stage;
  size_t refs;
  mcpi_endpoint_pass *pass; /* owned; NULL: the endpoint demands no tokens */
};

enum {
  MCPI_ENDPOINT_POST,
  MCPI_ENDPOINT_GET,
  MCPI_ENDPOINT_DELETE,
  MCPI_ENDPOINT_OPTIONS,
  MCPI_ENDPOINT_HEAD,
  MCPI_ENDPOINT_OTHER
};

enum {
  MCPI_ENDPOINT_AT_ENDPOINT,
  MCPI_ENDPOINT_AT_SSE,
  MCPI_ENDPOINT_AT_MESSAGES
};

/* Makes an exchange with one reference, which the end of the answer takes. NULL
 * when out of memory. */
mcp_http_exchange *mcpi_endpoint_exchange_new(mcp_http *http);
/* Puts an exchange without references into the free list. */
void mcpi_endpoint_exchange_recycle(mcp_http_exchange *exchange);

static inline void mcpi_endpoint_exchange_unref(mcp_http_exchange *exchange) {
  if (--exchange->refs == 0) {
    mcpi_endpoint_exchange_recycle(exchange);
  }
}

/* What its token permits, borrowed; NULL: the endpoint demands no tokens. */
static inline mcpi_grant *
mcpi_endpoint_grant_of(const mcp_http_exchange *exchange) {
  return exchange->pass != NULL ? exchange->pass->grant : NULL;
}

/* Frees an exchange of the free list. */
void mcpi_endpoint_exchange_free(mcp_http_exchange *exchange,
                                 const mcp_allocator *allocator);

enum {
  MCPI_ENDPOINT_MORE = 3,
  /* Bytes that may wait for a client: see mcpi_endpoint_is_congested and
   * _is_unread. */
  MCPI_ENDPOINT_CONGESTED_BYTES = 1024 * 1024,
  MCPI_ENDPOINT_UNREAD_BYTES = 16 * 1024 * 1024
};

/* Each of these functions ends the answer, and drops the exchange's
 * reference. */

/* Sends a whole answer. An empty body means that there is no body. `more`: up
 * to MCPI_ENDPOINT_MORE headers. */
void mcpi_endpoint_respond(mcp_http_exchange *exchange, int status,
                           const char *type, mcpi_str body,
                           const mcp_http_header *more, size_t more_count);
void mcpi_endpoint_end(mcp_http_exchange *exchange);
/* The same, and closes the connection if the responder can do that. */
void mcpi_endpoint_close(mcp_http_exchange *exchange);
/* Upgrades the connection to a WebSocket. NULL: that failed. */
mcp_transport *mcpi_endpoint_upgrade(mcp_http_exchange *exchange,
                                     size_t max_message);
/* Breaks the answer off; if the responder cannot do that, the answer ends. */
void mcpi_endpoint_abort(mcp_http_exchange *exchange);
/* The HTTP server has broken the answer off. */
void mcpi_endpoint_drop(mcp_http_exchange *exchange);

/* The pieces of an event stream. */
void mcpi_endpoint_begin_events(mcp_http_exchange *exchange,
                                const mcp_http_header *more, size_t more_count);
void mcpi_endpoint_write(mcp_http_exchange *exchange, mcpi_str bytes);
/* Returns the bytes that wait for the client. Asks the responder, which may
 * free the endpoint: the exchange has ended then, and may be gone. */
size_t mcpi_endpoint_queued(const mcp_http_exchange *exchange);
/* The client reads more slowly than the server writes: messages that it can do
 * without are left out. */
int mcpi_endpoint_is_congested(const mcp_http_exchange *exchange);
/* The client does not read at all. */
int mcpi_endpoint_is_unread(const mcp_http_exchange *exchange);

#endif
