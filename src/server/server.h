/* SPDX-License-Identifier: MIT */
/* The server's own structures, and the way of a message through it:
 *
 *   transport -> wire -> peer
 *             -> caller.c              (whose message it is)
 *             -> dispatch.c            (era, method, revision, capability,
 *                                       parameters; the middleware hook)
 *             -> tools.c, prompts.c, ...  (the protocol's own methods)
 *             -> the program's handler (run.c; pieces.c, answer.c, ask.c,
 *                                       tell.c are what it calls)
 *             -> reply.c               (one buffer in the revision's shape)
 *             -> call.c -> sink -> peer -> transport
 *
 * A mcp_server is what the program configured; a part is that server on one
 * loop: its snapshot of the registries, its callers, its free list of
 * calls. Everything of a part is touched on its loop alone. The eras differ in
 * a call's context, and in that only legacy calls have a session. */
#ifndef MCPI_SERVER_SERVER_H
#define MCPI_SERVER_SERVER_H

#include "base/list.h"
#include "core/method.h"
#include "core/reports.h"
#include "schema/elicit.h"
#include "server/caller.h"
#include "server/list.h"
#include <mcp/call.h>

typedef struct mcpi_ask mcpi_ask;               /* ask.c */
typedef struct mcpi_listen mcpi_listen;         /* listen.c */
typedef struct mcpi_own_method mcpi_own_method; /* extend.c */

/* ---- the server -------------------------------------------------------- */

/* A server is held by the program until mcp_server_free, by each of its parts,
 * by each endpoint, listener and branch that serves it, and by frames that use
 * it. The last of them frees it, on whichever thread that is.
 *
 * The program may call mcp_server_free in every callback. It drains, which runs
 * callbacks of other connections; in those a second mcp_server_free does
 * nothing. As long as a callback of the server's can come there is a part, so a
 * pointer that the library hands to a callback is valid in it. */
struct mcp_server {
  mcp_allocator allocator;
  mcp_server_options options; /* strings copied, defaults filled in */
  char *name;
  char *version;
  mcpi_buf implementation[MCPI_REVISION_COUNT]; /* the JSON object, made once */
  mcpi_registry *registries[MCPI_KIND_COUNT];
  uint64_t next_seq;
  uint64_t hash_seed[2];
  mcp_error first_error; /* of configuring and registering; code 0: none */
  mcp_error told_error;  /* the same, with how many there were */
  size_t error_count;
  mcpi_map own_methods; /* name -> mcpi_own_method */
  mcpi_buf extensions;  /* "id":{settings},... */
  mcpi_buf experimental;
  char **listen_filters; /* names that the program added */
  size_t listen_filter_count;
  int has_logging;
  atomic_int has_completion; /* some prompt or template completes */
  void (*on_roots)(mcp_session *session, const mcp_json *roots, void *userdata);
  void *on_roots_userdata;
  uint8_t (*keys)[MCP_SEAL_KEY_SIZE]; /* the first seals */
  atomic_size_t key_count;            /* 0: none made yet */
  atomic_ullong elicitation_count;    /* made ids end with it */
  mcpi_form_rules form_rules;         /* of what calls ask with */
  atomic_uint declared; /* bits by kind: it has or had entries, and so its
                           capability */
  /* Over what the loops share and change: the registries, next_seq, the errors,
   * the making of a key, and the list of parts. Held for moments (parts.c). */
  atomic_flag lock;
  mcpi_list parts;
  atomic_int is_draining;
  atomic_int is_ending; /* after mcp_server_free: another call does nothing */
  atomic_int is_freed;  /* it has closed the connections: the program is called
                           with this server no longer */
  atomic_size_t refs;
};

/* The limits that refuse peers, or that end something of theirs. 0: no
 * limit. */
enum {
  MCPI_LIMIT_CALLS = 1,
  MCPI_LIMIT_TOTAL_CALLS,
  MCPI_LIMIT_BYTES,
  MCPI_LIMIT_SUBSCRIPTIONS,
  MCPI_LIMIT_SESSIONS,
  MCPI_LIMIT_EVENT_BYTES,
  MCPI_LIMIT_CONNECTIONS,
  MCPI_LIMIT_COUNT
};

/* One limit on one loop (room.c). An eviction must not use up the report of a
 * refusal, so each has a rate of its own. */
