/* SPDX-License-Identifier: MIT */
/* The client itself, as all its parts see it. Each line stands on those above
 * it:
 *
 *   client.c                    the structure, and questions about its state
 *   cache.c outputs.c result.c  answers, output schemas, results: no client
 *   report.c params.c describe.c elicit.c sample.c
 *                               what the client says, and checks
 *   request.c                   a request of ours, and when its completion runs
 *   cached.c resend.c mirror.c  what may become of a request before it is sent
 *   send.c                      starting a request, and sending its messages
 *   question.c                  a question of the server's, for the program
 *   input_requests.c rounds.c settle.c
 *                               what an answer may be
 *   task_rows.c task_view.c task_tools.c
 *                               tasks: methods, what a server says of one, and
 *                               which tools can be one
 *   pages.c listen.c follow.c tool.c subscribe.c
 *                               requests of more than one message
 *   respond.c question_tasks.c question_task_methods.c legacy_requests.c
 *                               requests of a legacy server
 *   close.c keepalive.c         the end of a connection
 *   handshake.c                 which era, which revision
 *   notify.c dispatch.c         what comes from the peer, and to whom it goes
 *   connect.c lifetime.c methods.c task_methods.c roots.c
 *                               the public functions
 *   extension.c                 what extensions of other rooms send */
#ifndef MCPI_CLIENT_CLIENT_H
#define MCPI_CLIENT_CLIENT_H

#include "base/widen.h"
#include "client/cache.h"
#include "client/outputs.h"
#include "client/task_tools.h"
#include "core/link.h"
#include "core/reports.h"
#include "schema/elicit.h"
#include <mcp/client.h>

enum {
  /* Elicitations by URL that may be under way; the end of an older one is not
   * reported. A user has few pages open. */
  MCPI_CLIENT_MAX_VISITS = 256
};

typedef struct mcpi_request mcpi_request; /* request.h */

/* IDLE -> CONNECTING -> OPEN -> CLOSING -> IDLE. A connection may end, and a
 * handshake fail, in each state. When a legacy server restarts, OPEN goes back
 * to CONNECTING. */
typedef enum mcpi_client_state {
  MCPI_CLIENT_IDLE,       /* no transport */
  MCPI_CLIENT_CONNECTING, /* in the handshake */
  MCPI_CLIENT_OPEN,
  MCPI_CLIENT_CLOSING /* waits for the transport to end */
} mcpi_client_state;

/* Limits the reports to on_error in a second: report.c. */
typedef struct mcpi_client_reports {
  mcpi_reports limit;
  mcp_error last; /* the last report that was not passed on */
} mcpi_client_reports;

/* The handshake under way: handshake.c. */
typedef struct mcpi_handshake {
  /* The program's request to connect; NULL: a new handshake after a restart. */
  mcpi_request *connect;
  /* The request whose answer the handshake waits for, or NULL. */
  mcpi_request *step;
  const mcpi_revision *offer;
  const mcpi_revision *guess; /* what the server was last time, or NULL */
  int64_t deadline_ms;
  /* When the deadline's clock was stopped, because the transport waits; -1: it
   * runs. */
  int64_t held_ms;
  int has_probed;
  int has_corrected;    /* a probe was sent again, as the server asked */
  int has_renegotiated; /* likewise `initialize` */
} mcpi_handshake;

/* Questions that run as tasks: question_tasks.c. */
typedef struct mcpi_question_tasks {
  mcpi_list list;  /* in the order in which they were made */
  mcpi_list ended; /* of these, in the order in which they ended */
  size_t count;    /* in list */
  uint64_t last_number;
} mcpi_question_tasks;

struct mcp_client {
  mcp_loop *loop;
  /* with defaults; strings and lists are not kept here but written below */
  mcp_client_options options;
  const mcpi_revision *pinned; /* options.revision, or NULL */
  const mcpi_revision *guess;  /* of options.verdict, or NULL */

