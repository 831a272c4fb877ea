/* SPDX-License-Identifier: MIT */
/* A request of ours, from its start to its completion, and the order in which
 * completions run. One request may take several messages: the pages of a list,
 * rounds of questions, a listen that is opened again. Each message has an id
 * and clocks of its own.
 *
 *      .---------------- dropped ----------------------------.
 *      |                                                     v
 *     NEW -----> WAITING -------------------------------> ENDED
 *      | |        ^   |                                    ^
 *      | |        |   +-> ASKING ---.                      |
 *      | |        |   +-> PAUSED ---+--- (each: failed) ---+
 *      | |        |   +-> LOST -----|                      |
 *      | `--------|-----> REFUSED --|                      |
 *      |          `-----------------'                      |
 *      `---------------> PARKED ---------------------------'
 *
 * A request that ends waits in client->finished until the outermost event is
 * over, or, when a function of the program ended it, for the timer
 * client->soon. So a completion may do anything: no function on the stack looks
 * at what it changes. Then the request is idle, and its memory is used
 * again. */
#ifndef MCPI_CLIENT_REQUEST_H
#define MCPI_CLIENT_REQUEST_H

#include "client/client.h"
#include "client/key_set.h"

typedef enum mcpi_request_state {
  MCPI_REQUEST_NEW,
  MCPI_REQUEST_WAITING, /* for an answer */
  MCPI_REQUEST_ASKING,  /* the program, for the server (input_requests.h) */
  MCPI_REQUEST_PAUSED,  /* before the next message (rounds.h, tool.h,
                         * follow.h) */
  MCPI_REQUEST_LOST,    /* a listen that will be opened again (listen.h) */
  MCPI_REQUEST_AWAITS_SESSION, /* waits for a new session (resend.h) */
  MCPI_REQUEST_PARKED, /* others do the work: connect, subscribe, cached */
  MCPI_REQUEST_ENDED   /* in client->finished or client->idle */
} mcpi_request_state;

/* As mcpi_pending_done. */
typedef void (*mcpi_reply_cb)(mcpi_request *request, int status,
                              mcpi_message *message, const mcpi_envelope *reply,
                              const mcp_error *err);

/* What a request is for. */
typedef struct mcpi_request_kind {
  /* A message has been answered, or will not be. NULL: none is sent. */
  mcpi_reply_cb on_reply;
  /* The request ends: releases what the kind keeps in it. May be NULL. */
  void (*on_end)(mcpi_request *request);
} mcpi_request_kind;

/* Buffers, which a request keeps when it is used again. */
typedef struct mcpi_request_bufs {
  mcpi_buf params;  /* members that every message has */
  mcpi_buf extra;   /* members of the next message alone */
  mcpi_buf meta;    /* members for _meta, of the program's */
  mcpi_buf pages;   /* pages.c: an array of mcpi_result_page */
  mcpi_buf answers; /* input_requests.c: members of inputResponses;
                     * subscribe.c: the URI, without quotes */
  mcpi_buf name;    /* the tool's or prompt's name or the resource's URI, with
                     * its NUL; empty: the method has none */
  mcpi_buf method;  /* a name that is not in the table, with its NUL */
} mcpi_request_bufs;

/* What the cache needs: cached.c. */
typedef struct mcpi_request_cached {
  int is_allowed;  /* the answer may be kept */
  int wants_fresh; /* the program wants a fresh answer of the server */
  int64_t fresh_until_ms;
  uint64_t drops;     /* of the cache, when the request began */
  mcp_result *result; /* the cached result that will complete the request */
} mcpi_request_cached;

/* The questions of an answer: input_requests.c. */
typedef struct mcpi_request_inputs {
  size_t unanswered;
  mcpi_message *asked; /* holds the questions' params */
  void (*on_answered)(mcpi_request *request);
} mcpi_request_inputs;