typedef struct mcpi_limit {
  mcpi_part *part;
  const char *option; /* that sets it */
  int has_refused;
  int64_t refused_ms; /* the last time */
  mcpi_reports refusals;
  mcpi_reports evictions;
} mcpi_limit;

/* The server on one loop. */
struct mcpi_part {
  mcpi_list link;
  mcp_server *server;
  mcp_loop *loop;
  mcpi_registry *registries[MCPI_KIND_COUNT]; /* snapshots */
  atomic_int stale;          /* the server's have changed since */
  atomic_uint changed_kinds; /* bits: list-changed is owed */
  atomic_size_t letters;     /* on their way to it: parts.c */
  mcpi_timer change_timer;   /* sends it, once a turn */
  mcpi_list_cache lists[MCPI_KIND_COUNT][MCPI_REVISION_COUNT];
  mcpi_list callers;
  mcpi_list closed;           /* of them, those that the next sweep frees */
  atomic_size_t caller_count; /* written at home only */
  mcpi_identities identities;
  mcpi_list listens; /* of all connections, also those that ended ... */
  mcpi_listen *ended_listens; /* ... which are freed by the next sweep */
  mcp_builder *violations;    /* reply.c: of the last value that did not fit its
                              schema; NULL: none was yet */
  mcp_call *idle_calls;
  size_t idle_call_count;
  size_t call_count;      /* structures in use, those of listens too */
  mcpi_accounts accounts; /* who has how much of this loop */
  mcpi_limit limits[MCPI_LIMIT_COUNT]; /* room.c */
  size_t holds; /* of those who use it without a connection: endpoints */
  mcpi_reports reports; /* of all its connections */
  uint32_t depth;       /* frames between mcpi_part_enter and _leave */
  int is_leaving;       /* its loop goes before the server */
  int wants_sweep;      /* a connection has closed, a listen has ended, or the
                        server was freed */
};

/* The part for a loop, made at its first use; NULL when out of memory. */
mcpi_part *mcpi_part_get(mcp_server *server, mcp_loop *loop);
/* Takes the server's registries when they have changed. Called as each request
 * begins. */
void mcpi_part_refresh(mcpi_part *part);
/* The server's registry of a kind has changed, under the lock: each part will
 * take it before its next request. */
void mcpi_parts_mark(mcp_server *server, int kind);
/* After that, without the lock: each part tells its peers, once in the next
 * turn of its loop. */
void mcpi_parts_tell_changes(mcp_server *server);
/* Everything that comes in from outside (a message, a timer, a post, a call by
 * the program) runs between these two, on the loop's thread. Connections,
 * sessions, listens and the part itself are freed when the outermost frame
 * leaves, so that nothing vanishes between them, whatever a callback frees. */
void mcpi_part_enter(mcpi_part *part);
void mcpi_part_leave(mcpi_part *part);

/* --- parts.c: what concerns every part --- */

/* Not to be held while the program, or anything that may call it, runs. */
void mcpi_server_lock(mcp_server *server);
void mcpi_server_unlock(mcp_server *server);
/* Runs in a part, on its loop's thread. `bytes` are borrowed until return. 0 or
 * an MCP_ERR_*. */
typedef int (*mcpi_part_run)(mcpi_part *part, mcpi_str bytes);
/* Runs it in every part: in those whose loop's thread this is before it
 * returns, in each of the others by a letter to its loop, with a copy of the
 * bytes, in the order of the calls. From any thread. 0, or the first failure:
 * that of a part here, or MCP_ERR_NOMEM of a letter. */
int mcpi_parts_run(mcp_server *server, mcpi_part_run run, mcpi_str bytes);

/* A loop goes before the server, on its thread. Connections there are closed,
 * and the part is freed once nobody uses it. */
MCP_API void mcpi_server_leave_loop(mcp_server *server, mcp_loop *loop);
/* Whether there is a part on that loop, on its thread. */
MCP_API int mcpi_server_is_on(mcp_server *server, const mcp_loop *loop);
/* Reports on the loop's thread that a listener has refused a connection for
 * max_connections. The program may free the server and the listener in its
 * on_report. */
MCP_API void mcpi_server_connection_refused(mcp_server *server, mcp_loop *loop,
                                            const char *peer,
                                            const mcp_error *err);
