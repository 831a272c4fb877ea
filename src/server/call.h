/* SPDX-License-Identifier: MIT */
/* A call is one request while it is handled.
 *
 * Lifetime: each of these holds the structure as long as it needs it: the
 * dispatcher while it looks for a handler, the handler while it runs, the
 * program from mcp_call_defer to its reply, questions in flight, an open
 * listen. The last hold returns it to the shard's free list. Only the loop's
 * thread counts holds; other threads post what they do to a call to the loop
 * first (call_run.c). */
#ifndef MCPI_SERVER_CALL_H
#define MCPI_SERVER_CALL_H

#include "core/context.h"
#include "core/method.h"
#include "server/caller.h"
#include "server/session.h"
#include "server/shard.h"
#include "server/sink.h"
#include "server/task.h"
#include <mcp/call.h>

typedef struct mcpi_ask mcpi_ask;               /* ask.h */
typedef struct mcpi_own_method mcpi_own_method; /* own_methods.h */

/* The kinds of a reply's content. */
enum {
  MCPI_REPLY_KIND_TOOL,
  MCPI_REPLY_KIND_PROMPT,
  MCPI_REPLY_KIND_RESOURCE,
  MCPI_REPLY_KIND_COMPLETION,
  MCPI_REPLY_KIND_OTHER
};

/* Where a call is, as its loop sees it. Only the loop's thread changes it.
 *
 *   READY ---> RUNNING ---> READY        the handler has returned
 *     |           |
 *     |           +-------> REPLIED ---> FINISHED
 *     |                                  its reply came before it returned
 *     +------> ASKING ----> READY        a legacy client has been asked
 *     +--------------------------------> FINISHED
 */
typedef enum mcpi_call_stage {
  MCPI_CALL_READY,   /* no handler has it: before, between and after its runs */
  MCPI_CALL_RUNNING, /* a handler has it, here or on the pool */
  MCPI_CALL_REPLIED, /* likewise, and the reply has gone out */
  MCPI_CALL_ASKING,  /* questions to a legacy client are in flight */
  MCPI_CALL_FINISHED /* the reply has been sent, or the client is gone */
} mcpi_call_stage;

/* What became of the reply, as the holder of the call sees it: the handler, and
 * after mcp_call_defer the program, on any thread. The loop's thread reads it
 * while the holder changes it.
 *
 *   OWED ---> DEFERRED ---> DROPPED
 *     |           |
 *     +--> GIVEN  +--> GIVEN_LATER
 */
typedef enum mcpi_call_reply {
  MCPI_REPLY_OWED,
  MCPI_REPLY_DEFERRED,
  MCPI_REPLY_GIVEN,
  MCPI_REPLY_GIVEN_LATER, /* after it was deferred */
  MCPI_REPLY_DROPPED      /* mcp_call_drop */
} mcpi_call_reply;

/* Where the structured result of a tool is. */
typedef enum mcpi_structured {
  MCPI_STRUCTURED_NONE,
  /* In call->tail: text of the program, not checked yet. */
  MCPI_STRUCTURED_TEXT,
  /* In call->tail: written by a builder of the program. */
  MCPI_STRUCTURED_COPIED,
  MCPI_STRUCTURED_BUILT /* in call->builder */
} mcpi_structured;

/* The memory that an idle call keeps in each of its buffers. A longer id counts
 * in max_kept_bytes. */
enum { MCPI_CALL_KEPT_BYTES = 4 * 1024 };

/* A call in the free list keeps the members before `link`. Clearing them too
 * would make each call a few percent slower (call.c). */
struct mcp_call {
  mcpi_shard *shard; /* the shard, which stays as long as it has calls */
  mcpi_buf id;       /* the request's id, as JSON text */
  mcpi_buf out;      /* the message that will be sent */
  /* A value after the content, as JSON text: the structured result, the
   * prompt's description, a whole result object. */
  mcpi_buf tail;
  mcpi_buf meta; /* members of _meta, with commas between */
  mcpi_buf error_data;
  mcp_builder *builder; /* mcp_call_structured's; NULL: not used yet */
  mcp_error error;      /* what the last failing function recorded */

  mcpi_list link; /* in the caller's list of calls, or left_calls */
  /* What mcp_call_get_struct has made, owned. */
  struct mcpi_struct_head *structs;
  mcp_call *next;       /* in the free list */
  mcpi_sink *sink;      /* NULL: the client is gone, has its answer, or gets
                           none because it sent a notification */
  mcpi_caller *caller;  /* NULL when sink is NULL, and of a task */
  mcp_session *session; /* NULL: modern, or gone */

