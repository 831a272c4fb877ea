/* SPDX-License-Identifier: MIT */
/* The list of the requests that wait for tasks (waiter.c), on all loops. */
#ifndef MCPI_EXT_TASKS_WAITING_H
#define MCPI_EXT_TASKS_WAITING_H

#include "ext/tasks/tasks.h"

typedef enum mcpi_waiting_state {
  MCPI_TASK_LOADING, /* it looks at the record */
  MCPI_TASK_WAITING,
  MCPI_TASK_ASKING
} mcpi_waiting_state;

/* A part of the request's structure. */
typedef struct mcpi_task_waiting mcpi_task_waiting;
struct mcpi_task_waiting {
  mcpi_list link; /* in tasks->waiters, under the server's lock */
  mcpi_tasks *tasks;
  mcpi_shard *shard;
  const char *id; /* of the task; borrowed until it is removed */
  mcpi_waiting_state state;
  int is_stale; /* in LOADING: the task has changed meanwhile */
  /* The task has changed: looks at it again. It may free the structure, and
   * others that wait. */
  void (*look)(mcpi_task_waiting *waiting);
};

/* Puts it at the end of the list, in the state LOADING. */
void mcpi_task_waiting_add(mcpi_task_waiting *waiting);
void mcpi_task_waiting_remove(mcpi_task_waiting *waiting);
void mcpi_task_waiting_set(mcpi_task_waiting *waiting,
                           mcpi_waiting_state state);
/* Sets ASKING and returns 1. If another one asks for this task, sets WAITING
 * and returns 0. */
int mcpi_task_waiting_claim(mcpi_task_waiting *waiting);

/* The status of a task has changed: each request that waits for it looks again,
 * on its loop; if the task `has_ended`, also the one that asks. */
void mcpi_task_waiters_wake(mcpi_tasks *tasks, const char *id, int has_ended);

#endif