/* The idle calls of a part that goes. */
void mcpi_calls_free_idle(mcpi_part *part);
/* What extend.c keeps in a server that goes. */
void mcpi_server_deinit_extensions(mcp_server *server);
/* What mcp_main's command line says of mcp_server_options.eras. */
MCP_API void mcpi_server_set_eras(mcp_server *server, uint32_t eras);
MCP_API void mcpi_server_ref(mcp_server *server);
MCP_API void mcpi_server_unref(mcp_server *server);
/* Configuring or a registration failed: counts it, and keeps the first for
 * mcp_server_error. Returns the error's code. */
int mcpi_server_remember(mcp_server *server, const mcp_error *err);
/* Tells the program of something that belongs to no reply. */
void mcpi_server_report(mcp_server *server, int code, const char *format, ...)
    MCP_PRINTF(3, 4);
/* The same of something that a peer can bring about, as often as the part's
 * limit allows. */
void mcpi_part_report(mcpi_part *part, int code, const char *format, ...)
    MCP_PRINTF(3, 4);

/* Appends the capabilities object for a revision's client (PROTOCOL 2.2).
 * kinds: bits of mcp_server.declared, which the caller reads once, because
 * another loop's thread may add to them. has_session: the object also declares
 * what lasts beyond one answer. */
void mcpi_put_capabilities(const mcp_server *server, uint32_t kinds,
                           const mcpi_revision *revision, int has_session,
                           mcpi_buf *out);

/* Remembers what initialize declares to the session's client. The server
 * notifies that client of nothing else (PROTOCOL 2.1). */
void mcpi_session_note_declared(mcp_session *session);

/* 1 when the server declares it; `capability` is as in the method table. */
int mcpi_server_offers(const mcp_server *server, const char *capability);

/* ---- sinks ------------------------------------------------------------- */

/* How a call is answered. One kind is an ordered stream (connection.c), another
 * what answers an HTTP request (endpoint/stream.c). */
enum {
  MCPI_SEND_RESULT,
  MCPI_SEND_ERROR,
  MCPI_SEND_PROGRESS,
  MCPI_SEND_LOG,
  MCPI_SEND_NOTIFICATION,
  MCPI_SEND_FRAGMENT /* no message: {"content":[...]}, part of the result */
};

typedef struct mcpi_sink_ops {
  /* Sends a message that belongs to the call. rpc_code is the error's, else 0.
   * A result or error ends the call's use of the sink. Progress and logs may
   * be dropped when too much waits. The call is NULL when there was no memory
   * for one: then the message is the error. 0, MCP_ERR_GONE; of a fragment
   * MCP_ERR_UNSUPPORTED: the wire has none. */
  int (*send)(mcpi_sink *sink, mcp_call *call, int what, int rpc_code,
              const char *message, size_t len);
  /* Sends a request of ours to the call's client (legacy). 0, MCP_ERR_GONE,
   * MCP_ERR_UNSUPPORTED where there is no way back. */
  int (*ask)(mcpi_sink *sink, mcp_call *call, mcpi_pending *pending,
             mcpi_str method, mcpi_str params);
  /* The call will not be answered: it was cancelled. May be NULL, and so may
   * the call, as above. */
  void (*ended)(mcpi_sink *sink, mcp_call *call);
  /* Ends the connection that the answer would come on, not the call: the client
   * comes back for it. NULL: there is no such thing. 0, MCP_ERR_UNSUPPORTED. */
  int (*close_stream)(mcpi_sink *sink, uint32_t retry_ms);
} mcpi_sink_ops;

struct mcpi_sink {
  const mcpi_sink_ops *ops;
};

/* ---- connections and sessions ------------------------------------------ */

struct mcp_session {
  mcpi_caller *caller;
  mcp_server *server;
  const mcpi_revision *revision;
  mcpi_message *client; /* kept; holds the next two, and nothing else */
  const mcp_json *client_info;
  const mcp_json *client_capabilities;
  int is_initialized;     /* the handshake is done */
  int log_level;          /* MCP_LOG_*; info until the client says */
  uint32_t declared;      /* bits by kind: what initialize declared ... */
  int has_logging;        /* ... and whether it declared logging */
  mcpi_map subscriptions; /* URI -> its own copy */
  void *userdata;
  mcpi_pending roots;    /* roots/list on its way (roots.c) */
  int roots_are_stale;   /* they changed after it was sent */
  mcpi_timer ping_timer; /* from here: keepalive.c */
  mcpi_pending ping;
  uint64_t heard_count; /* messages that had come when the timer was started */
};