  mcpi_message *message; /* kept; NULL: no longer needed */
  /* Kept like `message`: the legacy context points into it. */
  mcpi_message *client;
  /* Bytes kept besides the messages: a long id, and answers to legacy
   * questions. */
  size_t own_bytes;
  const mcpi_method *method; /* NULL: a method of the program */
  mcpi_own_method *own_method;
  mcpi_str method_name;
  mcpi_entry *entry; /* a reference, or NULL */
  mcpi_context context;
  const mcp_json *params;
  const mcp_json *arguments; /* NULL: none */
  mcpi_message *variables;   /* templates: the variables, as an object */
  mcpi_identity *identity;   /* a reference; holds the next two */
  const char *principal;
  const char *peer;
  /* What the token of its request permits, a reference; NULL: its request needs
   * no token. */
  mcpi_grant *grant;
  /* Owned: it is refused because its token lacks one of these scopes. */
  char *needed_scopes;

  mcpi_inflight inflight;

  /* The reply (reply.c). */
  int reply_kind;
  int role; /* prompts: MCP_ROLE_* */
  size_t piece_count;
  size_t flushed_len; /* of call->out: how much mcp_call_flush has shown */
  size_t result_at;   /* where in call->out the result object begins ... */
  size_t own_end;     /* ... and where the protocol's members follow the
                         handler's content */
  int is_failure;
  mcpi_structured structured;
  int has_cache; /* the program has set the next two */
  int cache_is_public;
  uint64_t cache_ttl_ms;
  int is_filtered; /* a list that leaves out what the token does not permit */
  int is_input_required; /* the result asks for input: resultType says so, and
                            it has no cache hints */
  int rpc_code;          /* of the error reply, else 0 */
  int reserved_code;     /* the handler's, which rpc_code replaces, else 0 */
  int error_rpc;         /* the JSON-RPC code of call->error */
  int error_answer;      /* MCPI_ANSWER_*: how call->error is answered ... */
  int error_limit;       /* ... and the MCPI_LIMIT_* of MCPI_ANSWER_REFUSED */
  int reply_status;      /* why an error went out instead of the reply, or 0 */

  /* The handler, and whose the call is (call_run.c, call.c). */
  mcp_call_cb handler;
  void *handler_userdata;
  int handler_status; /* what the handler returned on the pool */
  int is_blocking;    /* the handler runs on the pool */
  mcpi_call_stage stage;
  atomic_int reply;      /* mcpi_call_reply */
  atomic_int asked_late; /* the handler asked after it had deferred */
  uint32_t holds;        /* on the loop's thread: the number of holders */
  atomic_int cancelled;
  mcpi_list cancelled_link; /* in the shard's cancelled_calls */
  void (*on_cancel)(mcp_call *call, void *userdata);
  void *on_cancel_userdata;
  double last_progress;
  int has_progress;
  int has_stalled;      /* progress did not increase, which was reported */
  int has_bad_log;      /* a log message was not valid, which was reported */
  uint32_t flush_count; /* progress messages made of flushed parts; 0: none */

  mcpi_ask *ask;      /* NULL until the handler asks or a retry came */
  mcpi_task *task;    /* borrowed; NULL: its client waits for the reply */
  int has_begun_task; /* a task is being made of it, or it is one */
  /* The id of the task that it is or was. It stays, so that the handler may
   * read it on any thread once has_task_id is set. */
  char task_id[MCPI_TASK_ID_SIZE];
  atomic_int has_task_id;
  mcpi_listen *listen; /* subscriptions/listen */
  /* Counted among the calls in flight; a listen that has begun is not. */
  int is_counted;
};

static inline int mcpi_call_is_running(const mcp_call *call) {
  return call->stage == MCPI_CALL_RUNNING || call->stage == MCPI_CALL_REPLIED;
}

static inline int mcpi_call_is_finished(const mcp_call *call) {
  return call->stage == MCPI_CALL_FINISHED || call->stage == MCPI_CALL_REPLIED;
}

static inline int mcpi_call_is_deferred(const mcp_call *call) {
  int reply = atomic_load(&call->reply);
  return reply != MCPI_REPLY_OWED && reply != MCPI_REPLY_GIVEN;
}

static inline int mcpi_call_has_reply(const mcp_call *call) {
  return atomic_load(&call->reply) >= MCPI_REPLY_GIVEN;
}

/* The reply has been sent, or will not be sent. On the loop's thread. */
static inline void mcpi_call_set_finished(mcp_call *call) {
  call->stage =
      mcpi_call_is_running(call) ? MCPI_CALL_REPLIED : MCPI_CALL_FINISHED;
}

/* --- its life --- */

/* Makes a call with one hold, which belongs to the function that called this
 * one (not to the mcpi_caller). NULL when out of memory. */
mcp_call *mcpi_call_new(mcpi_shard *shard);
/* Gives the call to its caller, and counts it among the calls in flight
 * until it is released or mcpi_call_uncount is called. */