/* A tools/call, prompts/get or resources/read: rounds.c, tool.c. */
typedef struct mcpi_request_rounds {
  uint32_t count;
  mcpi_str state; /* requestState, in inputs.asked; ptr NULL: absent */
  /* The tools were listed for it; it is not sent a third time. */
  int has_relisted;
  int is_task;      /* 2025-11-25: it asks for a task */
  int has_switched; /* is_task was changed once, as the server wants it */
} mcpi_request_rounds;

/* A call whose task is followed: follow.c. */
typedef struct mcpi_request_follow {
  mcpi_buf tool;          /* the tool's name, with its NUL; empty: not known */
  mcpi_buf message;       /* the last status message */
  mcpi_key_set questions; /* that were taken; each key stands for one */
  mcpi_token token;       /* of the call (2025-11-25) */
  int status;             /* the last one, a mcpi_task_status */
  /* The program's; gets the status messages. May be NULL. */
  void (*on_progress)(mcp_client *client, double progress, double total,
                      const char *message, void *userdata);
  mcpi_request *stream; /* task_stream.c; or NULL */
  uint32_t limit_ms;    /* max_ms of the whole; 0: none */
  uint32_t timeout_ms;  /* of one poll; 0: none */
  int64_t deadline_ms;  /* by the clock of client->peer.pending; INT64_MAX:
                         * none */
  int64_t asked_ms;     /* since when the program has questions to answer */
  uint32_t poll_ms;
  uint32_t rounds;   /* of questions */
  uint32_t failures; /* messages that failed in a row */
  int is_ours;       /* the request made the task, and cancels it */
  int ends_answered; /* the request ends when no question is open */
  int has_stream;    /* one was opened, or cannot be */
  int has_ended;     /* the task */
} mcpi_request_follow;

/* A list: pages.c, tool.c. */
typedef struct mcpi_request_pages {
  mcpi_map cursors;   /* that were seen; the keys lie in the pages */
  size_t bytes;       /* memory of the pages */
  uint64_t forgets;   /* of client->outputs, when the request began */
  uint64_t waits_for; /* the call that waits for this list; 0: none */
} mcpi_request_pages;

typedef enum mcpi_listen_stage {
  MCPI_LISTEN_ASKED, /* never acknowledged */
  MCPI_LISTEN_OPEN,
  MCPI_LISTEN_BROKEN /* was open, and is being opened again */
} mcpi_listen_stage;

/* A stream of notifications: listen.c. */
typedef struct mcpi_request_listen {
  mcpi_listen_stage stage;
  /* The first acknowledgement. May be NULL. */
  void (*on_open)(mcp_client *client, const mcp_json *granted, void *userdata);
  /* The same, for subscribe.c; else NULL. */
  void (*on_granted)(mcpi_request *listen, mcpi_message *message,
                     const mcp_json *granted);
  uint32_t ack_ms; /* how long the acknowledgement may take; 0: no limit */
  int is_once;     /* is not opened again */
  int64_t opened_ms;
  uint32_t reopens;       /* in a row */
  mcpi_inflight inflight; /* by which the server ends it */
  char id_text[20];
  /* subscribe.c: the subscribe that waits for it; follow.c: whose task it is
   * about. */
  mcpi_request *owner;
  mcpi_list watch_link; /* subscribe.c: in client->watches */
} mcpi_request_listen;

/* The program's subscribe or unsubscribe: subscribe.c. */
typedef struct mcpi_request_subscribe {
  int is_new;          /* the URI was not subscribed to before */
  mcpi_request *watch; /* the listen that carries it */
} mcpi_request_subscribe;

struct mcpi_request {
  mcpi_pending pending;
  mcpi_list link; /* in one of the client's three lists */
  mcp_client *client;
  mcpi_request_state state;
  const mcpi_request_kind *kind;
  const mcpi_method *row;    /* NULL: not in the table */
  mcpi_str method;           /* the row's name, or in bufs.method */
  int error;                 /* of writing the params: reported by start */
  mcp_error *start_err;      /* the program's, until start returns; or NULL */
  mcpi_message *given;       /* what the program gave; NULL: nothing */
  const mcp_json *arguments; /* of a tool or prompt, in given; or NULL */