  mcpi_buf identity;     /* "name":...,"version":... */
  mcpi_buf title;        /* ,"title":... */
  mcpi_buf profile;      /* ,"icons":[...],"description":...,"websiteUrl":... */
  mcpi_buf extensions;   /* "id":{settings},... */
  mcpi_buf result_types; /* options.result_types, each with its NUL */
  mcpi_buf roots;        /* [...] */
  int has_roots;
  int log_level; /* MCP_LOG_*, or 0: the level of modern requests */
  /* MCP_LOG_*, or 0: the level that a legacy server was sent. */
  int session_level;

  mcpi_client_state state;
  int is_freed;
  int is_close_due; /* on_closed must be called, with closed_err */
  mcpi_guard *end;  /* tripped when the connection or the client ends */
  mcpi_guard *life; /* tripped when the program frees the client */
  uint32_t depth;   /* functions on the stack that still need the client */
  mcpi_timer soon;  /* always runs, since moving a running timer cannot fail */
  mcp_error closed_err;
  mcpi_client_reports reports;

  /* The connection. */
  mcpi_peer peer;
  mcpi_link link;
  mcpi_handshake handshake;
  int is_waiting;                /* mcp_transport.on_waiting */
  uint64_t cache_identity;       /* the transport's identity (cached.c) */
  const mcpi_revision *revision; /* NULL: not known yet */
  mcpi_message *hello;           /* holds the four below */
  const mcp_json *server_about;  /* the complete result of the handshake */
  const mcp_json *server_info;
  const mcp_json *server_capabilities;
  mcpi_buf context; /* modern: the members of every request's _meta */
  const char *context_revision; /* the revision that they name, or NULL */
  int declared_roots;           /* the client declared roots to the server */
  int64_t heard_ms;             /* when the last message of the server came */
  mcpi_timer keepalive;

  mcpi_list active;   /* mcpi_request: started, not ended */
  mcpi_list finished; /* ended, the completion has not run */
  mcpi_list idle;     /* free list */
  size_t idle_count;
  size_t awaiting_count; /* of those in active that wait for a new session */
  mcpi_list questions;   /* mcp_question: asked, not answered */
  size_t question_count;
  mcpi_question_tasks question_tasks;
  mcpi_list uris;    /* subscribe.c: what is subscribed to */
  mcpi_list watches; /* mcpi_request: listens for them, the oldest first */
  mcpi_map mirrored; /* mirror.c: what is known of tools, by name */
  mcpi_outputs outputs;
  mcpi_task_tools task_tools;
  size_t task_streams; /* follow.c: open streams that report on tasks */
  mcpi_cache cache;
  mcpi_buf scratch; /* for one message's params or result */
  mcpi_form_rules form_rules;
  uint64_t visits[MCPI_CLIENT_MAX_VISITS]; /* elicit.c: a ring */
  size_t next_visit;
};

/* 1 when requests can be sent. */
int mcpi_client_is_open(const mcp_client *client);
/* 1 from when a connection fails or is closed until on_closed is called. */
static inline int mcpi_client_is_ending(const mcp_client *client) {
  return !client->is_freed &&
         (client->state == MCPI_CLIENT_CLOSING || client->is_close_due);
}
int mcpi_client_is_modern(const mcp_client *client);
/* 1 over HTTP, where each request is answered by itself. */
int mcpi_client_has_streams(const mcp_client *client);

/* Puts a new client together, for `loop`. */
void mcpi_client_init(mcp_client *client, mcp_loop *loop);
/* Frees its memory. There is nothing in its lists, and no connection. */
void mcpi_client_destroy(mcp_client *client);
/* Forgets what the server said of itself when it was connected. */
void mcpi_client_forget_hello(mcp_client *client);
/* The guards of mcp_sync_* learn that the connection has ended. */
void mcpi_client_trip_end(mcp_client *client);

/* Parses a JSON object of the program's in memory of the loop's pool. *out has
 * one reference. 0, MCP_ERR_INVALID (not a JSON object), MCP_ERR_NOMEM; the
 * error begins with the name. */
int mcpi_client_parse(mcp_client *client, const char *name, mcpi_str text,
                      mcpi_message **out, mcp_error *err);

#endif
