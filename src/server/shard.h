/* SPDX-License-Identifier: MIT */
/* A shard is the server on one loop: its snapshot of the registries, its
 * callers, its free list of calls. Everything of a shard is touched on its loop
 * alone, except atomic members. */
#ifndef MCPI_SERVER_SHARD_H
#define MCPI_SERVER_SHARD_H

#include "server/identity.h"
#include "server/limits.h"
#include "server/list_pages.h"
#include "server/server.h"

typedef struct mcpi_listen mcpi_listen; /* listen.h */

/* The server on one loop. */
struct mcpi_shard {
  mcpi_list link;
  mcp_server *server;
  mcp_loop *loop;
  mcpi_registry *registries[MCPI_KIND_COUNT]; /* snapshots */
  atomic_int stale;          /* the server's registries have changed since */
  atomic_uint changed_kinds; /* bits: a list-changed must be sent */
  atomic_size_t letters;     /* letters that have not arrived: shards.c */
  mcpi_timer change_timer;   /* sends it, once a turn */
  /* Made when a client first asks for the list. */
  mcpi_list_cache *lists[MCPI_KIND_COUNT][MCPI_REVISION_COUNT];
  mcpi_list callers;
  mcpi_list closed;           /* callers that the next sweep frees */
  atomic_size_t caller_count; /* only the loop's thread writes it */
  mcpi_identities identities;
  mcpi_list listens; /* of all connections, also those that ended ... */
  mcpi_listen *ended_listens; /* ... which are freed by the next sweep */
  mcp_call *idle_calls;
  size_t idle_call_count;
  size_t call_count;    /* structures in use, those of listens too */
  mcpi_list left_calls; /* calls whose connection has ended, the oldest first */
  /* Calls that were cancelled inside a send, and have not learned of it. */
  mcpi_list cancelled_calls;
  mcpi_accounts accounts; /* how much of this loop each client has */
  mcpi_limit *limits[MCPI_LIMIT_COUNT]; /* limits.c; NULL: never reached */
  size_t holds; /* the number of users without a connection: endpoints */
  mcpi_reports reports; /* of all its connections */
  int is_reporting_log; /* the program gets the report of logging.c */
  uint32_t depth;       /* frames between mcpi_shard_enter and _leave */
  uint32_t sends;       /* frames inside mcpi_caller_ops.send */
  int is_leaving;       /* its loop ends before the server */
  int wants_sweep; /* a connection has closed, a call was cancelled inside a
                        send, a listen has ended, or the server was freed */
};

/* The shard for a loop, made at its first use; NULL when out of memory. */
mcpi_shard *mcpi_shard_get(mcp_server *server, mcp_loop *loop);
/* Takes the server's registries if they have changed. Called when each request
 * begins. */
void mcpi_shard_refresh(mcpi_shard *shard);
/* The server's registry of a kind has changed, under the lock: each shard takes
 * it before its next request. */
void mcpi_shards_mark(mcp_server *server, int kind);
/* After that, without the lock: each shard notifies its peers, once in the next
 * turn of its loop. */
void mcpi_shards_tell_changes(mcp_server *server);
/* Everything that comes in from outside (a message, a timer, a post, a call by
 * the program) runs between these two, on the loop's thread. Connections,
 * sessions, listens and the shard itself are freed when the outermost frame
 * leaves, so that nothing vanishes between them, whatever a callback frees.
 *
 * A send may run the program, whose trace closes a connection or frees the
 * server. The function that sends then still uses the call and the request that
 * it sends. So inside a send no call learns that it is cancelled, and no
 * request of ours fails because its connection has closed: that too happens
 * when the outermost frame leaves. */
void mcpi_shard_enter(mcpi_shard *shard);
void mcpi_shard_leave(mcpi_shard *shard);

/* As mcpi_server_report, for something that a peer can cause, as often as the
 * shard's limit allows. */
void mcpi_shard_report(mcpi_shard *shard, int code, const char *format, ...)
    MCP_PRINTF(3, 4);

/* --- every shard of a server --- */

/* A function that runs in a shard, on its loop's thread. `bytes` are borrowed
 * until return. Returns 0 or an MCP_ERR_*. */
typedef int (*mcpi_shard_run)(mcpi_shard *shard, mcpi_str bytes);
/* Runs the function in every shard. In shards of this thread it runs before
 * this function returns; in each other shard it runs when a letter, with a copy
 * of the bytes, reaches its loop, in the order of the calls. On any thread.
 * Returns 0, or the first failure: of a shard of this thread, or MCP_ERR_NOMEM
 * of a letter. */
int mcpi_shards_run(mcp_server *server, mcpi_shard_run run, mcpi_str bytes);
/* Runs the function in one shard: in one of this thread before this function
 * returns, else in another when a letter reaches its loop. Does nothing if
 * there is no shard. On any thread. Returns what mcpi_shards_run returns. */
int mcpi_shards_run_one(mcp_server *server, mcpi_shard_run run, mcpi_str bytes);

/* A loop ends before the server, on its thread. Closes the connections there;
 * the shard is freed when nothing uses it any longer. */
MCP_API void mcpi_server_leave_loop(mcp_server *server, mcp_loop *loop);
/* Cancels the calls that go on without a connection: the running tasks. Those
 * of other loops are cancelled on the threads of these loops. */
MCP_API void mcpi_server_cancel_left(mcp_server *server);
/* Returns the name of what runs the oldest of left_calls, such as a tool; NULL:
 * there is none. */
MCP_API const char *mcpi_shard_left_call(const mcpi_shard *shard);
/* Whether there is a shard on that loop, on its thread. */
MCP_API int mcpi_server_is_on(mcp_server *server, const mcp_loop *loop);

#endif
