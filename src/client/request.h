/* SPDX-License-Identifier: MIT */
/* A request of ours, from its start to its completion. One may take several
 * messages: the pages of a list, rounds of questions, a listen that is opened
 * again. Each is sent under an id of its own and has clocks of its own.
 *
 *     take/open -> (params are written) -> start -> WAITING -> DONE
 *                                                   ^     \
 *                            mcpi_request_send      |      on_reply
 *                                                   +-- ASKING, PAUSED, LOST,
 *                                                       REFUSED
 */
#ifndef MCPI_CLIENT_REQUEST_H
#define MCPI_CLIENT_REQUEST_H

#include "client/client.h"

enum {
  MCPI_REQUEST_NEW,
  MCPI_REQUEST_WAITING, /* for an answer */
  MCPI_REQUEST_ASKING,  /* the program, on the server's behalf */
  MCPI_REQUEST_PAUSED,  /* before the next round */
  MCPI_REQUEST_LOST,    /* a listen that will be opened again */
  MCPI_REQUEST_REFUSED, /* waits for a session in which it is sent again */
  MCPI_REQUEST_PARKED,  /* others do the work: connect, subscribe, cache */
  MCPI_REQUEST_DONE     /* in client->finished, or idle */
};

/* As mcpi_pending_done. */
typedef void (*mcpi_reply_cb)(mcpi_request *request, int status,
                              mcpi_message *message, const mcpi_envelope *reply,
                              const mcp_error *err);

typedef void (*mcpi_granted_cb)(mcp_client *client, const mcp_json *granted,
                                void *userdata);

/* Buffers, which a request keeps when it is used again. */
typedef struct mcpi_request_bufs {
  mcpi_buf params;  /* members that every message has */
  mcpi_buf extra;   /* members of the next message alone */
  mcpi_buf meta;    /* members for _meta, of the program's */
  mcpi_buf pages;   /* list.c: an array of mcpi_result_page */
  mcpi_buf answers; /* rounds.c: members of inputResponses; subscribe.c: the
                     * URI, without quotes */
  mcpi_buf name;    /* the tool's or prompt's name or the resource's URI, with
                     * its NUL; empty: the method has none */
  mcpi_buf method;  /* a name that is not in the table, with its NUL */
} mcpi_request_bufs;

struct mcpi_request {
  mcpi_pending pending;
  mcpi_list link; /* in one of the client's three lists */
  mcp_client *client;
  int phase;              /* MCPI_REQUEST_* */
  int error;              /* of writing the params: reported by start */
  const mcpi_method *row; /* NULL: not in the table */
  mcpi_str method;        /* the row's name, or in bufs.method */
  mcpi_reply_cb on_reply;
  mcpi_request_bufs bufs;
  mcpi_message *given;       /* what the program gave; NULL: nothing */
  const mcp_json *arguments; /* of a tool or prompt, in given; or NULL */

  uint64_t number; /* the first message's id: what the program knows it by */
  uint64_t *number_out;
  uint32_t timeout_ms; /* of each message; 0: none */
  uint32_t max_ms;
  int is_internal; /* the client's own: mcp_client_cancel cannot name it */
  uint32_t is_idempotent;
  int is_quiet;     /* never tell the server that it is given up */
  int is_raw;       /* ask no capability */
  mcpi_timer timer; /* rounds.c: the pause; listen.c: the acknowledgement, or
                     * the pause before it is opened again; cache.c: the turn;
                     * connect.c: until the transport is open; refused.c: until
                     * there is a session again */
  void (*on_due)(mcpi_request *request);

  mcp_done_cb on_done;
  void *userdata;
  void (*on_progress)(mcp_client *client, double progress, double total,
                      const char *message, void *userdata);
  void *progress_userdata;

  /* list.c */
  mcpi_map cursors;  /* those that were seen; keys lie in the pages */
  size_t list_bytes; /* memory of the pages */
  uint64_t forgets;  /* of client->outputs, when this began */

  /* cache.c */
  int is_cacheable;
  int wants_fresh; /* the program wants the server's own answer */
  int64_t fresh_until_ms;
  uint64_t cache_drops; /* of the cache, when this began */
  mcp_result *kept;     /* about to be its result */