  uint64_t number; /* the first message's id: what the program knows it by */
  uint64_t *number_out;
  uint64_t task_ttl_ms; /* of a call that asks for a task; 0: not said */
  uint32_t timeout_ms;  /* for each message; 0: no limit */
  uint32_t max_ms;
  int is_idempotent;
  int is_internal;   /* the client's own: mcp_client_cancel cannot name it */
  int is_quiet;      /* never tell the server that it is cancelled */
  int is_raw;        /* do not check capabilities and output schemas */
  int is_schemaless; /* do not check the output schema */
  const char *name_member; /* the program's, until start returns; or NULL */
  mcpi_timer timer; /* for the state: the pause, the limit, or the next turn */
  void (*on_due)(mcpi_request *request);

  mcp_done_cb on_done;
  void *userdata;
  void (*on_progress)(mcp_client *client, double progress, double total,
                      const char *message, void *userdata);
  void *progress_userdata;

  mcpi_request_cached cached;
  mcpi_request_inputs inputs;
  union { /* by kind */
    mcpi_request_rounds rounds;
    mcpi_request_follow follow;
    mcpi_request_pages pages;
    mcpi_request_listen listen;
    mcpi_request_subscribe subscribe;
  };

  /* How it ended. */
  int status;
  int was_sent;
  mcp_error err;
  mcp_result *result;
  mcpi_message *refusal; /* holds error_data */
  const mcp_json *error_data;

  mcpi_request_bufs bufs; /* last: all before is zero in a new request */
};

/* --- the turn ------------------------------------------------------------- */

/* Around whatever an event (a message, a timer) causes: the last one to leave
 * runs the completions that are due, and frees a freed client. */
void mcpi_client_enter(mcp_client *client);
void mcpi_client_leave(mcp_client *client);
/* Instead of mcpi_client_leave, at the end of a function of the program's:
 * completions that are due run from the loop. */
void mcpi_client_return(mcp_client *client);
/* The same for a client that has been freed: no completion runs. */
void mcpi_client_step_out(mcp_client *client);
/* Prepares client->soon. 0 or MCP_ERR_NOMEM. */
int mcpi_client_init_turn(mcp_client *client);

/* --- the beginning -------------------------------------------------------- */

/* A request of the client's own. NULL when out of memory. */
mcpi_request *mcpi_request_take(mcp_client *client, const mcpi_method *row,
                                const mcpi_request_kind *kind);
/* Ends one that has not been started. */
void mcpi_request_drop(mcpi_request *request);
/* Keeps the value of mcp_send_info.name; ptr NULL: it has none. */
void mcpi_request_set_name(mcpi_request *request, mcpi_str name);
/* That value. */
mcpi_str mcpi_request_name(const mcpi_request *request);
/* Remembers the first failure of writing the params; its text
 * goes to start_err, and later params are not written. */
void mcpi_request_note(mcpi_request *request, int rc);

/* --- the end, each once --------------------------------------------------- */

/* Taken: result, which may be NULL for out of memory. */
void mcpi_request_succeed(mcpi_request *request, mcp_result *result);
void mcpi_request_fail(mcpi_request *request, const mcp_error *err);
void mcpi_request_fail_with(mcpi_request *request, int code,
                            const char *reason);

/* Runs the completions of what is in client->finished. */
void mcpi_request_deliver_all(mcp_client *client);

/* --- look-up -------------------------------------------------------------- */

/* The program's request of that number, or NULL. */
mcpi_request *mcpi_request_find(const mcp_client *client, uint64_t number);
/* The listen with that id, or NULL. */
mcpi_request *mcpi_request_find_listen(const mcp_client *client,
                                       const mcp_json *id);

#endif