/* The least max_kept_bytes: a connection may keep a quarter of it, and a short
 * request takes a block of up to 2 KB. */
enum { MCPI_MIN_KEPT_BYTES = 8192 };

/* --- room.c: limits that refuse --- */

/* The checks, mcpi_*_check_*, only look. The functions that follow them here
 * call the program, which may then end everything: call them once the peer has
 * its answer. */

void mcpi_limits_init(mcpi_part *part);
/* Reports the counts of what was not reported yet. */
void mcpi_limits_flush(mcpi_part *part);
/* Stops the timers of a part that is freed. */
void mcpi_limits_stop(mcpi_part *part);
/* Notes that a limit has refused a peer, for mcpi_part_refusing. */
void mcpi_part_note_refusal(mcpi_part *part, int limit);
/* Notes a refusal, and reports it to the program: of each limit the first in
 * ten seconds, and then how many followed. peer: NULL: not known. */
void mcpi_part_refused(mcpi_part *part, int limit, const char *peer,
                       const char *why);
/* Reports, at the same rate, that something was ended to make room. No peer was
 * refused. */
void mcpi_part_evicted(mcpi_part *part, int limit, const char *peer,
                       const char *format, ...) MCP_PRINTF(4, 5);
/* Returns the option of a limit that has refused a peer on this loop in the
 * last ten seconds; NULL: there was no refusal. */
const char *mcpi_part_refusing(const mcpi_part *part);
/* With copies of what initialize's params say of the client. NULL when out of
 * memory. */
mcp_session *mcpi_session_new(mcpi_caller *caller,
                              const mcpi_revision *revision,
                              const mcp_json *params);
/* NULL is accepted. */
void mcpi_session_free(mcp_session *session);
/* Its connection ends: the program is told, and nothing is awaited any more. */
void mcpi_session_close(mcp_session *session);
/* The handshake is done: the program is told, once. */
void mcpi_session_open(mcp_session *session);
/* Begins to ping the client, when the program wants it and the wire is
 * ordered. */
void mcpi_session_ping_start(mcp_session *session);
void mcpi_session_ping_stop(mcp_session *session);
/* Asks for the client's roots, when it has any and the program wants them. */
void mcpi_session_ask_roots(mcp_session *session);

/* ---- calls ------------------------------------------------------------- */

/* What a reply's content consists of. */
enum {
  MCPI_REPLY_TOOL,
  MCPI_REPLY_PROMPT,
  MCPI_REPLY_RESOURCE,
  MCPI_REPLY_COMPLETION,
  MCPI_REPLY_OTHER
};

/* Memory that an idle call keeps in each of its buffers. What is longer counts
 * as what a peer makes us keep. */
enum { MCPI_CALL_KEPT_BYTES = 4 * 1024 };

/* What lies before `link` stays when a call goes to the free list; wiping all
 * that would cost a call some percent (call.c). */
struct mcp_call {
  mcpi_part *part; /* which stays as long as it has calls */
  mcpi_buf id;     /* the request's, its text */
  mcpi_buf out;    /* the message that will be sent */
  mcpi_buf tail;   /* a value behind the content, as JSON text: the structured
                      result, the prompt's description, a whole result object */
  mcpi_buf meta;   /* members of _meta, with commas between */
  mcpi_buf error_data;
  mcp_error error; /* what the last failing function recorded */

  mcpi_list link;       /* in the caller's calls */
  mcp_call *next;       /* in the free list */
  mcpi_sink *sink;      /* NULL: nobody to answer any more */
  mcpi_caller *caller;  /* NULL likewise */
  mcp_session *session; /* NULL: modern, or gone */

  mcpi_message *message;     /* kept; NULL: no longer needed */
  mcpi_message *client;      /* likewise: what the legacy context points to */
  size_t own_bytes;          /* kept beside the messages: what is long of the
                                id, and answers to legacy questions */
  const mcpi_method *method; /* NULL: one of the program's own */
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

  mcpi_inflight inflight;

