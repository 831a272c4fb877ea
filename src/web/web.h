/* SPDX-License-Identifier: MIT */
/* The Streamable HTTP client's own structures, and who does what:
 *
 *   options.c   what the program says of its connections
 *   multi.c     libcurl on the loop
 *   call.c      one message on its way: its HTTP requests, its stream
 *   judge.c     what becomes of a call, by what was answered
 *   client.c    the transport: sending, sessions, closing
 *   fallback.c  a server that speaks HTTP+SSE: another transport (sse.h) takes over
 *   url.c       connecting a client by a URL
 *
 * A call is an HTTP request; it may take several, when its stream breaks and is
 * taken up again, or when it is redirected. libcurl's callbacks put it in
 * `ready`, from where the turn takes it when libcurl has returned. */
#ifndef MCPI_WEB_WEB_H
#define MCPI_WEB_WEB_H

#include "base/list.h"
#include "codec/sse.h"
#include "core/guard.h"
#include "web/multi.h"
#include "web/options.h"

typedef struct mcpi_web mcpi_web;

enum {
  MCPI_WEB_REQUEST, /* a POST that wants an answer */
  MCPI_WEB_NOTE,    /* a POST that wants none: notification, response */
  MCPI_WEB_LISTEN,  /* the session's stream */
  MCPI_WEB_DELETE   /* the end of the session */
};

typedef struct mcpi_call {
  mcpi_list link;  /* in web->calls or web->held */
  mcpi_list ready; /* in web->ready */
  mcpi_web *web;
  const mcp_allocator *allocator;
  int kind;
  uint64_t request;        /* MCPI_WEB_REQUEST: its number */
  uint64_t cancels;        /* the request that this notification gives up */
  uint32_t session_number; /* whose it was sent in */
  int is_modern;
  int is_initialize;
  int is_initialized; /* notifications/initialized */
  int is_busy;        /* on the stack: freed later */
  int is_dead;
  char *body; /* owned */
  size_t body_len;
  struct curl_slist *mirror; /* headers that say what the message says */

  /* The HTTP request under way. */
  CURL *easy; /* NULL: none is */
  struct curl_slist *headers;
  char *location; /* where to, after a redirect; NULL: the URL */
  int hops;
  int is_resume; /* a GET that takes the stream up again */
  char trouble[CURL_ERROR_SIZE];

  /* What was answered. */
  long status;
  int has_head;
  int is_head_judged;
  int is_json;
  int is_stream;
  int error; /* MCP_ERR_LIMIT or MCP_ERR_NOMEM of ours has ended it; else 0 */
  int has_lost_event; /* it was too long */
  int is_done;
  CURLcode result;
  char *session; /* owned: the header Mcp-Session-Id */
  mcpi_buf in;   /* the body, as far as it has not been read */
  mcpi_sse_reader sse;
  uint32_t retries;    /* in a row, without an event */
  int64_t retry_at_ms; /* 0: it does not wait */
} mcpi_call;

struct mcpi_web {
  mcp_transport base;
  mcp_loop *loop;
  mcpi_uv *uv;
  mcpi_web_options options;
  mcpi_multi *multi; /* NULL before start */
  uv_timer_t timer;
  mcpi_list calls; /* begun */
  mcpi_list held;  /* wait for the handshake's end */
  mcpi_list ready;
  mcpi_guard *guard;
  mcpi_call *listen; /* NULL: none */
  /* HTTP+SSE: NULL, or it has all that is sent, and does all that is told. */
  mcp_transport *older;
  mcpi_call *refused; /* its initialize, until that is answered there */
  char *session;      /* owned; NULL: none */
  uint32_t session_number;
  uint32_t barren; /* sessions in a row that answered nothing */
  char version[16];
  size_t queued; /* bytes of bodies */
  int64_t hold_until_ms;
  int64_t close_until_ms;
  int is_holding;
  int is_closing;
  int is_ended;
  int has_deleted;
  int has_fallen_back; /* it was tried, and is not again */
};

/* --- call.c --- */

/* Takes a copy of the message. 0; MCP_ERR_NOMEM; MCP_ERR_INVALID: not a message,
 * or one that no header can mirror. */
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
/* libcurl says that the HTTP request is over. */
void mcpi_call_note_done(CURL *easy, CURLcode result);

/* --- judge.c --- */

/* Reads what has come. The call may be gone afterwards, and all else too. */
void mcpi_call_judge(mcpi_call *call);

/* --- fallback.c --- */

/* The call was refused, perhaps with an error of JSON-RPC's (or NULL). 1: another
 * transport tries; when it cannot either, the call is judged once more. */
int mcpi_web_fall_back(mcpi_call *call, const mcp_json *error);

/* --- client.c --- */

/* It is over, for that reason; NULL: none. */
void mcpi_web_end(mcpi_web *web, const mcp_error *err);

/* A call waits for something by the clock. */
void mcpi_web_arm(mcpi_web *web);
/* Opens the session's stream, and lets go what was held behind it. */
void mcpi_web_open_stream(mcpi_web *web);
void mcpi_web_let_go(mcpi_web *web);
/* The server knows our session no more: begins anew. 0: it has become of no use,
 * as too many have. */
int mcpi_web_renew(mcpi_web *web, const mcpi_call *call);
/* Nobody waits for that request's answer any more. */
void mcpi_web_drop_request(mcpi_web *web, uint64_t request);
/* What is left of closing, after a call has ended. */
void mcpi_web_go_on_closing(mcpi_web *web);

#endif