void mcpi_call_attach(mcp_call *call, mcpi_caller *caller);
/* Stops counting the call among those in flight; it may be called twice. */
void mcpi_call_uncount(mcp_call *call);
static inline void mcpi_call_hold(mcp_call *call) {
  call->holds++;
}
/* The last hold gives it back to the free list. */
void mcpi_call_unhold(mcp_call *call);
/* Drops the message, and the pointers into it. */
void mcpi_call_forget_message(mcp_call *call);
/* The call gets no answer any more, and does not learn of that. */
void mcpi_call_mute(mcp_call *call);
/* The client has gone or has cancelled the call: the call learns of that, and
 * its answer is dropped. Inside a send only the answer is dropped at once; the
 * call learns of it when the shard's outermost frame leaves. */
void mcpi_call_cancel(mcp_call *call);
/* Calls that were cancelled inside a send learn of it. */
void mcpi_calls_tell_cancelled(mcpi_shard *shard);
/* The call's mcpi_caller ends before the call does. */
void mcpi_call_detach(mcp_call *call);
/* Answers the request of a call with a result by `sink`, and lets the call go
 * on without its caller and its session: what it sends from now on goes to
 * `later`. Returns 0 or MCP_ERR_GONE. */
int mcpi_call_answer_early(mcp_call *call, mcpi_sink *sink, mcpi_str result,
                           mcpi_sink *later);

/* Frees the idle calls of a shard that ends. */
void mcpi_calls_free_idle(mcpi_shard *shard);
/* --- its handler (call_run.c) --- */

/* Returns the name of the entry or of the method, for reports. */
const char *mcpi_call_what_runs(const mcp_call *call);
/* Runs the handler, on this thread or on the pool, and handles what it returns.
 * Also for each round after questions. */
void mcpi_call_run(mcp_call *call, mcp_call_cb handler, void *userdata);
/* The reply is complete: on the loop's thread it is finished at once
 * (mcpi_reply_finish), on other threads it is posted there. Returns 0;
 * MCP_ERR_GONE: the client is gone; MCP_ERR_INVALID: the call already had a
 * reply; or an error of mcpi_reply_finish. */
int mcpi_call_submit(mcp_call *call);
/* --- its failures, and its answer --- */

/* How a recorded failure is answered. */
enum {
  MCPI_ANSWER_ERROR, /* with error_rpc */
  /* An argument of the client's cannot be used: a tool answers with a failed
   * result, as it does for arguments that break its schema (MCP 2025-11-25,
   * Tools: Error Handling); all other methods answer with error_rpc. */
  MCPI_ANSWER_BAD_ARGUMENT,
  MCPI_ANSWER_REFUSED /* with error_rpc; a limit refused the call */
};

/* Records a failure on the call and returns its code. rpc: the JSON-RPC code
 * to answer with if the handler returns because of it. */
int mcpi_call_fail(mcp_call *call, int code, int rpc, const char *format, ...)
    MCP_PRINTF(4, 5);
/* The same for a limit that refuses the call. mcpi_call_reply_recorded reports
 * the refusal after the answer. Returns MCP_ERR_LIMIT. */
int mcpi_call_fail_limit(mcp_call *call, int limit, const mcp_error *why);
/* Returns the recorded message as the client may get it: without what it quotes
 * of the program's JSON texts, which may be private. Borrowed from the call. */
mcpi_str mcpi_call_client_message(const mcp_call *call);
/* Answers with the error that is recorded on the call. */
void mcpi_call_reply_recorded(mcp_call *call);
/* call_require.c: 0 when the client has declared the capability (a dotted
 * path); else records MCP_ERR_CAPABILITY, for the client in its era's way. */
int mcpi_call_require(mcp_call *call, const char *capability);
/* Returns 0 if the token of the call has these scopes, or if the call needs no
 * token. Otherwise records MCP_ERR_REFUSED, with call->needed_scopes. NULL:
 * there are none. `what` names what needs them, such as a tool; *name* too. */
int mcpi_call_require_scopes(mcp_call *call, const char *scopes,
                             const char *what, mcpi_str name);
/* The same for what an entry needs. */
static inline int mcpi_call_require_entry(mcp_call *call,
                                          const mcpi_entry *entry) {
  return call->grant == NULL || entry->scopes == NULL
             ? 0
             : mcpi_call_require_scopes(call, entry->scopes,
                                        mcpi_kind_name(entry->kind),
                                        entry->key);
}
/* The last step of every mcpi_reply_*: marks the call as replied (if it
 * is not yet), shows
 * call->out to the program's hook and sends it (as an error if call->rpc_code
 * is not 0). If call->out holds a failure instead of a message, an error is
 * sent in its place. The call stays valid: the function that runs it releases
 * it. Returns 0 or MCP_ERR_GONE. */
int mcpi_call_send(mcp_call *call);

#endif
