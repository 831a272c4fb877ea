/* SPDX-License-Identifier: MIT */
/* An HTTP endpoint on a server rig, and any number of requests to it.
 *
 * A request is written as its head, an empty line, and a body with the marks of
 * server_rig.h:
 *
 *     POST /mcp
 *     Host: localhost
 *
 *     {$J,'id':1,'method':'ping'}
 *
 * Its answer is noted as text: the status and the content type on a line, and
 * the body behind it; or, for an answer in pieces, the pieces as they come, and
 * "END" or "ABORT". */
#ifndef MCP_TESTS_HTTP_RIG_H
#define MCP_TESTS_HTTP_RIG_H

#include "support/messages.h"
#include "support/revisions.h"
#include "support/server_rig.h"
#include <mcp/http.h>

typedef struct http_rig {
  server_rig rig;
  mcp_http *http;
  char session_id[64]; /* of the legacy session that was opened last */
  const char *peer;    /* of requests; NULL: "127.0.0.1:4711"; "": not known */
} http_rig;

enum { TRIP_MAX_HEADERS = 100 };

typedef struct http_trip http_trip;

/* One request and its answer. */
struct http_trip {
  http_rig *rig;
  char *text; /* the request's, cut up */
  char *body;
  mcp_http_header headers[TRIP_MAX_HEADERS];
  mcp_http_request request;
  const char *principal; /* of the next request; set it before ... */
  int cannot_abort;      /* ... and this: its responder has no abort */
  /* ... and this: its responder can upgrade; NULL: it cannot. */
  mcp_transport *(*upgrade)(http_trip *trip, size_t max_message);
  mcp_http_exchange *exchange; /* NULL: there is none any more */
  rig_text answer;             /* what came and was not looked at yet */
  rig_text answer_headers;     /* "Name: value" lines */
  char found[512];             /* by trip_header */
  size_t queued;               /* the rig reports this to the endpoint */
  void (*on_answer)(http_trip *trip, void *userdata); /* after each piece */
  void *userdata;
  int has_begun;
  int is_over; /* answered, aborted or gone */
};

/* Options may be NULL. 0; MCP_ERR_NOMEM or MCP_ERR_PLATFORM, and then nothing
 * is left. */
int http_rig_init(http_rig *rig, const mcp_server_options *server_options,
                  const mcp_http_options *options,
                  const mcp_allocator *allocator);
/* Frees what is left: endpoint, server, loop. */
void http_rig_deinit(http_rig *rig);

/* Hands over the head; deinit follows in any case. */
void trip_begin(http_trip *trip, http_rig *rig, const char *request);
/* Hands over the body, and frees the request. */
void trip_body(http_trip *trip);
/* Both, and turns the loop. */
void trip_send(http_trip *trip, http_rig *rig, const char *request);
/* The client goes, if it is there. */
void trip_gone(http_trip *trip);
/* A header of the answer, until the next is asked for; NULL: it has none. */
const char *trip_header(http_trip *trip, const char *name);
/* Goes, and frees everything. */
void trip_deinit(http_trip *trip);
/* Asserts what has come since the last time. */
void trip_expect(http_trip *trip, const char *file, int line,
                 const char *expected);
/* Looks away from it. */
void trip_forget(http_trip *trip);

/* ---- in a legacy session ----------------------------------------------- */

/* Sends initialize, and notes the session's id, if there is one. */
void session_initialize(http_rig *rig, const char *request,
                        const char *principal);
/* The whole handshake, by nobody known. */
void session_open(http_rig *rig, const char *request);
/* A request of the session; headers are lines, each with its end. */
void session_send(http_rig *rig, http_trip *trip, const char *method,
                  const char *headers, const char *body);
void session_post(http_rig *rig, http_trip *trip, const char *body);

#define came(trip, expected)                                                   \
  do {                                                                         \
    rig_turn(&(trip)->rig->rig);                                               \
    trip_expect(trip, __FILE__, __LINE__, expected);                           \
  } while (0)
/* A whole round: sends, turns, and asserts the answer so far. */
#define ask(http, request, expected)                                           \
  do {                                                                         \
    static http_trip asked; /* a failed test leaves it as it is */             \
    trip_send(&asked, http, request);                                          \
    trip_expect(&asked, __FILE__, __LINE__, expected);                         \
    trip_deinit(&asked);                                                       \
  } while (0)

/* ---- requests ---------------------------------------------------------- */

#define HTTP_JSON                                                              \
  "Host: localhost\nContent-Type: application/json\n"                          \
  "Accept: application/json, text/event-stream\n"
/* Headers are lines, each with its end. */
#define POST(headers, body) "POST /mcp\n" HTTP_JSON headers "\n" body
#define MODERN(method, headers, body)                                          \
  POST("MCP-Protocol-Version: " NEWEST_REVISION "\nMcp-Method: " method        \
       "\n" headers,                                                           \
       body)
#define CALL(id, name)                                                         \
  MODERN("tools/call", "Mcp-Name: " name "\n",                                 \
         "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name       \
         "',$M{}}}")

#define INITIALIZE(revision, capabilities)                                     \
  POST("", "{$J,'id':0,'method':'initialize','params':{'protocolVersion':"     \
           "'" revision "','capabilities':" capabilities                       \
           ",'clientInfo':{'name':'c','version':'2'}}}")

/* ---- answers ----------------------------------------------------------- */

#define JSON(status, body) status " application/json\n" body
#define EVENTS(events) "200 text/event-stream\n" events
#define EVENT(data) "data: " data "\n\n"
/* On a session's stream. */
#define KEPT_EVENT(id, data) "id: " id "\n" EVENT(data)
/* Where a stream is, for a client that can poll. */
#define PRIMED(id) "retry: 1000\nid: " id "\ndata:\n\n"

/* What limits say. */
#define ALL_TAKEN(max)                                                         \
  "too many requests at once: all clients together may have " max              \
  " in flight (max_calls): try again later"
#define ALL_IN_USE(max)                                                        \
  "too many sessions: all " max " are in use (max_sessions): end one with "    \
  "DELETE, or try again later"

#endif
