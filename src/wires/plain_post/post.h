/* SPDX-License-Identifier: MIT */
/* A client that uses plain POSTs, with MCP or the mcp-core dialect:
 *
 *   post.c    the transport: it makes a trip of each message
 *   trip.c    one HTTP request, and what libcurl brings back
 *   answer.c  how a trip continues, by the server's answer
 *
 * A trip is one message that is being sent. It may take several HTTP requests,
 * if it is tried again. */
#ifndef MCPI_WIRES_PLAIN_POST_POST_H
#define MCPI_WIRES_PLAIN_POST_POST_H

#include "codec/sse.h"
#include "http_client/curl_transport.h"
#include "wires/mcp_core/answer.h"
#include "wires/mcp_core/fragments.h"

typedef struct mcpi_poster mcpi_poster;

typedef struct mcpi_trip {
  mcpi_list link; /* in post->trips */
  mcpi_transfer transfer;
  mcpi_authorization authorization;
  mcpi_poster *post;
  const mcp_allocator *allocator;
  uint64_t request; /* the request's number; 0: it is not a request */
  uint64_t cancels; /* mcp_send_info.cancels */
  int form;         /* MCPI_TOOL_*; for MCP: MCPI_TRIP_MCP */
  /* For the dialect: the method that the ping answers; NULL: none. */
  const char *ping;
  int is_here;       /* the body is the answer; no server is asked */
  int is_idempotent; /* mcp_send_info.is_idempotent */
  int may_repeat;    /* libcurl may send it twice */
  int is_busy;       /* on the stack: freed later */
  int is_dead;
  mcpi_buf body;
  mcpi_buf id;      /* the message's id, as JSON text; empty: none */
  mcpi_buf token;   /* its progress token, as JSON text */
  int64_t until_ms; /* its time limit; INT64_MAX: none */
  int64_t await_ms; /* since when it waits for authorization; -1: it does not */
  /* When it is sent again, or answered; 0: it has been sent. */
  int64_t due_ms;
  uint32_t tries;

  /* The answer. */
  int has_head;
  int is_stream;
  int64_t heard_ms; /* when the last bytes came */
  mcpi_buf in;      /* the part of the body that was not read yet */
  mcpi_sse_reader sse;
  mcpi_buf fragments; /* the texts, with commas between */
  uint32_t fragment_count;
  /* The last event, if it was a result that has the whole answer. */
  mcpi_buf whole;
} mcpi_trip;

enum { MCPI_TRIP_MCP = -1 };

struct mcpi_poster {
  mcpi_curl curl;
  mcpi_list trips;
  int is_connected; /* a revision was agreed on */
};

/* --- trip.c --- */

/* Makes a trip with an empty body. NULL when out of memory. */
mcpi_trip *mcpi_trip_new(mcpi_poster *post);
/* Sends it, or lets it wait for authorization. 0 or MCP_ERR_NOMEM. */
int mcpi_trip_begin(mcpi_trip *trip);
/* Ends its HTTP request. It is sent again when it is authorized; its time limit
 * does not count the wait. */
void mcpi_trip_await(mcpi_trip *trip);
/* Ends the trip. */
void mcpi_trip_drop(mcpi_trip *trip);
/* Ends the trip of the request with that number, if there is one. */
void mcpi_poster_drop_request(mcpi_poster *post, uint64_t request);

/* --- answer.c --- */

/* Reads what has come. The trip may be gone afterwards. */
void mcpi_trip_judge(mcpi_trip *trip);
/* The wait for authorization is over. err NULL: it is sent; otherwise it fails
 * with err. The trip may be gone afterwards. */
void mcpi_trip_authorized(mcpi_trip *trip, const mcp_error *err);
/* Its time has come: its answer is delivered, it is sent again, or the server
 * has been silent for too long. The trip may be gone afterwards. */
void mcpi_trip_on_due(mcpi_trip *trip);

#endif
