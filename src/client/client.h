/* SPDX-License-Identifier: MIT */
/* The client's own structures, and who does what:
 *
 *   client.c     making, configuring and freeing one; its callbacks' order
 *   init.c       the program's structures, for C++
 *   connect.c    the handshake: which era, which revision (PROTOCOL 2.9)
 *   describe.c   what the client tells of itself
 *   dispatch.c   what the core's peer hands up, to one of:
 *     question.c   the server's requests (elicit.c checks the forms)
 *     notify.c     its notifications
 *     request.c    the answers to ours
 *   request.c    a request of ours, from its start to its completion
 *   methods.c    the public functions that start one
 *   list.c rounds.c listen.c subscribe.c   requests of more than one message
 *   mirror.c     tools' arguments in headers, over HTTP
 *   outputs.c    tools' results, checked with their schemas
 *   cache.c      answers that are kept for a while
 *
 * Completions never run where they come about. A request that has ended waits
 * in `finished` until the outermost event is over, or, when no event but a
 * function of the program's brought it about, for the timer `soon`. So a
 * completion may do anything, and nothing on the stack is surprised. */
#ifndef MCPI_CLIENT_CLIENT_H
#define MCPI_CLIENT_CLIENT_H

#include "base/widen.h"
#include "client/cache.h"
#include "client/outputs.h"
#include "client/report.h"
#include "core/wire.h"
#include "schema/elicit.h"
#include <mcp/client.h>

enum {
  /* Elicitations by URL that may be under way; past it the oldest's end is not
   * told. A user has few pages open. */
  MCPI_CLIENT_MAX_VISITS = 256
};

enum {
  MCPI_CLIENT_IDLE,       /* no transport */
  MCPI_CLIENT_CONNECTING, /* in the handshake */
  MCPI_CLIENT_OPEN,
  MCPI_CLIENT_CLOSING /* waits for the transport to end */
};

/* connect.c's notes on the handshake under way. */
typedef struct mcpi_handshake {
  mcpi_request *connect; /* the program's; NULL: introducing anew */
  mcpi_request *step;    /* what is on the wire, or NULL */
  const mcpi_revision *offer;
  const mcpi_revision *guess; /* what the server was last time, or NULL */
  int64_t deadline_ms;
  int has_probed;
  int has_corrected;    /* a probe was sent again, as the server asked */
  int has_renegotiated; /* likewise `initialize` */
} mcpi_handshake;

struct mcp_client {
  mcp_loop *loop;
  /* Defaults are filled in; strings and lists are gone, rendered below. */
  mcp_client_options options;
  const mcpi_revision *pinned; /* options.revision, or NULL */
  const mcpi_revision *guess;  /* what options.verdict told of, or NULL */

  mcpi_buf identity;     /* "name":...,"version":... */
  mcpi_buf title;        /* ,"title":... */
  mcpi_buf profile;      /* ,"icons":[...],"description":...,"websiteUrl":... */
  mcpi_buf extensions;   /* "id":{settings},... */
  mcpi_buf result_types; /* options.result_types, each with its NUL */
  mcpi_buf roots;        /* [...] */
  int has_roots;
  int log_level;     /* MCP_LOG_*, or 0: what modern requests ask for */
  int session_level; /* likewise: what a legacy server was told */

  int state; /* MCPI_CLIENT_* */
  int is_freed;
  int is_close_due; /* on_closed is to be told of closed_err */
  mcpi_guard *end;  /* tripped at the connection's end, and ours */
  uint32_t depth;   /* functions on the stack that still need the client */
  mcpi_timer soon;  /* always runs, so that moving it cannot fail */
  mcp_error closed_err;
  mcpi_client_reports reports;
  mcp_error error; /* mcp_client_error; code 0: none */

  /* The connection. */
  mcpi_peer peer;
  mcpi_wire wire;
  mcpi_handshake handshake;
  const mcpi_revision *revision; /* NULL: not known yet */
  mcpi_message *hello;           /* holds the four below */
  const mcp_json *server_about;  /* the whole result */
  const mcp_json *server_info;
  const mcp_json *server_capabilities;
  mcpi_buf context; /* modern: the members of every request's _meta */
  const char *context_revision; /* the revision that they name, or NULL */
  int declared_roots;           /* the server was told that there are some */
  int64_t heard_ms;             /* when the server was last heard of */
  mcpi_timer keepalive;

  mcpi_list active;   /* mcpi_request: started, not ended */
  mcpi_list finished; /* ended, the completion has not run */
  mcpi_list idle;     /* free list */
  size_t idle_count;
  size_t refused_count; /* of those in active that wait for a new session */
  mcpi_list questions;  /* mcp_question: asked, not answered */
  size_t question_count;
  mcpi_list uris;    /* subscribe.c: what is subscribed to */
  mcpi_list watches; /* mcpi_request: listens for them, the oldest first */
  mcpi_map mirrored; /* mirror.c: what is known of tools, by name */
  mcpi_outputs outputs;
  mcpi_cache cache;
  mcpi_buf scratch; /* for one message's params or result */
  mcpi_form_rules form_rules;
  uint64_t visits[MCPI_CLIENT_MAX_VISITS]; /* elicit.c: a ring */
  size_t next_visit;
};

/* Around whatever an event (a message, a timer) causes: the last one to leave
 * runs the completions that are due, and frees a freed client. */
void mcpi_client_enter(mcp_client *client);
void mcpi_client_leave(mcp_client *client);
/* Instead of mcpi_client_leave, at the end of a function of the program's:
 * completions that are due run from the loop. */
void mcpi_client_return(mcp_client *client);

/* 1 when requests can be sent. */
int mcpi_client_is_open(const mcp_client *client);
int mcpi_client_is_modern(const mcp_client *client);
/* 1 over HTTP, where each request is answered by itself. */
int mcpi_client_has_streams(const mcp_client *client);

/* Ends all requests and forgets all questions: nothing more will come. */
void mcpi_client_fail_all(mcp_client *client, const mcp_error *err);
/* Starts closing the connection; err tells why. */
void mcpi_client_hang_up(mcp_client *client, const mcp_error *err);

/* A function of the program's fails: for mcp_client_error, unless more has been
 * said already. Returns rc. */
int mcpi_client_fail(mcp_client *client, int rc);

/* Parses a JSON object of the program's in memory of the loop's pool. *out has
 * one reference. 0, MCP_ERR_INVALID (not a JSON object), MCP_ERR_NOMEM; the
 * error begins with the name. */
int mcpi_client_parse(mcp_client *client, const char *name, mcpi_str text,
                      mcpi_message **out, mcp_error *err);

#endif