  /* The reply (reply.c). */
  int reply_kind;
  int role; /* prompts: MCP_ROLE_* */
  size_t piece_count;
  size_t flushed_len; /* of call->out: what mcp_call_flush has shown */
  int is_failure;
  int has_structured;
  int has_cache; /* the program has said the next two */
  int cache_is_public;
  uint64_t cache_ttl_ms;
  int is_input_required; /* the result asks for input: resultType says so, and
                            it has no cache hints */
  int rpc_code;          /* of the error reply, else 0 */
  int reserved_code;     /* the handler's, which rpc_code replaces, else 0 */
  int error_rpc;         /* the JSON-RPC code of call->error */
  int error_answer;      /* MCPI_ANSWER_*: how call->error is answered ... */
  int error_limit;       /* ... and the MCPI_LIMIT_* of MCPI_ANSWER_REFUSED */
  int reply_status;      /* why an error went out instead of the reply, or 0 */

  /* The handler, and whose the call is (run.c, call.c). */
  mcp_call_cb handler;
  void *handler_userdata;
  int handler_status; /* what it returned on the pool */
  int blocking;       /* it runs on the pool */
  int running;        /* it has the call, here or on the pool */
  int deferred;       /* by the handler, before others get hold of the call */
  atomic_int asked_late; /* after the handler had deferred */
  int replied;           /* by whoever holds the call: nobody else may look */
  int is_dropped;        /* likewise; by mcp_call_drop */
  int is_finished;       /* at home: the reply is out, or went nowhere */
  uint32_t holds;        /* at home: who still needs the structure */
  atomic_int cancelled;
  void (*on_cancel)(mcp_call *call, void *userdata);
  void *on_cancel_userdata;
  double last_progress;
  int has_progress;
  uint32_t flush_count; /* progress made of what was flushed; 0: none */

  mcpi_ask *ask;       /* NULL until the handler asks or a retry came */
  int is_asking;       /* at home: legacy requests of it are on their way */
  mcpi_listen *listen; /* subscriptions/listen */
  int is_counted; /* among the calls in flight; a listen is not, once it has
                          begun */
};

/* call.c: life of a call. */
/* With one hold, the caller's. NULL when out of memory. */
mcp_call *mcpi_call_new(mcpi_part *part);
/* Gives the call to its caller, and counts it among the calls in flight
 * until it is released or mcpi_call_uncount is called. */
void mcpi_call_attach(mcp_call *call, mcpi_caller *caller);
/* Stops counting the call among those in flight; it may be called twice. */
void mcpi_call_uncount(mcp_call *call);
void mcpi_call_hold(mcp_call *call);
/* The last hold gives it back to the free list. */
void mcpi_call_unhold(mcp_call *call);
/* The entry's name or the method's, for reports. */
const char *mcpi_call_what_runs(const mcp_call *call);
/* Runs the handler, here or on the pool, and looks at what it returned. Also
 * for each round after questions. */
void mcpi_call_run(mcp_call *call, mcp_call_cb handler, void *userdata);
/* Lets go of the message, and forgets what points to it. */
void mcpi_call_forget_message(mcp_call *call);
/* Nobody is answered any more, and the call does not learn of it. */
void mcpi_call_mute(mcp_call *call);
/* The client is gone or has cancelled: the call learns of it, and its answer
 * will go nowhere. */
void mcpi_call_cancel(mcp_call *call);
/* Its caller ends before it does. */
void mcpi_call_detach(mcp_call *call);

