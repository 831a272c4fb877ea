/* SPDX-License-Identifier: MIT */
/* Calls that go on after their request has been answered. What such a call is
 * for its client, a task, is the affair of an extension (ext/tasks): the core
 * knows only these functions. */
#ifndef MCPI_SERVER_TASK_H
#define MCPI_SERVER_TASK_H

#include "core/revision.h"
#include "server/sink.h"

typedef struct mcpi_shard mcpi_shard; /* shard.h */

typedef struct mcpi_question mcpi_question; /* ask.h */

typedef struct mcpi_task mcpi_task;

enum {
  MCPI_TASK_ID_SIZE = 64 + 1 /* mcp_task_record.id, with a NUL */
};

typedef struct mcpi_task_ops {
  /* The handler reports progress. text.ptr NULL: it has no message. */
  void (*progress)(mcpi_task *task, double progress, double total,
                   mcpi_str text);
  /* The handler has noted how far it has come: `state` is a text of
   * mcpi_ask_put_state. */
  void (*note)(mcpi_task *task, mcpi_str state);
  /* The handler has returned MCP_PENDING, and its questions are in call->ask.
   * The task keeps them, and the call ends without a reply: the handler runs
   * again in another call. Returns 0, or an error that is recorded on the
   * call. */
  int (*ask)(mcpi_task *task, mcp_call *call);
} mcpi_task_ops;

/* A task whose handler runs; a part of the extension's structure. */
struct mcpi_task {
  mcpi_sink sink; /* gets the reply of the call */
  const mcpi_task_ops *ops;
};

/* Makes tasks of the calls of a server. */
typedef struct mcpi_task_maker mcpi_task_maker;
struct mcpi_task_maker {
  /* The arguments of the call of a tool are right, and the handler comes next.
   * Returns 1 if it runs, perhaps as a task; 0: the call has been answered. */
  int (*admit)(mcpi_task_maker *maker, mcp_call *call);
  /* As mcp_call_make_task, on the loop's thread. Errors are recorded. */
  int (*make)(mcpi_task_maker *maker, mcp_call *call);
  /* Asks a legacy client a question as a task, if the client can run it as one.
   * `done` gets the answer, as from a request that asks it. Returns 0; 1: the
   * client cannot, so nothing was sent; or an error as mcpi_sink_ops.ask. NULL:
   * questions are not asked as tasks. */
  int (*ask)(mcpi_question *question, mcpi_pending_done done);
  /* The call that has asked is cancelled, and nothing of the question is in
   * flight: `done` does not run. Only for questions that have `asking`. */
  void (*take_back)(mcpi_question *question);
  /* Of the modern era, with empty settings. */
  const char *extension;
  /* Appends the capability of a legacy revision, or nothing. Clients without a
   * principal (NULL) cannot be told apart. */
  void (*put_capability)(const mcpi_revision *revision, const char *principal,
                         mcpi_buf *out);
  /* The server has got a loop to serve on. */
  void (*begin)(mcpi_task_maker *maker, mcpi_shard *shard);
  /* The server ends: frees the maker. */
  void (*free)(mcpi_task_maker *maker);
};

#endif
