/* SPDX-License-Identifier: MIT */
/* A client that speaks by plain POSTs, MCP or the mcp-core dialect:
 *
 *   post.c    the transport, and what it makes of a message
 *   trip.c    one HTTP request, and what libcurl brings back
 *   answer.c  what becomes of a message, by the server's answer
 *
 * A trip is one message on its way; it may take several HTTP requests, when it
 * is tried again. */
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
  mcpi_poster *post;
  const mcp_allocator *allocator;
  uint64_t request; /* the request's number; 0: it is not a request */
  uint64_t cancels; /* mcp_send_info.cancels */
  int form;         /* MCPI_TOOL_*; of MCP: MCPI_TRIP_MCP */
  const char *ping; /* of the dialect: the method it is sent for; NULL: none */
  int is_here;      /* the body is the answer, which needs no server */
  int is_idempotent;
  int is_busy; /* on the stack: freed later */
  int is_dead;
  mcpi_buf body;
  mcpi_buf id;      /* the message's, as JSON text; empty: none */
  mcpi_buf token;   /* the same of its progress token */
  int64_t until_ms; /* when its time is over; INT64_MAX: never */
  int64_t due_ms;   /* when it is sent again, or answered; 0: it is under way */
  uint32_t tries;

  /* The answer. */
  int has_head;
  int is_stream;
  int64_t heard_ms; /* when the last bytes came */
  mcpi_buf in;      /* the body, as far as it has not been read */
  mcpi_sse_reader sse;
  mcpi_buf fragments; /* texts, with commas between */
  uint32_t fragment_count;
  mcpi_buf whole; /* the last event, when that was a result with all in it */
} mcpi_trip;

enum { MCPI_TRIP_MCP = -1 };

struct mcpi_poster {
  mcpi_curl curl;
  mcpi_list trips;
  int is_connected; /* a revision was agreed on */
};

/* --- trip.c --- */

/* With an empty body. NULL when out of memory. */
mcpi_trip *mcpi_trip_new(mcpi_poster *post);
/* Sends it. 0 or MCP_ERR_NOMEM. */
int mcpi_trip_begin(mcpi_trip *trip);
/* Ends it all. */
void mcpi_trip_drop(mcpi_trip *trip);

/* --- answer.c --- */

/* Reads what has come. The trip may be gone afterwards. */
void mcpi_trip_judge(mcpi_trip *trip);
/* Its time has come: its answer is delivered, it is sent again, or the server
 * has been silent for too long. The same. */
void mcpi_trip_on_due(mcpi_trip *trip);

/* --- post.c --- */

void mcpi_poster_drop_request(mcpi_poster *post, uint64_t request);

#endif
