/* SPDX-License-Identifier: MIT */
/* The Streamable HTTP client's own structures, and who does what:
 *
 *   streamable.c  the transport: sending, sessions, closing
 *   call.c        one message on its way: its HTTP requests, its stream
 *   judge.c       what becomes of a call, by what was answered
 *   fallback.c    a server that speaks HTTP+SSE: another transport (sse.h)
 *                 takes over
 *
 * and, for this and the other transports (sse.h, wires/plain_post):
 *
 *   options.c         what the program says of its connections
 *   multi.c           libcurl on the loop
 *   transfer.c        one HTTP request
 *   curl_transport.c  the life of a transport
 *   redirect.c        which redirects are followed, and what is said of others
 *   cloexec.c         keeps libcurl's descriptors from child processes
 *   connect_url.c     connecting a client by a URL
 *
 * A call is an HTTP request; it may take several, when its stream breaks and is
 * taken up again, or when it is redirected. */
#ifndef MCPI_HTTP_CLIENT_STREAMABLE_H
#define MCPI_HTTP_CLIENT_STREAMABLE_H

#include "codec/sse.h"
#include "http_client/curl_transport.h"

typedef struct mcpi_web mcpi_web;

enum {
  MCPI_WEB_REQUEST, /* a POST that wants an answer */
  MCPI_WEB_NOTE,    /* a POST that wants none: notification, response */
  MCPI_WEB_LISTEN,  /* the session's stream */
  MCPI_WEB_DELETE   /* the end of the session */
};

typedef struct mcpi_call {
  mcpi_list link; /* in web->calls or web->held */
  mcpi_transfer transfer;
  mcpi_web *web;
  const mcp_allocator *allocator;
  int kind;
  uint64_t request;        /* MCPI_WEB_REQUEST: its number */
  uint64_t cancels;        /* the request that this notification gives up */
  uint32_t session_number; /* whose it was sent in */
  int is_final;            /* mcp_send_info.is_final */
  int is_modern;
  int is_initialize;
  int is_refused; /* the server answered that it does not know the session */
  int is_initialized; /* notifications/initialized */
  int is_busy;        /* on the stack: freed later */
  int is_dead;
  char *body; /* owned */
  size_t body_len;
  struct curl_slist *mirror; /* headers that say what the message says */

  /* The HTTP request under way. */
  char *location; /* where to, after a redirect; NULL: the URL */
  int hops;
  int is_resume; /* a GET that takes the stream up again */

  /* What was answered. */
  int has_head;
  int is_head_judged;
  int is_json;
  int is_stream;
  char *session; /* owned: the header Mcp-Session-Id */
  mcpi_buf in;   /* the body, as far as it has not been read */
  mcpi_sse_reader sse;
  uint32_t retries;    /* in a row, without an event */
  uint32_t pauses;     /* in a row, without a message */
  int64_t begun_ms;    /* the HTTP request, by the loop's clock */
  int64_t retry_at_ms; /* 0: it does not wait */
} mcpi_call;

struct mcpi_web {
  mcpi_curl curl;
  mcpi_list calls;   /* begun */
  mcpi_list held;    /* wait for the handshake's end */
  mcpi_call *listen; /* NULL: none */
  /* HTTP+SSE: NULL, or it has all that is sent, and does all that is told. */
  mcp_transport *older;
  mcpi_call *refused; /* our initialize, until that is answered there */
  char *session;      /* owned; NULL: none */
  uint32_t session_number;
  /* Sessions in a row that answered nothing, and brought no stream. */
  uint32_t barren;
  /* The server does not know the session any more: when a new one begins at the
   * latest, by the loop's clock; INT64_MAX: it does. */
  int64_t renew_at_ms;
  int64_t may_renew_ms; /* not before, without need */
  int has_streamed;     /* a GET was answered with events: it has that route */
  char version[16];
  int64_t hold_until_ms;
  int is_holding;
  int has_deleted;
  int has_fallen_back; /* it was tried, and is not again */
};

/* --- call.c --- */

/* Takes a copy of the message. 0; MCP_ERR_NOMEM; MCP_ERR_INVALID: not a
 * message, or one that no header can mirror. */
int mcpi_call_of_message(mcpi_call **out, mcpi_web *web, const char *message,
                         size_t len, const mcp_send_info *info);
/* One without a message. NULL when out of memory. */
mcpi_call *mcpi_call_plain(mcpi_web *web, int kind);
/* Sends the HTTP request. 0 or MCP_ERR_NOMEM. */
int mcpi_call_begin(mcpi_call *call);
/* Ends the HTTP request under way. */
void mcpi_call_stop(mcpi_call *call);
/* Ends it all. */
void mcpi_call_drop(mcpi_call *call);

/* --- judge.c --- */

/* Reads what has come. The call may be gone afterwards. */
void mcpi_call_judge(mcpi_call *call);

/* --- fallback.c --- */

/* The call was refused, perhaps with an error of JSON-RPC's (or NULL). 1:
 * another transport tries; when it cannot either, the call is judged once
 * more. */
int mcpi_web_fall_back(mcpi_call *call, const mcp_json *error);
/* The call is to be begun; 1: another transport has it, as last time. */
int mcpi_web_begin_older(mcpi_call *call);

/* --- streamable.c --- */

/* Begins a call, now or, when there is no memory for it, later. */
void mcpi_web_begin(mcpi_call *call);
/* Opens the session's stream, and lets go what was held behind it. */
void mcpi_web_open_stream(mcpi_web *web);
void mcpi_web_let_go(mcpi_web *web);
/* The call was answered 404, as the server does not know the session any more.
 * A new session begins once the other requests of this one have been answered,
 * or soon. 0: the call is judged as in no session, since too many sessions were
 * of no use. */
int mcpi_web_end_session(mcpi_call *call);
/* Nobody waits for that request's answer any more. */
void mcpi_web_drop_request(mcpi_web *web, uint64_t request);

#endif
