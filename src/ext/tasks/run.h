/* SPDX-License-Identifier: MIT */
/* The structure of a running task, for the files that begin one (begin.c), run
 * it again (resume.c), and record what it does (running.c). */
#ifndef MCPI_EXT_TASKS_RUN_H
#define MCPI_EXT_TASKS_RUN_H

#include "ext/tasks/work.h"

typedef struct mcpi_running_task {
  mcpi_task task;
  mcpi_tasks *tasks;
  mcpi_shard *shard;
  mcp_call *call;          /* held; NULL in SAVING */
  mcpi_identity *identity; /* a reference: that of the call */
  int starts_handler;      /* in CREATING: the handler has not begun yet */
  char id[MCPI_TASK_ID_SIZE];
  int64_t created_ms; /* by the wall clock, as the next but one */
  int64_t ttl_ms;     /* -1: without a limit */
  int64_t expires_ms;
  mcpi_timer expiry;
  /* The last progress, under the server's lock. */
  mcpi_buf message;
  int64_t told_ms; /* by the wall clock */
  /* In SAVING. */
  mcpi_task_work work;
  mcp_doc *outcome; /* what the handler replied or asked */
  int is_lost;      /* the outcome could not be stored */
} mcpi_running_task;

/* Makes an empty structure. NULL when out of memory. */
mcpi_running_task *mcpi_run_new(mcpi_tasks *tasks, mcpi_shard *shard);
/* Lets the call go on without the task, if it has one. */
void mcpi_run_free(mcpi_running_task *t);
/* Puts it, with its id, into the table of running tasks. Returns 0,
 * MCP_ERR_EXISTS or MCP_ERR_NOMEM. */
int mcpi_run_add(mcpi_running_task *t);
/* Holds the call, and counts the task for the call's client. */
void mcpi_run_take_call(mcpi_running_task *t, mcp_call *call);
/* RUNNING: the call is the task's. */
void mcpi_run_go_on(mcpi_running_task *t);
/* Nobody learns of the task: its record says that it is cancelled. Frees the
 * structure. */
void mcpi_run_abandon(mcpi_running_task *t);

#endif