/* How a recorded failure is answered. */
enum {
  MCPI_ANSWER_ERROR, /* with error_rpc */
  /* An argument of the client's cannot be used: a tool answers with a failed
   * result, as it does for arguments that break its schema (PROTOCOL 12.12);
   * all other methods answer with error_rpc. */
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
/* 0 when the client has declared the capability (a dotted path); else records
 * MCP_ERR_CAPABILITY, for the client in its era's way. */
int mcpi_call_require(mcp_call *call, const char *capability);
/* Answers with the error that is recorded on the call. */
void mcpi_call_reply_recorded(mcp_call *call);
/* The reply is whole: at home it is finished (mcpi_reply_finish) at once,
 * elsewhere it is posted there. 0; MCP_ERR_GONE: nobody waits;
 * MCP_ERR_INVALID: it had a reply; what mcpi_reply_finish says. */
int mcpi_call_submit(mcp_call *call);
/* The last step of every mcpi_reply_*: marks the call replied, shows call->out
 * to the program's hook and sends it (an error when call->rpc_code is not 0).
 * When call->out holds a failure instead of a message, an error is sent in its
 * place. The call stays valid: who runs it releases it. 0 or MCP_ERR_GONE. */
int mcpi_call_send(mcp_call *call);

/* tell.c: a notification that belongs to the call, at home. Begins one whose
 * members of params are then put into what it returns ... */
mcpi_buf *mcpi_call_notify_begin(mcp_call *call, mcpi_str method);
/* ... and sends it, if the call has still a sink. `what` is MCPI_SEND_*. 0,
 * MCP_ERR_GONE or MCP_ERR_NOMEM. */
int mcpi_call_notify_end(mcp_call *call, int what);

/* reply.c: the shape of replies. On the loop's thread. */

/* Closes the result and sends it; one that may not leave (memory, JSON, output
 * schema) is recorded and goes as an error, and its code is returned. */
int mcpi_reply_finish(mcp_call *call);
/* Begins over: nothing added, nothing recorded (before another round). */
void mcpi_reply_reset(mcp_call *call);
/* A result made elsewhere: `members` are the members of the result object
 * without braces, without resultType, cache hints and _meta, which are added
 * (PROTOCOL 2.10). */
int mcpi_reply_members(mcp_call *call, mcpi_str members);
int mcpi_reply_error(mcp_call *call, int rpc_code, mcpi_str message,
                     mcpi_str data);
/* Answers that an argument cannot be used, with the message recorded. */
void mcpi_reply_bad_argument(mcp_call *call);
/* The same in two steps, for what is long: after begin, members without comma
 * in front are put into call->out. */
void mcpi_reply_begin(mcp_call *call);
int mcpi_reply_end(mcp_call *call);

/* ask.c: questions and their answers. */

/* A retry's inputResponses and requestState are read and checked. 0, or the
 * call has recorded what to answer. */
int mcpi_ask_load(mcp_call *call);
/* The handler returned MCP_PENDING: sends the questions. */
void mcpi_ask_send(mcp_call *call);
/* The call is cancelled: questions that are on their way are taken back. */
void mcpi_ask_cancel(mcp_call *call);
void mcpi_ask_free(mcp_call *call);

/* state.c: the sealed state that travels with questions. */
int mcpi_state_seal(mcp_call *call, mcpi_str text, mcpi_buf *out);
int mcpi_state_open(mcp_call *call, mcpi_str sealed, mcpi_buf *text);

/* The protocol's own methods, by mcpi_method_id. Each replies or leaves the
 * call to a handler. */
typedef void (*mcpi_method_handler)(mcp_call *call);
extern const mcpi_method_handler mcpi_server_methods[MCPI_M_COUNT];

void mcpi_on_initialize(mcp_call *call);
void mcpi_on_ping(mcp_call *call);
void mcpi_on_discover(mcp_call *call);
void mcpi_on_list(mcp_call *call); /* all four lists */
void mcpi_on_tools_call(mcp_call *call);
void mcpi_on_prompts_get(mcp_call *call);
/* prompts.c: arguments of a prompt, and those that completion is told of, are
 * strings, also those that we do not know. 0, or MCP_ERR_INVALID, recorded. */
int mcpi_check_strings(mcp_call *call, const mcp_json *arguments);
void mcpi_on_resources_read(mcp_call *call);
void mcpi_on_subscribe(mcp_call *call);
void mcpi_on_unsubscribe(mcp_call *call);
void mcpi_on_complete(mcp_call *call);
void mcpi_on_set_level(mcp_call *call);
/* resources.c: records that there is no such resource, in the revision's way.
 * Also for a reading handler that returned MCP_ERR_NOT_FOUND. */
int mcpi_resource_not_found(mcp_call *call);
void mcpi_on_listen(mcp_call *call);

/* listen.c, notify.c: what goes out unasked. */

/* Sends list-changed for a kind to every session and listen that wants it. */
void mcpi_notify_list_changed(mcpi_part *part, int kind);
/* Ends a listen: with its result (and on ordered streams the cancellation that
 * the specification wants beside it), or silently. */
void mcpi_listen_end(mcpi_listen *listen, int with_result);
void mcpi_listens_free_ended(mcpi_part *part);

#endif