  /* rounds.c */
  uint32_t round_count;
  size_t unanswered;
  mcpi_message *asked; /* holds the state, and the questions' params */
  mcpi_str state;      /* requestState; ptr NULL: none */

  /* listen.c */
  mcpi_granted_cb on_open;
  uint32_t ack_ms;     /* how long the acknowledgement may take; 0: no limit */
  int is_once;         /* is not opened again */
  int was_granted;     /* by its first acknowledgement, which alone is told */
  int is_acknowledged; /* as it is open now */
  int64_t acknowledged_ms;
  uint32_t reopens;       /* in a row */
  mcpi_inflight inflight; /* tells when the server ends it */
  char id_text[20];

  /* subscribe.c: the program's subscribe (or unsubscribe), whose URI is new,
   * and the listen that carries it. */
  int is_new;
  mcpi_request *watch;
  mcpi_request *owner;
  mcpi_list watch_link; /* of the listen, in client->watches */

  /* mirror.c */
  int has_relisted;   /* and is not sent a third time */
  uint64_t lists_for; /* the request that waits for this list */

  /* How it ended. */
  int status;
  int was_sent;
  mcp_error err;
  mcp_result *result;
  mcpi_message *refusal; /* holds error_data */
  const mcp_json *error_data;
};

/* A request of the client's own. NULL when out of memory. */
mcpi_request *mcpi_request_take(mcp_client *client, const mcpi_method *row);
/* One of the program's: checks that it can be made now, and reads the options.
 * 0, MCP_ERR_INVALID, MCP_ERR_CLOSED, MCP_ERR_UNSUPPORTED, MCP_ERR_NOMEM. */
int mcpi_request_open(mcpi_request **out, mcp_client *client,
                      const mcpi_method *row,
                      const mcp_request_options *options, mcp_done_cb on_done,
                      void *userdata);
/* Sends it, or completes it later when the server did not declare what it
 * needs. On failure the request is gone. */
int mcpi_request_start(mcpi_request *request);
/* Ends one that has not been started. */
void mcpi_request_drop(mcpi_request *request);

/* Keeps the value of mcp_send_info.name; NULL: it has none. */
void mcpi_request_set_name(mcpi_request *request, mcpi_str name);

/* Remembers the first failure of writing the params; its text goes to
 * client->error, and what comes behind it is not written. */
void mcpi_request_note(mcpi_request *request, int rc);

/* Sends a message of it. On failure it is the caller's to fail it, unless it
 * has ended meanwhile. */
int mcpi_request_send(mcpi_request *request, mcp_error *err);
/* The same for the second and later ones: a failure ends the request. */
void mcpi_request_resend(mcpi_request *request);

/* Sends one again, in another session, as far as the server has what it
 * needs. */
void mcpi_request_relaunch(mcpi_request *request);

/* The usual on_reply: a result, questions, or a failure. */
void mcpi_request_settle(mcpi_request *request, int status,
                         mcpi_message *message, const mcpi_envelope *reply,
                         const mcp_error *err);
/* Checks what every result must have. *asks is set to 1 when it is
 * input_required. 0 or MCP_ERR_PROTOCOL. */
int mcpi_request_check(const mcpi_request *request, const mcp_json *result,
                       int *asks, mcp_error *err);

/* Its end, each once. Taken: result, which may be NULL for out of memory. */
void mcpi_request_succeed(mcpi_request *request, mcp_result *result);
void mcpi_request_fail(mcpi_request *request, const mcp_error *err);
void mcpi_request_fail_with(mcpi_request *request, int code,
                            const char *reason);
/* With what the server said. */
void mcpi_request_refuse(mcpi_request *request, mcpi_message *message,
                         const mcpi_envelope *reply);
/* Whatever it waits for is not waited for any more. */
void mcpi_request_stop(mcpi_request *request);

/* Runs the completions of what is in client->finished. */
void mcpi_request_deliver_all(mcp_client *client);
/* Frees idle requests until at most `keep` are left. */
void mcpi_request_trim(mcp_client *client, size_t keep);

/* The program's request of that number, or NULL. */
mcpi_request *mcpi_request_find_active(const mcp_client *client,
                                       uint64_t number);
/* The listen with that id, or NULL. */
mcpi_request *mcpi_request_find_listen(const mcp_client *client,
                                       const mcp_json *id);

#endif
